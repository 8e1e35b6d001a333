/* What Triton kernels call to record: cuda.cuh behind functions with plain arguments.
 *
 * `make triton-ir` compiles this with clang 18 to LLVM IR, src/lanescope/triton/record.ll, which Triton links
 * into the kernel (extern_libs) and inlines. Every thread of a warp makes each call. A function gives back one
 * number and no struct, so the state of a lane lies in shared memory, a place per warp; what kernels hold is
 * a word of 32 bits that says where, and is 0 in every thread but the elected one. So a thread that does not
 * record, and every thread of a kernel with handle 0, takes one branch per call.
 */

/* ---- the words of CUDA that the header uses, for clang without CUDA ----------------------------- */

typedef unsigned long size_t;
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1    /* no system headers */
#define __CUDA_ARCH__ 750   /* loads and stores are PTX, as nvcc has them */
#define __host__
#define __device__
#define __shared__ __attribute__((address_space(3)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define memcpy __builtin_memcpy

struct Place {
    unsigned x, y, z;
};
#define REGISTERS(name)                                                                            \
    (Place{(unsigned)__nvvm_read_ptx_sreg_##name##_x(), (unsigned)__nvvm_read_ptx_sreg_##name##_y(), \
           (unsigned)__nvvm_read_ptx_sreg_##name##_z()})
#define threadIdx REGISTERS(tid)
#define blockIdx REGISTERS(ctaid)
#define blockDim REGISTERS(ntid)
#define gridDim REGISTERS(nctaid)

static inline void __syncwarp()
{
    __nvvm_bar_warp_sync(~0u);
}
static inline int __any_sync(unsigned mask, int yes)
{
    return __nvvm_vote_any_sync(mask, yes);
}
static inline void __threadfence()
{
    __nvvm_membar_gl();
}
static inline void __nanosleep(unsigned ns)
{
    asm volatile("nanosleep.u32 %0;" ::"r"(ns));
}
static inline unsigned atomicExch(unsigned *word, unsigned value)
{
    unsigned before;
    asm volatile("atom.exch.b32 %0, [%1], %2;" : "=r"(before) : "l"(word), "r"(value) : "memory");
    return before;
}
static inline unsigned long long atomicAdd(unsigned long long *word, unsigned long long value)
{
    unsigned long long before;
    asm volatile("atom.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(word), "l"(value) : "memory");
    return before;
}
inline void *operator new(size_t, void *place) noexcept
{
    return place;
}

#define LS_RARE static __noinline__ /* written once here; the kernel's compiler inlines it */
#define LS_SELDOM /* all of a lane lies in shared memory */
#include <lanescope/cuda.cuh>

/* ---- where lanes are ----------------------------------------------------------------------------- */

using lanescope::ThreadLane;

#define WARPS 32u
#define PLACE_BYTES 64u
static_assert(sizeof(ThreadLane) <= PLACE_BYTES && sizeof(ThreadLane) % sizeof(ls_word) == 0,
              "a lane does not fit into its place");

/* Triton's own shared memory follows this, and must begin at a multiple of 1024 bytes: wgmma and TMA swizzle
 * by address, and compute wrong numbers otherwise. */
[[clang::loader_uninitialized]] static __shared__
    __attribute__((aligned(1024))) unsigned char places[WARPS * PLACE_BYTES];
static_assert(sizeof places % 1024 == 0, "Triton's shared memory would begin in between");

static inline ThreadLane *place(uint32_t lane)
{
    void *generic = (void *)(__shared__ void *)(unsigned long)(lane - 1);
    return (ThreadLane *)__builtin_assume_aligned(generic, PLACE_BYTES);
}

/* The lane in the place of the calling thread's warp, for the warp's first thread; for others none has this
 * number. CTAs of Triton have one dimension. */
static inline uint32_t own_lane()
{
    uint32_t at = (uint32_t)(unsigned long)(places + threadIdx.x / 32 * PLACE_BYTES);
    return threadIdx.x % 32 == 0 ? at + 1 : ~0u;
}

/* Opens a lane in the place of the calling warp. Returns what the other functions take as `lane`. */
static inline uint32_t open_lane(uint64_t handle, uint32_t pipe, bool elected)
{
    uint32_t lane = 0;
    if (elected && handle != 0) {
        lane = own_lane();
        new (place(lane)) ThreadLane(handle, lanescope::block_number(), pipe, true);
    }
    __syncwarp();
    return lane;
}

/* Calls `work` with a copy of the lane, so that shared memory is read once and written once. It is copied in
 * words: of a memcpy, the compiler would leave padding and what `work` does not use in local memory.
 *
 * Only the thread that opened the lane gets further: where Triton makes partitions of a loop by itself, it
 * hands one thread's number to all threads of other warps. */
template <class Work> static __forceinline__ void on_lane(uint32_t lane, Work work)
{
    if (lane == own_lane()) {
        ls_word copy[sizeof(ThreadLane) / sizeof(ls_word)], *home = (ls_word *)place(lane);
#pragma unroll
        for (unsigned i = 0; i < sizeof copy / sizeof *copy; i++)
            copy[i] = home[i];
        work(*(ThreadLane *)copy);
#pragma unroll
        for (unsigned i = 0; i < sizeof copy / sizeof *copy; i++)
            home[i] = copy[i];
    }
    __syncwarp(); /* they are together again: wgmma wants that */
}

/* ---- what kernels call: src/lanescope/triton/calls.py -------------------------------------------- */

/* A mark is one word: the lower 48 bits of the counter when it began, and its id below them. */
#define COUNTER_BITS 48
#define COUNTER_MASK ((UINT64_C(1) << COUNTER_BITS) - 1)

#define CALLED extern "C" __attribute__((always_inline))

/* The lane of `warps` consecutive warps: those of the CTA, or of a partition of it. Of any so many one has a
 * number that `warps` divides; its first thread is the elected one. */
CALLED uint32_t lanescope_triton_per_block(uint64_t handle, uint32_t pipe, uint32_t warps)
{
    return open_lane(handle, pipe, threadIdx.x % (32 * warps) == 0);
}

CALLED uint32_t lanescope_triton_per_warp(uint64_t handle)
{
    return open_lane(handle, threadIdx.x / 32, threadIdx.x % 32 == 0);
}

CALLED uint32_t lanescope_triton_begin(uint32_t lane, uint32_t task, uint32_t func)
{
    on_lane(lane, [=](ThreadLane &own) { own.begin(task, func); });
    return 0;
}

CALLED uint32_t lanescope_triton_end(uint32_t lane)
{
    on_lane(lane, [](ThreadLane &own) { own.end(); });
    return 0;
}

CALLED uint64_t lanescope_triton_mark(uint32_t lane, uint32_t id)
{
    uint64_t word = 0;
    on_lane(lane, [&](ThreadLane &own) {
        lanescope::Mark mark = own.mark(id);
        word = mark.begun << (64 - COUNTER_BITS) | (id & LS_SLICE_ID);
    });
    return word;
}

CALLED uint32_t lanescope_triton_done(uint32_t lane, uint64_t word)
{
    on_lane(lane, [=](ThreadLane &own) {
        uint64_t now = lanescope::counter(), low = word >> (64 - COUNTER_BITS);
        own.done({now - ((now - low) & COUNTER_MASK), ((uint32_t)word & LS_SLICE_ID) | LS_SLICE_MARK});
    });
    return 0;
}

CALLED uint32_t lanescope_triton_send(uint32_t lane, uint32_t number)
{
    on_lane(lane, [=](ThreadLane &own) { own.send(number); });
    return 0;
}

CALLED uint32_t lanescope_triton_receive(uint32_t lane, uint32_t number)
{
    on_lane(lane, [=](ThreadLane &own) { own.receive(number); });
    return 0;
}

CALLED uint32_t lanescope_triton_close(uint32_t lane)
{
    on_lane(lane, [](ThreadLane &own) { own.close(); });
    return 0;
}
