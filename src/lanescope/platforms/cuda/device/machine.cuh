/* What the megakernel needs of the machine under it: memory order, warps, barriers, clocks.
 *
 * Compiled as CUDA it is a GPU. Compiled as plain C++ (MEGA_EMULATED) every CTA is one thread with a
 * warp of one lane, so that the same scheduler, queues and tasks run, and are tested, without one.
 */
#ifndef LANESCOPE_MEGA_MACHINE_CUH
#define LANESCOPE_MEGA_MACHINE_CUH

/* Records are stamped with the line of clock.cuh. */
#define LS_CLOCK() mega_now()

#if defined(MEGA_EMULATED)

#include <lanescope/portable.h>

#include <sched.h>
#include <time.h>

#define MEGA_FN static inline
#define MEGA_BOTH static inline
#define MEGA_IN inline
#define MEGA_CALL static inline
#define MEGA_SHARED
#define MEGA_LANES 1u
#define MEGA_LOADERS 1u
#define MEGA_COMPUTERS 1u
#define MEGA_STORERS 1u

MEGA_FN uint32_t load_relaxed(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
MEGA_FN uint64_t load_relaxed(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
MEGA_FN uint64_t load_acquire(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
MEGA_FN void store_relaxed(uint32_t *word, uint32_t v) { __atomic_store_n(word, v, __ATOMIC_RELAXED); }
MEGA_FN void store_relaxed(uint64_t *word, uint64_t v) { __atomic_store_n(word, v, __ATOMIC_RELAXED); }
MEGA_FN void store_release(uint64_t *word, uint64_t v) { __atomic_store_n(word, v, __ATOMIC_RELEASE); }
MEGA_FN uint64_t fetch_add(uint64_t *word, uint64_t v) { return __atomic_fetch_add(word, v, __ATOMIC_RELAXED); }
MEGA_FN uint32_t fetch_sub(uint32_t *word, uint32_t v) { return __atomic_fetch_sub(word, v, __ATOMIC_RELAXED); }
MEGA_FN void fence() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }

MEGA_FN uint64_t exchange_if(uint64_t *word, uint64_t expected, uint64_t value)
{
    __atomic_compare_exchange_n(word, &expected, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}

MEGA_FN uint32_t add_nearby(uint32_t *word, uint32_t v) { uint32_t before = *word; *word += v; return before; }
MEGA_FN uint32_t lowest_bit(uint32_t mask) { return (uint32_t)__builtin_ctz(mask); }
MEGA_FN uint32_t own_lane() { return 0; }
MEGA_FN void sync_warp() {}
MEGA_FN uint32_t votes(bool vote) { return vote; }
MEGA_FN uint32_t sum_of_warp(uint32_t value) { return value; }
MEGA_FN uint64_t of_lane(uint64_t value, uint32_t) { return value; }
MEGA_FN uint32_t bits_below(uint32_t) { return 0; }
MEGA_FN uint32_t count_bits(uint32_t mask) { return (uint32_t)__builtin_popcount(mask); }
MEGA_FN void sync_block() {}
MEGA_FN bool is_leader() { return true; }
MEGA_FN uint64_t unit_number() { return 0; }
MEGA_FN void pause_a_little() { sched_yield(); }

/* Its device clock moves in steps of 32 ns, like the one of an H200. */
MEGA_FN uint64_t device_ns()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) / 32 * 32;
}

MEGA_FN uint64_t unit_cycles() { return __builtin_ia32_rdtsc(); }

struct Moment {
    uint64_t cycles, ns;
};

MEGA_FN Moment moment()
{
    uint64_t before = unit_cycles(), ns = device_ns();
    return {before + (unit_cycles() - before) / 2, ns};
}

#else

#include <lanescope/cuda.cuh>

#define MEGA_FN static __device__ __forceinline__
#define MEGA_BOTH static __host__ __device__ __forceinline__
#define MEGA_IN __device__ __forceinline__
#define MEGA_CALL static __device__ __noinline__ /* its registers are its own */
#define MEGA_SHARED __shared__
#define MEGA_LANES 32u
#define MEGA_LOADERS 64u
#define MEGA_COMPUTERS 128u
#define MEGA_STORERS 64u

/* Memory order within the device; the words of the region have their own (portable.h). */
#define MEGA_LOAD(name, order, type, letter, suffix)                                              \
    MEGA_FN type name(const type *word)                                                           \
    {                                                                                             \
        type value;                                                                               \
        asm volatile("ld." order ".gpu." suffix " %0, [%1];" : letter(value) : "l"(word) : "memory"); \
        return value;                                                                             \
    }
#define MEGA_STORE(name, order, type, letter, suffix)                                             \
    MEGA_FN void name(type *word, type value)                                                     \
    {                                                                                             \
        asm volatile("st." order ".gpu." suffix " [%0], %1;" ::"l"(word), letter(value) : "memory"); \
    }
MEGA_LOAD(load_relaxed, "relaxed", uint32_t, "=r", "u32")
MEGA_LOAD(load_relaxed, "relaxed", uint64_t, "=l", "u64")
MEGA_LOAD(load_acquire, "acquire", uint64_t, "=l", "u64")
MEGA_STORE(store_relaxed, "relaxed", uint32_t, "r", "u32")
MEGA_STORE(store_relaxed, "relaxed", uint64_t, "l", "u64")
MEGA_STORE(store_release, "release", uint64_t, "l", "u64")

MEGA_FN uint64_t fetch_add(uint64_t *word, uint64_t added)
{
    uint64_t before;
    asm volatile("atom.relaxed.gpu.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(word), "l"(added) : "memory");
    return before;
}

MEGA_FN uint32_t fetch_sub(uint32_t *word, uint32_t taken)
{
    uint32_t before;
    asm volatile("atom.relaxed.gpu.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(word), "r"(0u - taken) : "memory");
    return before;
}

MEGA_FN uint64_t exchange_if(uint64_t *word, uint64_t expected, uint64_t value)
{
    uint64_t before;
    asm volatile("atom.relaxed.gpu.cas.b64 %0, [%1], %2, %3;"
                 : "=l"(before) : "l"(word), "l"(expected), "l"(value) : "memory");
    return before;
}

/* Exchanges are relaxed, because each order of its own would cost as much as a fence: one fence
 * between what was read and what is written serves many of them. */
MEGA_FN void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

/* On a word in shared memory. */
MEGA_FN uint32_t add_nearby(uint32_t *word, uint32_t added) { return atomicAdd(word, added); }
MEGA_FN uint32_t lowest_bit(uint32_t mask) { return __ffs((int)mask) - 1; }
MEGA_FN uint32_t own_lane() { return threadIdx.x % 32; }
MEGA_FN void sync_warp() { __syncwarp(); }
MEGA_FN uint32_t votes(bool vote) { return __ballot_sync(0xffffffffu, vote); }
MEGA_FN uint64_t of_lane(uint64_t value, uint32_t lane) { return __shfl_sync(0xffffffffu, value, lane); }
MEGA_FN uint32_t bits_below(uint32_t mask) { return __popc(mask & ((1u << own_lane()) - 1)); }
MEGA_FN uint32_t count_bits(uint32_t mask) { return __popc(mask); }
MEGA_FN void sync_block() { __syncthreads(); }
MEGA_FN bool is_leader() { return threadIdx.x == 0; }
MEGA_FN void pause_a_little() { __nanosleep(100); }

MEGA_FN uint32_t sum_of_warp(uint32_t value)
{
    for (int step = 16; step; step /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, step);
    return value;
}

MEGA_FN uint64_t unit_number()
{
    uint32_t unit;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(unit));
    return unit;
}

MEGA_FN uint64_t device_ns() { return lanescope::global_ns(); }
MEGA_FN uint64_t unit_cycles() { return lanescope::counter(); }
using lanescope::Moment;
using lanescope::moment;

#endif
#endif
