/* What cores do: receive a task, wait for an early one's inputs, run it, record it, tell. */
#ifndef LANESCOPE_MACHINE_CORES_H
#define LANESCOPE_MACHINE_CORES_H

#include "machine/kernels.h"

static int is_gated(const machine *m, int64_t task)
{
    return m->early != NULL && m->early[task].gated;
}

/* Does its length depend on what other cores do meanwhile? Partners run no kernel. */
static int shares_memory(const machine *m, const core *c, int64_t task)
{
    return m->in->kernel != NULL && m->in->kernel[task] >= 0 && c->kind == m->in->kind[task];
}

static int64_t length_of(const machine *m, const run *r)
{
    return m->in->unit_length != NULL ? m->in->unit_length[r->unit] : m->in->length[r->task];
}

static int64_t setup_of(const machine *m, const run *r)
{
    return m->in->unit_setup != NULL ? m->in->unit_setup[r->unit] : m->costs->setup;
}

/* The task that was received last runs from its start on. */
static void start_run(machine *m, int32_t number, run *r)
{
    m->cores[number].running = 1;
    m->cores[number].begun++;
    if (shares_memory(m, &m->cores[number], r->task))
        at(m, m->now, KERNEL, number, 0);
    else
        at(m, r->start + length_of(m, r), END, number, 0);
}

/* The first of the tasks that arrived, if its inputs are there. */
static void begin_next(machine *m, int32_t number)
{
    core *c = &m->cores[number];
    run *r = run_of(m, number, c->begun);
    int64_t ready = c->free > m->now ? c->free : m->now;
    if (is_gated(m, r->task)) {
        if (c->gated < 0) /* it has waited since then, whatever comes behind it */
            c->gated = ready;
        return;
    }
    r->receive = ready + own_or(m->in->unit_pick_up, r->unit, 0);
    r->start = r->receive + setup_of(m, r);
    if (c->gated >= 0) {
        r->receive = c->gated;
        int64_t set_up = r->receive + setup_of(m, r);
        r->start = set_up > m->now ? set_up : m->now;
        c->gated = -1;
    }
    start_run(m, number, r);
}

/* The controller writes a task to a core, which counts it as held already. An idle core runs its only
 * task at once: all its times are known now. */
static void send(machine *m, int32_t number, int64_t task, int64_t dispatch)
{
    core *c = &m->cores[number];
    run *r = run_of(m, number, c->sent);
    *r = (run){.unit = -1, .dispatch = dispatch, .task = (int32_t)task};
    r->token = (uint32_t)(m->in->first_token + c->sent++);
    if (m->in->unit_first != NULL)
        r->unit = next_unit(m, task);
    move(m, number, c->held + 1);
    int64_t pick_up = own_or(m->in->unit_pick_up, r->unit, -1);
    int64_t arrival = dispatch + (pick_up < 0 ? m->costs->dispatch_latency : 0);
    c->last_arrival = arrival = arrival > c->last_arrival ? arrival : c->last_arrival;
    if (c->running || c->held > 1 || is_gated(m, task) || shares_memory(m, c, task)) {
        at(m, arrival, ARRIVE, number, 0);
    } else {
        c->arrived++;
        r->receive = (c->free > arrival ? c->free : arrival) + (pick_up > 0 ? pick_up : 0);
        r->start = r->receive + setup_of(m, r);
        start_run(m, number, r);
    }
    if (m->in->hooks.sent != NULL)
        heard(m, m->in->hooks.sent(number, task, r->token));
    if (m->in->hooks.computes != NULL && !(m->early != NULL && m->early[task].staged >= 0))
        heard(m, m->in->hooks.computes(LS_WAS_DISPATCHED, task, dispatch));
    if (m->early != NULL)
        placed(m, task);
    else
        m->unsent[task]--;
}

static void arrive(machine *m, int32_t number)
{
    core *c = &m->cores[number];
    c->arrived++;
    if (!c->running)
        begin_next(m, number);
}

/* The inputs of an early task are there. */
static void open_gate(machine *m, int32_t number, int64_t task)
{
    core *c = &m->cores[number];
    m->early[task].gated = 0;
    if (m->in->hooks.computes != NULL)
        heard(m, m->in->hooks.computes(LS_WAS_DISPATCHED, task, m->now));
    if (!c->running && c->arrived > c->begun && run_of(m, number, c->begun)->task == task)
        begin_next(m, number);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void set_free(machine *m, int32_t number, int64_t after)
{
    core *c = &m->cores[number];
    c->free = m->now + after;
    c->running = 0;
    if (c->arrived > c->begun)
        begin_next(m, number);
}

/* The controller can see the end of the task after that time and the link's latency. */
static void tell(machine *m, int32_t number, const run *r, int64_t after)
{
    core *c = &m->cores[number];
    int64_t seen = m->now + after + own_or(m->in->unit_seen, r->unit, m->costs->finish_latency);
    c->last_seen = seen > c->last_seen ? seen : c->last_seen;
    at(m, c->last_seen, SEEN, number, 0);
}

/* The core's own record; without a buffer the core waits until the host gives one. */
static void record_task(machine *m, int32_t number)
{
    core *c = &m->cores[number];
    const run *r = run_of(m, number, c->begun - 1);
    int64_t times[] = {r->receive, r->start, r->end};
    int answer = noted(m, recorder_task(m->recorder, number, m->now, times, r->task, r->token), m->now);
    if (answer == LS_WAIT) {
        if (c->blocked < 0)
            c->blocked = m->now;
        put(m, &m->blocked, number);
        return;
    }
    if (c->blocked >= 0)
        m->stalled += m->now - c->blocked;
    c->blocked = -1;
    set_free(m, number, m->costs->core_record + (answer == LS_PUBLISHED ? m->costs->rotate : 0));
}

static void report(machine *m, int32_t number)
{
    core *c = &m->cores[number];
    const run *r = run_of(m, number, c->begun - 1);
    if (m->in->hooks.computes != NULL)
        heard(m, m->in->hooks.computes(LS_HAS_ENDED, r->task, r->end));
    if (m->in->tells_first) {
        tell(m, number, r, 0);
        record_task(m, number);
        return;
    }
    int64_t times[] = {r->receive, r->start, r->end};
    noted(m, recorder_task(m->recorder, number, m->now, times, r->task, r->token), m->now);
    tell(m, number, r, m->costs->core_record);
    set_free(m, number, m->costs->core_record);
}

/* The task has ended. Counters and trace engines are told what it did. */
static void end_run(machine *m, int32_t number)
{
    core *c = &m->cores[number];
    run *r = run_of(m, number, c->begun - 1);
    r->end = m->now;
    int64_t reading = 0;
    if (m->in->hooks.ended != NULL) {
        const kernel_run *k = shares_memory(m, c, r->task) ? c->kernel : NULL;
        reading = heard(m, m->in->hooks.ended(number, r->task, r->token, r->start,
                                              r->end - r->start, k == NULL ? NULL : k->spans,
                                              k == NULL ? -1 : k->span_count));
    }
    if (m->in->reads_counters && reading >= 0)
        at(m, m->now + reading, REPORT, number, 0);
    else
        report(m, number);
}

#endif
