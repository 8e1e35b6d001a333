/* A simulated device's side of a region: the recording headers, with a clock that the caller sets.
 *
 * Nothing waits in here. A call that would have to wait for the host writes nothing and returns
 * LS_SIM_WAIT; the simulation lets time pass and calls again.
 */
#include <stdint.h>
#include <stdlib.h>

static _Thread_local uint64_t simulated_cycles;
#define LS_CLOCK() simulated_cycles

#include "native.h"

#include "lanescope/lanescope.h"

struct ls_sim_device {
    uint64_t counter_hz;
    ls_core *cores;
    ls_channel *channels;
    ls_writer *samples;
    ls_writer *bursts;
    ls_writer *schedulers;
    ls_writer *orchestrators;
    uint32_t core_count, scheduler_count, orchestrator_count;
};

/* Cycles of the device's counter, rounded down. */
static uint64_t cycles_at(const ls_sim_device *sim, uint64_t ps)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)ps * sim->counter_hz / UINT64_C(1000000000000));
}

/* A full ring or a writer without a buffer must wait; one that drops need not. */
static int must_wait(ls_writer *w)
{
    return w->mode && w->cursor == w->limit && ls_wait_step(w) < 0;
}

static int outcome(uint64_t before, uint64_t after)
{
    return before == after ? LS_SIM_DONE : LS_SIM_PUBLISHED;
}

void ls_sim_free(ls_sim_device *sim)
{
    if (!sim)
        return;
    free(sim->cores);
    free(sim->channels);
    free(sim->samples);
    free(sim->bursts);
    free(sim->schedulers);
    free(sim->orchestrators);
    free(sim);
}

ls_sim_device *ls_sim_open(uint8_t *region)
{
    const ls_header *header = (const ls_header *)region;
    ls_sim_device *sim = calloc(1, sizeof *sim);
    if (!sim)
        return NULL;
    sim->counter_hz = header->clock_hz;
    sim->core_count = header->core_count;
    sim->scheduler_count = header->scheduler_count;
    sim->orchestrator_count = header->orchestrator_count;
    sim->cores = calloc(sim->core_count + 1, sizeof(ls_core));
    sim->channels = calloc(sim->core_count + 1, sizeof(ls_channel));
    sim->samples = calloc(sim->core_count + 1, sizeof(ls_writer));
    sim->bursts = calloc(sim->core_count + 1, sizeof(ls_writer));
    sim->schedulers = calloc(sim->scheduler_count + 1, sizeof(ls_writer));
    sim->orchestrators = calloc(sim->orchestrator_count + 1, sizeof(ls_writer));
    if (!sim->cores || !sim->channels || !sim->samples || !sim->bursts || !sim->schedulers
        || !sim->orchestrators) {
        ls_sim_free(sim);
        return NULL;
    }
    for (uint32_t i = 0; i < sim->core_count; i++) {
        ls_core_open(&sim->cores[i], region, i);
        ls_channel_open(&sim->channels[i], region, i);
        ls_writer_open(&sim->samples[i], region, LS_PMU_SAMPLE, i);
        ls_writer_open(&sim->bursts[i], region, LS_CORE_BURST, i);
    }
    for (uint32_t i = 0; i < sim->scheduler_count; i++)
        ls_writer_open(&sim->schedulers[i], region, LS_SCHEDULER_PHASE, i);
    for (uint32_t i = 0; i < sim->orchestrator_count; i++)
        ls_writer_open(&sim->orchestrators[i], region, LS_ORCHESTRATOR_PHASE, i);
    return sim;
}

void ls_sim_close(ls_sim_device *sim)
{
    for (uint32_t i = 0; i < sim->core_count; i++) {
        ls_core_close(&sim->cores[i]);
        ls_channel_close(&sim->channels[i]);
        ls_writer_flush(&sim->samples[i]);
        ls_writer_flush(&sim->bursts[i]);
    }
    for (uint32_t i = 0; i < sim->scheduler_count; i++)
        ls_writer_flush(&sim->schedulers[i]);
    for (uint32_t i = 0; i < sim->orchestrator_count; i++)
        ls_writer_flush(&sim->orchestrators[i]);
}

int32_t ls_sim_admit(ls_sim_device *sim, uint32_t core, uint64_t now_ps)
{
    simulated_cycles = cycles_at(sim, now_ps);
    return ls_channel_admit(&sim->channels[core]);
}

void ls_sim_dispatch(ls_sim_device *sim, uint32_t core, uint64_t dispatch_ps)
{
    simulated_cycles = cycles_at(sim, dispatch_ps);
    ls_channel_dispatch(&sim->channels[core]);
}

int32_t ls_sim_give(ls_sim_device *sim, uint32_t core, uint64_t now_ps, uint64_t dispatch_ps)
{
    if (!ls_sim_admit(sim, core, now_ps))
        return 0;
    ls_sim_dispatch(sim, core, dispatch_ps);
    return 1;
}

/* Takes a call apart: the device and its owner's number, the time, and the record. */
static ls_sim_device *unpack(const uint8_t *call, uint64_t *owner, void *record, size_t bytes)
{
    ls_sim_call head;
    memcpy(&head, call, sizeof head);
    if (bytes)
        memcpy(record, call + sizeof head, bytes);
    ls_sim_device *sim = (ls_sim_device *)(uintptr_t)head.sim;
    simulated_cycles = cycles_at(sim, head.now_ps);
    *owner = head.owner;
    return sim;
}

static int32_t room_and(const ls_writer *w, uint32_t bytes, int outcome)
{
    size_t room = w->cursor == w->limit ? 0 : (size_t)(w->limit - w->cursor) / bytes;
    return (int32_t)room * 2 + outcome;
}

int32_t ls_sim_tasks(const uint8_t *call, uint32_t count)
{
    uint64_t core;
    const ls_sim_device *sim = unpack(call, &core, NULL, 0);
    ls_core *c = &sim->cores[core];
    uint64_t before = c->out.published;
    if (must_wait(&c->out))
        return LS_SIM_WAIT;
    for (uint32_t i = 0; i < count; i++) {
        ls_sim_task task;
        memcpy(&task, call + sizeof(ls_sim_call) + i * sizeof task, sizeof task);
        c->received = cycles_at(sim, task.receive_ps);
        c->start = cycles_at(sim, task.start_ps);
        c->end = cycles_at(sim, task.end_ps);
        ls_core_write(c, task.task, (uint32_t)task.token);
    }
    return room_and(&c->out, sizeof(ls_core_task), outcome(before, c->out.published));
}

int32_t ls_sim_finish(const uint8_t *call)
{
    ls_controller_task record;
    uint64_t core;
    const ls_sim_device *sim = unpack(call, &core, &record, sizeof record);
    ls_channel *ch = &sim->channels[core];
    uint64_t before = ch->tasks.published + ch->core.published;
    if (must_wait(&ch->tasks) || (ch->core_mode == LS_CORE_STAGING && must_wait(&ch->core)))
        return LS_SIM_WAIT;
    simulated_cycles = cycles_at(sim, record.finish);
    ls_channel_finish(ch, record.token, record.task, record.func);
    return outcome(before, ch->tasks.published + ch->core.published);
}

int32_t ls_sim_finishes(const uint8_t *call, uint32_t count)
{
    uint64_t core;
    const ls_sim_device *sim = unpack(call, &core, NULL, 0);
    ls_channel *ch = &sim->channels[core];
    uint64_t before = ch->tasks.published;
    if (!ch->tasks.mode)
        return INT16_MAX * 2;
    if (must_wait(&ch->tasks))
        return LS_SIM_WAIT;
    for (uint32_t i = 0; i < count; i++) {
        ls_sim_finished task;
        memcpy(&task, call + sizeof(ls_sim_call) + i * sizeof task, sizeof task);
        simulated_cycles = cycles_at(sim, task.dispatch_ps);
        ls_channel_dispatch(ch);
        simulated_cycles = cycles_at(sim, task.finish_ps);
        ls_channel_finish(ch, (uint32_t)task.token, task.task, (uint32_t)task.func);
    }
    return room_and(&ch->tasks, sizeof(ls_controller_task), outcome(before, ch->tasks.published));
}

int32_t ls_sim_sample(const uint8_t *call)
{
    ls_pmu record;
    uint64_t core;
    ls_writer *w = &unpack(call, &core, &record, sizeof record)->samples[core];
    uint64_t before = w->published;
    if (must_wait(w))
        return LS_SIM_WAIT;
    ls_sample(w, &record);
    return outcome(before, w->published);
}

int64_t ls_sim_bursts(const uint8_t *call, uint32_t count)
{
    uint64_t core, counts[2];
    ls_writer *w = &unpack(call, &core, counts, sizeof counts)->bursts[core];
    const uint8_t *bursts = call + sizeof(ls_sim_call) + sizeof counts;
    uint64_t before = w->published;
    uint32_t taken = 0;
    ls_source_counts(w, counts[0], counts[1]);
    for (; taken < count && !must_wait(w); taken++) {
        ls_burst burst;
        memcpy(&burst, bursts + taken * sizeof burst, sizeof burst);
        ls_take_burst(w, &burst);
    }
    return (int64_t)((w->published - before) << 32 | taken);
}

/* Phases begin with their two times. */
_Static_assert(offsetof(ls_scheduler_phase, end) == 8, "start and end come first");
_Static_assert(offsetof(ls_orchestrator_phase, end) == 8, "start and end come first");

/* The phases of a call, of which only the first may need a buffer and only the last may fill one. */
static int32_t append(const ls_sim_device *sim, ls_writer *w, const uint8_t *call, uint32_t count,
                      uint32_t bytes)
{
    const uint8_t *records = call + sizeof(ls_sim_call);
    uint64_t before = w->published;
    if (!w->mode)
        return LS_SIM_DONE;
    if (must_wait(w))
        return LS_SIM_WAIT;
    for (uint32_t i = 0; i < count; i++) {
        void *place = ls_reserve(w);
        uint64_t times[2];
        if (place) {
            memcpy(times, records + (size_t)i * bytes, sizeof times);
            times[0] = cycles_at(sim, times[0]);
            times[1] = cycles_at(sim, times[1]);
            memcpy(place, times, sizeof times);
            memcpy((uint8_t *)place + sizeof times, records + (size_t)i * bytes + sizeof times,
                   bytes - sizeof times);
            ls_commit(w, bytes);
        }
    }
    return room_and(w, bytes, outcome(before, w->published));
}

int32_t ls_sim_scheduler_phases(const uint8_t *call, uint32_t count)
{
    uint64_t number;
    ls_sim_device *sim = unpack(call, &number, NULL, 0);
    return append(sim, &sim->schedulers[number], call, count, sizeof(ls_scheduler_phase));
}

int32_t ls_sim_orchestrator_phases(const uint8_t *call, uint32_t count)
{
    uint64_t number;
    ls_sim_device *sim = unpack(call, &number, NULL, 0);
    return append(sim, &sim->orchestrators[number], call, count, sizeof(ls_orchestrator_phase));
}
