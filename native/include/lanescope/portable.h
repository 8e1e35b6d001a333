/* What differs between devices. Everything that these headers do to memory goes through a hook.
 *
 *   hook                          meaning                                    where it is not defined
 *   LS_FN, LS_SLOW                before every function; LS_SLOW: seldom called    devices/
 *   LS_GM                         before the type of what lies in the region       empty
 *   LS_LOAD_LINE(address)         before a load of what another processor of the
 *                                 device wrote: forget the line, if it is cached   nothing
 *   LS_INVALIDATE_LINE(address)   the same of what the host wrote                  nothing
 *   LS_FLUSH_LINE(address)        after stores: send the line to memory            nothing
 *   LS_BARRIER()                  returns when everything sent has arrived         nothing
 *   LS_CLOCK()                    the device's counter                             the processor's
 *   LS_CLOCK_ORDERED()            the same, where reads of it can run ahead        LS_CLOCK()
 *   LS_YIELD()                    how a waiting producer gives way                 sched_yield()
 *   LS_PAUSE()                    one step of a wait                               pause, LS_YIELD()
 *
 *   LS_HAS_ATOMICS   0: loads and stores are volatile, and nobody adds to a word of others       1
 *   LS_HAS_LINES     1: the four hooks of lines do something                                     0
 *   LS_MAY_WAIT      0: a producer without a buffer drops its record and counts it               1
 *   LS_COUNTS_EACH   0: lane.recorded grows with each buffer, not with each record               1
 *
 * Ready sets are in devices/: host.h, cuda.h, hip.h, aicore.h, aicpu.h. The compiler's macros choose, and
 * LS_AICPU. A program may define each hook before it includes this; its own is taken.
 */
#ifndef LANESCOPE_PORTABLE_H
#define LANESCOPE_PORTABLE_H

#include "version.h"

#if defined(__CCE_AICORE__)
#include "devices/aicore.h"
#elif defined(LS_AICPU)
#include "devices/aicpu.h"
#elif defined(__HIPCC__)
#include "devices/hip.h"
#elif defined(__CUDACC__)
#include "devices/cuda.h"
#else
#include "devices/host.h"
#endif

#if !defined(LS_GM)
#define LS_GM
#endif
#if !defined(LS_HAS_ATOMICS)
#define LS_HAS_ATOMICS 1
#endif
#if !defined(LS_HAS_LINES)
#define LS_HAS_LINES 0
#endif
#if !defined(LS_MAY_WAIT)
#define LS_MAY_WAIT 1
#endif
#if !defined(LS_COUNTS_EACH)
#define LS_COUNTS_EACH 1
#endif
#if !defined(LS_LOAD_LINE)
#define LS_LOAD_LINE(address) ((void)(address))
#endif
#if !defined(LS_INVALIDATE_LINE)
#define LS_INVALIDATE_LINE(address) ((void)(address))
#endif
#if !defined(LS_FLUSH_LINE)
#define LS_FLUSH_LINE(address) ((void)(address))
#endif
#if !defined(LS_BARRIER)
#define LS_BARRIER() ((void)0)
#endif

/* A zeroed struct, in both languages. */
#if defined(__cplusplus)
#define LS_ZERO {}
#else
#define LS_ZERO {0}
#endif

/* Eight bytes of any struct. */
typedef uint64_t __attribute__((may_alias)) ls_word;

#define LS_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define LS_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* ---- Atomics: only what the protocols need, on aligned 64-bit words; since 0.1.0 ------------- */

/* Everything the other side wrote before its release store is visible after this load. On a device with
 * lines LS_LOAD_LINE or LS_INVALIDATE_LINE comes first, for the word and for what it carries. */
LS_FN uint64_t ls_load_acquire(LS_GM const uint64_t *word)
{
#if defined(__CUDA_ARCH__)
    uint64_t value;
    asm volatile("ld.acquire.sys.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
#elif LS_HAS_ATOMICS
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
#else
    return *(LS_GM const volatile uint64_t *)word;
#endif
}

/* Whoever sees this value with an acquire load sees everything written before it; on a device with
 * lines, everything whose lines were flushed before it. */
LS_FN void ls_store_release(LS_GM uint64_t *word, uint64_t value)
{
    LS_BARRIER();
#if defined(__CUDA_ARCH__)
    asm volatile("st.release.sys.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
#elif LS_HAS_ATOMICS
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
#else
    *(LS_GM volatile uint64_t *)word = value;
#endif
    LS_FLUSH_LINE(word);
}

/* For words that carry no other data with them: one writer, readers that only look. On a device with
 * lines they see it when the line is flushed for another word. */
LS_FN void ls_store_relaxed(LS_GM uint64_t *word, uint64_t value)
{
#if defined(__CUDA_ARCH__)
    asm volatile("st.relaxed.sys.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
#elif LS_HAS_ATOMICS
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
#else
    *(LS_GM volatile uint64_t *)word = value;
#endif
}

/* For words that only the caller writes, or whose age does not matter. */
LS_FN uint64_t ls_load_relaxed(LS_GM const uint64_t *word)
{
#if defined(__CUDA_ARCH__)
    uint64_t value;
    asm volatile("ld.relaxed.sys.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
#elif LS_HAS_ATOMICS
    return __atomic_load_n(word, __ATOMIC_RELAXED);
#else
    return *(LS_GM const volatile uint64_t *)word;
#endif
}

/* ---- inside ---------------------------------------------------------------------------------- */

/* For words that many count in. Returns the new value. */
LS_FN uint64_t ls_add_relaxed(LS_GM uint64_t *word, uint64_t count)
{
#if defined(__CUDA_ARCH__)
    uint64_t before;
    asm volatile("atom.relaxed.sys.add.u64 %0, [%1], %2;"
                 : "=l"(before)
                 : "l"(word), "l"(count)
                 : "memory");
    return before + count;
#elif LS_HAS_ATOMICS
    return __atomic_add_fetch(word, count, __ATOMIC_RELAXED);
#else
    (void)word; /* others add to it, too: a load and a store would lose what they add */
    return count;
#endif
}

/* ---- Records; since 0.1.0 -------------------------------------------------------------------- */

/* Writes a whole record, a multiple of 16 bytes. A GPU does it in stores of 16: smaller ones cross a bus
 * as partial writes, at twice the cost. */
LS_FN void ls_put_record(LS_GM void *target, const void *record, uint32_t bytes)
{
#if defined(__CUDA_ARCH__)
    for (uint32_t at = 0; at < bytes; at += 16) {
        uint64_t words[2];
        memcpy(words, (const uint8_t *)record + at, sizeof words);
        asm volatile("st.v2.u64 [%0], {%1, %2};" ::"l"((uint8_t *)target + at), "l"(words[0]),
                     "l"(words[1])
                     : "memory");
    }
#elif LS_HAS_ATOMICS
    __builtin_memcpy(target, record, bytes);
#else
    for (uint32_t at = 0; at < bytes / 8; at++)
        ((LS_GM volatile ls_word *)target)[at] = ((const ls_word *)record)[at];
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

/* One step of a wait: a pause, and every 32nd time the processor goes to others. */
LS_FN void ls_wait_a_little(uint32_t *spins)
{
#if defined(LS_PAUSE)
    (void)spins;
    LS_PAUSE();
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
