/* A machine's state before its first event, and after its last. */
#ifndef LANESCOPE_MACHINE_SETUP_H
#define LANESCOPE_MACHINE_SETUP_H

#include "machine/phases.h"

static int set_up_schedulers(machine *m)
{
    const ls_machine *in = m->in;
    size_t rows = (size_t)in->kinds * ((size_t)in->pre_dispatch + 1);
    for (int64_t k = 0; k < in->orchestrators + in->schedulers; k++)
        m->turns[k].time = NEVER;
    for (int64_t k = 0; k < in->orchestrators; k++)
        m->orchestrators[k].number = (int32_t)k;
    for (int64_t k = 0; k < in->schedulers; k++) {
        scheduler *s = &m->schedulers[k];
        s->number = (int32_t)k;
        s->rooms = malloc((rows + 1) * sizeof(row));
        s->free_cores = calloc((size_t)in->kinds + 1, sizeof(int32_t));
        s->seats = malloc(((size_t)in->cores + 1) * sizeof(int32_t));
        if (s->rooms == NULL || s->free_cores == NULL || s->seats == NULL)
            return 0;
        for (size_t n = 0; n < rows; n++)
            s->rooms[n] = (row){-1, -1};
    }
    return 1;
}

static void set_up_cores(machine *m)
{
    const ls_machine *in = m->in;
    for (int32_t c = 0; c < in->cores; c++) {
        m->cores[c].kind = in->core_kind[c];
        m->cores[c].scheduler = in->core_scheduler[c];
        m->cores[c].gated = m->cores[c].blocked = -1;
        if (in->core_kind[c] < 0)
            continue;
        scheduler *s = &m->schedulers[in->core_scheduler[c]];
        s->free_cores[in->core_kind[c]]++;
        m->cores[c].seat = s->seat_count;
        s->seats[s->seat_count++] = c;
        join(m, c);
    }
}

/* Only where there are early tasks. */
static int set_up_early(machine *m)
{
    const ls_machine *in = m->in;
    int found = 0;
    for (int64_t n = 0; n < in->tasks && !found; n++)
        found = manner_of(m, n) & LS_MANNER_EARLY;
    if (!found)
        return 1;
    m->early = calloc((size_t)in->tasks, sizeof *m->early);
    if (m->early == NULL)
        return 0;
    for (int64_t n = 0; n < in->tasks; n++)
        m->early[n] = (early){manner_of(m, n) & LS_MANNER_EARLY ? m->remaining[n] : 0, -1, 0};
    return 1;
}

/* Inner scopes have lower numbers than those around them: they end first. */
static int set_up_window(machine *m)
{
    const ls_machine *in = m->in;
    window *w = &m->window;
    if (in->window == 0)
        return 1;
    w->released = malloc(((size_t)in->tasks + 1) * sizeof *w->released);
    if (w->released == NULL)
        return 0;
    for (int64_t n = 0; n < in->tasks; n++)
        w->released[n] = IN_USE;
    if (in->scopes == NULL)
        return 1;
    w->scope_of = malloc(((size_t)in->tasks + 1) * sizeof *w->scope_of);
    w->scope_ended = malloc(((size_t)in->scope_count + 1) * sizeof *w->scope_ended);
    if (w->scope_of == NULL || w->scope_ended == NULL)
        return 0;
    memset(w->scope_of, -1, ((size_t)in->tasks + 1) * sizeof *w->scope_of);
    for (int64_t scope = in->scope_count - 1; scope >= 0; scope--) {
        w->scope_ended[scope] = IN_USE;
        for (int64_t n = in->scopes[2 * scope]; n < in->scopes[2 * scope + 1]; n++)
            w->scope_of[n] = (int32_t)scope;
    }
    return 1;
}

static int set_up_tasks(machine *m)
{
    const ls_machine *in = m->in;
    for (int64_t k = 0; k < in->first[in->tasks]; k++)
        m->fan_in[in->target[k]]++;
    for (int64_t n = 0; n < in->tasks; n++) {
        m->remaining[n] = m->fan_in[n] + (m->is_submitted == NULL || m->fan_in[n] == 0);
        m->parts[n] = blocks_of(m, n) * (1 + partners_of(m, n));
        m->unsent[n] = m->parts[n];
    }
    return set_up_early(m) && set_up_window(m);
}

static int set_up(machine *m)
{
    const ls_machine *in = m->in;
    size_t tasks = (size_t)in->tasks + 1, cores = (size_t)in->cores + 1;
    m->ring = (int32_t)in->pre_dispatch + 2;
    m->schedulers = calloc((size_t)in->schedulers + 1, sizeof *m->schedulers);
    m->orchestrators = calloc((size_t)in->orchestrators + 1, sizeof *m->orchestrators);
    m->turns = calloc((size_t)(in->schedulers + in->orchestrators) + 1, sizeof *m->turns);
    m->cores = calloc(cores, sizeof *m->cores);
    m->runs = calloc(cores * (size_t)m->ring, sizeof *m->runs);
    m->ready = calloc((size_t)in->kinds + 1, sizeof *m->ready);
    m->early_ready = calloc((size_t)in->kinds + 1, sizeof *m->early_ready);
    m->remaining = calloc(tasks, sizeof *m->remaining);
    m->fan_in = calloc(tasks, sizeof *m->fan_in);
    m->parts = calloc(tasks, sizeof *m->parts);
    m->unsent = calloc(tasks, sizeof *m->unsent);
    m->is_submitted = in->bank_cores > 1 ? calloc(tasks, 1) : NULL;
    m->recorder = recorder_open(in);
    if (!m->schedulers || !m->orchestrators || !m->turns || !m->cores || !m->runs || !m->ready
        || !m->early_ready || !m->remaining || !m->fan_in || !m->parts || !m->unsent || !m->recorder
        || (in->bank_cores > 1 && !m->is_submitted)
        || !set_up_schedulers(m) || !set_up_tasks(m))
        return 0;
    set_up_cores(m);
    m->over = in->tasks == 0;
    return 1;
}

static void free_schedulers(machine *m)
{
    for (int64_t k = 0; m->schedulers != NULL && k < m->in->schedulers; k++) {
        scheduler *s = &m->schedulers[k];
        free(s->rooms);
        free(s->seats);
        queue *own[] = {&s->desk, &s->share, &s->takers, &s->tasks};
        for (size_t n = 0; n < sizeof own / sizeof own[0]; n++)
            free(own[n]->items);
        free(s->free_cores);
        free(s->finished.items);
        free(s->engines.items);
        free(s->done.items);
        free(s->unreleased.items);
        free(s->releasing.items);
        free(s->stuck);
        free(s->bursts);
    }
    free(m->schedulers);
    free(m->orchestrators);
}

static void free_all(machine *m)
{
    free_schedulers(m);
    for (int64_t c = 0; m->cores != NULL && c < m->in->cores; c++)
        free_kernel(m->cores[c].kernel);
    for (int64_t k = 0; k < m->in->kinds; k++) {
        if (m->ready != NULL)
            free(m->ready[k].items);
        if (m->early_ready != NULL)
            free(m->early_ready[k].items);
    }
    queue *queues[] = {&m->mixed, &m->silent, &m->together, &m->allocated, &m->for_host, &m->blocked};
    for (size_t k = 0; k < sizeof queues / sizeof queues[0]; k++)
        free(queues[k]->items);
    free(m->heap);
    free(m->seen);
    free(m->turns);
    free(m->cores);
    free(m->runs);
    free(m->ready);
    free(m->early_ready);
    free(m->remaining);
    free(m->fan_in);
    free(m->parts);
    free(m->unsent);
    free(m->is_submitted);
    free(m->early);
    free(m->window.released);
    free(m->window.scope_of);
    free(m->window.scope_ended);
    recorder_free(m->recorder);
}

#endif
