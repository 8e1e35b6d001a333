/* What a scheduler records of its own work: one phase after the other, at its own time.
 *
 * A scheduler's time may be ahead of the machine's, because records carry their own times. The machine
 * must catch up only before others can see an effect, and before the scheduler looks at something that
 * others change. */
#ifndef LANESCOPE_MACHINE_PHASES_H
#define LANESCOPE_MACHINE_PHASES_H

#include "machine/cores.h"

static depths depths_now(const machine *m)
{
    const ls_machine *in = m->in;
    depths found = {{0, 0, 0}};
    if (!in->records_phases)
        return found;
    for (int64_t k = 0; k < in->depth_queues; k++)
        found.of[k] = count_of(&m->ready[k]);
    if (in->depth_mixed)
        found.of[in->depth_queues] = count_of(&m->mixed);
    return found;
}

static void set_depths(int16_t *to, const depths *from)
{
    for (int k = 0; k < 3; k++)
        to[k] = (int16_t)(from->of[k] < INT16_MAX ? from->of[k] : INT16_MAX);
}

static void tell_truth(machine *m, int64_t kind, int64_t owner, const ls_scheduler_phase *p)
{
    ls_machine_truth what = {.kind = kind, .owner = owner, .task = (int64_t)p->task, .code = p->kind};
    what.dispatch = p->loop;
    what.receive = p->tasks;
    what.start = (int64_t)p->start;
    what.end = (int64_t)p->end;
    heard(m, m->in->hooks.happened(&what));
}

/* A record was written; it takes its time. */
static void phase_written(machine *m, scheduler *s, const ls_scheduler_phase *p, int answer)
{
    if (m->in->hooks.happened != NULL)
        tell_truth(m, LS_SCHEDULER_PHASE, s->number, p);
    s->time += m->costs->scheduler_phase + (answer == LS_PUBLISHED ? m->costs->rotate : 0);
}

static int write_phase(machine *m, scheduler *s, const ls_scheduler_phase *p, int64_t now)
{
    return noted(m, recorder_phase(m->recorder, s->number, now, p), now);
}

static void put_stuck(machine *m, scheduler *s, const ls_scheduler_phase *p)
{
    if (s->stuck_tail == s->stuck_room
        && !grow((void **)&s->stuck, &s->stuck_room, sizeof *s->stuck)) {
        m->failed = LS_MACHINE_MEMORY;
        return;
    }
    s->stuck[s->stuck_tail++] = *p;
}

/* A phase from `start` to the scheduler's time; hits and misses are those of ready queues. A record
 * without a buffer is stuck. */
static void add_phase(machine *m, scheduler *s, uint32_t kind, int64_t start, const depths *before,
                      const int64_t counts[3], uint64_t task)
{
    if (!m->in->records_phases)
        return;
    ls_scheduler_phase p = {.start = (uint64_t)start, .end = (uint64_t)s->time, .loop = s->loop,
                            .kind = kind, .tasks = (uint32_t)counts[0],
                            .pop_hit = (uint32_t)counts[1], .pop_miss = (uint32_t)counts[2],
                            .task = task};
    depths after = depths_now(m);
    set_depths(p.depth_start, before);
    set_depths(p.depth_end, &after);
    int answer = s->stuck_tail > 0 ? LS_WAIT : write_phase(m, s, &p, s->time);
    if (answer == LS_WAIT)
        put_stuck(m, s, &p);
    else
        phase_written(m, s, &p, answer);
}

static void add_counted(machine *m, scheduler *s, uint32_t kind, int64_t start,
                        const depths *before, int64_t tasks)
{
    int64_t counts[3] = {tasks, 0, 0};
    add_phase(m, s, kind, start, before, counts, LS_NO_TASK);
}

/* ---- waiting for the host -------------------------------------------------------------------- */

/* The machine's time catches up with the scheduler's, for the host may come meanwhile; or the scheduler
 * waits for the host. Followed by a PAUSE and went_on(). */
static void let_host_come(machine *m, scheduler *s)
{
    s->parked = s->time > m->now ? -1 : m->now;
    if (s->parked < 0)
        at(m, s->time, TURN, turn_of(m, s), 0);
    else
        wait_for_host(m, turn_of(m, s));
}

static void went_on(machine *m, scheduler *s)
{
    if (s->parked < 0)
        return;
    m->stalled += m->now - s->parked;
    s->time = m->now;
}

/* Until all stuck records are written. */
static int unstick(machine *m, scheduler *s)
{
    int answer = LS_WAIT;
    STEPS(s->at_unstick)
        while (s->stuck_head < s->stuck_tail) {
            while ((answer = write_phase(m, s, &s->stuck[s->stuck_head], s->time)) == LS_WAIT) {
                let_host_come(m, s);
                PAUSE(s->at_unstick);
                went_on(m, s);
            }
            phase_written(m, s, &s->stuck[s->stuck_head++], answer);
        }
        s->stuck_head = s->stuck_tail = 0;
    OVER(s->at_unstick);
}

#endif
