/* The rare part of recording inside a CUDA kernel: clocks, taking and giving back a lane, changing its
 * buffers. cuda.cuh is what kernels include. All of it is called by the lane's elected thread.
 */
#ifndef LANESCOPE_BUFFERS_CUH
#define LANESCOPE_BUFFERS_CUH

#include "handle.h"

/* ---- inside ---------------------------------------------------------------------------------- */

namespace lanescope {

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
    store_pair(&clock->unit, state->unit, state->launch);
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
    ls_handle *handle = (ls_handle *)(address & LS_HANDLE_ADDRESS);
    ls_handle_lane *state = (ls_handle_lane *)(handle + 1) + (uint64_t)core * handle->pipe_count + pipe;
    if (core >= handle->core_count || pipe >= handle->pipe_count
        || handle->buffer_records != LS_SLICE_RECORDS
        || atomicExch(&state->taken, 1u) != 0) {
        atomicAdd((unsigned long long *)&handle->refused, 1ull);
        return nullptr;
    }
    asm volatile("mov.u32 %0, %%smid;" : "=r"(state->unit));
    state->launch = (uint32_t)(address >> LS_LAUNCH_SHIFT);
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

} // namespace lanescope

#endif
