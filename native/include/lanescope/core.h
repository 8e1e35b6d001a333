/* What a core calls: begin and end of its tasks. See record.h for the protocols. */
#ifndef LANESCOPE_CORE_H
#define LANESCOPE_CORE_H

#include "writer.h"

/* How a core writes: the protocol (enum ls_protocol) + 1, or off. */
enum ls_core_mode {
    LS_CORE_OFF = 0,
    LS_CORE_STAGING = LS_STAGING + 1,
    LS_CORE_SEGMENTS = LS_CONTROLLER_ROTATED + 1, /* and LS_AFTER_FINISH */
    LS_CORE_PRODUCER = LS_PRODUCER_ROTATED + 1
};

typedef struct {
    uint32_t mode;
    uint32_t stamps_receive;
    uint64_t received;
    uint64_t start;
    uint64_t end;
    ls_writer out; /* producer-rotated */

    /* controller-rotated: the segment that is being written */
    LS_GM ls_lane *lane;
    LS_GM uint8_t *region;
    uint64_t ordinal;  /* k of the last task */
    uint64_t sequence; /* of the segment's buffer */
    uint64_t first;    /* k of its first task */
    uint64_t size;     /* 0 before the first segment */
    LS_GM ls_core_task *records;
    uint32_t token; /* of the last task */

    /* staging */
    uint32_t slot_mask;
    LS_GM ls_staging_slot *slots;
} ls_core;

/* ---- inside ---------------------------------------------------------------------------------- */

LS_FN uint32_t ls_core_mode_of(uint32_t protocol)
{
    return protocol == LS_AFTER_FINISH ? (uint32_t)LS_CORE_SEGMENTS : protocol + 1;
}

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* Opens the handle of one core; with region NULL every call on it does nothing. */
LS_SLOW void ls_core_open(ls_core *c, LS_GM uint8_t *region, uint32_t core)
{
    ls_core fresh = LS_ZERO;
    LS_GM ls_lane *lane = ls_find_lane(region, LS_CORE_TASK, core);
    if (lane) {
        LS_GM const ls_header *header = (LS_GM const ls_header *)region;
        fresh.mode = ls_core_mode_of(header->protocol);
        fresh.stamps_receive = (header->flags & LS_CHIP_SWIMLANE_TASK_LIFECYCLE) != 0;
        fresh.lane = lane;
        fresh.region = region;
        fresh.token = header->first_token - 1;
        fresh.ordinal = UINT64_MAX;
        LS_LOAD_LINE(&lane->published);
        fresh.sequence = ls_load_acquire(&lane->published) - 1;
        fresh.slots = (LS_GM ls_staging_slot *)(region + lane->staging);
        fresh.slot_mask = (uint32_t)lane->staging_slots - 1;
        if (header->protocol == LS_PRODUCER_ROTATED)
            ls_writer_open(&fresh.out, region, LS_CORE_TASK, core);
    } else {
        ls_writer_open(&fresh.out, region, LS_CORE_TASK, core);
        fresh.mode = fresh.out.mode ? LS_CORE_PRODUCER : LS_CORE_OFF; /* its records are strays */
    }
    *c = fresh;
}

/* The core has seen its next task. */
LS_FN void ls_core_receive(ls_core *c)
{
    if (LS_ON(c) && c->stamps_receive)
        c->received = LS_CLOCK_ORDERED();
}

/* Stamps the start of a task. */
LS_FN void ls_core_begin(ls_core *c)
{
    if (LS_ON(c))
        c->start = LS_CLOCK();
}

/* Stamps the end of a task, without its record. */
LS_FN void ls_core_stop(ls_core *c)
{
    if (LS_ON(c))
        c->end = LS_CLOCK();
}

/* ---- inside ---------------------------------------------------------------------------------- */

/* Copies a record inside the region. Where the region is an address space of its own, a struct is not
 * assigned as a whole. */
LS_FN void ls_copy_task(LS_GM ls_core_task *target, LS_GM const ls_core_task *source)
{
#if LS_HAS_ATOMICS
    *target = *source;
#else
    target->start = source->start;
    target->end = source->end;
    target->task = source->task;
    target->token = source->token;
    target->receive_to_start = source->receive_to_start;
#endif
}

/* Controller-rotated: where task k goes, NULL where the controller had no buffer for it. Entry
 * j % 4 of segment[] is first k + 1 of buffer j; an older one is so far back that the difference
 * below is N or more, a newer one makes it wrap. */
LS_SLOW LS_GM ls_core_task *ls_core_next_segment(ls_core *c, uint64_t k)
{
    LS_GM ls_lane *lane = c->lane;
    uint64_t sequence = c->sequence + 1;
    LS_LOAD_LINE(lane->segment);
    uint64_t entry = ls_load_acquire(&lane->segment[sequence % LS_OUTSTANDING]);
    if (entry == 0 || k - (entry - 1) >= lane->buffer_records)
        return NULL;
    c->sequence = sequence;
    c->first = entry - 1;
    c->size = lane->buffer_records;
    c->records = (LS_GM ls_core_task *)(ls_buffer_at(c->region, lane, sequence) + 1);
    return c->records + (k - c->first);
}

LS_FN LS_GM ls_core_task *ls_core_place(ls_core *c, uint32_t token)
{
    if (c->mode == LS_CORE_STAGING)
        return &c->slots[token & c->slot_mask].record;
    c->ordinal += (uint64_t)(uint32_t)(token - c->token);
    c->token = token;
    uint64_t slot = c->ordinal - c->first;
    return LS_LIKELY(slot < c->size) ? c->records + slot : ls_core_next_segment(c, c->ordinal);
}

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* Writes the record of the task that was begun and stopped last. */
LS_FN void ls_core_write(ls_core *c, uint64_t task, uint32_t token)
{
    if (!LS_ON(c))
        return;
    LS_GM ls_core_task *record;
    if (LS_LIKELY(c->mode == LS_CORE_PRODUCER))
        record = (LS_GM ls_core_task *)ls_reserve(&c->out);
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
    if (LS_LIKELY(c->mode == LS_CORE_PRODUCER)) {
        ls_commit(&c->out, sizeof(ls_core_task));
        return;
    }
    LS_FLUSH_LINE(record); /* it must be there when the controller is told of it */
    LS_BARRIER();
}

/* Stamps the end of a task and writes its record: stop and write in one call. */
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

#endif
