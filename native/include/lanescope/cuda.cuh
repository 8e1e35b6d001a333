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
 * record is one 16-byte store of that thread (ls_slice in kinds.h). At the end of a buffer the elected thread
 * publishes it and takes the next one; only then does it touch anything but the record.
 *
 * What a record costs is the latency of branches and the number of instructions between two looks at
 * the counter. So there is one branch, in begin(), on a predicate that was made long before; it leads to
 * everything that is rare: the end of a buffer, a moment of both clocks, and the length of a slice that does
 * not fit into 32 bits. begin() looks ahead: it says what is to be done after the slice that begins, while
 * its work runs; end() lets the warp vote on that, while the caller's own loop makes its comparison; the next
 * begin() does it. All threads of a warp do the arithmetic, because a branch that only the elected thread takes
 * would cost more than the record.
 *
 * While a task runs, 10 registers and a predicate are kept for it.
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
    uint64_t begun; /* the counter */
    uint32_t what;  /* its id | LS_SLICE_MARK */
};

/* What is seldom looked at is kept out of registers by being volatile. */
#if !defined(LS_SELDOM)
#define LS_SELDOM volatile
#endif

/* WHOLE_WARP: all threads of a warp make each call together. */
template <bool WHOLE_WARP> class LaneOf {
public:
    /* `elected` is true for exactly one of the threads that call with this core and pipe. */
    __device__ __forceinline__ LaneOf(uint64_t given, uint32_t core, uint32_t pipe, bool elected)
    {
        ls_handle *handle = (ls_handle *)(given & LS_HANDLE_ADDRESS);
        State *state = nullptr;
        if (handle) {
            marks_ = handle->marks != 0;
            if (elected)
                state = take_lane(handle, core, pipe, (uint32_t)(given >> LS_LAUNCH_SHIFT));
        }
        if (WHOLE_WARP)
            __syncwarp();
        state_ = state;
        now_ = state ? lane_now(state) : nullptr;
    }
    LaneOf(const LaneOf &) = delete;
    LaneOf &operator=(const LaneOf &) = delete;
    __device__ __forceinline__ ~LaneOf() { close(); }

    /* `func` and mark ids are those of rec.function() and rec.mark() on the host, below LS_SLICE_MOMENT. */
    __device__ __forceinline__ void begin(uint32_t task, uint32_t func)
    {
        make_room();
        begun_ = counter();
        look_ahead(begun_);
        func_ = func & LS_SLICE_ID;
        /* A copy for the elected thread alone, so that it gets a register of its own: otherwise the
         * caller's loop would wait for the store before it counts on. */
        if (elected())
            asm volatile("mov.b32 %0, %1;" : "=r"(task_) : "r"(task));
        if (elected())
            store_four(&now_->task_begun, (uint32_t)begun_, high(begun_), task_, func_);
    }

    __device__ __forceinline__ void end() { write(begun_, func_); }

    __device__ __forceinline__ Mark mark(uint32_t id)
    {
        bool outside = marks_ && !ahead_;
        if (outside)
            make_room();
        Mark mark = {counter(), (id & LS_SLICE_ID) | LS_SLICE_MARK};
        if (outside)
            look_ahead(mark.begun);
        if (marks_ && elected())
            store_four(&now_->mark_begun, (uint32_t)mark.begun, high(mark.begun), task_, mark.what);
        return mark;
    }

    __device__ __forceinline__ void done(Mark mark)
    {
        if (marks_)
            get_ready(write(mark.begun, mark.what));
    }

    /* The task that began last here is what the task with a receive() of the same number waited for.
     * Numbers may come again once they were received. Recorded with the marks. */
    __device__ __forceinline__ void send(uint32_t number) { flow(number, LS_SLICE_SEND); }
    __device__ __forceinline__ void receive(uint32_t number) { flow(number, LS_SLICE_RECEIVE); }

    /* Publishes what is left; nothing is recorded after it. The end of the lane's scope does this. */
    __device__ __forceinline__ void close()
    {
        if (WHOLE_WARP)
            asm volatile("" : "+r"(left_)); /* so that no `left_ + 1` is kept for this while tasks run */
        if (elected())
            give_lane_back(state_, cursor_, left_ + 1, ahead_ ? 0 : window_ & LS_SLICE_OVER, over_);
        now_ = nullptr;
    }

private:
    /* Of an address in the region one half tells. */
    __device__ __forceinline__ bool elected() const { return high((uint64_t)now_) != 0; }

    /* Does what is rare, if there is any; then there is a place for the next slice. */
    __device__ __forceinline__ void make_room()
    {
        if (LS_LIKELY(rare_ == 0))
            return;
        if (elected())
            cursor_ = next_place(state_, cursor_, left_ + 1, window_ & LS_SLICE_OVER, over_);
        left_ = next_left(left_ + 1) - 1;
        window_ = next_window(window_, (uint32_t)counter(), left_);
        rare_ = over_ = 0;
        if (WHOLE_WARP)
            __syncwarp(); /* says to the compiler that they are together again */
    }

    /* Whether something rare is to be done after the next slice. Nobody waits for the answer: it is made while the work
     * runs. */
    __device__ __forceinline__ void look_ahead(uint64_t now)
    {
        window_ |= over_;
        soon_ = ((uint32_t)now & LS_WINDOW) ^ window_;
        /* A predicate here and now: the compiler would work it out where it is used. */
        if (WHOLE_WARP)
            asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; selp.u32 %0, 1, 0, p; }" : "+r"(soon_));
        ahead_ = true;
    }

    __device__ __forceinline__ void get_ready(uint64_t now)
    {
        make_room();
        look_ahead(now);
    }

    /* Before a slice is stored. The threads of a warp decide together, because they may have read the counter at
     * different times. */
    __device__ __forceinline__ void decide() { rare_ = WHOLE_WARP ? __any_sync(~0u, soon_ != 0) : soon_; }

    /* A slice that ends now; returns when. */
    __device__ __forceinline__ uint64_t write(uint64_t begun, uint32_t what)
    {
        if (ahead_)
            decide(); /* before the counter: behind a barrier of the caller that is quicker */
        uint64_t end = counter();
        if (!ahead_) {
            get_ready(end);
            decide();
        }
        put(end, (uint32_t)end - (uint32_t)begun, what);
        over_ = high(end) - high(begun);
        return end;
    }

    __device__ __forceinline__ void flow(uint32_t number, uint32_t which)
    {
        if (!marks_)
            return;
        uint64_t now = counter();
        if (!ahead_)
            get_ready(now);
        decide();
        put(now, number, which | LS_SLICE_MARK);
        over_ = 0;
        get_ready(now);
    }

    /* The slice in the next place. */
    __device__ __forceinline__ void put(uint64_t end, uint32_t duration, uint32_t what)
    {
        cursor_ += sizeof(ls_slice);
        if (elected())
            asm volatile("st.global.v4.u32 [%0+-16], {%1, %2, %3, %4};" ::"l"(cursor_), "r"((uint32_t)end),
                         "r"(duration), "r"(task_), "r"(what | (high(end) << 16 & 0x7fff0000u))
                         : "memory");
        left_--;
        window_ |= left_ & LS_SOON;
        ahead_ = false;
    }

    State *LS_SELDOM state_ = nullptr;
    ls_slice_now *now_ = nullptr; /* gets what begins; null in all but the elected thread */
    uint8_t *cursor_ = nullptr;   /* where the next slice goes */
    uint64_t begun_ = 0;
    uint32_t task_ = LS_SLICE_NO_TASK, func_ = 0;
    uint32_t left_ = ~1u;  /* slices that fit behind the cursor, less two; the same for all threads */
    uint32_t window_ = 0;  /* LS_WINDOW of the last moment | LS_SOON | over_ of the slice before the last one */
    uint32_t over_ = 0;    /* upper half of the counter: how far it moved in the last slice */
    uint32_t rare_ = 1;    /* not 0: something rare comes before the next slice; the same for all threads */
    uint32_t soon_ = 0;    /* not 0: … comes after the next slice */
    bool ahead_ = false;   /* there is room, and soon_ is made, for the slice that comes next; known while compiling */
    bool marks_ = false;
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
