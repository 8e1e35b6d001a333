/* Hooks of an Ascend AICore, compiled by ccec as C++17 (both for cube and for vector cores). portable.h
 * says what each hook means and gives those not here.
 *
 * Not tried on hardware, nor with ccec: tests/devices compiles and runs it with stand-ins. What it is
 * built on: __aicore__ and __gm__ (qualifier.h), dcci and dsb as the executors use them, no atomics, no
 * system headers but <cstdint> and <cstddef>, get_sys_cnt() (hw-native-sys/simpler:
 * src/common/platform/include/common/qualifier.h, src/a2a3/runtime/tensormap_and_ringbuffer/aicore/
 * aicore_executor.cpp, docs/hardware/cache-coherency.md).
 *
 * A core's cache is not coherent. It writes back whole lines of 64 bytes, when it is told to and also
 * when it needs the room, so no line is written by two sides (layout.h).
 */
#ifndef LANESCOPE_DEVICES_AICORE_H
#define LANESCOPE_DEVICES_AICORE_H

#include <stddef.h>
#include <stdint.h>

#define LS_NO_SYSTEM_HEADERS 1

/* Everything is inlined: each source is compiled twice, and a call would leave the kernel's text. */
#if !defined(LS_FN)
#define LS_FN static inline __attribute__((always_inline)) __aicore__
#endif
#if !defined(LS_SLOW)
#define LS_SLOW LS_FN
#endif
#if !defined(LS_GM)
#define LS_GM __gm__
#endif

#define LS_HAS_ATOMICS 0
#define LS_HAS_LINES 1
#define LS_MAY_WAIT 0     /* a core that waits for the host stops the whole graph */
#define LS_COUNTS_EACH 0  /* a second line per task is 0.4 to 0.5 us */

#if !defined(LS_LOAD_LINE)
#define LS_LOAD_LINE(address) dcci((__gm__ void *)(address), SINGLE_CACHE_LINE)
#endif
#if !defined(LS_INVALIDATE_LINE)
#define LS_INVALIDATE_LINE(address) LS_LOAD_LINE(address)
#endif
#if !defined(LS_FLUSH_LINE)
#define LS_FLUSH_LINE(address) dcci((__gm__ void *)(address), SINGLE_CACHE_LINE, CACHELINE_OUT)
#endif
#if !defined(LS_BARRIER)
#define LS_BARRIER() dsb((mem_dsb_t)0)
#endif

/* 50 MHz on a2a3, 1 GHz on a5; a read costs 100 to 200 ns. */
#if !defined(LS_CLOCK)
#define LS_CLOCK() ((uint64_t)get_sys_cnt())
#endif
#if !defined(LS_PAUSE)
#define LS_PAUSE() ((void)0) /* LS_MAY_WAIT is 0 */
#endif

#endif
