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
 * record is one 16-byte store of that thread (ls_slice in layout.h) and the lane's state stays in
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

#include "handle.h"

#if !defined(LS_RECORDING)
#define LS_RECORDING 1
#endif

namespace lanescope {

#if LS_RECORDING

__device__ __forceinline__ uint64_t counter()
{
    uint64_t cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles));
    return cycles;
}

__device__ __forceinline__ uint64_t global_ns()
{
    uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

/* One moment on both clocks. */
struct Moment {
    uint64_t cycles, ns;
};

/* Reads the two as close together as it can: a try in which the code had to be fetched first can take
 * a microsecond. */
__device__ inline Moment moment()
{
    Moment best = {0, 0};
    uint32_t narrowest = ~0u;
#pragma unroll 1
    for (int i = 0; i < 3; i++) {
        uint64_t before = counter(), ns = global_ns();
        uint32_t width = (uint32_t)(counter() - before);
        if (width < narrowest) {
            narrowest = width;
            best = {before + width / 2, ns};
        }
    }
    return best;
}

__device__ __forceinline__ uint32_t high(uint64_t value)
{
    return (uint32_t)(value >> 32);
}

__device__ __forceinline__ void store_pair(void *target, uint64_t a, uint64_t b)
{
    asm volatile("st.v2.u64 [%0], {%1, %2};" ::"l"(target), "l"(a), "l"(b) : "memory");
}

/* ---- At the end of a buffer; called by the elected thread -------------------------------------- */

__device__ inline ls_lane *region_lane(const ls_handle_lane *state, const ls_handle *handle)
{
    return (ls_lane *)(handle->region + handle->lanes) + state->index;
}

__device__ inline ls_slice_now *lane_now(const ls_handle_lane *state, const ls_handle *handle)
{
    return (ls_slice_now *)region_lane(state, handle)->segment;
}

/* Hands the open buffer to the host; `left` records of it are unused. */
__device__ inline void publish(ls_handle_lane *state, const ls_handle *handle, uint32_t left)
{
    uint8_t *buffer = (uint8_t *)state->buffer;
    ls_slice_clock *clock = (ls_slice_clock *)(buffer + sizeof(ls_buffer));
    ls_lane *lane = region_lane(state, handle);
    uint32_t count = LS_SLICE_RECORDS - left;
    Moment closed = moment();
    clock->close_cycles = closed.cycles;
    clock->close_ns = closed.ns;
    ((ls_buffer *)buffer)->count = count + LS_SLICE_CLOCK_RECORDS;
    state->recorded += count;
    ls_store_relaxed(&lane->recorded, state->recorded);
    ls_store_release(&lane->published, state->opened);
    state->mode = LS_SLICE_CLOSED;
}

__device__ inline bool buffer_is_free(ls_handle_lane *state, const ls_handle *handle)
{
    if (state->opened - state->released < handle->buffer_count)
        return true;
    state->released = ls_load_acquire(&region_lane(state, handle)->released);
    return state->opened - state->released < handle->buffer_count;
}

__device__ inline void note_wait(ls_handle_lane *state, ls_lane *lane, uint64_t start, uint64_t end)
{
    state->wait_start = start;
    state->wait_end = end;
    ls_store_relaxed(&lane->wait_start, start);
    ls_store_relaxed(&lane->wait_end, end);
}

/* Waits for a free buffer where the run wants that; false: the records are to be dropped. Times are
 * made odd, because 0 means "no wait". */
__device__ inline bool wait_for_buffer(ls_handle_lane *state, const ls_handle *handle)
{
    if (buffer_is_free(state, handle)) {
        if (state->wait_start && !state->wait_end)
            state->wait_end = global_ns() | 1;
        return true;
    }
    ls_lane *lane = region_lane(state, handle);
    if (state->wait_end)
        return false; /* it gave up before */
    uint64_t start = state->wait_start ? state->wait_start : global_ns() | 1;
    note_wait(state, lane, start, 0);
    while (handle->on_full == LS_BLOCK && (global_ns() | 1) - start < handle->host_lost_ns) {
        __nanosleep(200);
        if (buffer_is_free(state, handle)) {
            state->wait_end = global_ns() | 1;
            return true;
        }
    }
    note_wait(state, lane, start, handle->on_full == LS_DROP ? start : global_ns() | 1);
    return false;
}

/* Opens the next buffer, which is free: its header and its clock block. */
__device__ inline uint8_t *open_buffer(ls_handle_lane *state, const ls_handle *handle)
{
    uint64_t number = (uint64_t)state->index * handle->buffer_count + state->slot;
    uint8_t *buffer = (uint8_t *)(handle->region + handle->buffers + number * handle->buffer_stride);
    ls_lane *lane = region_lane(state, handle);
    ls_slice_clock *clock = (ls_slice_clock *)(buffer + sizeof(ls_buffer));
    store_pair(buffer, state->opened, state->index);
    store_pair(buffer + 16, state->recorded, state->dropped);
    store_pair(buffer + 32, state->wait_start, state->wait_end);
    Moment opened = moment();
    store_pair(&clock->start_cycles, state->start_cycles, state->start_ns);
    store_pair(&clock->open_cycles, opened.cycles, opened.ns);
    store_pair(&clock->close_cycles, 0, 0);
    store_pair(&clock->unit, state->unit, 0);
    state->buffer = (uint64_t)buffer;
    state->opened++;
    if (++state->slot == handle->buffer_count)
        state->slot = 0;
    ls_store_relaxed(&lane->opened, state->opened);
    if (state->wait_start)
        note_wait(state, lane, 0, 0);
    state->mode = LS_SLICE_WRITES;
    return buffer + sizeof(ls_buffer) + sizeof(ls_slice_clock);
}

__device__ inline void settle(ls_handle_lane *state, const ls_handle *handle, uint32_t left)
{
    if (state->mode == LS_SLICE_WRITES)
        publish(state, handle, left);
    else if (state->mode == LS_SLICE_DROPS) {
        state->dropped += LS_SLICE_RECORDS - left;
        ls_store_relaxed(&region_lane(state, handle)->dropped, state->dropped);
    }
}

/* Writes the length of a slice again, in whose time the counter's upper half grew by `over`. */
__device__ inline void lengthen(ls_slice *slice, uint32_t over)
{
    uint32_t end = slice->end, low = slice->duration;
    uint64_t length = ((uint64_t)(over - (low > end)) << 32) + low; /* low > end: it borrowed */
    if (high(length) == 0)
        return;
    slice->duration = (uint32_t)(length >> 16);
    slice->what |= LS_SLICE_LONG;
}

/* Where the next slices go. `over` is about the slice before; `left` is the room less one. Where no
 * buffer is to be had they go into the bin, and are counted as dropped. Not inlined: it runs once per
 * buffer, and its registers are not the kernel's. */
static __device__ __noinline__ uint8_t *next_place(ls_handle_lane *state, uint8_t *cursor,
                                                   uint32_t over, uint32_t left)
{
    if (!state)
        return nullptr;
    if (over)
        lengthen((ls_slice *)cursor - 1, over);
    if ((int32_t)left >= 0)
        return cursor;
    const ls_handle *handle = (const ls_handle *)state->handle;
    settle(state, handle, 0);
    if (wait_for_buffer(state, handle))
        return open_buffer(state, handle);
    state->mode = LS_SLICE_DROPS; /* it looks again after as many slices as a buffer has */
    return (uint8_t *)handle->bin;
}

/* The lane's state for its elected thread; null: there is none, or a kernel has it already. */
static __device__ __noinline__ ls_handle_lane *take_lane(uint64_t address, uint32_t core,
                                                         uint32_t pipe)
{
    ls_handle *handle = (ls_handle *)address;
    ls_handle_lane *state = (ls_handle_lane *)(handle + 1) + (uint64_t)core * handle->pipe_count + pipe;
    if (core >= handle->core_count || pipe >= handle->pipe_count
        || handle->buffer_records != LS_SLICE_RECORDS
        || atomicExch(&state->taken, 1u) != 0) {
        atomicAdd((unsigned long long *)&handle->refused, 1ull);
        return nullptr;
    }
    asm volatile("mov.u32 %0, %%smid;" : "=r"(state->unit));
    Moment started = moment();
    state->start_cycles = started.cycles;
    state->start_ns = started.ns;
    ls_slice_now *now = lane_now(state, handle);
    store_pair(&now->task_begun, 0, 0);
    store_pair(&now->mark_begun, 0, 0);
    store_pair(&now->held_cycles, started.cycles, started.ns);
    store_pair(&now->unit, state->unit, 0);
    return state;
}

static __device__ __noinline__ void give_lane_back(ls_handle_lane *state, uint8_t *cursor,
                                                   uint32_t over, uint32_t left)
{
    const ls_handle *handle = (const ls_handle *)state->handle;
    if (over)
        lengthen((ls_slice *)cursor - 1, over);
    settle(state, handle, left + 1);
    state->mode = LS_SLICE_CLOSED;
    store_pair(&lane_now(state, handle)->held_cycles, 0, 0);
    __threadfence();
    atomicExch(&state->taken, 0u);
}

/* ---- What a kernel uses ------------------------------------------------------------------------ */

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
    __device__ __forceinline__ LaneOf(uint64_t handle, uint32_t core, uint32_t pipe, bool elected)
    {
        if (handle != 0) {
            marks_ = ((const ls_handle *)handle)->marks != 0;
            if (elected)
                state_ = take_lane(handle, core, pipe);
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

__device__ __forceinline__ uint32_t block_number()
{
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

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
