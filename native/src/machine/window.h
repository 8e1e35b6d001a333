/* The chip's window of tasks: how far orchestrators may be ahead of the oldest task in use.
 *
 * A task is in use until three things hold: it is released, all its consumers that were submitted so
 * far are released, and its scope has ended. Places are given back in the order of submission
 * (hw-native-sys/simpler, src/a2a3/runtime/tensormap_and_ringbuffer/docs/RUNTIME_LOGIC.md, sections 4
 * and 7.4). A moment is a number of submitted tasks. */
#ifndef LANESCOPE_MACHINE_WINDOW_H
#define LANESCOPE_MACHINE_WINDOW_H

#include "machine/events.h"

#define IN_USE INT64_MAX

/* Was there a moment at which nothing used the task? Tasks are submitted in order, so a consumer with
 * a higher number than the moment came too late to use it. */
static int is_free(const machine *m, int64_t task)
{
    const ls_machine *in = m->in;
    const window *w = &m->window;
    int64_t moment = w->released[task];
    if (w->scope_of != NULL && w->scope_of[task] >= 0) {
        int64_t ended = w->scope_ended[w->scope_of[task]];
        moment = moment > ended ? moment : ended;
    }
    for (int64_t k = in->first[task]; moment < IN_USE && k < in->first[task + 1]; k++) {
        int32_t consumer = in->consumers[k];
        if (consumer >= moment)
            break;
        if (w->released[consumer] > moment)
            moment = w->released[consumer];
    }
    return moment < IN_USE;
}

/* Gives back places from the oldest task on. Were there any? */
static int advance(machine *m)
{
    window *w = &m->window;
    int64_t task = w->oldest;
    while (task < w->submitted && is_free(m, task))
        task++;
    int found = task > w->oldest;
    w->oldest = task;
    return found;
}

/* A place for the next task, if there is one. */
static int takes_place(machine *m, int64_t task)
{
    window *w = &m->window;
    if (task - w->oldest >= m->in->window && !advance(m))
        return 0;
    w->submitted = task + 1;
    return 1;
}

/* Orchestrators that wait for a place go on if there is one now. */
static void tell_window(machine *m)
{
    window *w = &m->window;
    if (w->awaited == 0 || !advance(m))
        return;
    for (int64_t k = 0; k < m->in->orchestrators; k++)
        if (m->orchestrators[k].wants_place) {
            m->orchestrators[k].wants_place = 0;
            at(m, m->now, TURN, k, 0);
        }
    w->awaited = 0;
}

static void release_place(machine *m, int64_t task)
{
    m->window.released[task] = m->window.submitted;
}

#endif
