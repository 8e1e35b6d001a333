/* A scheduler: it sees tasks end, tells their successors, and gives cores the next tasks. One round
 * looks at everything once. */
#ifndef LANESCOPE_MACHINE_SCHEDULER_H
#define LANESCOPE_MACHINE_SCHEDULER_H

#include "machine/banks.h"
#include "machine/hardware.h"

/* ---- telling successors ---------------------------------------------------------------------- */

static int64_t edges_of_done(machine *m, scheduler *s)
{
    int64_t edges = 0;
    for (int64_t k = s->done.head; k < s->done.tail; k++) {
        int32_t task = s->done.items[k];
        if (m->in->release_tasks > 0)
            put(m, &s->unreleased, task);
        edges += m->in->first[task + 1] - m->in->first[task];
        if (m->in->hooks.computes != NULL && node_of(m, task) == LS_NODE_RUN)
            heard(m, m->in->hooks.computes(LS_WAS_FINISHED, task, s->time));
    }
    return edges;
}

static void tell_successors(machine *m, scheduler *s)
{
    m->teller = in_banks(m) ? s : NULL;
    for (int64_t k = s->done.head; k < s->done.tail; k++) {
        int32_t task = s->done.items[k];
        for (int64_t e = m->in->first[task]; e < m->in->first[task + 1]; e++)
            arrived(m, m->in->target[e]);
    }
    m->teller = NULL;
}

/* Ends what is in `done`; others see the effect when all successors are told. */
static int end_tasks(machine *m, scheduler *s)
{
    STEPS(s->at_tell)
        s->edges = edges_of_done(m, s);
        s->told = s->time;
        s->time += in_banks(m) ? s->telling : s->edges * m->costs->resolve_edge;
        s->telling = 0;
        if (s->edges > 0 || m->done + count_of(&s->done) == m->in->tasks) {
            at(m, s->time, TURN, turn_of(m, s), 0);
            PAUSE(s->at_tell);
        }
        tell_successors(m, s);
        if (s->edges > 0 && s->time - s->told >= m->costs->resolve_least) {
            add_counted(m, s, LS_PHASE_RESOLVE, s->told, &s->before, s->edges);
            AWAIT(s->at_tell, unstick(m, s));
        }
        tasks_ended(m, count_of(&s->done));
        empty(&s->done);
    OVER(s->at_tell);
}

/* ---- what has ended -------------------------------------------------------------------------- */

/* Engines go on with some of what is done; the others are done. */
static void set_engines(machine *m, scheduler *s)
{
    int64_t kept = s->done.head;
    for (int64_t k = s->done.head; m->in->wait != NULL && k < s->done.tail; k++) {
        int32_t task = s->done.items[k];
        if (m->in->wait[task] == 0) {
            s->done.items[kept++] = task;
            continue;
        }
        int64_t after = m->in->wait[task] + m->costs->engine_latency;
        s->awaited++;
        at(m, s->time + (after > 0 ? after : 0), ENGINE, s->number, task);
    }
    if (m->in->wait != NULL)
        s->done.tail = kept;
}

static int write_finish(machine *m, scheduler *s, int64_t finish)
{
    const core *c = &m->cores[s->core];
    const run *r = run_of(m, s->core, c->finished);
    int64_t times[] = {r->dispatch, finish};
    uint32_t func = (uint32_t)m->in->func[r->task];
    return noted(m, recorder_finish(m->recorder, s->core, s->time, times, r->task, r->token, func),
                 s->time);
}

/* The task of the core `core` is over for its controller. */
static void finish_run(machine *m, scheduler *s, int64_t finish)
{
    core *c = &m->cores[s->core];
    const run *r = run_of(m, s->core, c->finished++);
    if (finish > m->last_finish)
        m->last_finish = finish;
    if (m->runs_found != NULL)
        m->runs_found[r->unit] = (ls_machine_run){s->core, r->dispatch, r->receive, r->start, r->end, finish};
    move(m, s->core, c->held - 1);
    if (--m->parts[r->task] == 0) {
        put(m, &s->done, r->task);
        if (in_banks(m))
            count_told(m, s, r->task);
    }
    if (m->in->hooks.happened != NULL) {
        ls_machine_truth what = {LS_CONTROLLER_TASK, s->core, r->task, r->token, r->dispatch,
                                 r->receive, r->start, r->end, finish};
        heard(m, m->in->hooks.happened(&what));
    }
}

/* The next core whose task has ended. */
static int32_t next_finished(machine *m, scheduler *s)
{
    s->time += m->costs->complete;
    return take(&s->finished);
}

/* Sees one task that has ended, records it and what the hardware says of it. */
static int finish_one(machine *m, scheduler *s)
{
    int answer = LS_WAIT;
    STEPS(s->at_finish)
        s->core = in_banks(m) ? next_of_step(m, s) : next_finished(m, s);
        s->finish = s->time;
        while ((answer = write_finish(m, s, s->finish)) == LS_WAIT) {
            let_host_come(m, s);
            PAUSE(s->at_finish);
            went_on(m, s);
        }
        s->time += m->costs->task_record + (answer == LS_PUBLISHED ? m->costs->rotate : 0);
        m->held_up += m->costs->staging_shared;
        if (m->in->reads_counters)
            AWAIT(s->at_finish, record_counters(m, s));
        if (m->in->reads_engines)
            AWAIT(s->at_finish, drain_engine(m, s, 0));
        finish_run(m, s, s->finish);
    OVER(s->at_finish);
}

static int complete(machine *m, scheduler *s)
{
    STEPS(s->at_complete)
        s->start = s->time;
        s->before = depths_now(m);
        s->time += m->costs->poll_core * s->holding + m->costs->complete_base;
        if (m->in->sweeps) { /* each core is read at its own moment: the middle stands for all */
            at(m, s->start + (s->time - s->start) / 2, TURN, turn_of(m, s), 0);
            PAUSE(s->at_complete);
        }
        s->count = count_of(&s->finished);
        if (in_banks(m))
            sort_news(m, s);
        else if (m->in->collect_order == LS_COLLECT_BY_CORE)
            sort_queue(&s->finished);
        for (s->left = s->count; s->left > 0; s->left--)
            AWAIT(s->at_complete, finish_one(m, s));
        if (in_banks(m))
            end_step(m, s);
        set_engines(m, s);
        if (count_of(&s->done) > 0)
            AWAIT(s->at_complete, end_tasks(m, s));
        add_counted(m, s, LS_PHASE_COMPLETE, s->start, &s->before, s->count);
        AWAIT(s->at_complete, unstick(m, s));
    OVER(s->at_complete);
}

static int poll_engines(machine *m, scheduler *s)
{
    STEPS(s->at_engines)
        s->start = s->time;
        s->before = depths_now(m);
        s->count = count_of(&s->engines);
        s->time += m->costs->poll_engine * s->awaited;
        for (; count_of(&s->engines) > 0; s->awaited--)
            put(m, &s->done, take(&s->engines));
        AWAIT(s->at_engines, end_tasks(m, s));
        add_counted(m, s, LS_PHASE_ASYNC_POLL, s->start, &s->before, s->count);
        AWAIT(s->at_engines, unstick(m, s));
    OVER(s->at_engines);
}

/* Nodes that no core runs are done as soon as it is their turn. */
static void settle_all(machine *m, scheduler *s)
{
    for (int64_t left = s->count; left > 0; left--)
        put(m, &s->done, take(&m->silent));
    for (int64_t k = s->done.head; k < s->done.tail; k++) {
        int32_t task = s->done.items[k];
        int64_t one[3] = {1, 0, 0};
        s->time += m->costs->pop;
        depths now = depths_now(m);
        uint32_t kind = node_of(m, task) == LS_NODE_DUMMY ? LS_PHASE_DUMMY_TASK
                                                          : LS_PHASE_PREDICATED_SKIP;
        add_phase(m, s, kind, s->time, &now, one, (uint64_t)task);
    }
}

static int settle(machine *m, scheduler *s)
{
    STEPS(s->at_settle)
        s->start = s->time;
        s->before = depths_now(m);
        s->count = count_of(&m->silent);
        settle_all(m, s);
        AWAIT(s->at_settle, end_tasks(m, s));
        add_counted(m, s, LS_PHASE_DUMMY, s->start, &s->before, s->count);
        AWAIT(s->at_settle, unstick(m, s));
    OVER(s->at_settle);
}

/* ---- the round ------------------------------------------------------------------------------- */

/* Places of finished tasks are given back many at once, or if somebody waits for them. */
static int must_release(const machine *m, const scheduler *s)
{
    int64_t count = in_banks(m) ? 0 : count_of(&s->unreleased);
    return count > 0 && (count >= m->in->release_tasks || m->over || m->orchestrators_wait > 0);
}

static void release(machine *m, scheduler *s)
{
    int64_t count = count_of(&s->unreleased), start = s->time;
    if (!must_release(m, s))
        return;
    depths before = depths_now(m);
    s->time += count * m->costs->release;
    if (m->in->window > 0) {
        while (count_of(&s->unreleased) > 0)
            put(m, &s->releasing, take(&s->unreleased));
        at(m, s->time, RELEASE, s->number, count);
    }
    empty(&s->unreleased);
    add_counted(m, s, LS_PHASE_RELEASE, start, &before, count);
}

/* How long a round without news takes: it looks at the cores that hold a task, and at engines. */
static int64_t round_of(const machine *m, const scheduler *s)
{
    int64_t round = m->costs->loop + m->costs->poll_core * s->holding
                    + m->costs->poll_engine * s->awaited;
    return round > 0 ? round : 1;
}

static int has_news(const machine *m, const scheduler *s)
{
    return count_of(&s->finished) > 0 || count_of(&s->engines) > 0 || count_of(&m->silent) > 0;
}

/* Works in rounds until all tasks are done. */
static int run_scheduler(machine *m, scheduler *s)
{
    STEPS(s->at_round)
        for (;;) {
            if (s->time > m->now) {
                at(m, s->time, TURN, turn_of(m, s), 0);
                PAUSE(s->at_round);
            }
            s->time = m->now;
            s->count = 0;
            if (count_of(&s->finished) > 0)
                AWAIT(s->at_round, complete(m, s));
            if (count_of(&s->engines) > 0)
                AWAIT(s->at_round, poll_engines(m, s));
            if (count_of(&m->silent) > 0)
                AWAIT(s->at_round, settle(m, s));
            s->again = 0;
            if (in_banks(m)) {
                AWAIT(s->at_round, give_banks(m, s));
            } else {
                hand_out(m, s);
                release(m, s);
            }
            s->was_away = in_banks(m) || s->stuck_tail > 0;
            AWAIT(s->at_round, unstick(m, s));
            s->loop++;
            if (has_news(m, s) || (s->was_away && (can_hand_out(m, s) || must_release(m, s))))
                continue;
            if (s->again) { /* the next look is over after a round, or finds more */
                at(m, s->time, TURN, turn_of(m, s), 0);
                PAUSE(s->at_round);
                s->time = m->now + (has_news(m, s) ? 0 : round_of(m, s));
                continue;
            }
            if (m->over && (in_banks(m) || count_of(&s->unreleased) == 0))
                break;
            /* Whatever comes next is seen after the present work is over. */
            s->since = s->time;
            s->round = round_of(m, s);
            s->waiting = 1;
            PAUSE(s->at_round);
            s->loop += (uint32_t)s->rounds;
        }
        if (m->in->reads_engines)
            AWAIT(s->at_round, stop_engines(m, s));
        if (s->time > m->now) {
            at(m, s->time, TURN, turn_of(m, s), 0);
            PAUSE(s->at_round);
        }
        s->ended = m->now;
    OVER(s->at_round);
}

#endif
