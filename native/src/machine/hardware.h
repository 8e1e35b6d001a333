/* What a controller reads of its cores' hardware, and when: counters and trace engines. What they hold
 * is Python's affair; the times and the waits for buffers are here. */
#ifndef LANESCOPE_MACHINE_HARDWARE_H
#define LANESCOPE_MACHINE_HARDWARE_H

#include "machine/phases.h"

/* The counters of the task that the scheduler saw end. */
static int record_counters(machine *m, scheduler *s)
{
    const run *r = run_of(m, s->core, m->cores[s->core].finished);
    int answer = LS_WAIT;
    STEPS(s->at_hardware)
        heard(m, m->in->hooks.sample(s->core, r->task, r->token, &s->sample));
        s->time += m->costs->counters_read;
        while ((answer = noted(m, recorder_sample(m->recorder, s->core, s->time, &s->sample), s->time))
               == LS_WAIT) {
            let_host_come(m, s);
            PAUSE(s->at_hardware);
            went_on(m, s);
        }
        s->time += m->costs->counters_record + (answer == LS_PUBLISHED ? m->costs->rotate : 0);
    OVER(s->at_hardware);
}

/* Copies what the engine of the core gives. */
static void read_engine(machine *m, scheduler *s, int32_t stop)
{
    ls_machine_piece piece = {NULL, 0, 0, 0};
    s->bursts_head = s->bursts_tail = 0;
    if (heard(m, m->in->hooks.drain(s->core, stop, &piece)) < 0)
        return;
    while (s->bursts_room < piece.count)
        if (!grow((void **)&s->bursts, &s->bursts_room, sizeof(ls_burst))) {
            m->failed = LS_MACHINE_MEMORY;
            return;
        }
    if (piece.count > 0)
        memcpy(s->bursts, piece.bursts, (size_t)piece.count * sizeof(ls_burst));
    s->bursts_tail = piece.count;
    s->counts[0] = piece.made;
    s->counts[1] = piece.taken;
}

/* Writes as many bursts as there is room for; are all written? */
static int write_bursts(machine *m, scheduler *s)
{
    int64_t buffers = 0, left = s->bursts_tail - s->bursts_head;
    int64_t written = recorder_bursts(m->recorder, s->core, s->time, s->counts,
                                      s->bursts + s->bursts_head * (int64_t)sizeof(ls_burst), left,
                                      &buffers);
    noted(m, buffers > 0 ? LS_PUBLISHED : LS_WRITTEN, s->time);
    s->bursts_head += written;
    s->time += written * m->costs->burst + buffers * m->costs->rotate;
    return written == left;
}

/* Takes what the core's engine wrote since the last time; at the stop, what is left. */
static int drain_engine(machine *m, scheduler *s, int32_t stop)
{
    STEPS(s->at_take)
        read_engine(m, s, stop);
        s->time += m->costs->drain;
        while (!write_bursts(m, s)) {
            let_host_come(m, s);
            PAUSE(s->at_take);
            went_on(m, s);
        }
    OVER(s->at_take);
}

/* Stops the engines of all its cores. */
static int stop_engines(machine *m, scheduler *s)
{
    STEPS(s->at_stop)
        s->time = s->time > m->now ? s->time : m->now;
        s->start = s->time;
        for (s->core = 0; s->core < m->in->cores; s->core++)
            if (m->cores[s->core].scheduler == s->number)
                AWAIT(s->at_stop, drain_engine(m, s, 1));
        if (s->time - s->start > m->engine_stop)
            m->engine_stop = s->time - s->start;
    OVER(s->at_stop);
}

#endif
