/* A writer: the producer's end of a lane. Opens buffers, fills them, publishes them, waits or drops.
 *
 * Cores (producer-rotated) and controllers each write their own lanes through one.
 */
#ifndef LANESCOPE_WRITER_H
#define LANESCOPE_WRITER_H

#include "debug.h"
#include "lanes.h"

#if !defined(LS_RECORDING)
#define LS_RECORDING 1
#endif
#define LS_ON(handle) (LS_RECORDING && (handle)->mode != 0)

/* Whether handles on one lane are counted. A GPU does not: it would be a look across the bus for every
 * buffer. A device without atomics cannot: others add to the count. */
#if defined(__CUDA_ARCH__) || !LS_HAS_ATOMICS
#define LS_WATCHES_HANDLES 0
#else
#define LS_WATCHES_HANDLES 1
#endif

typedef struct {
    LS_GM uint8_t *cursor; /* the next record; equal to limit when no buffer is open */
    LS_GM uint8_t *limit;
    LS_GM ls_lane *lane; /* NULL: the region has no such owner, and every record is a stray */
    LS_GM uint8_t *region;
    uint64_t handle; /* the lane's number of handles when this one was opened */
    uint64_t recorded;
    uint64_t first; /* records delivered before the open buffer; controller-rotated: the next one */
    uint64_t dropped;
    uint64_t opened;
    uint64_t published;
    uint64_t wait_start;
    uint64_t wait_end;
    uint64_t host_lost_cycles;
    uint64_t looked;   /* when the wait was last looked at … */
    uint64_t waited;   /* … and how long it has lasted since the host's last sign of life */
    uint64_t beat;     /* the host's, as last read */
    uint64_t released; /* as last read; across a bus every look costs a microsecond */
    LS_GM uint8_t *buffers;  /* the lane's constants, for the same reason */
    uint64_t buffer_stride;
    uint32_t buffer_count;
    uint32_t buffer_records;
    uint32_t mode; /* 0: off */
    uint32_t record_bytes;
    uint32_t on_full;
    uint32_t host_lost; /* gave up waiting; drops until the host is back */
#if defined(LS_DEBUG_CALLER)
    ls_debug_caller caller;
#endif
} ls_writer;

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* Opens a lane of the region to record in. Of several handles on one lane the newest records; what
 * comes through an older one is counted apart and lost, as is what an owner records whom the region
 * does not have. */
LS_SLOW void ls_writer_open(ls_writer *w, LS_GM uint8_t *region, uint32_t kind, uint32_t owner)
{
    LS_GM const ls_header *header = (LS_GM const ls_header *)region;
    ls_writer fresh = LS_ZERO;
    fresh.lane = ls_find_lane(region, kind, owner);
    if (!fresh.lane && ls_is_stray(region, kind)) {
        LS_DEBUG_STRAY(kind, owner);
        fresh.region = region;
        fresh.mode = 1;
    }
    if (fresh.lane) {
        fresh.region = region;
        fresh.mode = 1;
        LS_LOAD_LINE(&fresh.lane->recorded); /* the producer's line: an earlier handle wrote it */
#if LS_WATCHES_HANDLES
        fresh.handle = ls_add_relaxed(&fresh.lane->handles, 1);
#endif
        fresh.record_bytes = fresh.lane->record_bytes;
        fresh.buffers = region + fresh.lane->buffers;
        fresh.buffer_stride = fresh.lane->buffer_stride;
        fresh.buffer_count = fresh.lane->buffer_count;
        fresh.buffer_records = fresh.lane->buffer_records;
        fresh.on_full = LS_MAY_WAIT ? header->on_full : (uint32_t)LS_DROP;
        fresh.host_lost_cycles = header->host_lost_cycles;
        fresh.recorded = fresh.first = ls_load_relaxed(&fresh.lane->recorded);
        fresh.dropped = ls_load_relaxed(&fresh.lane->dropped);
        fresh.opened = fresh.published = ls_load_relaxed(&fresh.lane->published);
#if LS_HAS_LINES
        fresh.released = fresh.opened - fresh.buffer_count; /* not known: ls_buffer_is_free looks */
#else
        fresh.released = ls_load_acquire(&fresh.lane->released);
#endif
        LS_DEBUG_OPENED(&fresh);
    }
    *w = fresh;
}

/* ---- inside ---------------------------------------------------------------------------------- */

/* `released` only grows, so an old value errs on the safe side. */
LS_FN int ls_buffer_is_free(ls_writer *w)
{
    if (w->opened - w->released < w->buffer_count)
        return 1;
    LS_INVALIDATE_LINE(&w->lane->released);
    w->released = ls_load_acquire(&w->lane->released);
    return w->opened - w->released < w->buffer_count;
}

LS_FN LS_GM ls_buffer *ls_writer_buffer(const ls_writer *w, uint64_t sequence)
{
    return (LS_GM ls_buffer *)(w->buffers + sequence % w->buffer_count * w->buffer_stride);
}

/* Opens the next buffer, which must be free. `first`: records delivered before it. */
LS_SLOW LS_GM uint8_t *ls_buffer_open(ls_writer *w, uint64_t first)
{
    LS_GM ls_lane *lane = w->lane;
    LS_GM ls_buffer *buffer = ls_writer_buffer(w, w->opened);
    buffer->sequence = w->opened;
    buffer->lane = (uint32_t)(lane - ls_lane_at(w->region, 0));
    buffer->count = 0;
    buffer->first = first;
    buffer->dropped = w->dropped;
    buffer->wait_start = w->wait_start;
    buffer->wait_end = w->wait_end;
    LS_FLUSH_LINE(buffer);
    ls_store_release(&lane->opened, ++w->opened);
    if (w->wait_start) {
        w->wait_start = w->wait_end = 0;
        ls_store_relaxed(&lane->wait_start, 0);
        ls_store_relaxed(&lane->wait_end, 0);
    }
    if (w->host_lost && w->on_full == LS_BLOCK)
        ls_store_relaxed(&((LS_GM ls_header *)w->region)->host_missed, 0); /* it gave a buffer back */
    w->host_lost = 0;
    return (LS_GM uint8_t *)(buffer + 1);
}

/* May this handle write into its lane? It has one, and no newer handle was opened on it. */
LS_FN int ls_owns_lane(const ls_writer *w)
{
#if LS_WATCHES_HANDLES
    return w->lane && ls_load_relaxed(&w->lane->handles) == w->handle;
#else
    return w->lane != NULL;
#endif
}

/* Counts records that belong to nobody: many may count at once. */
LS_SLOW void ls_count_strays(const ls_writer *w, uint64_t records)
{
    LS_GM ls_header *header = (LS_GM ls_header *)w->region;
    if (w->lane)
        LS_DEBUG_INTRUDED(w);
    ls_add_relaxed(w->lane ? &w->lane->intruded : &header->strays, records);
}

/* Hands the oldest open buffer to the host; it is a newer handle's if there is one. */
LS_FN void ls_buffer_publish(ls_writer *w, uint32_t count)
{
    if (LS_UNLIKELY(!ls_owns_lane(w))) {
        ls_count_strays(w, count);
        w->published++;
        return;
    }
    LS_GM ls_buffer *buffer = ls_writer_buffer(w, w->published);
    buffer->count = count;
    LS_FLUSH_LINE(buffer);
#if !LS_COUNTS_EACH
    ls_store_release(&w->lane->recorded, w->recorded);
#endif
    ls_store_release(&w->lane->published, ++w->published);
}

LS_FN void ls_note_wait(ls_writer *w, uint64_t start, uint64_t end)
{
    w->wait_start = start;
    w->wait_end = end;
    ls_store_relaxed(&w->lane->wait_start, start);
    ls_store_relaxed(&w->lane->wait_end, end);
}

/* Will nobody give a buffer back? The host has left, or it refuses this lane, or some producer has
 * waited in vain since the host's last sign of life: one limit for all lanes of a region. */
LS_FN int ls_host_is_lost(const ls_writer *w, uint64_t beat)
{
    LS_GM const ls_header *header = (LS_GM const ls_header *)w->region;
    return ls_load_relaxed(&w->lane->refused) || ls_load_relaxed(&header->host_gone)
           || ls_load_relaxed(&header->host_missed) == beat + 1;
}

/* A clock may step back. Then no time has passed, and nothing ends before it started. */
LS_FN uint64_t ls_not_before(uint64_t start, uint64_t now)
{
    return (int64_t)(now - start) > 0 ? now : start;
}

/* Goes on with a wait for a buffer, or begins one. 1: a buffer is free, 0: the host is lost and
 * records are dropped from now on, -1: neither yet. A host is lost when it has left, and when
 * host_beat has stood still for host_lost_cycles of the wait. */
LS_SLOW int ls_wait_step(ls_writer *w)
{
    if (ls_buffer_is_free(w)) {
        if (w->wait_start && !w->wait_end)
            w->wait_end = ls_not_before(w->wait_start, LS_CLOCK() | 1);
        return 1;
    }
    LS_GM ls_header *header = (LS_GM ls_header *)w->region;
    LS_INVALIDATE_LINE(&header->host_beat);
    uint64_t beat = ls_load_relaxed(&header->host_beat);
    int lost = w->on_full == LS_DROP || ls_host_is_lost(w, beat);
    if (w->host_lost && lost)
        return 0;
    if (!w->wait_start || w->host_lost) { /* it begins; or the host is back, and it goes on */
        w->looked = LS_CLOCK() | 1;       /* 0 means "no wait"; odd times cannot be 0 */
        ls_note_wait(w, w->wait_start ? w->wait_start : w->looked, 0);
        w->waited = 0;
        w->host_lost = 0;
    }
    uint64_t now = LS_CLOCK() | 1;
    w->waited = beat == w->beat ? w->waited + (ls_not_before(w->looked, now) - w->looked) : 0;
    w->beat = beat;
    w->looked = now;
    if (!lost && w->waited < w->host_lost_cycles)
        return -1;
    if (!lost)
        ls_store_relaxed(&header->host_missed, beat + 1);
    ls_note_wait(w, w->wait_start,
                 w->on_full == LS_DROP ? w->wait_start : ls_not_before(w->wait_start, now));
    w->host_lost = 1;
    return 0;
}

LS_FN void ls_count_dropped(ls_writer *w)
{
    if (LS_UNLIKELY(!ls_owns_lane(w))) {
        ls_count_strays(w, 1);
        return;
    }
    ls_store_relaxed(&w->lane->dropped, ++w->dropped);
}

/* Opens a buffer for a producer that has none; waits for one if that is what the run wants. */
LS_SLOW int ls_make_room(ls_writer *w)
{
    uint32_t spins = 0;
    int found = 0;
    while (ls_owns_lane(w) && (found = ls_wait_step(w)) < 0)
        ls_wait_a_little(&spins);
    if (found <= 0) { /* the host is lost, or the lane is another handle's */
        ls_count_dropped(w);
        return 0;
    }
    w->first = w->recorded;
    w->cursor = ls_buffer_open(w, w->first);
    w->limit = w->cursor + (size_t)w->buffer_records * w->record_bytes;
    return 1;
}

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* Where the next record goes; NULL: it was dropped and counted. */
LS_FN LS_GM void *ls_reserve(ls_writer *w)
{
    LS_DEBUG_THREAD(w);
    if (LS_UNLIKELY(w->cursor == w->limit) && !ls_make_room(w))
        return NULL;
    return w->cursor;
}

/* ---- inside ---------------------------------------------------------------------------------- */

/* A processor's release store costs nothing. A GPU's waits until its writes have crossed the bus, so
 * there the open buffer can be trusted only once the kernel has ended; published ones always. Where a
 * line costs too much, only publishing counts. */
LS_FN void ls_store_recorded(LS_GM uint64_t *word, uint64_t value)
{
#if !LS_COUNTS_EACH
    (void)word, (void)value;
#elif defined(__CUDA_ARCH__)
    ls_store_relaxed(word, value);
#else
    ls_store_release(word, value);
#endif
}

/* Sends a record to memory. Buffers begin on a line, so a record of a line or less lies in one. */
LS_FN void ls_flush_record(LS_GM uint8_t *record, uint32_t bytes)
{
#if LS_HAS_LINES
    for (uint32_t at = 0; at < bytes; at += LS_LINE)
        LS_FLUSH_LINE(record + at);
#else
    (void)record, (void)bytes;
#endif
}

/* The lane's counts are in memory when this returns. */
LS_FN void ls_settle_lane(const ls_writer *w)
{
    LS_FLUSH_LINE(&w->lane->recorded);
    LS_BARRIER();
}

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* The reserved record is written. */
LS_FN void ls_commit(ls_writer *w, uint32_t record_bytes)
{
    ls_flush_record(w->cursor, record_bytes);
    w->cursor += record_bytes;
    ls_store_recorded(&w->lane->recorded, ++w->recorded);
    if (LS_UNLIKELY(w->cursor == w->limit)) {
        ls_buffer_publish(w, w->buffer_records);
        w->cursor = w->limit = NULL;
    }
}

/* Publishes the last, partly filled buffer. The writer can go on. */
LS_SLOW void ls_writer_flush(ls_writer *w)
{
    if (!LS_ON(w) || !w->lane)
        return;
    if (w->cursor != w->limit) {
        ls_buffer_publish(w, (uint32_t)(w->recorded - w->first));
        w->cursor = w->limit = NULL;
    }
    ls_settle_lane(w);
}

#endif
