/* Orchestrators: they submit the tasks in order, and end scopes. Of several, each takes the next task. */
#ifndef LANESCOPE_MACHINE_ORCHESTRATOR_H
#define LANESCOPE_MACHINE_ORCHESTRATOR_H

#include "machine/phases.h"

static int write_submit(machine *m, orchestrator *o)
{
    return noted(m, recorder_submit(m->recorder, o->number, m->now, &o->phase), m->now);
}

/* Records what ends now, and waits for the host where there is no buffer. What the record takes is owed:
 * it comes before the next action. */
static int record_action(machine *m, orchestrator *o)
{
    int answer = LS_WAIT;
    STEPS(o->at_record)
        o->phase.end = (uint64_t)m->now;
        while ((answer = write_submit(m, o)) == LS_WAIT) {
            o->parked = m->now;
            wait_for_host(m, o->number);
            PAUSE(o->at_record);
            m->stalled += m->now - o->parked;
        }
        if (m->in->hooks.happened != NULL) {
            const ls_orchestrator_phase *p = &o->phase;
            ls_machine_truth what = {LS_ORCHESTRATOR_PHASE, o->number, (int64_t)p->task, p->kind, 0, 0,
                                     (int64_t)p->start, (int64_t)p->end, 0};
            heard(m, m->in->hooks.happened(&what));
        }
        if (m->in->submit_cost == NULL)
            o->owed = m->costs->orchestrator_phase
                      + (answer == LS_PUBLISHED ? m->costs->rotate : 0);
    OVER(o->at_record);
}

static void fill_phase(orchestrator *o, uint32_t kind, int64_t start, int64_t task)
{
    o->phase = (ls_orchestrator_phase){.start = (uint64_t)start, .task = (uint64_t)task,
                                       .submit = (uint32_t)task, .kind = kind};
}

/* Scopes that end before the k-th task, one after the other. */
static int end_scopes(machine *m, orchestrator *o)
{
    const ls_machine *in = m->in;
    STEPS(o->at_scopes)
        for (o->scope = in->ending_first[o->k]; o->scope < in->ending_first[o->k + 1]; o->scope++) {
            fill_phase(o, LS_ORCHESTRATOR_SCOPE_END, m->now + o->owed,
                       in->scopes[2 * in->ending[o->scope] + 1] - 1);
            at(m, m->now + o->owed
                      + m->costs->scope_end * (in->scopes[2 * in->ending[o->scope] + 1]
                                               - in->scopes[2 * in->ending[o->scope]]),
               TURN, o->number, 0);
            o->owed = 0;
            PAUSE(o->at_scopes);
            if (in->window > 0) {
                m->window.scope_ended[in->ending[o->scope]] = m->window.submitted;
                tell_window(m);
            }
            if (in->records_submits)
                AWAIT(o->at_scopes, record_action(m, o));
        }
    OVER(o->at_scopes);
}

static int64_t submit_cost(machine *m, int64_t k, int64_t task)
{
    if (m->in->submit_cost != NULL)
        return m->in->submit_cost[k];
    int64_t held_up = m->held_up;
    m->held_up = 0;
    return m->costs->submit + m->fan_in[task] * m->costs->submit_edge + held_up;
}

static int64_t records_of(const machine *m, int64_t k)
{
    return m->in->submit_records != NULL ? m->in->submit_records[k] : m->in->records_submits != 0;
}

static int run_orchestrator(machine *m, orchestrator *o)
{
    const ls_machine *in = m->in;
    STEPS(o->at_run)
        while (m->next_submit < in->tasks) {
            o->k = m->next_submit++;
            o->task = in->submit_order != NULL ? in->submit_order[o->k] : o->k;
            if (in->scopes != NULL)
                AWAIT(o->at_run, end_scopes(m, o));
            o->start = m->now + o->owed;
            if (in->window > 0 && !takes_place(m, o->task)) {
                m->orchestrators_wait++;
                do {
                    fire_all(m);
                    o->wants_place = 1;
                    m->window.awaited++;
                    PAUSE(o->at_run);
                } while (!takes_place(m, o->task));
                m->orchestrators_wait--;
                o->owed = o->start > m->now ? o->start - m->now : 0;
            }
            at(m, m->now + o->owed + submit_cost(m, o->k, o->task), TURN, o->number, 0);
            o->owed = 0;
            PAUSE(o->at_run);
            submitted(m, o->task);
            for (o->records = records_of(m, o->k); o->records > 0; o->records--) {
                fill_phase(o, LS_ORCHESTRATOR_SUBMIT, o->start, o->task);
                AWAIT(o->at_run, record_action(m, o));
            }
        }
        if (in->scopes != NULL && m->next_submit++ == in->tasks) {
            o->k = in->tasks;
            AWAIT(o->at_run, end_scopes(m, o));
        }
        if (o->owed) {
            at(m, m->now + o->owed, TURN, o->number, 0);
            PAUSE(o->at_run);
        }
        o->ended = m->now;
    OVER(o->at_run);
}

#endif
