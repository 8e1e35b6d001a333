/* What cores do in a replay: receive, wait for an early task's inputs, run, tell. */
#ifndef LANESCOPE_REPLAY_CORES_H
#define LANESCOPE_REPLAY_CORES_H

#include "replay_news.h"

static int is_gated(const replay *r, int64_t unit)
{
    return r->early != NULL && r->early[r->node_of[unit]].gated;
}

static void begin(replay *r, int32_t number, int64_t unit, int64_t reached)
{
    core *c = &r->cores[number];
    ls_replay_unit *u = &r->in->units[unit];
    c->running = 1;
    u->receive = c->free > reached ? c->free : reached;
    u->receive += u->pick_up > 0 ? u->pick_up : 0;
    u->start = u->receive + u->setup;
    if (c->gated >= 0) {
        u->receive = c->gated;
        u->start = u->receive + u->setup > r->now ? u->receive + u->setup : r->now;
        c->gated = -1;
    }
    u->end = u->start + u->length;
    at(r, u->end, END, number, unit);
}

/* The first of the units that arrived, if its inputs are there. */
static void begin_next(replay *r, int32_t number)
{
    core *c = &r->cores[number];
    if (is_gated(r, c->waiting.items[c->waiting.head])) {
        c->gated = c->free > r->now ? c->free : r->now;
        return;
    }
    begin(r, number, take(&c->waiting), r->now);
}

static void send(replay *r, int32_t number, int64_t node, int64_t time)
{
    core *c = &r->cores[number];
    int64_t unit = r->in->unit_first[node] + r->sent[node]++;
    r->in->units[unit].core = number;
    r->in->units[unit].dispatch = time;
    move(r, number, c->held + 1);
    int64_t link = r->in->units[unit].pick_up < 0 ? r->in->costs.link : 0;
    if (c->running || c->held > 1 || is_gated(r, unit))
        at(r, time + link, ARRIVE, number, unit);
    else
        begin(r, number, unit, time + link);
    if (r->early != NULL && unit + 1 == r->in->unit_first[node + 1])
        placed(r, node);
}

static void arrive(replay *r, int32_t number, int64_t unit)
{
    core *c = &r->cores[number];
    put(r, &c->waiting, unit);
    if (!c->running)
        begin_next(r, number);
}

static void open_gate(replay *r, int32_t number, int64_t node)
{
    core *c = &r->cores[number];
    r->early[node].gated = 0;
    if (!c->running && count_of(&c->waiting) > 0 &&
        r->node_of[c->waiting.items[c->waiting.head]] == node)
        begin_next(r, number);
}

static void end_unit(replay *r, int32_t number, int64_t unit)
{
    core *c = &r->cores[number];
    int64_t seen = r->in->units[unit].seen;
    at(r, r->now + (seen < 0 ? r->in->costs.seen : seen), SEEN, number, unit);
    c->free = record(r, LS_CORE_TASK, number, r->now) + r->in->costs.free;
    c->running = 0;
    if (count_of(&c->waiting) > 0)
        begin_next(r, number);
}

#endif
