/* lanescope for a runtime or a kernel: include this, link nothing.
 *
 *   portable.h  C, C++ and CUDA      flags.h  what is recorded
 *   layout.h    every shared byte    region.h making a region
 *   record.h    recording: writer.h, core.h, controller.h
 *   file.h      a region in a file (not included here: POSIX only)
 *   cuda.cuh    inside CUDA kernels, on buffers.cuh and handle.h (not included here: C++)
 */
#ifndef LANESCOPE_H
#define LANESCOPE_H

#include "flags.h"
#include "layout.h"
#include "portable.h"
#include "record.h"
#if !defined(__CUDACC_RTC__)
#include "region.h"
#endif

#endif
