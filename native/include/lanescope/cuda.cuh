/* Recording inside a CUDA kernel. Include this, pass the handle as a 64-bit argument, link nothing.
 *
 *   __global__ void kernel(…, uint64_t handle)
 *   {
 *       lanescope::Lane lane = lanescope::per_block(handle);
 *       for (…) {
 *           lane.begin(task, GEMM);               a task: number and function
 *           {
 *               lanescope::Range load(lane, LOAD); a mark, open until the brace
 *               …
 *           }
 *           lane.end();
 *       }
 *   }
 *
 * A lane belongs to one CTA (per_block) or one warp (per_warp), whose threads make the calls together,
 * as they would __syncwarp(); a thread that is alone takes per_thread. One elected thread writes. Each
 * record is one 16-byte store of that thread (ls_slice in kinds.h) and the lane's state stays in
 * registers of all of them: a branch that only the elected thread takes would cost more than the
 * record. At the end of a buffer the elected thread publishes it and takes the next one; only then does
 * it touch anything but the record.
 *
 * What a record costs is the latency of branches and the number of instructions between two looks at
 * the counter. So there is one branch, in begin(), on a word that end() made; it leads to everything
 * that is rare: the end of a buffer, and a slice during which the counter's upper half changed.
 *
 * A handle of 0 records nothing. With -DLS_RECORDING=0 everything here compiles to nothing.
 */
#ifndef LANESCOPE_CUDA_CUH
#define LANESCOPE_CUDA_CUH

#if !defined(LS_RECORDING)
#define LS_RECORDING 1
#endif

#if LS_RECORDING
#include "buffers.cuh"
#else
#include "handle.h"
#endif

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

namespace lanescope {

#if LS_RECORDING

/* A mark that is open. A plain value: it can be ended in another iteration, or handed to another warp
 * of the same CTA, which ends it on its own lane. */
struct Mark {
    uint64_t begun;
    uint32_t id;
};

/* WHOLE_WARP: all threads of a warp make each call together. */
template <bool WHOLE_WARP> class LaneOf {
public:
    /* `elected` is true for exactly one of the threads that call with this core and pipe. */
    __device__ __forceinline__ LaneOf(uint64_t given, uint32_t core, uint32_t pipe, bool elected)
    {
        uint64_t handle = given & LS_HANDLE_ADDRESS;
        if (handle != 0) {
            marks_ = ((const ls_handle *)handle)->marks != 0;
            if (elected)
                state_ = take_lane(given, core, pipe);
        }
        if (WHOLE_WARP)
            __syncwarp();
        now_ = state_ ? lane_now(state_, (const ls_handle *)handle) : nullptr;
    }
    LaneOf(const LaneOf &) = delete;
    LaneOf &operator=(const LaneOf &) = delete;
    __device__ __forceinline__ ~LaneOf() { close(); }

    /* `func` and mark ids are those of rec.function() and rec.mark() on the host, below LS_SLICE_SEND. */
    __device__ __forceinline__ void begin(uint32_t task, uint32_t func)
    {
        make_room();
        begun_ = counter();
        /* A copy for the elected thread alone, so that it gets a register of its own: otherwise the
         * caller's loop would wait for the store before it counts on. */
        if (state_)
            asm volatile("mov.b32 %0, %1;" : "=r"(task_) : "r"(task));
        func_ = func & LS_SLICE_ID;
        if (state_)
            note(&now_->task_begun, begun_, func_);
    }

    __device__ __forceinline__ void end() { write(begun_, func_); }

    __device__ __forceinline__ Mark mark(uint32_t id)
    {
        if (marks_)
            make_room();
        Mark mark = {counter(), id};
        if (marks_ && state_)
            note(&now_->mark_begun, mark.begun, (id & LS_SLICE_ID) | LS_SLICE_MARK);
        return mark;
    }

    __device__ __forceinline__ void done(Mark mark)
    {
        if (marks_)
            write(mark.begun, (mark.id & LS_SLICE_ID) | LS_SLICE_MARK);
    }

    /* The task that began last here is what the task with a receive() of the same number waited for.
     * Numbers may come again once they were received. Recorded with the marks. */
    __device__ __forceinline__ void send(uint32_t number) { flow(number, LS_SLICE_SEND); }
    __device__ __forceinline__ void receive(uint32_t number) { flow(number, LS_SLICE_RECEIVE); }

    /* Publishes what is left; nothing is recorded after it. The end of the lane's scope does this. */
    __device__ __forceinline__ void close()
    {
        if (state_)
            give_lane_back(state_, cursor_, over_, left_);
        state_ = nullptr;
    }

private:
    /* Sees to it that there is a place for the next slice, and that the one before is whole. */
    __device__ __forceinline__ void make_room()
    {
        if (LS_LIKELY(rare_ == 0))
            return;
        cursor_ = next_place(state_, cursor_, over_, left_);
        if ((int32_t)left_ < 0)
            left_ = LS_SLICE_RECORDS - 1;
        rare_ = over_ = 0;
        if (WHOLE_WARP)
            __syncwarp(); /* says to the compiler that they are together again */
    }

    /* A slice that ends now. */
    __device__ __forceinline__ void write(uint64_t begun, uint32_t what)
    {
        uint64_t end = counter();
        make_room();
        cursor_ += sizeof(ls_slice);
        if (state_)
            store(end, (uint32_t)end - (uint32_t)begun, what);
        left_--;
        over_ = high(end) - high(begun);
        rare_ = over_ | (left_ & 0x80000000u);
    }

    __device__ __forceinline__ void flow(uint32_t number, uint32_t which)
    {
        if (!marks_)
            return;
        uint64_t now = counter();
        make_room();
        cursor_ += sizeof(ls_slice);
        if (state_)
            store(now, number, which | LS_SLICE_MARK);
        left_--;
        rare_ = left_ & 0x80000000u;
    }

    /* What begins now: its moment, its task, and what it is. */
    __device__ __forceinline__ void note(uint64_t *place, uint64_t begun, uint32_t what)
    {
        asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(place), "r"((uint32_t)begun),
                     "r"(high(begun)), "r"(task_), "r"(what)
                     : "memory");
    }

    /* The slice that ends where the cursor is. */
    __device__ __forceinline__ void store(uint64_t end, uint32_t duration, uint32_t what)
    {
        asm volatile("st.global.v4.u32 [%0+-16], {%1, %2, %3, %4};" ::"l"(cursor_),
                     "r"((uint32_t)end), "r"(duration), "r"(task_),
                     "r"(what | (high(end) << 16 & 0x7fff0000u))
                     : "memory");
    }

    ls_handle_lane *state_ = nullptr; /* of the elected thread */
    ls_slice_now *now_ = nullptr;     /* gets what begins */
    uint8_t *cursor_ = nullptr;       /* where the next slice goes */
    uint32_t left_ = ~0u;             /* slices that fit there, less one; the same for all threads */
    uint32_t over_ = 0;               /* upper half of the counter: how far it moved in the last slice */
    uint32_t rare_ = 1;               /* not 0: something is to be done before the next slice */
    uint32_t task_ = LS_SLICE_NO_TASK, func_ = 0;
    bool marks_ = false;
    uint64_t begun_ = 0;
};

#else /* nothing is recorded */

struct Mark {};

template <bool WHOLE_WARP> class LaneOf {
public:
    __device__ __forceinline__ LaneOf(uint64_t, uint32_t, uint32_t, bool) {}
    __device__ __forceinline__ void begin(uint32_t, uint32_t) {}
    __device__ __forceinline__ void end() {}
    __device__ __forceinline__ Mark mark(uint32_t) { return {}; }
    __device__ __forceinline__ void done(Mark) {}
    __device__ __forceinline__ void send(uint32_t) {}
    __device__ __forceinline__ void receive(uint32_t) {}
    __device__ __forceinline__ void close() {}
};

#endif

using Lane = LaneOf<true>;
using ThreadLane = LaneOf<false>; /* for one thread that makes the calls alone */

/* A mark from here to the end of the scope. */
template <class AnyLane> class Range {
public:
    __device__ __forceinline__ Range(AnyLane &lane, uint32_t id) : lane_(lane), mark_(lane.mark(id)) {}
    Range(const Range &) = delete;
    Range &operator=(const Range &) = delete;
    __device__ __forceinline__ ~Range() { lane_.done(mark_); }

private:
    AnyLane &lane_;
    Mark mark_;
};

/* Number of the calling thread's CTA in its grid. */
__device__ __forceinline__ uint32_t block_number()
{
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

/* Number of the calling thread in its CTA. */
__device__ __forceinline__ uint32_t thread_number()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/* The CTA's lane: core = its number in the grid. */
__device__ __forceinline__ Lane per_block(uint64_t handle)
{
    return Lane(handle, block_number(), 0, thread_number() == 0);
}

/* A lane for the calling thread alone. */
__device__ __forceinline__ ThreadLane per_thread(uint64_t handle, uint32_t core, uint32_t pipe)
{
    return ThreadLane(handle, core, pipe, true);
}

/* The warp's lane: core = the CTA's number, pipe = the warp's number in it. */
__device__ __forceinline__ Lane per_warp(uint64_t handle)
{
    uint32_t thread = thread_number();
    return Lane(handle, block_number(), thread / 32, thread % 32 == 0);
}

} // namespace lanescope

#endif
