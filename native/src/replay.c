/* Replays a recorded task graph: an orchestrator submits, schedulers go round and serve their
 * cores, cores run. One heap of events; ties in the order of priority, then of making. */
#include "replay_state.h"

/* ---- news ------------------------------------------------------------------------------------ */

/* A waiting scheduler sees news at the end of the round in which they fall. */
static void fire(replay *r, int32_t number)
{
    scheduler *s = &r->schedulers[number];
    if (!s->awaiting)
        return;
    int64_t passed = r->now - s->since, inside = passed > 0 ? passed % s->round : 0;
    int64_t delay = passed <= 0 ? -passed : inside ? s->round - inside : 0;
    s->awaiting = 0;
    at(r, r->now + delay, WAKE, number, 0);
}

static void fire_all(replay *r)
{
    for (int32_t s = 0; s < r->in->schedulers; s++)
        fire(r, s);
}

static void node_ended(replay *r)
{
    if (++r->ended == r->in->nodes)
        fire_all(r);
}

static void one_arrived(replay *r, int64_t node)
{
    const ls_replay *in = r->in;
    if (--r->remaining[node] > 0)
        return;
    int32_t blocks = in->blocks[node], kind = in->kind[node];
    if (kind == LS_REPLAY_ALLOC) {
        put(r, &r->allocated, node);
    } else if (kind == LS_REPLAY_SILENT) {
        put(r, &r->silent, node);
        fire_all(r);
    } else if (in->partners[node] > 0) {
        for (int32_t b = 0; b < blocks; b++)
            put(r, &r->mixed, node);
        fire_all(r);
    } else {
        for (int32_t b = 0; b < blocks; b++)
            put(r, &r->ready[kind], node);
        for (int32_t s = 0; s < in->schedulers; s++)
            if (r->schedulers[s].free_cores[kind] > 0)
                fire(r, s);
    }
}

/* One more of what the node waits for is there; an allocation is done at once. */
static void arrived(replay *r, int64_t node)
{
    one_arrived(r, node);
    while (count_of(&r->allocated) > 0 && !r->failed) {
        int32_t done = r->allocated.items[r->allocated.head++];
        for (int64_t k = r->in->first[done]; k < r->in->first[done + 1]; k++)
            one_arrived(r, r->in->target[k]);
        node_ended(r);
    }
}

/* ---- cores ----------------------------------------------------------------------------------- */

static void begin(replay *r, int32_t number, int64_t unit, int64_t reached)
{
    core *c = &r->cores[number];
    ls_replay_unit *u = &r->in->units[unit];
    c->running = 1;
    u->receive = c->free > reached ? c->free : reached;
    u->start = u->receive + u->setup;
    u->end = u->start + u->length;
    at(r, u->end, END, number, unit);
}

static void send(replay *r, int32_t number, int64_t node, int64_t time)
{
    core *c = &r->cores[number];
    int64_t unit = r->in->unit_first[node] + r->sent[node]++;
    r->in->units[unit].core = number;
    r->in->units[unit].dispatch = time;
    move(r, number, c->held + 1);
    if (c->running || c->held > 1)
        at(r, time + r->in->costs.link, ARRIVE, number, unit);
    else
        begin(r, number, unit, time + r->in->costs.link);
}

static void end_unit(replay *r, int32_t number, int64_t unit)
{
    core *c = &r->cores[number];
    at(r, r->now + r->in->costs.seen, SEEN, number, unit);
    c->free = r->now + r->in->costs.free;
    c->running = 0;
    if (count_of(&c->waiting) > 0)
        begin(r, number, c->waiting.items[c->waiting.head++], r->now);
}

/* ---- schedulers ------------------------------------------------------------------------------ */

static int64_t dispatch_mixed(replay *r, scheduler *s, int32_t number, int64_t time, int32_t *hits)
{
    const ls_replay *in = r->in;
    for (int32_t k = 0; k < in->clusters && count_of(&r->mixed) > 0; k++) {
        const int32_t *members = in->cluster_cores + in->cluster_first[k];
        int32_t size = in->cluster_first[k + 1] - in->cluster_first[k];
        int32_t node = r->mixed.items[r->mixed.head], needed[LS_REPLAY_MOST], found = 0;
        int32_t partners = in->partners[node];
        if (size == 0 || r->cores[members[0]].scheduler != number)
            continue;
        for (int32_t m = 0; m < size && found <= partners; m++) {
            int32_t kind = r->cores[members[m]].kind;
            if (kind == (found == 0 ? in->kind[node] : in->partner_kind[node]))
                needed[found++] = members[m];
        }
        int idle = found == partners + 1;
        for (int32_t m = 0; m < found; m++)
            idle &= r->cores[needed[m]].held == 0;
        if (!idle)
            continue;
        r->mixed.head++;
        time += in->costs.pop;
        for (int32_t m = 0; m < found; m++) {
            time += in->costs.dispatch;
            send(r, needed[m], node, time);
        }
        ++*hits;
    }
    (void)s;
    return time;
}

static void hand_out(replay *r, int32_t number)
{
    const ls_replay *in = r->in;
    scheduler *s = &r->schedulers[number];
    int32_t hits = 0, levels = count_of(&r->mixed) > 0 ? 1 : in->pre_dispatch + 1;
    int64_t time = s->time;
    if (count_of(&r->mixed) > 0)
        time = dispatch_mixed(r, s, number, time, &hits);
    if (count_of(&r->mixed) == 0)
        levels = in->pre_dispatch + 1;
    for (int32_t kind = 0; kind < in->kinds; kind++) {
        queue *q = &r->ready[kind];
        if (s->free_cores[kind] == 0)
            continue;
        for (int32_t level = 0; level < levels && count_of(q) > 0; level++) {
            int32_t c = s->rooms[kind * (in->pre_dispatch + 1) + level].first;
            int32_t last = s->rooms[kind * (in->pre_dispatch + 1) + level].last;
            for (int stop = c < 0; !stop && count_of(q) > 0;) {
                int32_t after = r->cores[c].after;
                stop = c == last;
                time += in->costs.pop + in->costs.dispatch;
                send(r, c, q->items[q->head++], time);
                hits++;
                c = after;
            }
        }
        if (count_of(q) == 0 && s->free_cores[kind] > 0)
            time += in->costs.pop;
    }
    if (hits > 0)
        s->time = time + in->costs.phase;
}

static void release(replay *r, scheduler *s)
{
    const ls_replay_costs *c = &r->in->costs;
    int over = r->ended == r->in->nodes;
    if (s->unreleased == 0 || (s->unreleased < c->release_tasks && !over))
        return;
    s->time += s->unreleased * c->release + c->phase;
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

static int complete(replay *r, int32_t number)
{
    const ls_replay_costs *c = &r->in->costs;
    scheduler *s = &r->schedulers[number];
    s->time += c->poll * s->holding + c->complete_base;
    for (int32_t n = count_of(&s->finished); n > 0; n--) {
        int64_t unit = s->finished.items[s->finished.head++];
        int32_t node = r->node_of[unit], number_of = (int32_t)r->in->units[unit].core;
        s->time += c->complete;
        r->in->units[unit].finish = s->time;
        if (s->time > r->last)
            r->last = s->time;
        s->time += c->record;
        move(r, number_of, r->cores[number_of].held - 1);
        if (--r->parts[node] == 0)
            put(r, &s->done, node);
    }
    return count_of(&s->done) > 0 && tell(r, number);
}

static int settle(replay *r, int32_t number)
{
    scheduler *s = &r->schedulers[number];
    while (count_of(&r->silent) > 0) {
        s->time += r->in->costs.pop + r->in->costs.phase;
        put(r, &s->done, r->silent.items[r->silent.head++]);
    }
    return tell(r, number);
}

/* The rest of a round; then the next one, or the wait for news. */
static void go_on(replay *r, int32_t number)
{
    scheduler *s = &r->schedulers[number];
    if (count_of(&r->silent) > 0 && settle(r, number))
        return;
    hand_out(r, number);
    release(r, s);
    if (count_of(&s->finished) > 0 || count_of(&r->silent) > 0) {
        at(r, s->time > r->now ? s->time : r->now, WAKE, number, 0);
        return;
    }
    s->since = s->time;
    s->round = r->in->costs.loop + r->in->costs.poll * s->holding;
    s->round = s->round > 0 ? s->round : 1;
    s->awaiting = 1;
}

static void wake(replay *r, int32_t number)
{
    scheduler *s = &r->schedulers[number];
    s->time = r->now;
    if (count_of(&s->finished) > 0 && complete(r, number))
        return;
    if (s->time > r->now)
        s->time += r->in->costs.phase;
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
    s->time += r->in->costs.phase * (1 + s->resolving);
    for (int32_t k = 0; k < count; k++)
        node_ended(r);
    go_on(r, number);
}

/* ---- the run --------------------------------------------------------------------------------- */

static void submit_next(replay *r)
{
    const ls_replay *in = r->in;
    arrived(r, in->submit_order[r->next_submit++]);
    if (r->next_submit < in->nodes)
        at(r, r->now + in->submit_cost[r->next_submit], SUBMIT, 0, 0);
}

static void step(replay *r, event e)
{
    core *c = &r->cores[e.type >= ARRIVE ? e.who : 0];
    r->now = e.time;
    switch (e.type) {
    case SUBMIT:
        submit_next(r);
        break;
    case WAKE:
        wake(r, e.who);
        break;
    case TOLD:
        told(r, e.who);
        break;
    case ARRIVE:
        if (c->running)
            put(r, &c->waiting, e.unit);
        else
            begin(r, e.who, e.unit, r->now);
        break;
    case END:
        end_unit(r, e.who, e.unit);
        break;
    default:
        put(r, &r->schedulers[c->scheduler].finished, e.unit);
        fire(r, c->scheduler);
    }
}

static int set_up_cores(replay *r)
{
    const ls_replay *in = r->in;
    size_t rows = (size_t)in->kinds * ((size_t)in->pre_dispatch + 1);
    for (int32_t s = 0; s < in->schedulers; s++) {
        r->schedulers[s].rooms = malloc((rows + 1) * sizeof(row));
        r->schedulers[s].free_cores = calloc((size_t)in->kinds + 1, sizeof(int32_t));
        if (r->schedulers[s].rooms == NULL || r->schedulers[s].free_cores == NULL)
            return 0;
        for (size_t k = 0; k < rows; k++)
            r->schedulers[s].rooms[k] = (row){-1, -1};
        r->schedulers[s].awaiting = 1;
        r->schedulers[s].round = in->costs.loop > 0 ? in->costs.loop : 1;
    }
    for (int32_t c = 0; c < in->cores; c++) {
        r->cores[c].kind = in->core_kind[c];
        r->cores[c].scheduler = in->core_scheduler[c];
        r->schedulers[in->core_scheduler[c]].free_cores[in->core_kind[c]]++;
        join(r, c);
    }
    return 1;
}

static int set_up_nodes(replay *r)
{
    const ls_replay *in = r->in;
    for (int64_t n = 0; n < in->nodes; n++)
        r->remaining[n] = 1;
    for (int64_t n = 0; n < in->nodes; n++) {
        for (int64_t k = in->first[n]; k < in->first[n + 1]; k++)
            r->remaining[in->target[k]]++;
        r->parts[n] = (int32_t)(in->unit_first[n + 1] - in->unit_first[n]);
        for (int64_t u = in->unit_first[n]; u < in->unit_first[n + 1]; u++)
            r->node_of[u] = (int32_t)n;
    }
    return 1;
}

static void free_all(replay *r)
{
    for (int32_t s = 0; r->schedulers != NULL && s < r->in->schedulers; s++) {
        free(r->schedulers[s].rooms);
        free(r->schedulers[s].free_cores);
        free(r->schedulers[s].finished.items);
        free(r->schedulers[s].done.items);
    }
    for (int32_t c = 0; r->cores != NULL && c < r->in->cores; c++)
        free(r->cores[c].waiting.items);
    for (int32_t k = 0; r->ready != NULL && k < r->in->kinds; k++)
        free(r->ready[k].items);
    free(r->mixed.items);
    free(r->silent.items);
    free(r->allocated.items);
    free(r->heap);
    free(r->schedulers);
    free(r->cores);
    free(r->ready);
    free(r->remaining);
    free(r->parts);
    free(r->sent);
    free(r->node_of);
}

int64_t ls_replay_run(const ls_replay *in)
{
    replay r = {.in = in};
    size_t nodes = (size_t)in->nodes + 1;
    r.schedulers = calloc((size_t)in->schedulers + 1, sizeof *r.schedulers);
    r.cores = calloc((size_t)in->cores + 1, sizeof *r.cores);
    r.ready = calloc((size_t)in->kinds + 1, sizeof *r.ready);
    r.remaining = calloc(nodes, sizeof *r.remaining);
    r.parts = calloc(nodes, sizeof *r.parts);
    r.sent = calloc(nodes, sizeof *r.sent);
    r.node_of = calloc((size_t)in->unit_first[in->nodes] + 1, sizeof *r.node_of);
    int64_t result = -2;
    if (r.schedulers != NULL && r.cores != NULL && r.ready != NULL && r.remaining != NULL &&
        r.parts != NULL && r.sent != NULL && r.node_of != NULL && set_up_cores(&r) &&
        set_up_nodes(&r)) {
        if (in->nodes > 0)
            at(&r, in->submit_cost[0], SUBMIT, 0, 0);
        while (r.heap_size > 0 && !r.failed)
            step(&r, pop(&r));
        result = r.failed ? -2 : r.ended < in->nodes ? -1 : r.last;
    }
    free_all(&r);
    return result;
}
