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
 * A lane belongs to one CTA (per_block) or one warp (per_warp), and all its threads may make the
 * calls; one elected thread writes. Each record is one 16-byte store of that thread (ls_slice in
 * layout.h) and the lane's state stays in registers: a branch that only the elected thread takes
 * would cost more than the record. At the end of a buffer the elected thread publishes it and
 * takes the next one; only then does it touch anything but the record.
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
    uint64_t narrowest = ~UINT64_C(0);
#pragma unroll 1
    for (int i = 0; i < 3; i++) {
        uint64_t before = counter(), ns = global_ns(), width = counter() - before;
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

/* Of a lane's last record: the high words of its times, and how many fit after it. */
struct Last {
    uint32_t start, end, left;
};

/* ---- At the end of a buffer; called by the elected thread -------------------------------------- */

__device__ inline ls_lane *region_lane(const ls_handle_lane *state, const ls_handle *handle)
{
    return (ls_lane *)(handle->region + handle->lanes) + state->index;
}

/* Hands the open buffer to the host. */
__device__ inline void publish(ls_handle_lane *state, const ls_handle *handle, Last last)
{
    uint8_t *buffer = (uint8_t *)state->buffer;
    ls_slice_clock *clock = (ls_slice_clock *)(buffer + sizeof(ls_buffer));
    ls_lane *lane = region_lane(state, handle);
    uint32_t count = handle->buffer_records - last.left;
    Moment closed = moment();
    clock->close_cycles = closed.cycles;
    clock->close_ns = closed.ns;
    clock->last = (last.end - high(state->epoch)) | (last.end - last.start) << 16;
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
__device__ inline uint8_t *open_buffer(ls_handle_lane *state, const ls_handle *handle, uint64_t now)
{
    uint64_t number = (uint64_t)state->index * handle->buffer_count + state->slot;
    uint8_t *buffer = (uint8_t *)(handle->region + handle->buffers + number * handle->buffer_stride);
    ls_lane *lane = region_lane(state, handle);
    ls_slice_clock *clock = (ls_slice_clock *)(buffer + sizeof(ls_buffer));
    store_pair(buffer, state->opened, state->index);
    store_pair(buffer + 16, state->recorded, state->dropped);
    store_pair(buffer + 32, state->wait_start, state->wait_end);
    Moment opened = moment();
    state->epoch = now >> 32 << 32;
    store_pair(&clock->epoch, state->epoch, state->start_cycles);
    store_pair(&clock->start_ns, state->start_ns, opened.cycles);
    store_pair(&clock->open_ns, opened.ns, 0);
    store_pair(&clock->close_ns, 0, state->unit);
    state->buffer = (uint64_t)buffer;
    state->opened++;
    if (++state->slot == handle->buffer_count) {
        state->slot = 0;
        state->lap = state->lap == LS_SLICE_LAPS ? 1 : state->lap + 1;
    }
    ls_store_relaxed(&lane->opened, state->opened);
    if (state->wait_start)
        note_wait(state, lane, 0, 0);
    state->mode = LS_SLICE_WRITES;
    return buffer + sizeof(ls_buffer) + sizeof(ls_slice_clock);
}

struct Place {
    uint8_t *cursor; /* where the next record goes */
    uint32_t left;   /* how many go there before the lane must look again */
    uint32_t epoch;  /* high word of the counter that their ends share */
    uint32_t stamp;  /* lap << 24 */
    uint32_t writes; /* 0: they go nowhere */
};

__device__ inline void settle(ls_handle_lane *state, const ls_handle *handle, Last last)
{
    if (state->mode == LS_SLICE_WRITES)
        publish(state, handle, last);
    else if (state->mode == LS_SLICE_DROPS) {
        state->dropped += handle->buffer_records - last.left;
        ls_store_relaxed(&region_lane(state, handle)->dropped, state->dropped);
    }
}

/* The place for the record that ends at `now`. Not inlined: it runs once per buffer, and its
 * registers are not the kernel's. */
static __device__ __noinline__ Place next_place(uint64_t address, ls_handle_lane *state, uint64_t now,
                                                Last last)
{
    Place place = {nullptr, ~0u, high(now), 0, 0};
    if (!address)
        return place;
    const ls_handle *handle = (const ls_handle *)address;
    place.left = handle->buffer_records; /* for all threads, so that they come here together */
    if (!state)
        return place;
    settle(state, handle, last);
    if (!wait_for_buffer(state, handle)) {
        state->mode = LS_SLICE_DROPS; /* and it looks again after as many records as a buffer has */
        return place;
    }
    place.stamp = state->lap << 24;
    place.cursor = open_buffer(state, handle, now);
    place.writes = 1;
    return place;
}

/* The lane's state for its elected thread; null: there is none, or a kernel has it already. */
static __device__ __noinline__ ls_handle_lane *take_lane(uint64_t address, uint32_t core,
                                                         uint32_t pipe)
{
    ls_handle *handle = (ls_handle *)address;
    ls_handle_lane *state = (ls_handle_lane *)(handle + 1) + (uint64_t)core * handle->pipe_count + pipe;
    if (core >= handle->core_count || pipe >= handle->pipe_count
        || atomicExch(&state->taken, 1u) != 0) {
        atomicAdd((unsigned long long *)&handle->refused, 1ull);
        return nullptr;
    }
    asm volatile("mov.u32 %0, %%smid;" : "=r"(state->unit));
    Moment started = moment();
    state->start_cycles = started.cycles;
    state->start_ns = started.ns;
    return state;
}

static __device__ __noinline__ void give_lane_back(ls_handle_lane *state, Last last)
{
    settle(state, (const ls_handle *)state->handle, last);
    state->mode = LS_SLICE_CLOSED;
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

class Lane {
public:
    /* `elected` is true for exactly one of the threads that call with this core and pipe. */
    __device__ __forceinline__ Lane(uint64_t handle, uint32_t core, uint32_t pipe, bool elected)
        : handle_(handle), place_{nullptr, 0, 0, 0, 0}
    {
        uint32_t together = __activemask();
        if (handle != 0) {
            marks_ = ((const ls_handle *)handle)->marks != 0;
            if (elected)
                state_ = take_lane(handle, core, pipe);
        }
        __syncwarp(together);
    }
    Lane(const Lane &) = delete;
    Lane &operator=(const Lane &) = delete;
    __device__ __forceinline__ ~Lane() { close(); }

    /* `func` and mark ids are those of rec.function() and rec.mark() on the host, below 65536. */
    __device__ __forceinline__ void begin(uint32_t task, uint32_t func)
    {
        begun_ = counter();
        store();
        task_ = task;
        func_ = func;
    }

    __device__ __forceinline__ void end() { keep(begun_, func_ & 0xffffu); }

    __device__ __forceinline__ Mark mark(uint32_t id)
    {
        Mark mark = {counter(), id};
        if (marks_)
            store();
        return mark;
    }

    __device__ __forceinline__ void done(Mark mark)
    {
        if (marks_)
            keep(mark.begun, (mark.id & 0xffffu) | LS_SLICE_MARK << 16);
    }

    /* Publishes what is left; nothing is recorded after it. The end of the lane's scope does it, too. */
    __device__ __forceinline__ void close()
    {
        store();
        if (state_)
            give_lane_back(state_, {high(kept_begun_), high(kept_end_), place_.left});
        state_ = nullptr;
        handle_ = place_.writes = 0;
    }

private:
    /* A slice has ended: it gets its place, and is stored after the next look at the counter. Nothing
     * waits for the counter here: what decides is the record before, whose words came long ago. */
    __device__ __forceinline__ void keep(uint64_t begun, uint32_t what)
    {
        uint64_t now = counter();
        if (pending_)
            store();
        uint32_t start = high(kept_begun_), end = high(kept_end_);
        if (LS_UNLIKELY(place_.left == 0 || ((start ^ place_.epoch) | (end ^ place_.epoch)) != 0)) {
            uint32_t together = __activemask();
            place_ = next_place(handle_, state_, now, {start, end, place_.left});
            __syncwarp(together);
        }
        place_.cursor += sizeof(ls_slice);
        place_.left--;
        kept_begun_ = begun;
        kept_end_ = now;
        kept_task_ = task_;
        kept_what_ = what | place_.stamp;
        pending_ = true;
    }

    /* Stores the slice that is kept, once more if it was stored before. */
    __device__ __forceinline__ void store()
    {
        if (place_.writes)
            asm volatile("st.global.v4.u32 [%0+-16], {%1, %2, %3, %4};" ::"l"(place_.cursor),
                         "r"((uint32_t)kept_end_), "r"((uint32_t)(kept_end_ - kept_begun_)),
                         "r"(kept_task_), "r"(kept_what_)
                         : "memory");
        pending_ = false;
    }

    uint64_t handle_;
    ls_handle_lane *state_ = nullptr;
    bool marks_ = false;
    bool pending_ = false; /* the slice that is kept has not been stored; known while compiling where
                              begin and end take turns */
    uint32_t task_ = 0, func_ = 0;
    uint64_t begun_ = 0;
    uint64_t kept_begun_ = 0, kept_end_ = 0;
    uint32_t kept_task_ = 0, kept_what_ = 0;
    Place place_;
};

#else /* nothing is recorded */

struct Mark {};

class Lane {
public:
    __device__ __forceinline__ Lane(uint64_t, uint32_t, uint32_t, bool) {}
    __device__ __forceinline__ void begin(uint32_t, uint32_t) {}
    __device__ __forceinline__ void end() {}
    __device__ __forceinline__ Mark mark(uint32_t) { return {}; }
    __device__ __forceinline__ void done(Mark) {}
    __device__ __forceinline__ void close() {}
};

#endif

/* A mark from here to the end of the scope. */
class Range {
public:
    __device__ __forceinline__ Range(Lane &lane, uint32_t id) : lane_(lane), mark_(lane.mark(id)) {}
    Range(const Range &) = delete;
    Range &operator=(const Range &) = delete;
    __device__ __forceinline__ ~Range() { lane_.done(mark_); }

private:
    Lane &lane_;
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

/* The warp's lane: core = the CTA's number, pipe = the warp's number in it. */
__device__ __forceinline__ Lane per_warp(uint64_t handle)
{
    uint32_t thread = thread_number();
    return Lane(handle, block_number(), thread / 32, thread % 32 == 0);
}

} // namespace lanescope

#endif
