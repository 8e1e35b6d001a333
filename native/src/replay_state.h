/* What a replay knows, and its containers: queues, the heap of events, and which cores hold how many
 * tasks. The rules are in replay_news.h, replay_cores.h, replay_dispatch.h and replay.c. A lack of
 * memory sets `failed`; nothing is lost by going on. */
#ifndef LANESCOPE_REPLAY_STATE_H
#define LANESCOPE_REPLAY_STATE_H

#include "native.h"

#include <stdlib.h>
#include <string.h>

enum event_type { SUBMIT, WAKE, TOLD, RESUME, DRAINED, ENGINE, ARRIVE, END, SEEN, GATE, HOST, READY };

typedef struct {
    int64_t time;
    int64_t order; /* priority and number of making in one */
    int32_t type;
    int32_t who;
    int32_t unit; /* ENGINE and GATE: a node */
} event;

#define NEVER INT64_MAX

typedef struct {
    int32_t *items;
    int64_t head, tail, room;
} queue;

/* Cores in the order in which they came to hold so many tasks. */
typedef struct {
    int32_t first, last;
} row;

typedef struct {
    int32_t kind, scheduler, held, running;
    int32_t before, after; /* in its row */
    int64_t free;
    int64_t gated; /* since when its next task waits for its inputs; -1: it does not */
    queue waiting; /* units that arrived and have not begun */
} core;

enum stage { SAW_ENDS, SAW_ENGINES, SETTLED }; /* what of a round is over */

typedef struct {
    int64_t time, since, round;
    int32_t holding, waiting, unreleased;
    int32_t awaited;  /* tasks that engines still work on */
    int32_t stage, resolving;
    int32_t stuck;    /* it waited for a buffer, and others went on meanwhile */
    queue finished;   /* units seen to have ended */
    queue engines;    /* nodes whose engines are done */
    queue done;       /* nodes whose successors are being told */
    row *rooms;       /* kinds x (pre_dispatch + 1) */
    int32_t *free_cores;
} scheduler;

/* Of an early node only. */
typedef struct {
    int32_t unplaced; /* predecessors that are on no core yet, and itself unsubmitted */
    int32_t staged;   /* the core on which it waits, or -1 */
    int32_t gated;    /* it is on a core, and its inputs are not there */
} early;

/* Buffers of one producer. */
typedef struct {
    int32_t records; /* in the open one; 0: none is open */
    int32_t taken;   /* wait for the host's visit … */
    int32_t later;   /* … and for the one after it */
    int64_t visit;
} lane;

typedef struct {
    const ls_replay *in;
    event *heap;
    int64_t heap_size, heap_room, made;
    event *seen; /* of type SEEN, which come in the order in which they are made */
    int64_t seen_head, seen_tail, seen_room;
    event *turns; /* by scheduler: its WAKE, TOLD or RESUME, of which it awaits one at most */
    event submit;
    core *cores;
    scheduler *schedulers;
    queue *ready;       /* by kind */
    queue *early_ready; /* by kind: early nodes that may go to a core; some are ready meanwhile */
    queue mixed, silent, together;
    queue allocated; /* allocations whose successors are to be told */
    int32_t *remaining, *parts, *sent;
    int32_t *node_of;
    early *early; /* by node; NULL where no node is early */
    int64_t now, next_submit, ended, last;
    lane *lanes[LS_REPLAY_LANES];
    int64_t visit, host_at, host_next; /* the host's next visit and when it and the one after are */
    int64_t stalled; /* producers waited for buffers so long */
    int32_t draining, failed, submitting;
} replay;

static int grow(void **items, int64_t *room, size_t size)
{
    int64_t larger = *room ? 2 * *room : 64;
    void *moved = realloc(*items, (size_t)larger * size);
    if (moved == NULL)
        return 0;
    *items = moved;
    *room = larger;
    return 1;
}

static void put(replay *r, queue *q, int64_t item)
{
    if (q->head > 1024 && q->head * 2 > q->tail) {
        memmove(q->items, q->items + q->head, (size_t)(q->tail - q->head) * sizeof *q->items);
        q->tail -= q->head;
        q->head = 0;
    }
    if (q->tail == q->room && !grow((void **)&q->items, &q->room, sizeof *q->items)) {
        r->failed = 1;
        return;
    }
    q->items[q->tail++] = (int32_t)item;
}

/* Ahead of all others. */
static void put_first(replay *r, queue *q, int64_t item)
{
    if (q->head == 0) {
        put(r, q, item); /* for the room */
        if (r->failed)
            return;
        memmove(q->items + 1, q->items, (size_t)(q->tail - 1) * sizeof *q->items);
        q->items[0] = (int32_t)item;
        return;
    }
    q->items[--q->head] = (int32_t)item;
}

static int32_t count_of(const queue *q)
{
    return (int32_t)(q->tail - q->head);
}

static int32_t take(queue *q)
{
    return q->items[q->head++];
}

static int before(const event *a, const event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void put_seen(replay *r, event e)
{
    if (r->seen_head > 1024 && r->seen_head * 2 > r->seen_tail) {
        memmove(r->seen, r->seen + r->seen_head,
                (size_t)(r->seen_tail - r->seen_head) * sizeof *r->seen);
        r->seen_tail -= r->seen_head;
        r->seen_head = 0;
    }
    if (r->seen_tail == r->seen_room && !grow((void **)&r->seen, &r->seen_room, sizeof e)) {
        r->failed = 1;
        return;
    }
    r->seen[r->seen_tail++] = e;
}

static void push(replay *r, event e)
{
    if (r->heap_size == r->heap_room &&
        !grow((void **)&r->heap, &r->heap_room, sizeof *r->heap)) {
        r->failed = 1;
        return;
    }
    int64_t k = r->heap_size++;
    while (k > 0 && before(&e, &r->heap[(k - 1) / 2])) {
        r->heap[k] = r->heap[(k - 1) / 2];
        k = (k - 1) / 2;
    }
    r->heap[k] = e;
}

/* Something happens then. Most events need no heap: there is one submit at a time, one turn of each
 * scheduler, and ends are seen in the order in which they are. */
static void at(replay *r, int64_t time, int32_t type, int32_t who, int64_t unit)
{
    int64_t priority = type >= WAKE && type <= RESUME ? 2 + who : type == HOST ? 0 : 1;
    event e = {time, priority << 48 | r->made++, type, who, (int32_t)unit};
    if (priority > 1)
        r->turns[who] = e;
    else if (type == SUBMIT)
        r->submit = e;
    else if (type == SEEN && (r->seen_head == r->seen_tail || r->seen[r->seen_tail - 1].time <= time))
        put_seen(r, e);
    else
        push(r, e);
}

static event pop(replay *r)
{
    event top = r->heap[0], last = r->heap[--r->heap_size];
    int64_t k = 0;
    for (;;) {
        int64_t child = 2 * k + 1;
        if (child >= r->heap_size)
            break;
        if (child + 1 < r->heap_size && before(&r->heap[child + 1], &r->heap[child]))
            child++;
        if (!before(&r->heap[child], &last))
            break;
        r->heap[k] = r->heap[child];
        k = child;
    }
    r->heap[k] = last;
    return top;
}

/* Takes the event that comes next; 0: there is none. */
static int next_event(replay *r, event *found)
{
    const event *first = &r->submit;
    if (r->seen_head < r->seen_tail && before(&r->seen[r->seen_head], first))
        first = &r->seen[r->seen_head];
    for (int32_t s = 0; s < r->in->schedulers; s++)
        if (before(&r->turns[s], first))
            first = &r->turns[s];
    int on_heap = r->heap_size > 0 && before(&r->heap[0], first);
    if (on_heap)
        first = &r->heap[0];
    if (first->time == NEVER)
        return 0;
    *found = *first;
    if (on_heap)
        pop(r);
    else if (found->type == SUBMIT)
        r->submit.time = NEVER;
    else if (found->type >= WAKE && found->type <= RESUME)
        r->turns[found->who].time = NEVER;
    else
        r->seen_head++;
    return 1;
}

/* ---- who holds how many tasks ---------------------------------------------------------------- */

static row *row_of(replay *r, const core *c, int32_t held)
{
    scheduler *s = &r->schedulers[c->scheduler];
    return &s->rooms[c->kind * (r->in->pre_dispatch + 1) + held];
}

static void leave(replay *r, int32_t number)
{
    core *c = &r->cores[number];
    row *from = row_of(r, c, c->held);
    *(c->before < 0 ? &from->first : &r->cores[c->before].after) = c->after;
    *(c->after < 0 ? &from->last : &r->cores[c->after].before) = c->before;
}

static void join(replay *r, int32_t number)
{
    core *c = &r->cores[number];
    row *to = row_of(r, c, c->held);
    int32_t after = -1; /* the core that it stands before */
    if (r->in->choice == LS_REPLAY_LATEST)
        after = to->first;
    if (r->in->choice == LS_REPLAY_LOWEST)
        for (after = to->first; after >= 0 && after < number;)
            after = r->cores[after].after;
    c->after = after;
    c->before = after < 0 ? to->last : r->cores[after].before;
    *(c->before < 0 ? &to->first : &r->cores[c->before].after) = number;
    *(after < 0 ? &to->last : &r->cores[after].before) = number;
}

static void move(replay *r, int32_t number, int32_t held)
{
    core *c = &r->cores[number];
    scheduler *s = &r->schedulers[c->scheduler];
    int32_t most = r->in->pre_dispatch;
    s->holding += (held > 0) - (c->held > 0);
    s->free_cores[c->kind] += (held <= most) - (c->held <= most);
    if (c->held <= most)
        leave(r, number);
    c->held = held;
    if (held <= most)
        join(r, number);
}

#endif
