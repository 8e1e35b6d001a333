/* How a scheduler gives tasks to its cores: to a cluster, one by one, early, and all at once.
 *
 * A scheduler sees its cores as they are at the machine's time. Tasks are sent at its own time, which is
 * ahead of it. */
#ifndef LANESCOPE_MACHINE_DISPATCH_H
#define LANESCOPE_MACHINE_DISPATCH_H

#include "machine/phases.h"

/* Sends the task if the recording allows it now; did it? */
static int give(machine *m, int32_t number, int64_t task, int64_t now, int64_t dispatch)
{
    if (!recorder_admits(m->recorder, number, now))
        return 0;
    recorder_sends(m->recorder, number, dispatch);
    send(m, number, task, dispatch);
    return 1;
}

/* What it takes to dispatch the next unit of a task: its own time, or what it costs. */
static int64_t time_to_give(const machine *m, int64_t task, int64_t cost)
{
    return m->in->unit_give == NULL ? cost : own_or(m->in->unit_give, next_unit(m, task), cost);
}

/* The cores of a cluster that the first of the mixed tasks needs, if all are idle; how many. */
static int32_t idle_cluster(const machine *m, int64_t cluster, int32_t *needed)
{
    const ls_machine *in = m->in;
    int32_t task = first_of(&m->mixed), found = 0, partners = in->partners[task];
    int32_t other = in->partner_kind == NULL ? 1 : in->partner_kind[task];
    for (int32_t k = in->cluster_first[cluster]; k < in->cluster_first[cluster + 1]; k++) {
        int32_t member = in->cluster_cores[k], kind = m->cores[member].kind;
        if (kind != (found == 0 ? in->kind[task] : other))
            continue;
        if (m->cores[member].held > 0)
            return 0;
        needed[found++] = member;
        if (found == partners + 1)
            return found;
    }
    return 0;
}

static int64_t dispatch_mixed(machine *m, const scheduler *s, int64_t time, int64_t *hits)
{
    const ls_machine *in = m->in;
    for (int64_t k = 0; k < in->clusters && count_of(&m->mixed) > 0; k++) {
        int32_t needed[LS_MACHINE_MOST], first = in->cluster_first[k];
        if (first == in->cluster_first[k + 1]
            || m->cores[in->cluster_cores[first]].scheduler != s->number)
            continue;
        int32_t found = idle_cluster(m, k, needed), admitted = found > 0;
        for (int32_t n = 0; n < found && admitted; n++)
            admitted = recorder_admits(m->recorder, needed[n], time);
        if (!admitted)
            continue;
        int32_t task = take(&m->mixed);
        time += time_to_give(m, task, -1) < 0 ? m->costs->pop : 0;
        for (int32_t n = 0; n < found; n++) {
            time += time_to_give(m, task, m->costs->dispatch);
            recorder_sends(m->recorder, needed[n], time);
            send(m, needed[n], task, time);
        }
        ++*hits;
    }
    return time;
}

/* To every core that holds so many tasks, in turn. Where cores are read one by one, a core that was given
 * a task in this round must show that it has it before it is given another. */
static int64_t dispatch_level(machine *m, scheduler *s, const row *cores, queue *q, int64_t *hits,
                              int64_t time)
{
    for (int32_t c = cores->first, after; c >= 0 && count_of(q) > 0; c = after) {
        int64_t each = time_to_give(m, first_of(q), m->costs->pop + m->costs->dispatch);
        after = m->cores[c].after;
        if (m->in->sweeps && m->cores[c].given == s->loop + 1) {
            s->again = 1;
            continue;
        }
        if (!give(m, c, first_of(q), time, time + each))
            continue;
        m->cores[c].given = s->loop + 1;
        q->head++;
        time += each;
        ++*hits;
    }
    return time;
}

static void dispatch(machine *m, scheduler *s)
{
    const ls_machine *in = m->in;
    int64_t hits = 0, misses = 0, deep = in->pre_dispatch + 1, start = s->time, time = start;
    depths before = depths_now(m);
    if (count_of(&m->mixed) > 0)
        time = dispatch_mixed(m, s, time, &hits);
    for (int64_t kind = 0; kind < in->kinds; kind++) {
        queue *q = &m->ready[kind];
        if (s->free_cores[kind] == 0)
            continue;
        int64_t levels = count_of(&m->mixed) > 0 ? 1 : deep;
        for (int64_t level = 0; level < levels && count_of(q) > 0; level++)
            time = dispatch_level(m, s, &s->rooms[kind * deep + level], q, &hits, time);
        if (count_of(q) == 0 && s->free_cores[kind] > 0) {
            misses++;
            time += m->costs->pop;
        }
    }
    if (hits > 0) {
        int64_t counts[3] = {hits, hits, misses};
        s->time = time;
        add_phase(m, s, LS_PHASE_DISPATCH, start, &before, counts, LS_NO_TASK);
    }
}

/* Tasks whose predecessors are all on cores, to idle cores, where they wait for their inputs. */
static void dispatch_early(machine *m, scheduler *s)
{
    int64_t hits = 0, start = s->time, each = m->costs->pop + m->costs->dispatch;
    depths before = depths_now(m);
    for (int64_t kind = 0; kind < m->in->kinds; kind++) {
        queue *q = &m->early_ready[kind];
        int32_t c = s->rooms[kind * (m->in->pre_dispatch + 1)].first;
        for (int32_t after; c >= 0; c = after) {
            after = m->cores[c].after;
            while (count_of(q) > 0 && m->remaining[first_of(q)] == 0)
                q->head++;
            if (count_of(q) == 0)
                break;
            int32_t task = first_of(q);
            if (!recorder_admits(m->recorder, c, s->time))
                continue;
            q->head++;
            s->time += each;
            recorder_sends(m->recorder, c, s->time);
            m->early[task].staged = c;
            m->early[task].gated = 1;
            send(m, c, task, s->time);
            hits++;
        }
    }
    if (hits > 0)
        add_counted(m, s, LS_PHASE_EARLY_DISPATCH, start, &before, hits);
}

/* Are so many cores idle, of all schedulers, and does the recording allow it? */
static int can_start_together(machine *m, int32_t kind, int64_t blocks, int64_t time)
{
    int64_t deep = m->in->pre_dispatch + 1, idle = 0;
    for (int64_t k = 0; k < m->in->schedulers; k++) {
        int32_t c = m->schedulers[k].rooms[kind * deep].first;
        for (; c >= 0 && idle < blocks; c = m->cores[c].after)
            idle++;
    }
    if (idle < blocks)
        return 0;
    for (int64_t k = 0, left = blocks; k < m->in->schedulers; k++) {
        int32_t c = m->schedulers[k].rooms[kind * deep].first;
        for (; c >= 0 && left > 0; c = m->cores[c].after, left--)
            if (!recorder_admits(m->recorder, c, time))
                return 0;
    }
    return 1;
}

/* All blocks of a task at once. Meanwhile no scheduler gives any other task to a core. */
static void dispatch_together(machine *m, scheduler *s)
{
    int32_t task = first_of(&m->together), kind = m->in->kind[task];
    int64_t blocks = blocks_of(m, task), start = s->time;
    depths before = depths_now(m);
    if (m->draining || !can_start_together(m, kind, blocks, start))
        return;
    m->draining = 1;
    s->time += m->costs->pop + blocks * m->costs->dispatch;
    add_counted(m, s, LS_PHASE_DRAIN_PREPARE, start, &before, blocks);
    int64_t publish = s->time, left = blocks;
    for (int64_t k = 0; k < m->in->schedulers; k++) {
        const row *idle = &m->schedulers[k].rooms[kind * (m->in->pre_dispatch + 1)];
        for (int32_t c = idle->first, after; c >= 0 && left > 0; c = after, left--) {
            after = m->cores[c].after;
            s->time += m->costs->publish;
            recorder_sends(m->recorder, c, s->time);
            send(m, c, task, s->time);
        }
    }
    at(m, s->time, DRAINED, 0, 0);
    add_counted(m, s, LS_PHASE_DRAIN_PUBLISH, publish, &before, blocks);
    add_counted(m, s, LS_PHASE_DRAIN, start, &before, blocks);
}

static int any(const queue *queues, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (count_of(&queues[k]) > 0)
            return 1;
    return 0;
}

/* Is there a task for one of its cores? Who becomes ready while a scheduler does not wait for news wakes
 * nobody. */
static int can_hand_out(const machine *m, const scheduler *s)
{
    int64_t waiting = count_of(&m->together) + count_of(&m->mixed);
    for (int64_t kind = 0; kind < m->in->kinds && waiting == 0; kind++)
        if (s->free_cores[kind] > 0)
            waiting = count_of(&m->ready[kind]) + count_of(&m->early_ready[kind]);
    return waiting > 0;
}

/* While blocks must start together, nothing else is given out. */
static void hand_out(machine *m, scheduler *s)
{
    if (count_of(&m->together) > 0) {
        dispatch_together(m, s);
        return;
    }
    if (count_of(&m->mixed) > 0 || any(m->ready, m->in->kinds))
        dispatch(m, s);
    if (m->early != NULL && any(m->early_ready, m->in->kinds))
        dispatch_early(m, s);
}

#endif
