/* How a scheduler gives tasks to its cores: to a cluster, one by one, early, and all at once. */
#ifndef LANESCOPE_REPLAY_DISPATCH_H
#define LANESCOPE_REPLAY_DISPATCH_H

#include "replay_cores.h"

/* The cores of a cluster that the first of the mixed tasks needs, if all are idle; how many. */
static int32_t idle_cluster(const replay *r, int32_t cluster, int32_t *needed)
{
    const ls_replay *in = r->in;
    int32_t node = r->mixed.items[r->mixed.head], found = 0, partners = in->partners[node];
    for (int32_t m = in->cluster_first[cluster]; m < in->cluster_first[cluster + 1]; m++) {
        int32_t member = in->cluster_cores[m], kind = r->cores[member].kind;
        if (kind != (found == 0 ? in->kind[node] : in->partner_kind[node]))
            continue;
        if (r->cores[member].held > 0)
            return 0;
        needed[found++] = member;
        if (found == partners + 1)
            return found;
    }
    return 0;
}

/* What dispatching the next unit of a node takes; -1: what it costs. */
static int64_t given_in(const replay *r, int64_t node)
{
    return r->in->units[r->in->unit_first[node] + r->sent[node]].give;
}

static int64_t dispatch_mixed(replay *r, int32_t number, int64_t time, int32_t *hits)
{
    const ls_replay *in = r->in;
    for (int32_t k = 0; k < in->clusters && count_of(&r->mixed) > 0; k++) {
        int32_t needed[LS_REPLAY_MOST], first = in->cluster_first[k];
        if (first == in->cluster_first[k + 1] ||
            r->cores[in->cluster_cores[first]].scheduler != number)
            continue;
        int32_t found = idle_cluster(r, k, needed);
        if (found == 0)
            continue;
        int32_t node = take(&r->mixed);
        time += given_in(r, node) < 0 ? in->costs.pop : 0;
        for (int32_t m = 0; m < found; m++) {
            int64_t own = given_in(r, node);
            time += own < 0 ? in->costs.dispatch : own;
            send(r, needed[m], node, time);
        }
        ++*hits;
    }
    return time;
}

/* To every core that holds so many tasks, in turn. */
static int64_t dispatch_level(replay *r, row *cores, queue *q, int64_t time, int32_t *hits)
{
    int32_t c = cores->first, last = cores->last;
    for (int stop = c < 0; !stop && count_of(q) > 0;) {
        int32_t after = r->cores[c].after;
        stop = c == last;
        int32_t node = take(q);
        int64_t own = given_in(r, node);
        time += own < 0 ? r->in->costs.pop + r->in->costs.dispatch : own;
        send(r, c, node, time);
        ++*hits;
        c = after;
    }
    return time;
}

static void dispatch(replay *r, int32_t number)
{
    const ls_replay *in = r->in;
    scheduler *s = &r->schedulers[number];
    int32_t hits = 0, deep = in->pre_dispatch + 1;
    int64_t time = s->time;
    if (count_of(&r->mixed) > 0)
        time = dispatch_mixed(r, number, time, &hits);
    for (int32_t kind = 0; kind < in->kinds; kind++) {
        queue *q = &r->ready[kind];
        if (s->free_cores[kind] == 0)
            continue;
        int32_t levels = count_of(&r->mixed) > 0 ? 1 : deep;
        for (int32_t level = 0; level < levels && count_of(q) > 0; level++)
            time = dispatch_level(r, &s->rooms[kind * deep + level], q, time, &hits);
        if (count_of(q) == 0 && s->free_cores[kind] > 0)
            time += in->costs.pop;
    }
    if (hits > 0) {
        s->time = time;
        note_phase(r, number);
    }
}

/* Tasks whose predecessors are all on cores, to idle cores, where they wait for their inputs. */
static void dispatch_early(replay *r, int32_t number)
{
    const ls_replay *in = r->in;
    scheduler *s = &r->schedulers[number];
    int32_t hits = 0;
    for (int32_t kind = 0; kind < in->kinds; kind++) {
        queue *q = &r->early_ready[kind];
        int32_t c = s->rooms[kind * (in->pre_dispatch + 1)].first;
        int32_t last = s->rooms[kind * (in->pre_dispatch + 1)].last;
        for (int stop = c < 0; !stop;) {
            int32_t after = r->cores[c].after;
            while (count_of(q) > 0 && r->remaining[q->items[q->head]] == 0)
                q->head++;
            if (count_of(q) == 0)
                break;
            int32_t node = take(q);
            stop = c == last;
            s->time += in->costs.pop + in->costs.dispatch;
            r->early[node].staged = c;
            r->early[node].gated = 1;
            send(r, c, node, s->time);
            hits++;
            c = after;
        }
    }
    if (hits > 0)
        note_phase(r, number);
}

/* All blocks of a task at once, on cores of any scheduler, if so many are idle. */
static void dispatch_together(replay *r, int32_t number)
{
    const ls_replay *in = r->in;
    scheduler *s = &r->schedulers[number];
    int32_t node = r->together.items[r->together.head], kind = in->kind[node];
    int32_t blocks = in->blocks[node], idle = 0;
    for (int32_t k = 0; k < in->schedulers; k++) {
        int32_t c = r->schedulers[k].rooms[kind * (in->pre_dispatch + 1)].first;
        for (; c >= 0 && idle < blocks; c = r->cores[c].after)
            idle++;
    }
    if (r->draining || idle < blocks)
        return;
    r->draining = 1;
    s->time += in->costs.pop + blocks * in->costs.dispatch;
    note_phase(r, number);
    for (int32_t k = 0, left = blocks; k < in->schedulers; k++) {
        row *cores = &r->schedulers[k].rooms[kind * (in->pre_dispatch + 1)];
        for (; cores->first >= 0 && left > 0; left--) {
            s->time += in->costs.publish;
            send(r, cores->first, node, s->time);
        }
    }
    at(r, s->time, DRAINED, number, 0);
    note_phase(r, number);
    note_phase(r, number);
}

static int any(const queue *queues, int32_t count)
{
    for (int32_t k = 0; k < count; k++)
        if (count_of(&queues[k]) > 0)
            return 1;
    return 0;
}

static void hand_out(replay *r, int32_t number)
{
    if (count_of(&r->together) > 0) {
        dispatch_together(r, number);
        return;
    }
    if (count_of(&r->mixed) > 0 || any(r->ready, r->in->kinds))
        dispatch(r, number);
    if (r->early != NULL && any(r->early_ready, r->in->kinds))
        dispatch_early(r, number);
}

#endif
