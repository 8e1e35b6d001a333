/* What a controller calls: dispatch and finish of tasks through a channel per core, its counters
 * and bursts, and phases.
 *
 * See record.h for the protocols.
 */
#ifndef LANESCOPE_CONTROLLER_H
#define LANESCOPE_CONTROLLER_H

#include "core.h"

typedef struct {
    uint32_t mode; /* 0: off */
    uint32_t core_mode; /* enum ls_core_mode, LS_CORE_OFF where the core rotates by itself */
    uint32_t pre_dispatch;
    uint32_t slot_mask;
    uint32_t after_finish; /* records are written after the core has told of its task */
    uint64_t written;      /* … and so many are known to be written */
    uint64_t dispatched; /* tasks given to the core */
    uint64_t finished;   /* … and seen to end, in the same order */
    uint64_t stamp[LS_OUTSTANDING]; /* dispatch time of task k at k % LS_OUTSTANDING */
    uint64_t first[LS_OUTSTANDING]; /* first task of open buffer j at j % LS_OUTSTANDING */
    uint64_t segment_end;           /* first task beyond the newest open buffer */
    ls_writer tasks;                /* the controller's own records */
    ls_writer core;                 /* the core's lane: staging and controller-rotated */
    LS_GM ls_staging_slot *slots;
} ls_channel;

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* Opens the controller's channel to one core; with region NULL every call on it does nothing. */
LS_SLOW void ls_channel_open(ls_channel *ch, LS_GM uint8_t *region, uint32_t core)
{
    ls_channel fresh = LS_ZERO;
    LS_GM ls_lane *lane = ls_find_lane(region, LS_CORE_TASK, core);
    ls_writer_open(&fresh.tasks, region, LS_CONTROLLER_TASK, core);
    fresh.mode = lane || fresh.tasks.mode; /* without a lane its records are strays */
    if (fresh.mode)
        fresh.pre_dispatch = ((LS_GM const ls_header *)region)->pre_dispatch;
    if (lane) {
        LS_GM const ls_header *header = (LS_GM const ls_header *)region;
        if (header->protocol != LS_PRODUCER_ROTATED) {
            fresh.core_mode = ls_core_mode_of(header->protocol);
            fresh.after_finish = header->protocol == LS_AFTER_FINISH;
            ls_writer_open(&fresh.core, region, LS_CORE_TASK, core);
            fresh.slots = (LS_GM ls_staging_slot *)(region + lane->staging);
            fresh.slot_mask = (uint32_t)lane->staging_slots - 1;
            for (int i = 0; i < LS_OUTSTANDING; i++)
                ls_store_release(&lane->segment[i], 0);
        }
    }
    *ch = fresh;
}

/* ---- inside ---------------------------------------------------------------------------------- */

LS_SLOW void ls_channel_open_segment(ls_channel *ch)
{
    ls_writer *w = &ch->core;
    uint64_t sequence = w->opened;
    (void)ls_buffer_open(w, w->first);
    w->first += w->buffer_records; /* it will be full before the next one is published */
    ch->first[sequence % LS_OUTSTANDING] = ch->dispatched;
    ch->segment_end = ch->dispatched + w->buffer_records;
    ls_store_release(&w->lane->segment[sequence % LS_OUTSTANDING], ch->dispatched + 1);
    LS_BARRIER(); /* before the core hears of the task in another way */
}

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

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
    if (!ls_owns_lane(&ch->core))
        return 1; /* the record will be a stray */
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

/* ---- inside ---------------------------------------------------------------------------------- */

/* staging: copy the core's record out of its slot. */
LS_SLOW void ls_channel_copy(ls_channel *ch, uint32_t token)
{
    ls_writer *w = &ch->core;
    LS_GM const ls_core_task *slot = &ch->slots[token & ch->slot_mask].record;
    LS_LOAD_LINE(slot);
    if (slot->token != token) {
        ls_store_relaxed(&w->lane->mismatched, w->lane->mismatched + 1);
        ls_count_dropped(w);
        return;
    }
    LS_GM ls_core_task *record = (LS_GM ls_core_task *)ls_reserve(w);
    if (!record)
        return;
    ls_copy_task(record, slot);
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

/* after-finish: the records of the core's first `tasks` tasks are written. */
LS_SLOW void ls_channel_written(ls_channel *ch, uint64_t tasks)
{
    while (ch->written < tasks)
        ls_channel_count(ch, ch->written++);
}

/* ---- since 0.2.0 ----------------------------------------------------------------------------- */

/* after-finish: the core has acknowledged `tasks` tasks since it began, and the caller has seen that with
 * acquire. A core writes a record before it acknowledges the next task, so all but the last are written.
 * Other protocols do not need the call, and in it do nothing. */
LS_FN void ls_channel_acknowledged(ls_channel *ch, uint64_t tasks)
{
    if (LS_ON(ch) && ch->after_finish && tasks)
        ls_channel_written(ch, tasks - 1);
}

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* The core's oldest unfinished task has finished. The caller has seen that with acquire. */
LS_FN void ls_channel_finish(ls_channel *ch, uint32_t token, uint64_t task, uint32_t func)
{
    if (!LS_ON(ch))
        return;
    uint64_t k = ch->finished++;
    uint64_t finish = ch->tasks.mode ? LS_CLOCK_ORDERED() : 0; /* before a copy that may wait */
    if (ch->core_mode == LS_CORE_STAGING)
        ls_channel_copy(ch, token);
    else if (ch->core_mode == LS_CORE_SEGMENTS) {
        if (LS_UNLIKELY(ch->after_finish))
            ls_channel_written(ch, k); /* it wrote k - 1 before it began k */
        else
            ls_channel_count(ch, k);
    }
    if (!ch->tasks.mode)
        return;
    LS_GM void *record = ls_reserve(&ch->tasks);
    if (!record)
        return;
    ls_controller_task fresh = LS_ZERO;
    fresh.dispatch = ch->stamp[k % LS_OUTSTANDING];
    fresh.finish = finish;
    fresh.token = token;
    fresh.func = func;
    fresh.task = task;
    ls_put_record(record, &fresh, sizeof fresh);
    ls_commit(&ch->tasks, sizeof(ls_controller_task));
}

/* After the core's last task, and not before: publishes what is open, each buffer with its count.
 * after-finish: when the core has closed its handle. */
LS_SLOW void ls_channel_close(ls_channel *ch)
{
    if (!LS_ON(ch))
        return;
    ls_writer_flush(&ch->tasks);
    ls_writer *w = &ch->core;
    if (ch->core_mode == LS_CORE_STAGING)
        ls_writer_flush(w);
    else if (ch->core_mode == LS_CORE_SEGMENTS) {
        if (ch->after_finish)
            ls_channel_written(ch, ch->finished);
        while (w->published < w->opened) {
            uint64_t first = ch->first[w->published % LS_OUTSTANDING];
            uint64_t count = ch->finished > first ? ch->finished - first : 0;
            ls_buffer_publish(w, (uint32_t)count);
        }
        if (w->lane)
            ls_settle_lane(w);
    }
    ch->mode = 0;
}

/* ---- Counters of cores; since 0.1.0 ---------------------------------------------------------- */

/* One task's counters, read after it was seen to end. `w` is the core's lane of LS_PMU_SAMPLE, opened
 * by the controller that serves the core. */
LS_FN void ls_sample(ls_writer *w, const ls_pmu *sample)
{
    if (!LS_ON(w))
        return;
    LS_GM void *record = ls_reserve(w);
    if (!record)
        return;
    ls_put_record(record, sample, sizeof *sample);
    ls_commit(w, sizeof(ls_pmu));
}

/* ---- What happens inside cores; since 0.1.0 -------------------------------------------------- */

/* One burst of a core's trace engine. `w` is the core's lane of LS_CORE_BURST, opened by the
 * controller that serves the core. */
LS_FN void ls_take_burst(ls_writer *w, const ls_burst *burst)
{
    if (!LS_ON(w))
        return;
    LS_GM void *record = ls_reserve(w);
    if (!record)
        return;
    ls_put_record(record, burst, sizeof *burst);
    ls_commit(w, sizeof(ls_burst));
}

/* How many chunks the engine made so far, and how many of them were taken. */
LS_FN void ls_source_counts(ls_writer *w, uint64_t made, uint64_t taken)
{
    if (!LS_ON(w) || !w->lane)
        return;
    ls_store_relaxed(&w->lane->source_made, made);
    ls_store_relaxed(&w->lane->source_taken, taken);
}

/* ---- Phases of controllers; since 0.1.0 ------------------------------------------------------ */

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

/* Stamps the end of a phase and writes its record, with what the caller filled in. */
LS_FN void ls_scheduler_end(ls_writer *w, ls_scheduler_phase *phase)
{
    if (!LS_ON(w))
        return;
    phase->end = LS_CLOCK();
    LS_GM void *record = ls_reserve(w);
    if (!record)
        return;
    ls_put_record(record, phase, sizeof *phase);
    ls_commit(w, sizeof(ls_scheduler_phase));
}

/* Begins a phase: its kind and its start. */
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

/* Stamps the end of a phase and writes its record. */
LS_FN void ls_orchestrator_end(ls_writer *w, ls_orchestrator_phase *phase)
{
    if (!LS_ON(w))
        return;
    phase->end = LS_CLOCK();
    LS_GM void *record = ls_reserve(w);
    if (!record)
        return;
    ls_put_record(record, phase, sizeof *phase);
    ls_commit(w, sizeof(ls_orchestrator_phase));
}

#endif
