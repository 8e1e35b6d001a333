/* Replays a recorded task graph: an orchestrator submits, schedulers go round and serve their
 * cores, cores run. One heap of events; ties in the order of priority, then of making. */
#include "replay_dispatch.h"
#include "replay_setup.h"

/* ---- a scheduler's round --------------------------------------------------------------------- */

static void release(replay *r, int32_t number)
{
    scheduler *s = &r->schedulers[number];
    const ls_replay_costs *c = &r->in->costs;
    int over = r->ended == r->in->nodes;
    if (s->unreleased == 0 || (s->unreleased < c->release_tasks && !over))
        return;
    s->time += s->unreleased * c->release;
    note_phase(r, number);
    s->unreleased = 0;
}

/* Counts the edges of what is done and lets the others know when they have been followed. */
static int tell(replay *r, int32_t number)
{
    scheduler *s = &r->schedulers[number];
    int64_t edges = 0;
    for (int64_t k = s->done.head; k < s->done.tail; k++)
        edges += r->in->first[s->done.items[k] + 1] - r->in->first[s->done.items[k]];
    s->unreleased += count_of(&s->done);
    s->resolving = edges > 0;
    s->time += edges * r->in->costs.resolve;
    if (edges > 0 || r->ended + count_of(&s->done) == r->in->nodes) {
        at(r, s->time, TOLD, number, 0);
        return 1;
    }
    r->ended += count_of(&s->done);
    s->done.head = s->done.tail = 0;
    return 0;
}

/* Engines go on with some of what is done; the others are done. */
static void set_engines(replay *r, int32_t number)
{
    scheduler *s = &r->schedulers[number];
    int64_t kept = s->done.head;
    for (int64_t k = s->done.head; k < s->done.tail; k++) {
        int32_t node = s->done.items[k];
        if (r->in->wait[node] > 0) {
            s->awaited++;
            int64_t after = r->in->wait[node] + r->in->costs.engine_seen;
            at(r, s->time + (after > 0 ? after : 0), ENGINE, number, node);
        } else {
            s->done.items[kept++] = node;
        }
    }
    s->done.tail = kept;
}

/* Few ends are seen in one look: an insertion sort. */
static void sort_by_core(const replay *r, queue *q)
{
    for (int64_t k = q->head + 1; k < q->tail; k++)
        for (int64_t m = k; m > q->head; m--) {
            int32_t left = q->items[m - 1], right = q->items[m];
            if (r->in->units[left].core <= r->in->units[right].core)
                break;
            q->items[m - 1] = right;
            q->items[m] = left;
        }
}

static int complete(replay *r, int32_t number)
{
    const ls_replay_costs *c = &r->in->costs;
    scheduler *s = &r->schedulers[number];
    s->time += c->poll * s->holding + c->complete_base;
    if (r->in->collect == LS_REPLAY_BY_CORE)
        sort_by_core(r, &s->finished);
    for (int32_t n = count_of(&s->finished); n > 0; n--) {
        int64_t unit = take(&s->finished);
        int32_t node = r->node_of[unit], number_of = (int32_t)r->in->units[unit].core;
        s->time += c->complete;
        r->in->units[unit].finish = s->time;
        if (s->time > r->last)
            r->last = s->time;
        scheduler_records(r, number, LS_CONTROLLER_TASK, number_of);
        s->time += c->record;
        move(r, number_of, r->cores[number_of].held - 1);
        if (--r->parts[node] == 0)
            put(r, &s->done, node);
    }
    set_engines(r, number);
    return count_of(&s->done) > 0 && tell(r, number);
}

static int poll_engines(replay *r, int32_t number)
{
    scheduler *s = &r->schedulers[number];
    s->time += r->in->costs.poll_engine * s->awaited;
    for (; count_of(&s->engines) > 0; s->awaited--)
        put(r, &s->done, take(&s->engines));
    return tell(r, number);
}

/* Nodes that no core runs are done as soon as it is their turn. */
static int settle(replay *r, int32_t number)
{
    scheduler *s = &r->schedulers[number];
    while (count_of(&r->silent) > 0) {
        s->time += r->in->costs.pop;
        note_phase(r, number);
        put(r, &s->done, take(&r->silent));
    }
    return tell(r, number);
}

/* After a wait for a buffer a scheduler looks again when it is over. */
static int comes_back(replay *r, int32_t number)
{
    scheduler *s = &r->schedulers[number];
    if (!s->stuck)
        return 0;
    s->stuck = 0;
    at(r, s->time, RESUME, number, 0);
    return 1;
}

/* Until others must see what the scheduler did before it can go on: 1. */
static int end_others(replay *r, int32_t number)
{
    scheduler *s = &r->schedulers[number];
    if (comes_back(r, number))
        return 1;
    if (s->stage == SAW_ENDS) {
        s->stage = SAW_ENGINES;
        if (count_of(&s->engines) > 0) {
            if (poll_engines(r, number))
                return 1;
            note_phase(r, number);
            if (comes_back(r, number))
                return 1;
        }
    }
    if (s->stage == SAW_ENGINES) {
        s->stage = SETTLED;
        if (count_of(&r->silent) > 0) {
            if (settle(r, number))
                return 1;
            note_phase(r, number);
            if (comes_back(r, number))
                return 1;
        }
    }
    return 0;
}

/* The rest of a round; then the next one, or the wait for news. */
static void go_on(replay *r, int32_t number)
{
    scheduler *s = &r->schedulers[number];
    if (end_others(r, number))
        return;
    hand_out(r, number);
    release(r, number);
    if (s->stuck || count_of(&s->finished) > 0 || count_of(&s->engines) > 0 || count_of(&r->silent) > 0) {
        s->stuck = 0;
        at(r, s->time > r->now ? s->time : r->now, WAKE, number, 0);
        return;
    }
    s->since = s->time;
    s->round = r->in->costs.loop + r->in->costs.poll * s->holding +
               r->in->costs.poll_engine * s->awaited;
    s->round = s->round > 0 ? s->round : 1;
    s->waiting = 1;
}

static void wake(replay *r, int32_t number)
{
    scheduler *s = &r->schedulers[number];
    s->time = r->now;
    s->stage = SAW_ENDS;
    if (count_of(&s->finished) > 0) {
        if (complete(r, number))
            return;
        note_phase(r, number);
    }
    go_on(r, number);
}

static void told(replay *r, int32_t number)
{
    scheduler *s = &r->schedulers[number];
    for (int64_t k = s->done.head; k < s->done.tail; k++) {
        int32_t node = s->done.items[k];
        for (int64_t e = r->in->first[node]; e < r->in->first[node + 1]; e++)
            arrived(r, r->in->target[e]);
    }
    int32_t count = count_of(&s->done);
    s->done.head = s->done.tail = 0;
    for (int32_t k = 0; k <= s->resolving; k++)
        note_phase(r, number);
    nodes_ended(r, count);
    go_on(r, number);
}

/* ---- the run --------------------------------------------------------------------------------- */

static void submit_next(replay *r)
{
    const ls_replay *in = r->in;
    int64_t node = in->submit_order[r->next_submit++];
    r->submitting = 1;
    arrived(r, node);
    r->submitting = 0;
    if (r->early != NULL && r->early[node].unplaced > 0)
        one_placed(r, node);
    int64_t time = r->now;
    for (int32_t k = 0; k < in->submit_records[r->next_submit - 1]; k++)
        time = record(r, LS_ORCHESTRATOR_PHASE, 0, time);
    if (r->next_submit < in->nodes)
        at(r, time + in->submit_cost[r->next_submit], SUBMIT, 0, 0);
}

static void step(replay *r, event e)
{
    r->now = e.time;
    switch ((enum event_type)e.type) {
    case SUBMIT:
        submit_next(r);
        break;
    case WAKE:
        wake(r, e.who);
        break;
    case TOLD:
        told(r, e.who);
        break;
    case RESUME:
        go_on(r, e.who);
        break;
    case HOST:
        next_visit(r);
        fire_all(r);
        break;
    case DRAINED:
        r->together.head++;
        r->draining = 0;
        fire_all(r);
        break;
    case ENGINE:
        put(r, &r->schedulers[e.who].engines, e.unit);
        fire(r, e.who);
        break;
    case ARRIVE:
        arrive(r, e.who, e.unit);
        break;
    case END:
        end_unit(r, e.who, e.unit);
        break;
    case SEEN:
        put(r, &r->schedulers[r->cores[e.who].scheduler].finished, e.unit);
        fire(r, r->cores[e.who].scheduler);
        break;
    case READY:
        enter(r, e.who, e.unit);
        break;
    case GATE:
        open_gate(r, e.who, e.unit);
        break;
    }
}

int64_t ls_replay_run(const ls_replay *in)
{
    replay r = {.in = in};
    size_t nodes = (size_t)in->nodes + 1;
    r.schedulers = calloc((size_t)in->schedulers + 1, sizeof *r.schedulers);
    r.cores = calloc((size_t)in->cores + 1, sizeof *r.cores);
    r.turns = calloc((size_t)in->schedulers + 1, sizeof *r.turns);
    r.ready = calloc((size_t)in->kinds + 1, sizeof *r.ready);
    r.early_ready = calloc((size_t)in->kinds + 1, sizeof *r.early_ready);
    r.remaining = calloc(nodes, sizeof *r.remaining);
    r.parts = calloc(nodes, sizeof *r.parts);
    r.sent = calloc(nodes, sizeof *r.sent);
    r.node_of = calloc((size_t)in->unit_first[in->nodes] + 1, sizeof *r.node_of);
    int64_t result = -2;
    if (r.schedulers != NULL && r.cores != NULL && r.turns != NULL && r.ready != NULL && r.early_ready != NULL &&
        r.remaining != NULL && r.parts != NULL && r.sent != NULL && r.node_of != NULL &&
        set_up_cores(&r) && set_up_nodes(&r) && set_up_lanes(&r)) {
        if (in->nodes > 0)
            at(&r, in->submit_cost[0], SUBMIT, 0, 0);
        event e;
        while (!r.failed && next_event(&r, &e))
            step(&r, e);
        in->found[0] = r.stalled;
        result = r.failed ? -2 : r.ended < in->nodes ? -1 : r.last;
    }
    free_all(&r);
    return result;
}
