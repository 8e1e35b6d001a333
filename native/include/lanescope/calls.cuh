/* Recording from languages whose kernels call C functions and hold plain numbers: cuda.cuh behind functions.
 *
 *   uint32_t lane = lanescope_per_block(handle);
 *   lanescope_begin(lane, task, func);
 *   uint64_t part = lanescope_mark(lane, id);
 *   lanescope_done(lane, part);
 *   lanescope_end(lane);
 *   lanescope_close(lane);                        without it the last records are missing
 *
 * Triton, Numba CUDA, TileLang and CuTe DSL call these: docs/triton.md. All threads of a warp make each call
 * together; a warp has one lane at a time. A function gives back one number and no struct, so the state of a lane
 * lies in shared memory, a place per warp; what kernels hold is a word of 32 bits that says where, and is 0 in every thread but the elected one. So a
 * thread that does not record, and every thread of a kernel with handle 0, takes one branch per call. In C++,
 * cuda.cuh itself costs less: it keeps the state in registers.
 *
 * What returns nothing returns 0, because some of these languages know no function without a value.
 */
#ifndef LANESCOPE_CALLS_CUH
#define LANESCOPE_CALLS_CUH

/* A lane lies in shared memory as it is, so nothing of it need be kept out of registers. */
#if !defined(LS_SELDOM)
#define LS_SELDOM
#endif
#include "cuda.cuh"

/* How the functions below are declared; who compiles them for a linker defines it without `inline`. */
#if !defined(LS_CALL)
#define LS_CALL extern "C" __device__ __forceinline__
#endif

/* Number of the calling thread in its CTA. */
#if !defined(LS_THREAD_NUMBER)
#define LS_THREAD_NUMBER lanescope::thread_number()
#endif

/* What clang needs for a shared variable, and nvcc does not know. */
#if !defined(LS_UNINITIALIZED)
#define LS_UNINITIALIZED
#endif

/* ---- inside ---------------------------------------------------------------------------------- */

namespace lanescope {

#if LS_RECORDING

#define LS_PLACE_BYTES 64u
static_assert(sizeof(ThreadLane) <= LS_PLACE_BYTES && sizeof(ThreadLane) % sizeof(ls_word) == 0,
              "a lane does not fit into its place");

/* A place for each of up to 32 warps. A kernel's own dynamic shared memory follows this, and must begin at a
 * multiple of 1024 bytes: wgmma and TMA swizzle by address, and compute wrong numbers otherwise. */
LS_UNINITIALIZED static __shared__
    __attribute__((aligned(1024))) unsigned char places[32 * LS_PLACE_BYTES];
static_assert(sizeof places % 1024 == 0, "the kernel's shared memory would begin in between");

__device__ __forceinline__ ThreadLane *place(uint32_t lane)
{
    void *generic = (void *)__cvta_shared_to_generic(lane - 1);
    return (ThreadLane *)__builtin_assume_aligned(generic, LS_PLACE_BYTES);
}

/* The lane in the place of the calling thread's warp, for the warp's first thread; for others none has this
 * number. */
__device__ __forceinline__ uint32_t own_lane()
{
    uint32_t thread = LS_THREAD_NUMBER;
    uint32_t at = (uint32_t)__cvta_generic_to_shared(places + thread / 32 * LS_PLACE_BYTES);
    return thread % 32 == 0 ? at + 1 : ~0u;
}

/* Opens a lane in the place of the calling warp. Returns what the other functions take as `lane`. */
__device__ __forceinline__ uint32_t open_lane(uint64_t handle, uint32_t pipe, bool elected)
{
    uint32_t lane = 0;
    if (elected && handle != 0) {
        lane = own_lane();
        new (place(lane)) ThreadLane(handle, block_number(), pipe, true);
    }
    __syncwarp();
    return lane;
}

/* Calls `work` with a copy of the lane, so that shared memory is read once and written once. It is copied in
 * words: of a memcpy, the compiler would leave padding and what `work` does not use in local memory.
 *
 * Only the thread that opened the lane gets further: where Triton makes partitions of a loop by itself, it
 * hands one thread's number to all threads of other warps. */
template <class Work>
__device__ __forceinline__ void on_lane(uint32_t lane, Work work)
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

/* A mark is one word: the lower 48 bits of the counter when it began, and its id below them. */
#define LS_COUNTER_BITS 48
#define LS_COUNTER_MASK ((UINT64_C(1) << LS_COUNTER_BITS) - 1)

__device__ __forceinline__ uint64_t begin_mark(ThreadLane &lane, uint32_t id)
{
    Mark mark = lane.mark(id);
    return mark.begun << (64 - LS_COUNTER_BITS) | (id & LS_SLICE_ID);
}

__device__ __forceinline__ void end_mark(ThreadLane &lane, uint64_t word)
{
    uint64_t now = counter(), low = word >> (64 - LS_COUNTER_BITS);
    lane.done({now - ((now - low) & LS_COUNTER_MASK), ((uint32_t)word & LS_SLICE_ID) | LS_SLICE_MARK});
}

#else /* nothing is recorded */

__device__ __forceinline__ uint32_t open_lane(uint64_t, uint32_t, bool) { return 0; }
template <class Work>
__device__ __forceinline__ void on_lane(uint32_t, Work)
{
}
__device__ __forceinline__ uint64_t begin_mark(ThreadLane &, uint32_t) { return 0; }
__device__ __forceinline__ void end_mark(ThreadLane &, uint64_t) {}

#endif

} // namespace lanescope

/* ---- since 0.2.0 ----------------------------------------------------------------------------- */

/* The CTA's lane: core = its number in the grid. */
LS_CALL uint32_t lanescope_per_block(uint64_t handle)
{
    return lanescope::open_lane(handle, 0, LS_THREAD_NUMBER == 0);
}

/* The lane that thread number `thread` of the CTA writes, the first one of its warp; other warps may make the
 * calls, too, and record nothing. For kernels that a compiler divides among warps. */
LS_CALL uint32_t lanescope_per_thread(uint64_t handle, uint32_t pipe, uint32_t thread)
{
    return lanescope::open_lane(handle, pipe, LS_THREAD_NUMBER == thread);
}

/* The lane of `warps` consecutive warps: those of the CTA, or of a partition of it. Of any so many one has a
 * number that `warps` divides; its first thread is the elected one. */
LS_CALL uint32_t lanescope_per_partition(uint64_t handle, uint32_t pipe, uint32_t warps)
{
    return lanescope::open_lane(handle, pipe, LS_THREAD_NUMBER % (32 * warps) == 0);
}

/* The warp's lane: core = the CTA's number, pipe = the warp's number in it. */
LS_CALL uint32_t lanescope_per_warp(uint64_t handle)
{
    uint32_t thread = LS_THREAD_NUMBER;
    return lanescope::open_lane(handle, thread / 32, thread % 32 == 0);
}

/* Begins a task: its number, and that of its function, which is what rec.function() returned. */
LS_CALL uint32_t lanescope_begin(uint32_t lane, uint32_t task, uint32_t func)
{
    lanescope::on_lane(lane, [=](lanescope::ThreadLane &own) { own.begin(task, func); });
    return 0;
}

/* Ends the task that began last. */
LS_CALL uint32_t lanescope_end(uint32_t lane)
{
    lanescope::on_lane(lane, [](lanescope::ThreadLane &own) { own.end(); });
    return 0;
}

/* Begins a mark and returns it, for `done`, also in a later iteration of a loop. */
LS_CALL uint64_t lanescope_mark(uint32_t lane, uint32_t id)
{
    uint64_t word = 0;
    lanescope::on_lane(lane, [&](lanescope::ThreadLane &own) { word = lanescope::begin_mark(own, id); });
    return word;
}

/* Ends a mark. */
LS_CALL uint32_t lanescope_done(uint32_t lane, uint64_t mark)
{
    lanescope::on_lane(lane, [=](lanescope::ThreadLane &own) { lanescope::end_mark(own, mark); });
    return 0;
}

/* The task that began last here is what a task with a receive() of this number waits for. */
LS_CALL uint32_t lanescope_send(uint32_t lane, uint32_t number)
{
    lanescope::on_lane(lane, [=](lanescope::ThreadLane &own) { own.send(number); });
    return 0;
}

/* The task that began last waited for the one that sent this number. */
LS_CALL uint32_t lanescope_receive(uint32_t lane, uint32_t number)
{
    lanescope::on_lane(lane, [=](lanescope::ThreadLane &own) { own.receive(number); });
    return 0;
}

/* Publishes what is left; nothing is recorded after it. */
LS_CALL uint32_t lanescope_close(uint32_t lane)
{
    lanescope::on_lane(lane, [](lanescope::ThreadLane &own) { own.close(); });
    return 0;
}

#endif
