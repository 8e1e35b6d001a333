/* What happens next: one order of events by time, then by priority, then by making. */
#ifndef LANESCOPE_MACHINE_EVENTS_H
#define LANESCOPE_MACHINE_EVENTS_H

#include "machine/state.h"

static int before(const event *a, const event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void put_seen(machine *m, event e)
{
    if (m->seen_head > 1024 && m->seen_head * 2 > m->seen_tail) {
        memmove(m->seen, m->seen + m->seen_head,
                (size_t)(m->seen_tail - m->seen_head) * sizeof *m->seen);
        m->seen_tail -= m->seen_head;
        m->seen_head = 0;
    }
    if (m->seen_tail == m->seen_room && !grow((void **)&m->seen, &m->seen_room, sizeof e)) {
        m->failed = LS_MACHINE_MEMORY;
        return;
    }
    m->seen[m->seen_tail++] = e;
}

static void push(machine *m, event e)
{
    if (m->heap_size == m->heap_room && !grow((void **)&m->heap, &m->heap_room, sizeof e)) {
        m->failed = LS_MACHINE_MEMORY;
        return;
    }
    int64_t k = m->heap_size++;
    while (k > 0 && before(&e, &m->heap[(k - 1) / 2])) {
        m->heap[k] = m->heap[(k - 1) / 2];
        k = (k - 1) / 2;
    }
    m->heap[k] = e;
}

static void pop(machine *m)
{
    event last = m->heap[--m->heap_size];
    int64_t k = 0;
    for (;;) {
        int64_t child = 2 * k + 1;
        if (child >= m->heap_size)
            break;
        if (child + 1 < m->heap_size && before(&m->heap[child + 1], &m->heap[child]))
            child++;
        if (!before(&m->heap[child], &last))
            break;
        m->heap[k] = m->heap[child];
        k = child;
    }
    if (m->heap_size > 0)
        m->heap[k] = last;
}

/* The host comes first, schedulers come last, each in its turn. `who` of a TURN: orchestrators, then
 * schedulers. */
static void at(machine *m, int64_t time, int32_t type, int64_t who, int64_t about)
{
    int64_t late = who - m->in->orchestrators;
    if (time < m->now) /* a calibrated cost may be less than nothing; time goes on */
        time = m->now;
    int64_t priority = type == HOST ? 0 : type == TURN && late >= 0 ? 2 + late : 1;
    event e = {time, priority << 48 | m->made++, type, (int32_t)who, about};
    if (type == TURN)
        m->turns[who] = e;
    else if (type == SEEN && (m->seen_head == m->seen_tail || m->seen[m->seen_tail - 1].time <= time))
        put_seen(m, e);
    else
        push(m, e);
}

/* Takes the event that comes next; 0: there is none. */
static int next_event(machine *m, event *found)
{
    static const event never = {.time = NEVER, .order = NEVER};
    const event *first = m->heap_size > 0 ? &m->heap[0] : &never;
    if (m->seen_head < m->seen_tail && before(&m->seen[m->seen_head], first))
        first = &m->seen[m->seen_head];
    int64_t turns = m->in->orchestrators + m->in->schedulers;
    for (int64_t k = 0; k < turns; k++)
        if (before(&m->turns[k], first))
            first = &m->turns[k];
    if (first->time == NEVER)
        return 0;
    *found = *first;
    if (found->type == TURN)
        m->turns[found->who].time = NEVER;
    else if (m->heap_size > 0 && first == &m->heap[0])
        pop(m);
    else
        m->seen_head++;
    return 1;
}

/* ---- waiting --------------------------------------------------------------------------------- */

static int64_t turn_of(const machine *m, const scheduler *s)
{
    return m->in->orchestrators + s->number;
}

/* Does a scheduler serve many cores in one step? See banks.h. */
static int in_banks(const machine *m)
{
    return m->in->bank_cores > 1;
}

/* A waiting scheduler sees news at the end of the round in which they fall. */
static void fire(machine *m, scheduler *s)
{
    if (!s->waiting)
        return;
    int64_t passed = m->now - s->since, delay = -passed;
    s->rounds = 0;
    if (passed > 0) {
        s->rounds = passed / s->round;
        int64_t inside = passed % s->round;
        delay = inside ? s->round - inside : 0;
        s->rounds += in_banks(m) && inside > 0; /* the one in which the news fall found nothing */
    }
    s->waiting = 0;
    at(m, m->now + delay, TURN, turn_of(m, s), 0);
}

static void fire_all(machine *m)
{
    for (int64_t k = 0; k < m->in->schedulers; k++)
        fire(m, &m->schedulers[k]);
}

static void fire_with_room(machine *m, int32_t kind)
{
    for (int64_t k = 0; k < m->in->schedulers; k++)
        if (m->schedulers[k].free_cores[kind] > 0)
            fire(m, &m->schedulers[k]);
}

#endif
