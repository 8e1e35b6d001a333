/* What becomes known to whom: waiting schedulers are told, nodes become ready, early ones may follow
 * their predecessors onto cores. */
#ifndef LANESCOPE_REPLAY_NEWS_H
#define LANESCOPE_REPLAY_NEWS_H

#include "replay_lanes.h"

/* A waiting scheduler sees news at the end of the round in which they fall. */
static void fire(replay *r, int32_t number)
{
    scheduler *s = &r->schedulers[number];
    if (!s->waiting)
        return;
    int64_t passed = r->now - s->since, inside = passed > 0 ? passed % s->round : 0;
    int64_t delay = passed <= 0 ? -passed : inside ? s->round - inside : 0;
    s->waiting = 0;
    at(r, r->now + delay, WAKE, number, 0);
}

static void fire_all(replay *r)
{
    for (int32_t s = 0; s < r->in->schedulers; s++)
        fire(r, s);
}

static void fire_with_room(replay *r, int32_t kind)
{
    for (int32_t s = 0; s < r->in->schedulers; s++)
        if (r->schedulers[s].free_cores[kind] > 0)
            fire(r, s);
}

static void nodes_ended(replay *r, int32_t count)
{
    r->ended += count;
    if (r->ended == r->in->nodes)
        fire_all(r);
}

/* ---- early nodes ----------------------------------------------------------------------------- */

static void one_placed(replay *r, int64_t node)
{
    if (--r->early[node].unplaced > 0 || r->remaining[node] == 0)
        return;
    put(r, &r->early_ready[r->in->kind[node]], node);
    fire_with_room(r, r->in->kind[node]);
}

/* All blocks of the node are on cores, or it needs none. */
static void placed(replay *r, int64_t node)
{
    for (int64_t k = r->in->first[node]; k < r->in->first[node + 1]; k++)
        if (r->early[r->in->target[k]].unplaced > 0)
            one_placed(r, r->in->target[k]);
}

/* ---- nodes that wait ------------------------------------------------------------------------- */

/* A block of a node enters its queue. */
static void enter(replay *r, int32_t submitted, int64_t node)
{
    int mixed = r->in->partners[node] > 0;
    queue *q = mixed ? &r->mixed : &r->ready[r->in->kind[node]];
    (r->in->pop == LS_REPLAY_LAST_READY && !submitted ? put_first : put)(r, q, node);
    if (mixed)
        fire_all(r);
    else
        fire_with_room(r, r->in->kind[node]);
}

static void put_blocks(replay *r, int64_t node)
{
    int64_t unit = r->in->unit_first[node];
    for (int32_t b = 0; b < r->in->blocks[node]; b++, unit += r->in->partners[node] + 1)
        if (r->in->units[unit].wait > 0)
            at(r, r->now + r->in->units[unit].wait, READY, r->submitting, node);
        else
            enter(r, r->submitting, node);
}

static void one_arrived(replay *r, int64_t node)
{
    const ls_replay *in = r->in;
    if (--r->remaining[node] > 0)
        return;
    int32_t kind = in->kind[node];
    if (kind == LS_REPLAY_ALLOC) {
        put(r, &r->allocated, node);
        return;
    }
    if (kind == LS_REPLAY_SILENT) {
        put(r, &r->silent, node);
        if (r->early != NULL)
            placed(r, node);
    } else if (in->manner[node] & LS_REPLAY_TOGETHER) {
        put(r, &r->together, node);
    } else if (r->early != NULL && r->early[node].staged >= 0) {
        at(r, r->now + in->costs.link, GATE, r->early[node].staged, node);
        return;
    } else {
        put_blocks(r, node);
        return;
    }
    fire_all(r);
}

/* One more of what the node waits for is there; an allocation is done at once. */
static void arrived(replay *r, int64_t node)
{
    one_arrived(r, node);
    while (count_of(&r->allocated) > 0 && !r->failed) {
        int32_t done = take(&r->allocated);
        nodes_ended(r, 1);
        if (r->early != NULL)
            placed(r, done);
        for (int64_t k = r->in->first[done]; k < r->in->first[done + 1]; k++)
            one_arrived(r, r->in->target[k]);
        fire_all(r);
    }
}

#endif
