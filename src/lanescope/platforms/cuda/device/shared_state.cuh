/* What all parts of the megakernel share: the job, the words that stop it, the gate, the queues. */
#ifndef LANESCOPE_MEGA_SHARED_STATE_CUH
#define LANESCOPE_MEGA_SHARED_STATE_CUH

#include "machine.cuh"
#include <lanescope/megakernel.h>

#include "clock.cuh"
#include <lanescope/lanescope.h>

template <class T> MEGA_FN T *at(uint64_t address)
{
    return (T *)address;
}

MEGA_FN ls_mega_state *state_of(const ls_mega_job *job)
{
    return at<ls_mega_state>(job->state);
}

/* ---- Nobody waits for ever -------------------------------------------------------------------- */

/* A thread that waits. Every wait asks `gives_up`. */
struct Waiter {
    const ls_mega_job *job;
    uint64_t begun_ns;
    uint32_t turns;
};

MEGA_FN Waiter begin_waiting(const ls_mega_job *job)
{
    return {job, device_ns(), 0};
}

MEGA_FN uint64_t stop_word(const ls_mega_job *job)
{
    return load_relaxed(state_of(job)->stop);
}

/* True: the kernel ends without this. A cancelled run still finishes what was dispatched. */
MEGA_FN bool gives_up(Waiter &waiter)
{
    if (++waiter.turns % 32 != 0)
        return false;
    if (stop_word(waiter.job) > LS_MEGA_CANCELLED)
        return true;
    if (device_ns() - waiter.begun_ns < waiter.job->limit_ns)
        return false;
    store_relaxed(state_of(waiter.job)->stop, LS_MEGA_LIMIT);
    return true;
}

/* Says that this part is ready, and waits for all others; false: there is nothing to do. */
MEGA_FN bool pass_gate(Waiter &waiter)
{
    const ls_mega_job *job = waiter.job;
    uint64_t parts = job->worker_count + job->scheduler_count + 1;
    fence();
    fetch_add(state_of(job)->opened, 1);
    while (load_relaxed(state_of(job)->opened) < parts) {
        if (gives_up(waiter))
            return false;
        pause_a_little();
    }
    fence();
    return true;
}

/* How far a part's clock was off, for the host. */
MEGA_FN void report_clock(const ls_mega_job *job, ls_mega_result *result)
{
    result->unit = unit_number();
    result->clock_step_ns = job->region ? own_clock().step : 0;
    result->clock_error_ns = job->region ? own_clock().worst : 0;
}

/* ---- Ready tasks ------------------------------------------------------------------------------ */

/* A task becomes ready once, so there is a slot for every push and none is used twice. */
struct Queue {
    uint64_t *head, *tail;
    uint32_t *slots;
};

MEGA_FN Queue ready_queue(const ls_mega_job *job)
{
    ls_mega_state *state = state_of(job);
    return {state->ready_head, state->ready_tail, at<uint32_t>(job->ready_slots)};
}

/* Tasks that wait for none, in the order in which they were submitted. */
MEGA_FN Queue root_queue(const ls_mega_job *job)
{
    ls_mega_state *state = state_of(job);
    return {state->root_head, state->root_tail, at<uint32_t>(job->root_slots)};
}

/* Many push: the slot is written after it was reserved. The caller has put a fence between what the
 * task's predecessors did and this. */
MEGA_FN void push_ready(const ls_mega_job *job, uint32_t task)
{
    Queue queue = ready_queue(job);
    store_relaxed(&queue.slots[fetch_add(queue.tail, 1)], task + 1);
}

/* What was taken from a queue at once: slots from `first` on. */
struct Taken {
    uint64_t first, count;
    uint64_t depth; /* of the queue, before */
};

/* What a queue's words said when they were read. */
struct Ends {
    uint64_t head, tail;
};

MEGA_FN Ends ends_of(const Queue &queue)
{
    return {load_relaxed(queue.head), load_relaxed(queue.tail)};
}

/* `ends` were read a moment ago; where another scheduler was faster they are read again. */
MEGA_FN Taken take(const Queue &queue, Ends ends, uint64_t most)
{
    for (;;) {
        uint64_t depth = ends.tail > ends.head ? ends.tail - ends.head : 0;
        uint64_t count = depth < most ? depth : most;
        if (count == 0 || exchange_if(queue.head, ends.head, ends.head + count) == ends.head)
            return {ends.head, count, depth};
        ends = ends_of(queue);
    }
}

/* The task in a slot that was taken; LS_NO_TASK where the run ends before it is written. The caller
 * puts a fence between this and handing the task on. */
MEGA_FN uint64_t task_in(const Queue &queue, uint64_t slot, Waiter &waiter)
{
    uint32_t task;
    while ((task = load_relaxed(&queue.slots[slot])) == 0)
        if (gives_up(waiter))
            return LS_NO_TASK;
    return task - 1;
}

#endif
