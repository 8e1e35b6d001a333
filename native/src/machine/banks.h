/* Schedulers that serve many cores in one step, as a warp of a GPU does (src/lanescope/platforms/cuda).
 *
 * A scheduler's cores sit in banks. It finishes one task per core of a bank at once, and gives tasks out
 * so; what others pay per task it pays per bank. Tasks that it makes ready lie on its own desk
 * as long as its cores can take them, and go out before it looks into the queue that all schedulers
 * share. They may not be submitted yet: then it stands still until they are. */
#ifndef LANESCOPE_MACHINE_BANKS_H
#define LANESCOPE_MACHINE_BANKS_H

#include "machine/dispatch.h"

#define TOLD_ALONE 8 /* so many successors of a task are told by one; longer lists are shared */

/* ---- finishing ------------------------------------------------------------------------------- */

/* Cores with news become places in the order of steps: by bank, then by how many tasks of the core came
 * before, then by seat. */
static void sort_news(machine *m, scheduler *s)
{
    int32_t *news = s->finished.items + s->finished.head;
    int64_t count = count_of(&s->finished);
    for (int64_t k = 0; k < count; k++) {
        core *c = &m->cores[news[k]];
        int64_t step = c->seat / m->in->bank_cores * m->ring + c->fresh++;
        news[k] = (int32_t)(step * s->seat_count + c->seat);
    }
    for (int32_t k = 0; k < s->seat_count; k++)
        m->cores[s->seats[k]].fresh = 0;
    sort_queue(&s->finished);
    s->step = -1;
}

/* The step is over: what it takes to open buffers now, and later to tell the successors. */
static void end_step(machine *m, scheduler *s)
{
    if (s->opens)
        s->time += m->costs->rotate;
    if (s->tells)
        s->telling += m->costs->resolve_bank + m->costs->resolve_edge * s->alone;
    s->opens = s->tells = 0;
    s->alone = 0;
}

/* The next core whose task has ended; a step takes its time once. */
static int32_t next_of_step(machine *m, scheduler *s)
{
    int32_t place = take(&s->finished), step = place / s->seat_count;
    if (step != s->step) {
        end_step(m, s);
        s->time += m->costs->complete;
        s->step = step;
    }
    int32_t number = s->seats[place % s->seat_count];
    s->opens |= m->cores[number].finished == 0;
    return number;
}

/* A task is done: its successors are told at the end of the phase. */
static void count_told(machine *m, scheduler *s, int64_t task)
{
    int64_t size = m->in->bank_cores, count = m->in->first[task + 1] - m->in->first[task];
    s->tells |= count > 0;
    if (count > TOLD_ALONE)
        s->telling += (count + size - 1) / size * m->costs->resolve_edge;
    else if (count > s->alone)
        s->alone = count;
}

/* ---- giving out ------------------------------------------------------------------------------ */

static int32_t load_of(const machine *m, const scheduler *s)
{
    return (int32_t)(s->turn % (m->in->pre_dispatch + 1));
}

/* Takes as many tasks as cores want that hold so many: of the desk the newest, of the queue the oldest.
 * How many cores get none? */
static int64_t take_share(machine *m, scheduler *s)
{
    int64_t wanted = 0;
    for (int32_t k = 0; k < s->seat_count; k++)
        wanted += m->cores[s->seats[k]].held == load_of(m, s);
    int own = s->turn <= m->in->pre_dispatch;
    queue *from = own ? &s->desk : &m->ready[0];
    int64_t count = count_of(from) < wanted ? count_of(from) : wanted;
    for (int64_t k = 0; k < count; k++)
        put(m, &s->share, own ? from->items[from->tail - count + k] : take(from));
    if (own)
        from->tail -= count;
    else if (count > 0)
        s->time += m->costs->pop;
    return wanted - count;
}

/* The cores of the next bank that want a task, and their tasks. */
static void next_bank(machine *m, scheduler *s)
{
    int64_t bank = -1, size = m->in->bank_cores;
    empty(&s->takers);
    empty(&s->tasks);
    for (; count_of(&s->share) > 0 && s->seat < s->seat_count; s->seat++) {
        if (m->cores[s->seats[s->seat]].held != load_of(m, s))
            continue;
        if (bank >= 0 && s->seat / size != bank)
            break;
        bank = s->seat / size;
        int32_t task = take(&s->share);
        put(m, &s->takers, s->seats[s->seat]);
        if (!m->failed) /* a task has a taker */
            put(m, &s->tasks, task);
    }
    s->time += m->costs->dispatch;
}

/* Sends those tasks of the bank that are submitted; were there any? */
static int send_submitted(machine *m, scheduler *s)
{
    int64_t kept = 0, count = count_of(&s->tasks);
    for (int64_t k = 0; k < count; k++) {
        int32_t task = s->tasks.items[k], number = s->takers.items[k];
        if (m->is_submitted[task]) {
            recorder_sends(m->recorder, number, s->time);
            send(m, number, task, s->time);
            continue;
        }
        s->tasks.items[kept] = task;
        s->takers.items[kept++] = number;
    }
    s->tasks.tail = s->takers.tail = kept;
    s->given += count - kept;
    return kept < count;
}

static int any_submitted(const machine *m, const scheduler *s)
{
    for (int64_t k = 0; k < count_of(&s->tasks); k++)
        if (m->is_submitted[s->tasks.items[k]])
            return 1;
    return 0;
}

/* One bank; each of its tasks goes out as soon as it is submitted. */
static int give_bank(machine *m, scheduler *s)
{
    STEPS(s->at_bank)
        next_bank(m, s);
        send_submitted(m, s);
        while (count_of(&s->tasks) > 0) {
            if (s->time > m->now) {
                at(m, s->time, TURN, turn_of(m, s), 0);
                PAUSE(s->at_bank);
            }
            while (!any_submitted(m, s)) {
                s->awaits_submit = 1;
                PAUSE(s->at_bank);
            }
            s->time = m->now + m->costs->dispatch;
            send_submitted(m, s);
        }
    OVER(s->at_bank);
}

static void open_desk(machine *m, scheduler *s)
{
    s->desk_room = 0;
    for (int32_t k = 0; k < s->seat_count; k++)
        s->desk_room += m->in->pre_dispatch + 1 - m->cores[s->seats[k]].held;
    empty(&s->desk);
}

/* The first half of the turns is the desk's, the second the queue's; in each, cores that hold the fewest
 * tasks come first. */
static int give_banks(machine *m, scheduler *s)
{
    int64_t loads = m->in->pre_dispatch + 1;
    STEPS(s->at_give)
        s->start = s->time;
        s->before = depths_now(m);
        s->given = 0;
        if (s->count > 0)
            s->time += m->costs->dispatch_base;
        for (s->turn = count_of(&s->desk) > 0 ? 0 : loads; s->turn < 2 * loads; s->turn++) {
            if (s->turn >= loads && s->time > m->now) {
                at(m, s->time, TURN, turn_of(m, s), 0);
                PAUSE(s->at_give);
            }
            s->left = take_share(m, s);
            s->seat = 0;
            while (count_of(&s->share) > 0)
                AWAIT(s->at_give, give_bank(m, s));
            if (s->left > 0)
                s->turn = s->turn < loads ? loads - 1 : 2 * loads;
        }
        open_desk(m, s);
        if (s->given > 0) {
            int64_t counts[3] = {s->given, s->given, s->left};
            s->time += m->costs->dispatch_end;
            add_phase(m, s, LS_PHASE_DISPATCH, s->start, &s->before, counts, LS_NO_TASK);
        }
    OVER(s->at_give);
}

#endif
