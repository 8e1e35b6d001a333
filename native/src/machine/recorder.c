/* The recorder of a machine (recorder.h). Its clock is the machine's time. */
#include <stdint.h>
#include <stdlib.h>

static _Thread_local uint64_t simulated_cycles;
#define LS_CLOCK() simulated_cycles

#include "machine/recorder.h"

#include "lanescope/lanescope.h"

/* Buffers of one producer that are only counted. */
typedef struct {
    int32_t open;  /* records in the open one; 0: none is open */
    int32_t given; /* buffers that wait for the host */
} counted;

struct recorder {
    int32_t to_region;
    int32_t rotates; /* cores switch their buffers by themselves */
    uint64_t counter_hz, ps_per_cycle;
    int64_t core_count, scheduler_count, orchestrator_count;
    ls_core *cores;
    ls_channel *channels;
    ls_writer *samples, *bursts, *schedulers, *orchestrators;
    const int32_t *buffer_records, *buffer_count; /* NULL: nothing is counted */
    counted *counts[LS_COUNTED_KINDS];
    int64_t owners[LS_COUNTED_KINDS];
};

/* Ticks of the device's counter, rounded down. */
static uint64_t cycles_at(const recorder *r, int64_t ps)
{
    __extension__ typedef unsigned __int128 wide;
    if (r->ps_per_cycle)
        return (uint64_t)ps / r->ps_per_cycle;
    return (uint64_t)((wide)(uint64_t)ps * r->counter_hz / UINT64_C(1000000000000));
}

/* A full ring or a writer without a buffer must wait; one that drops need not. */
static int must_wait(ls_writer *w)
{
    return w->mode && w->cursor == w->limit && ls_wait_step(w) < 0;
}

static int answer(uint64_t before, uint64_t after)
{
    return before == after ? LS_WRITTEN : LS_PUBLISHED;
}

/* ---- open and close -------------------------------------------------------------------------- */

static int open_region(recorder *r, uint8_t *region)
{
    const ls_header *header = (const ls_header *)region;
    r->to_region = 1;
    r->counter_hz = header->clock_hz;
    if (UINT64_C(1000000000000) % r->counter_hz == 0)
        r->ps_per_cycle = UINT64_C(1000000000000) / r->counter_hz;
    r->core_count = header->core_count;
    r->scheduler_count = header->scheduler_count;
    r->orchestrator_count = header->orchestrator_count;
    r->cores = calloc((size_t)r->core_count + 1, sizeof *r->cores);
    r->channels = calloc((size_t)r->core_count + 1, sizeof *r->channels);
    r->samples = calloc((size_t)r->core_count + 1, sizeof *r->samples);
    r->bursts = calloc((size_t)r->core_count + 1, sizeof *r->bursts);
    r->schedulers = calloc((size_t)r->scheduler_count + 1, sizeof *r->schedulers);
    r->orchestrators = calloc((size_t)r->orchestrator_count + 1, sizeof *r->orchestrators);
    if (!r->cores || !r->channels || !r->samples || !r->bursts || !r->schedulers || !r->orchestrators)
        return 0;
    for (uint32_t i = 0; i < r->core_count; i++) {
        ls_core_open(&r->cores[i], region, i);
        ls_channel_open(&r->channels[i], region, i);
        ls_writer_open(&r->samples[i], region, LS_PMU_SAMPLE, i);
        ls_writer_open(&r->bursts[i], region, LS_CORE_BURST, i);
    }
    for (uint32_t i = 0; i < r->scheduler_count; i++)
        ls_writer_open(&r->schedulers[i], region, LS_SCHEDULER_PHASE, i);
    for (uint32_t i = 0; i < r->orchestrator_count; i++)
        ls_writer_open(&r->orchestrators[i], region, LS_ORCHESTRATOR_PHASE, i);
    return 1;
}

static int open_counts(recorder *r, const ls_machine *in)
{
    int64_t owners[] = {in->cores, in->cores, in->schedulers, in->orchestrators};
    r->buffer_records = in->buffer_records;
    r->buffer_count = in->buffer_count;
    for (int32_t kind = 0; kind < LS_COUNTED_KINDS; kind++) {
        r->owners[kind] = owners[kind];
        r->counts[kind] = calloc((size_t)owners[kind] + 1, sizeof(counted));
        if (r->counts[kind] == NULL)
            return 0;
    }
    return 1;
}

recorder *recorder_open(const ls_machine *in)
{
    recorder *r = calloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    r->rotates = in->core_rotates != 0;
    int good = 1;
    if (in->region)
        good = open_region(r, (uint8_t *)(uintptr_t)in->region);
    else if (in->buffer_records != NULL)
        good = open_counts(r, in);
    if (!good) {
        recorder_free(r);
        return NULL;
    }
    return r;
}

void recorder_close(recorder *r)
{
    for (int64_t i = 0; i < r->core_count; i++) {
        ls_core_close(&r->cores[i]);
        ls_channel_close(&r->channels[i]);
        ls_writer_flush(&r->samples[i]);
        ls_writer_flush(&r->bursts[i]);
    }
    for (int64_t i = 0; i < r->scheduler_count; i++)
        ls_writer_flush(&r->schedulers[i]);
    for (int64_t i = 0; i < r->orchestrator_count; i++)
        ls_writer_flush(&r->orchestrators[i]);
}

void recorder_free(recorder *r)
{
    if (r == NULL)
        return;
    free(r->cores);
    free(r->channels);
    free(r->samples);
    free(r->bursts);
    free(r->schedulers);
    free(r->orchestrators);
    for (int32_t kind = 0; kind < LS_COUNTED_KINDS; kind++)
        free(r->counts[kind]);
    free(r);
}

/* ---- counted buffers ------------------------------------------------------------------------- */

static int count_record(recorder *r, int32_t kind, int32_t owner)
{
    if (r->buffer_records == NULL || r->buffer_records[kind] == 0)
        return LS_WRITTEN;
    counted *c = &r->counts[kind][owner];
    if (c->open == 0 && c->given >= r->buffer_count[kind])
        return LS_WAIT;
    if (++c->open < r->buffer_records[kind])
        return LS_WRITTEN;
    c->open = 0;
    c->given++;
    return LS_PUBLISHED;
}

void recorder_visit(recorder *r)
{
    for (int32_t kind = 0; r->buffer_records != NULL && kind < LS_COUNTED_KINDS; kind++)
        for (int64_t owner = 0; r->buffer_records[kind] > 0 && owner < r->owners[kind]; owner++)
            r->counts[kind][owner].given = 0;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

int recorder_admits(recorder *r, int32_t core, int64_t now)
{
    if (!r->to_region || r->rotates)
        return 1;
    simulated_cycles = cycles_at(r, now);
    return ls_channel_admit(&r->channels[core]);
}

void recorder_sends(recorder *r, int32_t core, int64_t dispatch)
{
    if (!r->to_region || r->rotates)
        return;
    simulated_cycles = cycles_at(r, dispatch);
    ls_channel_dispatch(&r->channels[core]);
}

int recorder_task(recorder *r, int32_t core, int64_t now, const int64_t times[3], int64_t task,
                  uint32_t token)
{
    if (!r->to_region)
        return count_record(r, LS_CORE_TASK, core);
    ls_core *c = &r->cores[core];
    uint64_t published = c->out.published;
    simulated_cycles = cycles_at(r, now);
    if (must_wait(&c->out))
        return LS_WAIT;
    c->received = cycles_at(r, times[0]);
    c->start = cycles_at(r, times[1]);
    c->end = cycles_at(r, times[2]);
    ls_core_write(c, (uint64_t)task, token);
    return answer(published, c->out.published);
}

int recorder_finish(recorder *r, int32_t core, int64_t now, const int64_t times[2], int64_t task,
                    uint32_t token, uint32_t func)
{
    if (!r->to_region)
        return count_record(r, LS_CONTROLLER_TASK, core);
    ls_channel *ch = &r->channels[core];
    uint64_t published = ch->tasks.published + ch->core.published;
    simulated_cycles = cycles_at(r, now);
    if (r->rotates && !ch->tasks.mode)
        return LS_WRITTEN;
    if (must_wait(&ch->tasks) || (ch->core_mode == LS_CORE_STAGING && must_wait(&ch->core)))
        return LS_WAIT;
    if (r->rotates) { /* nobody asked for it at the dispatch, and nobody saw it since */
        simulated_cycles = cycles_at(r, times[0]);
        ls_channel_dispatch(ch);
    }
    simulated_cycles = cycles_at(r, times[1]);
    ls_channel_finish(ch, token, (uint64_t)task, func);
    return answer(published, ch->tasks.published + ch->core.published);
}

/* ---- controllers ----------------------------------------------------------------------------- */

/* Phases begin with their two times, which become ticks. */
_Static_assert(offsetof(ls_scheduler_phase, end) == 8, "start and end come first");
_Static_assert(offsetof(ls_orchestrator_phase, end) == 8, "start and end come first");

static int write_phase(recorder *r, ls_writer *w, int64_t now, const void *phase, uint32_t bytes)
{
    uint64_t published = w->published, times[2];
    simulated_cycles = cycles_at(r, now);
    if (!w->mode)
        return LS_WRITTEN;
    if (must_wait(w))
        return LS_WAIT;
    uint8_t *place = ls_reserve(w);
    if (place) {
        memcpy(times, phase, sizeof times);
        times[0] = cycles_at(r, (int64_t)times[0]);
        times[1] = cycles_at(r, (int64_t)times[1]);
        memcpy(place, phase, bytes);
        memcpy(place, times, sizeof times);
        ls_commit(w, bytes);
    }
    return answer(published, w->published);
}

int recorder_phase(recorder *r, int32_t scheduler, int64_t now, const ls_scheduler_phase *phase)
{
    if (!r->to_region)
        return count_record(r, LS_SCHEDULER_PHASE, scheduler);
    return write_phase(r, &r->schedulers[scheduler], now, phase, sizeof *phase);
}

int recorder_submit(recorder *r, int32_t orchestrator, int64_t now,
                    const ls_orchestrator_phase *phase)
{
    if (!r->to_region)
        return count_record(r, LS_ORCHESTRATOR_PHASE, orchestrator);
    return write_phase(r, &r->orchestrators[orchestrator], now, phase, sizeof *phase);
}

int recorder_sample(recorder *r, int32_t core, int64_t now, const ls_pmu *sample)
{
    if (!r->to_region)
        return LS_WRITTEN;
    ls_writer *w = &r->samples[core];
    uint64_t published = w->published;
    simulated_cycles = cycles_at(r, now);
    if (must_wait(w))
        return LS_WAIT;
    ls_sample(w, sample);
    return answer(published, w->published);
}

int64_t recorder_bursts(recorder *r, int32_t core, int64_t now, const uint64_t counts[2],
                        const uint8_t *bursts, int64_t count, int64_t *published)
{
    *published = 0;
    if (!r->to_region)
        return count;
    ls_writer *w = &r->bursts[core];
    uint64_t before = w->published;
    int64_t taken = 0;
    simulated_cycles = cycles_at(r, now);
    ls_source_counts(w, counts[0], counts[1]);
    for (; taken < count && !must_wait(w); taken++) {
        ls_burst burst;
        memcpy(&burst, bursts + taken * (int64_t)sizeof burst, sizeof burst);
        ls_take_burst(w, &burst);
    }
    *published = (int64_t)(w->published - before);
    return taken;
}
