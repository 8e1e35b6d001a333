/* What becomes known to whom: tasks become ready, early ones may follow their predecessors onto cores,
 * allocations are done at once. */
#ifndef LANESCOPE_MACHINE_NEWS_H
#define LANESCOPE_MACHINE_NEWS_H

#include "machine/window.h"

static void tasks_ended(machine *m, int64_t count)
{
    m->done += count;
    if (m->done == m->in->tasks) {
        m->over = 1;
        fire_all(m);
    }
}

/* ---- early tasks ----------------------------------------------------------------------------- */

static void one_placed(machine *m, int64_t task)
{
    if (--m->early[task].unplaced > 0 || m->remaining[task] == 0)
        return;
    put(m, &m->early_ready[m->in->kind[task]], task);
    fire_with_room(m, m->in->kind[task]);
}

/* One more block is on a core, or the task needs none; after the last one early successors may follow. */
static void placed(machine *m, int64_t task)
{
    if (--m->unsent[task] > 0)
        return;
    for (int64_t k = m->in->first[task]; k < m->in->first[task + 1]; k++)
        if (m->early[m->in->target[k]].unplaced > 0)
            one_placed(m, m->in->target[k]);
}

/* ---- tasks that wait ------------------------------------------------------------------------- */

/* A block enters its queue: behind the others, or before them. */
static void enter(machine *m, int64_t task, int submitting)
{
    int32_t kind = m->in->kind[task];
    int mixed = partners_of(m, task) > 0;
    queue *q = mixed ? &m->mixed : &m->ready[kind];
    (m->in->pop_order == LS_POP_LAST && !submitting ? put_first : put)(m, q, task);
    if (mixed)
        fire_all(m);
    else
        fire_with_room(m, kind);
}

static void enter_blocks(machine *m, int64_t task)
{
    int64_t step = 1 + partners_of(m, task), unit = m->in->unit_wait == NULL ? 0 : m->in->unit_first[task];
    for (int32_t b = 0, blocks = blocks_of(m, task); b < blocks; b++, unit += step)
        if (m->in->unit_wait != NULL && m->in->unit_wait[unit] > 0)
            at(m, m->now + m->in->unit_wait[unit], READY, m->submitting, task);
        else
            enter(m, task, m->submitting);
}

static void arrived(machine *m, int64_t task);

/* An allocation ends at once, and with it further ones that only waited for it. */
static void allocate(machine *m, int64_t task)
{
    put(m, &m->allocated, task);
    while (count_of(&m->allocated) > 0 && !m->failed) {
        int32_t done = m->allocated.items[--m->allocated.tail];
        tasks_ended(m, 1);
        if (m->early != NULL)
            placed(m, done);
        if (m->in->window > 0) {
            release_place(m, done);
            tell_window(m);
        }
        for (int64_t k = m->in->first[done]; k < m->in->first[done + 1]; k++) {
            int32_t next = m->in->target[k];
            if (m->remaining[next] == 1 && node_of(m, next) == LS_NODE_ALLOC) {
                m->remaining[next] = 0;
                put(m, &m->allocated, next);
            } else {
                arrived(m, next);
            }
        }
    }
    empty(&m->allocated);
}

static void became_ready(machine *m, int64_t task)
{
    int32_t node = node_of(m, task);
    if (node == LS_NODE_ALLOC) {
        allocate(m, task);
    } else if (node != LS_NODE_RUN) {
        put(m, &m->silent, task);
        if (m->early != NULL)
            placed(m, task);
    } else if (manner_of(m, task) & LS_MANNER_TOGETHER) {
        put(m, &m->together, task);
    } else if (partners_of(m, task) == 0 && m->early != NULL && m->early[task].staged >= 0) {
        at(m, m->now + m->costs->dispatch_latency, GATE, m->early[task].staged, task);
        m->early[task].staged = -1;
        return;
    } else if (m->teller != NULL && count_of(&m->teller->desk) < m->teller->desk_room) {
        put(m, &m->teller->desk, task);
        return;
    } else {
        enter_blocks(m, task);
        return;
    }
    fire_all(m);
}

/* One more of what the task waits for is there. */
static void arrived(machine *m, int64_t task)
{
    if (--m->remaining[task] == 0)
        became_ready(m, task);
}

/* Whoever serves many cores at once may be waiting for the submit of a task that is ready. */
static void tell_submitted(machine *m, int64_t task)
{
    m->is_submitted[task] = 1;
    for (int64_t k = 0; k < m->in->schedulers; k++) {
        scheduler *s = &m->schedulers[k];
        if (s->awaits_submit)
            at(m, m->now, TURN, turn_of(m, s), 0);
        s->awaits_submit = 0;
    }
}

static void submitted(machine *m, int64_t task)
{
    if (m->is_submitted != NULL)
        tell_submitted(m, task);
    m->submitting = 1;
    if (m->is_submitted == NULL || m->fan_in[task] == 0)
        arrived(m, task);
    m->submitting = 0;
    if (m->early != NULL && m->early[task].unplaced > 0)
        one_placed(m, task);
}

/* ---- the host -------------------------------------------------------------------------------- */

/* A record was written, or had no buffer: LS_WAIT. A buffer that was published then brings the host. */
static int noted(machine *m, int answer, int64_t time)
{
    if (answer == LS_PUBLISHED && !m->host_coming) {
        m->host_coming = 1;
        int64_t comes = time + m->costs->host_latency;
        at(m, comes > m->now ? comes : m->now, HOST, 0, 0);
    }
    return answer;
}

static void wait_for_host(machine *m, int64_t turn)
{
    put(m, &m->for_host, turn);
}

#endif
