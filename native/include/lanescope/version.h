/* The version of these headers; lanescope.h says what is promised from one to the next. */
#ifndef LANESCOPE_VERSION_H
#define LANESCOPE_VERSION_H

#define LANESCOPE_VERSION_MAJOR 0
#define LANESCOPE_VERSION_MINOR 2
#define LANESCOPE_VERSION_PATCH 0

#endif
