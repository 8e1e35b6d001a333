/* The recording functions: what a core and a controller call.
 *
 *   core                                        controller
 *   ----                                        ----------
 *   ls_core core;                               ls_channel channel;           one per core served
 *   ls_core_open(&core, region, 3);             ls_channel_open(&channel, region, 3);
 *   loop:                                       loop:
 *     wait for a task                             if (ls_channel_admit(&channel)) {
 *     ls_core_receive(&core);                       ls_channel_dispatch(&channel);
 *     ls_core_begin(&core);                         give the task to the core
 *     run it                                      }
 *     ls_core_end(&core, task, token);            when the core has finished one:
 *     tell the controller                           ls_channel_finish(&channel, token, task, func);
 *   ls_core_close(&core);                       ls_channel_close(&channel);
 *
 * A region of NULL, or one whose flags leave a feature out, opens a handle that does nothing: each
 * call is then one test of one word, with no clock read and no store. With -DLS_RECORDING=0 all
 * calls but those that open handles vanish from the program.
 *
 * Every handle belongs to one thread. A record is written once, by the core, and copied by nobody
 * on the device but in the staging protocol.
 *
 * Three protocols move a core's records:
 *
 * staging            The core writes slot token % slots of a tiny ring. The controller copies the
 *                    slot into the core's lane when the task has finished. Costs the controller a
 *                    barrier, a cache line from another core and a copy per task.
 *
 * controller-rotated The core writes into the lane's buffer. The controller opens buffers when it
 *                    dispatches and publishes them when it sees tasks finish.
 *                    The task decides the buffer: tasks of a core are numbered k = 0, 1, 2, … in
 *                    dispatch order (the token is k modulo 2^32), and buffer j holds the tasks
 *                    segment[j % 4] - 1 … + N - 1. The controller writes segment[] before it
 *                    dispatches the first task of j, so the core sees it with the task, and reads
 *                    it only when k leaves the buffer it has. Buffer j is published when its last
 *                    task has finished, so nobody writes into a published buffer, however many
 *                    tasks the core holds in advance. (Rotating by dispatch count publishes a
 *                    buffer that a running task still writes; rotating by completion count lets a
 *                    task already dispatched write into the old one. The model in
 *                    tests/protocols/ finds both.)
 *
 * producer-rotated   The core fills its buffer, publishes it and opens the next one itself. The
 *                    controller has nothing to do with it.
 *
 * With staging and controller-rotated ls_core_end must come before the controller is told; with
 * producer-rotated it may come after (ls_core_stop before, ls_core_write after), which takes the
 * writing out of the task's latency.
 */
#ifndef LANESCOPE_RECORD_H
#define LANESCOPE_RECORD_H

#include "layout.h"

#if !defined(LS_RECORDING)
#define LS_RECORDING 1
#endif
#define LS_ON(handle) (LS_RECORDING && (handle)->mode != 0)

/* ---- Writer: the producer's end of a lane --------------------------------------------------- */

typedef struct {
    uint8_t *cursor; /* the next record; equal to limit when no buffer is open */
    uint8_t *limit;
    ls_lane *lane;
    uint8_t *region;
    uint64_t recorded;
    uint64_t first; /* records delivered before the open buffer; controller-rotated: the next one */
    uint64_t dropped;
    uint64_t opened;
    uint64_t published;
    uint64_t wait_start;
    uint64_t wait_end;
    uint64_t host_lost_cycles;
    uint64_t released; /* as last read; across a bus every look costs a microsecond */
    uint8_t *buffers;  /* the lane's constants, for the same reason */
    uint64_t buffer_stride;
    uint32_t buffer_count;
    uint32_t buffer_records;
    uint32_t mode; /* 0: off */
    uint32_t record_bytes;
    uint32_t on_full;
    uint32_t host_lost; /* gave up waiting; drops until the host returns a buffer */
} ls_writer;

/* The lane of a kind and owner. NULL where the region has none because the feature is off, and
 * where it was made by another version of these headers. */
LS_SLOW ls_lane *ls_find_lane(uint8_t *region, uint32_t kind, uint32_t owner)
{
    const ls_header *header = (const ls_header *)region;
    if (!region || header->magic != LS_REGION_MAGIC || header->version != LS_REGION_VERSION)
        return NULL;
    for (uint32_t i = 0; i < header->lane_count; i++) {
        ls_lane *lane = ls_lane_at(region, i);
        if (lane->kind == kind && lane->owner == owner)
            return lane;
    }
    return NULL;
}

LS_SLOW void ls_writer_open(ls_writer *w, uint8_t *region, uint32_t kind, uint32_t owner)
{
    const ls_header *header = (const ls_header *)region;
    ls_writer fresh = LS_ZERO;
    fresh.lane = ls_find_lane(region, kind, owner);
    if (fresh.lane) {
        fresh.region = region;
        fresh.mode = 1;
        fresh.record_bytes = fresh.lane->record_bytes;
        fresh.buffers = region + fresh.lane->buffers;
        fresh.buffer_stride = fresh.lane->buffer_stride;
        fresh.buffer_count = fresh.lane->buffer_count;
        fresh.buffer_records = fresh.lane->buffer_records;
        fresh.released = ls_load_acquire(&fresh.lane->released);
        fresh.on_full = header->on_full;
        fresh.host_lost_cycles = header->host_lost_cycles;
        fresh.recorded = fresh.first = ls_load_relaxed(&fresh.lane->recorded);
        fresh.dropped = ls_load_relaxed(&fresh.lane->dropped);
        fresh.opened = fresh.published = ls_load_relaxed(&fresh.lane->published);
    }
    *w = fresh;
}

/* `released` only grows, so an old value errs on the safe side. */
LS_FN int ls_buffer_is_free(ls_writer *w)
{
    if (w->opened - w->released < w->buffer_count)
        return 1;
    w->released = ls_load_acquire(&w->lane->released);
    return w->opened - w->released < w->buffer_count;
}

LS_FN ls_buffer *ls_writer_buffer(const ls_writer *w, uint64_t sequence)
{
    return (ls_buffer *)(w->buffers + sequence % w->buffer_count * w->buffer_stride);
}

/* Opens the next buffer, which must be free. `first`: records delivered before it. */
LS_SLOW uint8_t *ls_buffer_open(ls_writer *w, uint64_t first)
{
    ls_lane *lane = w->lane;
    ls_buffer *buffer = ls_writer_buffer(w, w->opened);
    buffer->sequence = w->opened;
    buffer->lane = (uint32_t)(lane - ls_lane_at(w->region, 0));
    buffer->count = 0;
    buffer->first = first;
    buffer->dropped = w->dropped;
    buffer->wait_start = w->wait_start;
    buffer->wait_end = w->wait_end;
    ls_store_release(&lane->opened, ++w->opened);
    if (w->wait_start) {
        w->wait_start = w->wait_end = 0;
        ls_store_relaxed(&lane->wait_start, 0);
        ls_store_relaxed(&lane->wait_end, 0);
    }
    w->host_lost = 0;
    return (uint8_t *)(buffer + 1);
}

/* Hands the oldest open buffer to the host. */
LS_FN void ls_buffer_publish(ls_writer *w, uint32_t count)
{
    ls_writer_buffer(w, w->published)->count = count;
    ls_store_release(&w->lane->published, ++w->published);
}

LS_FN void ls_note_wait(ls_writer *w, uint64_t start, uint64_t end)
{
    w->wait_start = start;
    w->wait_end = end;
    ls_store_relaxed(&w->lane->wait_start, start);
    ls_store_relaxed(&w->lane->wait_end, end);
}

/* Goes on with a wait for a buffer, or begins one. 1: a buffer is free, 0: the limit is over and
 * records are dropped from now on, -1: neither yet. */
LS_SLOW int ls_wait_step(ls_writer *w)
{
    if (ls_buffer_is_free(w)) {
        if (w->wait_start && !w->wait_end)
            w->wait_end = LS_CLOCK() | 1;
        return 1;
    }
    if (w->host_lost)
        return 0;
    if (!w->wait_start)
        ls_note_wait(w, LS_CLOCK() | 1, 0); /* 0 means "no wait"; odd times cannot be 0 */
    uint64_t now = LS_CLOCK() | 1;
    if (w->on_full == LS_BLOCK && now - w->wait_start < w->host_lost_cycles)
        return -1;
    ls_note_wait(w, w->wait_start, w->on_full == LS_DROP ? w->wait_start : now);
    w->host_lost = 1;
    return 0;
}

LS_FN void ls_count_dropped(ls_writer *w)
{
    ls_store_relaxed(&w->lane->dropped, ++w->dropped);
}

/* Opens a buffer for a producer that has none; waits for one if that is what the run wants. */
LS_SLOW int ls_make_room(ls_writer *w)
{
    uint32_t spins = 0;
    int found;
    while ((found = ls_wait_step(w)) < 0)
        ls_wait_a_little(&spins);
    if (!found) {
        ls_count_dropped(w);
        return 0;
    }
    w->first = w->recorded;
    w->cursor = ls_buffer_open(w, w->first);
    w->limit = w->cursor + (size_t)w->buffer_records * w->record_bytes;
    return 1;
}

/* Where the next record goes; NULL: it was dropped and counted. */
LS_FN void *ls_reserve(ls_writer *w)
{
    if (LS_UNLIKELY(w->cursor == w->limit) && !ls_make_room(w))
        return NULL;
    return w->cursor;
}

/* A processor's release store costs nothing. A GPU's waits until its writes have crossed the bus, so
 * there the open buffer can be trusted only once the kernel has ended; published ones always. */
LS_FN void ls_store_recorded(uint64_t *word, uint64_t value)
{
#if defined(__CUDA_ARCH__)
    ls_store_relaxed(word, value);
#else
    ls_store_release(word, value);
#endif
}

/* The reserved record is written. */
LS_FN void ls_commit(ls_writer *w, uint32_t record_bytes)
{
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
    if (!LS_ON(w) || w->cursor == w->limit)
        return;
    ls_buffer_publish(w, (uint32_t)(w->recorded - w->first));
    w->cursor = w->limit = NULL;
}

/* ---- Core ----------------------------------------------------------------------------------- */

enum ls_core_mode { LS_CORE_OFF = 0, LS_CORE_STAGING, LS_CORE_SEGMENTS, LS_CORE_PRODUCER };

typedef struct {
    uint32_t mode;
    uint32_t stamps_receive;
    uint64_t received;
    uint64_t start;
    uint64_t end;
    ls_writer out; /* producer-rotated */

    /* controller-rotated: the segment that is being written */
    ls_lane *lane;
    uint8_t *region;
    uint64_t ordinal;  /* k of the last task */
    uint64_t sequence; /* of the segment's buffer */
    uint64_t first;    /* k of its first task */
    uint64_t size;     /* 0 before the first segment */
    ls_core_task *records;
    uint32_t token; /* of the last task */

    /* staging */
    uint32_t slot_mask;
    ls_staging_slot *slots;
} ls_core;

LS_SLOW void ls_core_open(ls_core *c, uint8_t *region, uint32_t core)
{
    ls_core fresh = LS_ZERO;
    ls_lane *lane = ls_find_lane(region, LS_CORE_TASK, core);
    if (lane) {
        const ls_header *header = (const ls_header *)region;
        fresh.mode = header->protocol + 1;
        fresh.stamps_receive = (header->flags & LS_CHIP_SWIMLANE_TASK_LIFECYCLE) != 0;
        fresh.lane = lane;
        fresh.region = region;
        fresh.token = header->first_token - 1;
        fresh.ordinal = UINT64_MAX;
        fresh.sequence = ls_load_acquire(&lane->published) - 1;
        fresh.slots = (ls_staging_slot *)(region + lane->staging);
        fresh.slot_mask = (uint32_t)lane->staging_slots - 1;
        if (header->protocol == LS_PRODUCER_ROTATED)
            ls_writer_open(&fresh.out, region, LS_CORE_TASK, core);
    }
    *c = fresh;
}

/* The core has seen its next task. */
LS_FN void ls_core_receive(ls_core *c)
{
    if (LS_ON(c) && c->stamps_receive)
        c->received = LS_CLOCK_ORDERED();
}

LS_FN void ls_core_begin(ls_core *c)
{
    if (LS_ON(c))
        c->start = LS_CLOCK();
}

LS_FN void ls_core_stop(ls_core *c)
{
    if (LS_ON(c))
        c->end = LS_CLOCK();
}

/* Controller-rotated: where task k goes, NULL where the controller had no buffer for it. Entry
 * j % 4 of segment[] is first k + 1 of buffer j; an older one is so far back that the difference
 * below is N or more, a newer one makes it wrap. */
LS_SLOW ls_core_task *ls_core_next_segment(ls_core *c, uint64_t k)
{
    ls_lane *lane = c->lane;
    uint64_t sequence = c->sequence + 1;
    uint64_t entry = ls_load_acquire(&lane->segment[sequence % LS_OUTSTANDING]);
    if (entry == 0 || k - (entry - 1) >= lane->buffer_records)
        return NULL;
    c->sequence = sequence;
    c->first = entry - 1;
    c->size = lane->buffer_records;
    c->records = (ls_core_task *)(ls_buffer_at(c->region, lane, sequence) + 1);
    return c->records + (k - c->first);
}

LS_FN ls_core_task *ls_core_place(ls_core *c, uint32_t token)
{
    if (c->mode == LS_CORE_STAGING)
        return &c->slots[token & c->slot_mask].record;
    c->ordinal += (uint64_t)(uint32_t)(token - c->token);
    c->token = token;
    uint64_t slot = c->ordinal - c->first;
    return LS_LIKELY(slot < c->size) ? c->records + slot : ls_core_next_segment(c, c->ordinal);
}

/* Writes the record of the task that was begun and stopped last. */
LS_FN void ls_core_write(ls_core *c, uint64_t task, uint32_t token)
{
    if (!LS_ON(c))
        return;
    ls_core_task *record;
    if (LS_LIKELY(c->mode == LS_CORE_PRODUCER))
        record = (ls_core_task *)ls_reserve(&c->out);
    else
        record = ls_core_place(c, token);
    if (!record)
        return;
    uint32_t delay = c->stamps_receive ? (uint32_t)(c->start - c->received) : 0;
#if defined(__CUDA_ARCH__)
    /* Whole 16-byte stores: smaller ones cross a bus as partial writes, at twice the cost. */
    asm volatile("st.v2.u64 [%0], {%1, %2};" ::"l"(record), "l"(c->start), "l"(c->end) : "memory");
    asm volatile("st.v2.u64 [%0+16], {%1, %2};" ::"l"(record), "l"(task),
                 "l"((uint64_t)delay << 32 | token)
                 : "memory");
#else
    record->start = c->start;
    record->end = c->end;
    record->task = task;
    record->token = token;
    record->receive_to_start = delay;
#endif
    if (LS_LIKELY(c->mode == LS_CORE_PRODUCER))
        ls_commit(&c->out, sizeof(ls_core_task));
}

LS_FN void ls_core_end(ls_core *c, uint64_t task, uint32_t token)
{
    ls_core_stop(c);
    ls_core_write(c, task, token);
}

/* After the core's last task. */
LS_FN void ls_core_close(ls_core *c)
{
    if (!LS_ON(c))
        return;
    if (c->mode == LS_CORE_PRODUCER)
        ls_writer_flush(&c->out);
    c->mode = LS_CORE_OFF;
}

/* func and task id in one word, for regions with func_shift 48. */
#define LS_FUNC_SHIFT 48
LS_FN uint64_t ls_task_word(uint32_t func, uint64_t task)
{
    return (uint64_t)func << LS_FUNC_SHIFT | task;
}

/* ---- Channel: the controller's view of one core --------------------------------------------- */

typedef struct {
    uint32_t mode; /* 0: off */
    uint32_t core_mode; /* enum ls_core_mode, LS_CORE_OFF where the core rotates by itself */
    uint32_t pre_dispatch;
    uint32_t slot_mask;
    uint64_t dispatched; /* tasks given to the core */
    uint64_t finished;   /* … and seen to end, in the same order */
    uint64_t stamp[LS_OUTSTANDING]; /* dispatch time of task k at k % LS_OUTSTANDING */
    uint64_t first[LS_OUTSTANDING]; /* first task of open buffer j at j % LS_OUTSTANDING */
    uint64_t segment_end;           /* first task beyond the newest open buffer */
    ls_writer tasks;                /* the controller's own records */
    ls_writer core;                 /* the core's lane: staging and controller-rotated */
    ls_staging_slot *slots;
} ls_channel;

LS_SLOW void ls_channel_open(ls_channel *ch, uint8_t *region, uint32_t core)
{
    ls_channel fresh = LS_ZERO;
    ls_lane *lane = ls_find_lane(region, LS_CORE_TASK, core);
    if (lane) {
        const ls_header *header = (const ls_header *)region;
        fresh.mode = 1;
        fresh.pre_dispatch = header->pre_dispatch;
        ls_writer_open(&fresh.tasks, region, LS_CONTROLLER_TASK, core);
        if (header->protocol != LS_PRODUCER_ROTATED) {
            fresh.core_mode = header->protocol + 1;
            ls_writer_open(&fresh.core, region, LS_CORE_TASK, core);
            fresh.slots = (ls_staging_slot *)(region + lane->staging);
            fresh.slot_mask = (uint32_t)lane->staging_slots - 1;
            for (int i = 0; i < LS_OUTSTANDING; i++)
                ls_store_release(&lane->segment[i], 0);
        }
    }
    *ch = fresh;
}

LS_SLOW void ls_channel_open_segment(ls_channel *ch)
{
    ls_writer *w = &ch->core;
    uint64_t sequence = w->opened;
    (void)ls_buffer_open(w, w->first);
    w->first += w->buffer_records; /* it will be full before the next one is published */
    ch->first[sequence % LS_OUTSTANDING] = ch->dispatched;
    ch->segment_end = ch->dispatched + w->buffer_records;
    ls_store_release(&w->lane->segment[sequence % LS_OUTSTANDING], ch->dispatched + 1);
}

/* May the next task be dispatched to this core? 0: handle what the cores have finished and ask
 * again later; the controller never waits here, so a single buffer per lane cannot lock up. Ask
 * only with a task in hand: a 1 may have opened the buffer that its record goes to. */
LS_FN int ls_channel_admit(ls_channel *ch)
{
    if (!LS_ON(ch))
        return 1;
    if (ch->dispatched - ch->finished > ch->pre_dispatch)
        return 0;
    if (ch->core_mode != LS_CORE_SEGMENTS || ch->dispatched < ch->segment_end)
        return 1;
    int found = ls_wait_step(&ch->core);
    if (found > 0)
        ls_channel_open_segment(ch);
    return found >= 0; /* 0: no buffer, the task's record will be dropped */
}

/* The next task goes to the core now. */
LS_FN void ls_channel_dispatch(ls_channel *ch)
{
    if (!LS_ON(ch))
        return;
    if (ch->tasks.mode)
        ch->stamp[ch->dispatched % LS_OUTSTANDING] = LS_CLOCK();
    if (ch->core_mode == LS_CORE_SEGMENTS && ch->dispatched >= ch->segment_end)
        ls_count_dropped(&ch->core); /* now, so that the next buffer's header has it counted */
    ch->dispatched++;
}

/* staging: copy the core's record out of its slot. */
LS_SLOW void ls_channel_copy(ls_channel *ch, uint32_t token)
{
    ls_writer *w = &ch->core;
    const ls_core_task *slot = &ch->slots[token & ch->slot_mask].record;
    if (slot->token != token) {
        ls_store_relaxed(&w->lane->mismatched, w->lane->mismatched + 1);
        ls_count_dropped(w);
        return;
    }
    ls_core_task *record = (ls_core_task *)ls_reserve(w);
    if (!record)
        return;
    *record = *slot;
    ls_commit(w, sizeof(ls_core_task));
}

/* controller-rotated: task k has finished, so its record is written, if it has a place. */
LS_FN void ls_channel_count(ls_channel *ch, uint64_t k)
{
    ls_writer *w = &ch->core;
    uint64_t first = ch->first[w->published % LS_OUTSTANDING];
    if (w->published == w->opened || k < first)
        return; /* it was dispatched without a buffer, and counted then */
    ls_store_release(&w->lane->recorded, ++w->recorded);
    if (LS_UNLIKELY(k - first + 1 == w->buffer_records))
        ls_buffer_publish(w, w->buffer_records);
}

/* The core's oldest unfinished task has finished. The caller has seen that with acquire. */
LS_FN void ls_channel_finish(ls_channel *ch, uint32_t token, uint64_t task, uint32_t func)
{
    if (!LS_ON(ch))
        return;
    uint64_t k = ch->finished++;
    uint64_t finish = ch->tasks.mode ? LS_CLOCK_ORDERED() : 0; /* before a copy that may wait */
    if (ch->core_mode == LS_CORE_STAGING)
        ls_channel_copy(ch, token);
    else if (ch->core_mode == LS_CORE_SEGMENTS)
        ls_channel_count(ch, k);
    if (!ch->tasks.mode)
        return;
    ls_controller_task *record = (ls_controller_task *)ls_reserve(&ch->tasks);
    if (!record)
        return;
    record->dispatch = ch->stamp[k % LS_OUTSTANDING];
    record->finish = finish;
    record->token = token;
    record->func = func;
    record->task = task;
    ls_commit(&ch->tasks, sizeof(ls_controller_task));
}

/* After the core's last task, and not before: publishes what is open, each buffer with its count. */
LS_SLOW void ls_channel_close(ls_channel *ch)
{
    if (!LS_ON(ch))
        return;
    ls_writer_flush(&ch->tasks);
    ls_writer *w = &ch->core;
    if (ch->core_mode == LS_CORE_STAGING)
        ls_writer_flush(w);
    else if (ch->core_mode == LS_CORE_SEGMENTS)
        while (w->published < w->opened) {
            uint64_t first = ch->first[w->published % LS_OUTSTANDING];
            uint64_t count = ch->finished > first ? ch->finished - first : 0;
            ls_buffer_publish(w, (uint32_t)count);
        }
    ch->mode = 0;
}

/* ---- Phases of controllers ------------------------------------------------------------------ */

/* Begins a phase; the caller fills in what it knows before it ends it. */
LS_FN void ls_scheduler_begin(const ls_writer *w, ls_scheduler_phase *phase, uint32_t kind)
{
    if (!LS_ON(w))
        return;
    ls_scheduler_phase fresh = LS_ZERO;
    fresh.kind = kind;
    fresh.task = LS_NO_TASK;
    fresh.start = LS_CLOCK();
    *phase = fresh;
}

LS_FN void ls_scheduler_end(ls_writer *w, ls_scheduler_phase *phase)
{
    if (!LS_ON(w))
        return;
    phase->end = LS_CLOCK();
    ls_scheduler_phase *record = (ls_scheduler_phase *)ls_reserve(w);
    if (!record)
        return;
    *record = *phase;
    ls_commit(w, sizeof(ls_scheduler_phase));
}

LS_FN void ls_orchestrator_begin(const ls_writer *w, ls_orchestrator_phase *phase, uint32_t kind)
{
    if (!LS_ON(w))
        return;
    ls_orchestrator_phase fresh = LS_ZERO;
    fresh.kind = kind;
    fresh.task = LS_NO_TASK;
    fresh.start = LS_CLOCK();
    *phase = fresh;
}

LS_FN void ls_orchestrator_end(ls_writer *w, ls_orchestrator_phase *phase)
{
    if (!LS_ON(w))
        return;
    phase->end = LS_CLOCK();
    ls_orchestrator_phase *record = (ls_orchestrator_phase *)ls_reserve(w);
    if (!record)
        return;
    *record = *phase;
    ls_commit(w, sizeof(ls_orchestrator_phase));
}

#endif
