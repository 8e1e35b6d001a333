/* Hooks of a C11 or C++17 program on an ordinary processor (x86-64, 64-bit Arm). portable.h says what
 * each hook means, and gives those that are not here.
 *
 * Tried: gcc in both languages, in all tests. Its caches are coherent, so there are no lines to move.
 */
#ifndef LANESCOPE_DEVICES_HOST_H
#define LANESCOPE_DEVICES_HOST_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(__cplusplus) && !defined(static_assert)
#define static_assert _Static_assert
#endif

#if !defined(LS_FN)
#define LS_FN static inline
#endif
#if !defined(LS_SLOW)
#define LS_SLOW static __attribute__((noinline, unused))
#endif

#if !defined(LS_YIELD)
#include <sched.h>
#define LS_YIELD() ((void)sched_yield())
#endif

#endif
