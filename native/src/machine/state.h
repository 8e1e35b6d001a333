/* What a run of the machine knows, and its containers: queues, events, rows of cores. The rules are in
 * the other files. A lack of memory sets `failed`; nothing is lost by going on until the next event. */
#ifndef LANESCOPE_MACHINE_STATE_H
#define LANESCOPE_MACHINE_STATE_H

#include "machine/recorder.h"
#include "native.h"

#include <stdlib.h>
#include <string.h>

/* A step of an orchestrator or a scheduler is its TURN; the others are those of a core, but for HOST,
 * DRAINED, ENGINE, RELEASE and READY. */
enum event_type { TURN, ARRIVE, END, REPORT, SEEN, GATE, KERNEL, HOST, DRAINED, ENGINE, RELEASE, READY };

typedef struct {
    int64_t time;
    int64_t order; /* priority and number of making in one */
    int32_t type;
    int32_t who;
    int64_t about; /* a task; RELEASE: how many */
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

/* A task on a core, from its dispatch until its controller has seen it end. */
typedef struct {
    int64_t unit;
    int64_t dispatch, receive, start, end;
    int32_t task;
    uint32_t token;
} run;

/* A core handles its tasks in order, so counts say which of them is where. */
typedef struct {
    int32_t kind, scheduler, held, running;
    int32_t before, after; /* in its row */
    uint32_t given;        /* one more than the round in which it was given a task last */
    int32_t seat, fresh;   /* among its scheduler's cores, and news of it so far: see banks.h */
    int64_t free;          /* when it can take its next task */
    int64_t gated;         /* since when its next task waits for its inputs; -1: it does not */
    int64_t sent, arrived, begun, finished;
    int64_t last_arrival, last_seen;
    int64_t blocked; /* since when it waits for a buffer */
    struct kernel_run *kernel;
} core;

/* How many tasks wait in the three queues that records of phases tell of. */
typedef struct {
    int64_t of[3];
} depths;

/* A scheduler is resumed where its steps (see steps.h) have stopped. */
typedef struct {
    int32_t at_round, at_complete, at_finish, at_hardware, at_take, at_engines, at_settle;
    int32_t at_tell, at_unstick, at_stop;
    int32_t number;
    int32_t waiting;  /* for news, at the end of a round */
    int32_t was_away; /* it may have waited in this round, as for a buffer */
    int32_t holding;  /* cores that hold a task */
    int32_t awaited;  /* tasks that engines still work on */
    int32_t again;    /* a core can take a task as soon as it was looked at */
    uint32_t loop;
    int64_t time;     /* its own, ahead of the machine's */
    int64_t since, round, rounds;
    int64_t start, told; /* of the phase, and of the phase inside it */
    depths before;
    int64_t count, left, edges, finish;
    int64_t parked; /* since when it waits for the host; -1: it does not */
    int32_t core;       /* whose task is being looked at */
    queue finished;     /* cores with a task that is seen to have ended */
    queue engines;      /* tasks whose engines are done */
    queue done;         /* tasks whose successors are being told */
    queue unreleased;   /* tasks whose places are not given back yet */
    queue releasing;    /* those that are being given back */
    row *rooms;         /* kinds x (pre_dispatch + 1) */
    int32_t *free_cores; /* by kind: how many can take one more task */
    ls_scheduler_phase *stuck; /* phases without a buffer */
    int64_t stuck_head, stuck_tail, stuck_room;
    ls_pmu sample;
    uint8_t *bursts; /* of the piece that is being taken */
    int64_t bursts_head, bursts_tail, bursts_room;
    uint64_t counts[2]; /* chunks that its engine made, and that were taken */
    /* see banks.h */
    int32_t at_give, at_bank, seat_count, seat, step, opens, tells, awaits_submit;
    int32_t *seats; /* its cores */
    int64_t turn, given, alone, telling, desk_room;
    queue desk, share, takers, tasks;
    int64_t ended;
} scheduler;

typedef struct {
    int32_t at_run, at_scopes, at_record;
    int32_t number;
    int64_t k; /* of the submit */
    int64_t task, start, owed, scope, records;
    int64_t parked;       /* since when it waits for the host */
    int32_t wants_place;  /* it waits for the window */
    ls_orchestrator_phase phase;
    int64_t ended;
} orchestrator;

/* Of an early task only. */
typedef struct {
    int32_t unplaced; /* predecessors that are on no core yet, and itself unsubmitted */
    int32_t staged;   /* the core on which it waits, or -1 */
    int32_t gated;    /* it is on a core, and its inputs are not there */
} early;

/* See window.h. */
typedef struct {
    int64_t submitted, oldest;
    int64_t *released;    /* by task: how many were submitted when it was released */
    int64_t *scope_ended; /* by scope: the same */
    int32_t *scope_of;    /* by task: its innermost scope, or -1 */
    int32_t awaited;
} window;

typedef struct machine {
    const ls_machine *in;
    const ls_machine_costs *costs;
    ls_machine_run *runs_found;
    event *heap;
    int64_t heap_size, heap_room, made;
    event *seen; /* of type SEEN, as long as they come in the order in which they are made */
    int64_t seen_head, seen_tail, seen_room;
    event *turns; /* of orchestrators, then of schedulers: each awaits one at most */
    core *cores;
    run *runs; /* cores x ring */
    int32_t ring;
    scheduler *schedulers;
    orchestrator *orchestrators;
    queue *ready;       /* by kind */
    queue *early_ready; /* by kind: early tasks that may go to a core; some are ready meanwhile */
    queue mixed, silent, together;
    queue allocated;    /* allocations whose successors are to be told */
    queue for_host;     /* orchestrators and schedulers that wait for the host, as in `turns` */
    queue blocked;      /* cores that do */
    int32_t *remaining; /* by task: predecessors that are not done, and itself unsubmitted */
    int32_t *fan_in;    /* by task */
    int32_t *parts;     /* by task: runs on cores that it still needs */
    int32_t *unsent;    /* by task: runs that are on no core yet */
    early *early;       /* by task; NULL where none is early */
    uint8_t *is_submitted; /* by task; only where schedulers serve many cores at once … */
    scheduler *teller;     /* … and the one that tells successors now */
    window window;
    recorder *recorder;
    int64_t controllers; /* that are not at their end */
    int64_t now, next_submit, done, last_finish, stalled, engine_stop, held_up;
    __extension__ __int128 memory_free; /* in units of 1 / memory_bytes_per_s ps */
    int32_t draining, host_coming, over, orchestrators_wait, submitting, failed;
} machine;

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

static void put(machine *m, queue *q, int64_t item)
{
    if (q->head > 1024 && q->head * 2 > q->tail) {
        memmove(q->items, q->items + q->head, (size_t)(q->tail - q->head) * sizeof *q->items);
        q->tail -= q->head;
        q->head = 0;
    }
    if (q->tail == q->room && !grow((void **)&q->items, &q->room, sizeof *q->items)) {
        m->failed = LS_MACHINE_MEMORY;
        return;
    }
    q->items[q->tail++] = (int32_t)item;
}

/* Before all others. */
static void put_first(machine *m, queue *q, int64_t item)
{
    if (q->head > 0) {
        q->items[--q->head] = (int32_t)item;
        return;
    }
    put(m, q, item); /* for the room */
    if (m->failed)
        return;
    memmove(q->items + 1, q->items, (size_t)(q->tail - 1) * sizeof *q->items);
    q->items[0] = (int32_t)item;
}

static int64_t count_of(const queue *q)
{
    return q->tail - q->head;
}

static int32_t take(queue *q)
{
    return q->items[q->head++];
}

static int32_t first_of(const queue *q)
{
    return q->items[q->head];
}

static void empty(queue *q)
{
    q->head = q->tail = 0;
}

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void sort_queue(queue *q)
{
    if (count_of(q) > 1)
        qsort(q->items + q->head, (size_t)count_of(q), sizeof *q->items, by_number);
}

/* A hook's answer: a negative one stops the run. */
static int64_t heard(machine *m, int64_t answer)
{
    if (answer < 0)
        m->failed = LS_MACHINE_HOOK;
    return answer;
}

static int32_t blocks_of(const machine *m, int64_t task)
{
    return m->in->blocks == NULL ? 1 : m->in->blocks[task];
}

static int32_t partners_of(const machine *m, int64_t task)
{
    return m->in->partners == NULL ? 0 : m->in->partners[task];
}

static int32_t manner_of(const machine *m, int64_t task)
{
    return m->in->manner == NULL ? 0 : m->in->manner[task];
}

static int32_t node_of(const machine *m, int64_t task)
{
    return m->in->node == NULL ? LS_NODE_RUN : m->in->node[task];
}

/* The unit that is next to be dispatched of a task. */
static int64_t next_unit(const machine *m, int64_t task)
{
    return m->in->unit_first[task + 1] - m->unsent[task];
}

/* A unit's own value, or what it costs where it has none. */
static int64_t own_or(const int64_t *own, int64_t unit, int64_t cost)
{
    return own != NULL && own[unit] >= 0 ? own[unit] : cost;
}

static run *run_of(const machine *m, int32_t number, int64_t count)
{
    return &m->runs[number * m->ring + count % m->ring];
}

/* ---- who holds how many tasks ---------------------------------------------------------------- */

static row *row_of(machine *m, const core *c, int32_t held)
{
    scheduler *s = &m->schedulers[c->scheduler];
    return &s->rooms[c->kind * (m->in->pre_dispatch + 1) + held];
}

static void leave(machine *m, int32_t number)
{
    core *c = &m->cores[number];
    row *from = row_of(m, c, c->held);
    *(c->before < 0 ? &from->first : &m->cores[c->before].after) = c->after;
    *(c->after < 0 ? &from->last : &m->cores[c->after].before) = c->before;
}

static void join(machine *m, int32_t number)
{
    core *c = &m->cores[number];
    row *to = row_of(m, c, c->held);
    int32_t after = -1; /* the core that it stands before */
    if (m->in->core_choice == LS_CHOOSE_LATEST)
        after = to->first;
    if (m->in->core_choice == LS_CHOOSE_LOWEST)
        for (after = to->first; after >= 0 && after < number;)
            after = m->cores[after].after;
    c->after = after;
    c->before = after < 0 ? to->last : m->cores[after].before;
    *(c->before < 0 ? &to->first : &m->cores[c->before].after) = number;
    *(after < 0 ? &to->last : &m->cores[after].before) = number;
}

/* The core now holds so many tasks; a full one, and one that no task needs, is in no row. */
static void move(machine *m, int32_t number, int32_t held)
{
    core *c = &m->cores[number];
    scheduler *s = &m->schedulers[c->scheduler];
    int64_t most = m->in->pre_dispatch;
    s->holding += (held > 0) - (c->held > 0);
    if (c->kind >= 0) {
        s->free_cores[c->kind] += (held <= most) - (c->held <= most);
        if (c->held <= most)
            leave(m, number);
    }
    c->held = held;
    if (c->kind >= 0 && held <= most)
        join(m, number);
}

#endif
