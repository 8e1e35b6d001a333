/* The rare part of recording inside a CUDA kernel: clocks, taking and giving back a lane, changing its
 * buffers. cuda.cuh is what kernels include. All of it is called by the lane's elected thread.
 *
 * It is inlined, although it is rare: around a call the compiler keeps 16 registers for the callee, and the
 * kernel cannot have them. So that it needs few registers itself, what it works with lies in the lane's state
 * (handle.h), each step fetches what it needs and no more, and loops are not unrolled.
 */
#ifndef LANESCOPE_BUFFERS_CUH
#define LANESCOPE_BUFFERS_CUH

#include "handle.h"

/* ---- inside ---------------------------------------------------------------------------------- */

namespace lanescope {

using State = ls_handle_lane;

/* Before a function that runs seldom. */
#if !defined(LS_RARE)
#define LS_RARE __device__ __forceinline__
#endif

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

__device__ __forceinline__ uint32_t high(uint64_t value)
{
    return (uint32_t)(value >> 32);
}

/* A word of the lane's state or of the handle, loaded here and now: the compiler neither moves it nor keeps it in a
 * register for later. */
__device__ __forceinline__ uint64_t fetch(const uint64_t &word)
{
    uint64_t value;
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(value) : "l"(&word) : "memory");
    return value;
}

__device__ __forceinline__ uint32_t fetch(const uint32_t &word)
{
    uint32_t value;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(&word) : "memory");
    return value;
}

/* One moment on both clocks. */
struct Moment {
    uint64_t cycles, ns;
};

#define LS_NARROW 16u      /* cycles from reading to reading; on an H200 it takes 4, or more while code is fetched */
#define LS_MOMENT_TRIES 4u /* the last one is taken as it is */

/* Reads the two as close together as it can: a try in which the code had to be fetched first can take
 * a microsecond. */
LS_RARE Moment moment()
{
    Moment found;
    uint32_t width, tries = LS_MOMENT_TRIES;
#pragma unroll 1
    do {
        found.cycles = counter();
        found.ns = global_ns();
        width = (uint32_t)counter() - (uint32_t)found.cycles;
    } while (width > LS_NARROW && --tries);
    found.cycles += width / 2;
    return found;
}

__device__ __forceinline__ void store_pair(void *target, uint64_t a, uint64_t b)
{
    asm volatile("st.v2.u64 [%0], {%1, %2};" ::"l"(target), "l"(a), "l"(b) : "memory");
}

__device__ __forceinline__ void store_four(void *target, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(target), "r"(a), "r"(b), "r"(c), "r"(d)
                 : "memory");
}

__device__ __forceinline__ ls_lane *region_lane(const State *state)
{
    return (ls_lane *)fetch(state->lane);
}

__device__ __forceinline__ ls_slice_now *lane_now(const State *state)
{
    return (ls_slice_now *)region_lane(state)->segment;
}

__device__ __forceinline__ const ls_handle *lane_handle(const State *state)
{
    return (const ls_handle *)fetch(state->handle);
}

/* Hands the open buffer to the host; it has `count` records, moments among them. */
LS_RARE void publish(State *state, uint32_t count)
{
    Moment closed = moment();
    ls_buffer *buffer = (ls_buffer *)fetch(state->buffer);
    store_pair(&((ls_slice_clock *)(buffer + 1))->close_cycles, closed.cycles, closed.ns);
    buffer->count = count + LS_SLICE_CLOCK_RECORDS;
    uint64_t moments = fetch(state->next.moments);
    buffer->moments = moments;
    uint64_t recorded = fetch(state->next.first) + (count - (uint32_t)moments);
    state->next.first = recorded;
    state->next.moments = 0;
    ls_store_relaxed(&region_lane(state)->recorded, recorded);
    ls_store_release(&region_lane(state)->published, fetch(state->next.sequence));
    state->mode = LS_SLICE_CLOSED;
}

LS_RARE bool buffer_is_free(State *state)
{
    uint32_t count = fetch(lane_handle(state)->buffer_count);
    if (fetch(state->next.sequence) - fetch(state->released) < count)
        return true;
    uint64_t released = ls_load_acquire(&region_lane(state)->released);
    state->released = released;
    return fetch(state->next.sequence) - released < count;
}

/* A wait goes on from `start`, or has ended; both 0: none is known. The host sees it, too. */
LS_RARE void note_wait(State *state, uint64_t start, uint64_t end)
{
    store_pair(&state->next.wait_start, start, end);
    ls_store_relaxed(&region_lane(state)->wait_start, start);
    ls_store_relaxed(&region_lane(state)->wait_end, end);
}

/* Waits for a free buffer where the run wants that; false: the records are to be dropped. Times are
 * made odd, because 0 means "no wait". */
LS_RARE bool wait_for_buffer(State *state)
{
    /* Where it gave up before, it only looks. */
    bool waits = fetch(lane_handle(state)->on_full) == LS_BLOCK && !fetch(state->next.wait_end);
    bool known = fetch(state->next.wait_start) != 0;
#pragma unroll 1
    while (!buffer_is_free(state)) {
        if (!known)
            note_wait(state, global_ns() | 1, 0);
        known = true;
        uint64_t start = fetch(state->next.wait_start), now = global_ns() | 1;
        if (!waits || now - start >= fetch(lane_handle(state)->host_lost_ns)) {
            if (!fetch(state->next.wait_end))
                note_wait(state, start, waits ? now : start);
            return false;
        }
        __nanosleep(200);
    }
    if (known && !fetch(state->next.wait_end))
        state->next.wait_end = global_ns() | 1;
    return true;
}

/* Opens the next buffer, which is free: its header and its clock block. */
LS_RARE uint8_t *open_buffer(State *state)
{
    uint32_t slot = fetch(state->slot);
    state->buffer = fetch(state->ring) + slot * fetch(lane_handle(state)->buffer_stride);
    state->slot = slot + 1 == fetch(lane_handle(state)->buffer_count) ? 0 : slot + 1;
    {
        Moment opened = moment();
        store_pair(&state->clock.open_cycles, opened.cycles, opened.ns);
    }
#pragma unroll 1
    for (uint32_t word = 0; word < (sizeof(ls_buffer) + sizeof(ls_slice_clock)) / 8; word += 2) {
        const uint64_t *from = (const uint64_t *)state + word;
        store_pair((uint64_t *)fetch(state->buffer) + word, fetch(from[0]), fetch(from[1]));
    }
    uint64_t opened = fetch(state->next.sequence) + 1;
    state->next.sequence = opened;
    ls_store_relaxed(&region_lane(state)->opened, opened);
    if (fetch(state->next.wait_start))
        note_wait(state, 0, 0);
    state->mode = LS_SLICE_WRITES;
    return (uint8_t *)fetch(state->buffer) + sizeof(ls_buffer) + sizeof(ls_slice_clock);
}

/* Ends a buffer, or the room of what is dropped; `count` records are in it. */
LS_RARE void settle(State *state, uint32_t count)
{
    uint32_t mode = fetch(state->mode);
    if (mode == LS_SLICE_WRITES)
        publish(state, count);
    else if (mode == LS_SLICE_DROPS) {
        uint64_t dropped = fetch(state->next.dropped) + (count - (uint32_t)fetch(state->next.moments));
        state->next.dropped = dropped;
        state->next.moments = 0;
        ls_store_relaxed(&region_lane(state)->dropped, dropped);
    }
}

/* Where the next slices go, after a whole buffer of them. Where no buffer is to be had they go into the bin, and
 * are counted as dropped; after as many as a buffer holds it looks again. */
LS_RARE uint8_t *next_buffer(State *state)
{
    settle(state, LS_SLICE_RECORDS);
    if (wait_for_buffer(state))
        return open_buffer(state);
    state->mode = LS_SLICE_DROPS;
    return (uint8_t *)fetch(lane_handle(state)->bin);
}

/* Writes the length of a slice again, in whose time the counter's upper half grew by `over`. */
LS_RARE void lengthen(ls_slice *slice, uint32_t over)
{
    uint32_t low = slice->duration;
    over -= low > slice->end; /* it borrowed */
    if (over == 0)
        return;
    slice->duration = over << 16 | low >> 16;
    slice->what |= LS_SLICE_LONG;
}

/* Makes the last two slices whole: in the first one's time the upper half grew by `before`. */
LS_RARE void lengthen_last(uint8_t *cursor, uint32_t before, uint32_t last)
{
    if (before)
        lengthen((ls_slice *)cursor - 2, before);
    if (last)
        lengthen((ls_slice *)cursor - 1, last);
}

/* Writes a moment in the place of a slice. */
LS_RARE void put_moment(State *state, uint8_t *place)
{
    Moment now = moment();
    store_four(place, (uint32_t)now.cycles, (uint32_t)now.ns, high(now.ns),
               LS_SLICE_MOMENT | LS_SLICE_MARK | (high(now.cycles) << 16 & 0x7fff0000u));
    state->next.moments = fetch(state->next.moments) + 1;
}

/* A moment is due when the counter has left the window of the last one: 2^19 cycles, 0.26 ms at 2 GHz. A lane's word for
 * that says by its other bits that something else is to be done. */
#define LS_MOMENT_CYCLES (1u << 19)
#define LS_SOON (1u << 31)
#define LS_WINDOW (LS_SOON - LS_MOMENT_CYCLES)
#define LS_SLICE_OVER 0xffffu /* of the counter's upper half, what a length may have */

/* The window of a moment that was taken `now`, `left` as in the lane. If the moment comes more than a window late, tasks
 * are long; then the next one is due at once, so that each task has one. */
__device__ __forceinline__ uint32_t next_window(uint32_t window, uint32_t now, uint32_t left)
{
    bool late = ((now - window) & LS_WINDOW) > LS_MOMENT_CYCLES;
    return (now & LS_WINDOW) | (late ? LS_SOON : left & LS_SOON);
}

/* The room after `next_place`, less one; all threads of a warp work it out. */
__device__ __forceinline__ uint32_t next_left(uint32_t left)
{
    left -= (int32_t)left >= 0; /* a moment */
    return (int32_t)left < 0 ? LS_SLICE_RECORDS - 1 : left;
}

/* Makes the slices before whole, and a place for the next one: behind a moment, or in the next buffer. `left` is the
 * room less one; `before` and `last` say how long they were (lengthen_last). */
LS_RARE uint8_t *next_place(State *state, uint8_t *cursor, uint32_t left, uint32_t before, uint32_t last)
{
    lengthen_last(cursor, before, last);
    if ((int32_t)left >= 0) {
        put_moment(state, cursor);
        cursor += sizeof(ls_slice);
        left--;
    }
    return (int32_t)left < 0 ? next_buffer(state) : cursor;
}

/* The lane's state for its elected thread; null: there is none, or a kernel has it already. */
LS_RARE State *take_lane(ls_handle *handle, uint32_t core, uint32_t pipe, uint32_t launch)
{
    State *state = (State *)(handle + 1) + (uint64_t)core * handle->pipe_count + pipe;
    if (core >= handle->core_count || pipe >= handle->pipe_count
        || handle->buffer_records != LS_SLICE_RECORDS
        || atomicExch(&state->taken, 1u) != 0) {
        atomicAdd((unsigned long long *)&handle->refused, 1ull);
        return nullptr;
    }
    __threadfence(); /* what the lane's last owner left: this SM may have older words of it */
    uint32_t unit;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(unit));
    store_pair(&state->clock.unit, unit, launch);
    store_pair(&lane_now(state)->task_begun, 0, 0);
    store_pair(&lane_now(state)->mark_begun, 0, 0);
    store_pair(&lane_now(state)->unit, unit, 0);
    Moment started = moment();
    store_pair(&state->clock.start_cycles, started.cycles, started.ns);
    store_pair(&lane_now(state)->held_cycles, started.cycles, started.ns);
    return state;
}

LS_RARE void give_lane_back(State *state, uint8_t *cursor, uint32_t left, uint32_t before, uint32_t last)
{
    lengthen_last(cursor, before, last);
    settle(state, LS_SLICE_RECORDS - (left + 1));
    state->mode = LS_SLICE_CLOSED;
    store_pair(&lane_now(state)->held_cycles, 0, 0);
    __threadfence();
    atomicExch(&state->taken, 0u);
}

} // namespace lanescope

#endif
