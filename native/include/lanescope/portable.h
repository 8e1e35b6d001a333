/* What differs between C11, C++17 and CUDA: function marks, atomics, the clock, waiting.
 *
 * A runtime with a counter of its own defines LS_CLOCK() before including this (and
 * LS_CLOCK_ORDERED() where reads of it can run ahead), and LS_YIELD() to say how a waiting producer
 * gives way.
 */
#ifndef LANESCOPE_PORTABLE_H
#define LANESCOPE_PORTABLE_H

#include "version.h"

#if defined(__CUDACC_RTC__)
/* A kernel compiled while the program runs has no system headers. */
typedef signed short int16_t;
typedef unsigned short uint16_t;
typedef signed int int32_t;
typedef signed long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#define UINT64_C(value) value##ull
#define UINT64_MAX (~UINT64_C(0))
#define UINT32_MAX (~0u)
#if !defined(NULL)
#define NULL 0
#endif
#else
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#endif

#if !defined(__cplusplus) && !defined(static_assert)
#define static_assert _Static_assert
#endif

#if defined(__CUDACC__)
#define LS_FN static inline __host__ __device__
/* A call would put the caller's handles into memory, and every record would wait for that. */
#define LS_SLOW static __forceinline__ __host__ __device__
#else
#define LS_FN static inline
#define LS_SLOW static __attribute__((noinline, unused))
#endif

/* A zeroed struct, in both languages. */
#if defined(__cplusplus)
#define LS_ZERO {}
#else
#define LS_ZERO {0}
#endif

#define LS_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define LS_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* ---- Atomics: only what the protocols need, on aligned 64-bit words; since 0.1.0 ------------- */

/* Everything the other side wrote before its release store is visible after this load. */
LS_FN uint64_t ls_load_acquire(const uint64_t *word)
{
#if defined(__CUDA_ARCH__)
    uint64_t value;
    asm volatile("ld.acquire.sys.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
#else
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
#endif
}

/* Whoever sees this value with an acquire load sees everything written before it. */
LS_FN void ls_store_release(uint64_t *word, uint64_t value)
{
#if defined(__CUDA_ARCH__)
    asm volatile("st.release.sys.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
#else
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
#endif
}

/* For words that carry no other data with them: one writer, readers that only look. */
LS_FN void ls_store_relaxed(uint64_t *word, uint64_t value)
{
#if defined(__CUDA_ARCH__)
    asm volatile("st.relaxed.sys.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
#else
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
#endif
}

/* For words that only the caller writes, or whose age does not matter. */
LS_FN uint64_t ls_load_relaxed(const uint64_t *word)
{
#if defined(__CUDA_ARCH__)
    uint64_t value;
    asm volatile("ld.relaxed.sys.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
#else
    return __atomic_load_n(word, __ATOMIC_RELAXED);
#endif
}

/* ---- inside ---------------------------------------------------------------------------------- */

/* For words that many count in. Returns the new value. */
LS_FN uint64_t ls_add_relaxed(uint64_t *word, uint64_t count)
{
#if defined(__CUDA_ARCH__)
    uint64_t before;
    asm volatile("atom.relaxed.sys.add.u64 %0, [%1], %2;"
                 : "=l"(before)
                 : "l"(word), "l"(count)
                 : "memory");
    return before + count;
#else
    return __atomic_add_fetch(word, count, __ATOMIC_RELAXED);
#endif
}

/* ---- Clock; since 0.1.0 ---------------------------------------------------------------------- */

#if !defined(LS_CLOCK)
/* Ticks of the processor's counter; on a GPU nanoseconds. */
LS_FN uint64_t ls_clock(void)
{
#if defined(__CUDA_ARCH__)
    uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
#elif defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
#error "no clock is known for this processor: define LS_CLOCK() before including lanescope"
#endif
}
#define LS_CLOCK() ls_clock()

/* For stamps of "I have seen it": not taken before the loads that came first. A plain read of the
 * counter may run ahead of them by some tens of ns, and then a task would end after its finish. */
LS_FN uint64_t ls_clock_ordered(void)
{
#if !defined(__CUDA_ARCH__) && defined(__x86_64__)
    __builtin_ia32_lfence();
#elif !defined(__CUDA_ARCH__) && defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
    return ls_clock();
}
#define LS_CLOCK_ORDERED() ls_clock_ordered()
#elif !defined(LS_CLOCK_ORDERED)
#define LS_CLOCK_ORDERED() LS_CLOCK()
#endif

/* ---- Waiting: pause, and after a while let others run; since 0.1.0 --------------------------- */

#if !defined(LS_YIELD)
#if defined(__CUDACC__)
#define LS_YIELD() ((void)0)
#else
#include <sched.h>
#define LS_YIELD() ((void)sched_yield())
#endif
#endif

/* One step of a wait: a pause, and every 32nd time the processor goes to others. */
LS_FN void ls_wait_a_little(uint32_t *spins)
{
#if defined(__CUDA_ARCH__)
    (void)spins;
    __nanosleep(200);
#else
    if (++*spins % 32 == 0) {
        LS_YIELD();
        return;
    }
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
#endif
}

#endif
