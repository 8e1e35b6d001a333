/* The orchestrator: one thread that submits the tasks in order. */
#ifndef LANESCOPE_MEGA_ORCHESTRATOR_CUH
#define LANESCOPE_MEGA_ORCHESTRATOR_CUH

#include "shared_state.cuh"

struct Orchestrator {
    const ls_mega_job *job;
    ls_writer phases;
    uint64_t roots;
};

/* Only this thread writes root slots, so the tail needs no exchange. */
MEGA_FN void push_root(Orchestrator &o, uint32_t task)
{
    Queue queue = root_queue(o.job);
    queue.slots[o.roots] = task + 1;
    store_release(queue.tail, ++o.roots);
}

MEGA_FN void submit(Orchestrator &o, uint32_t task)
{
    ls_orchestrator_phase phase = LS_ZERO;
    ls_orchestrator_begin(&o.phases, &phase, LS_ORCHESTRATOR_SUBMIT);
    store_relaxed(state_of(o.job)->submitted, (uint64_t)task + 1);
    if (at<uint32_t>(o.job->predecessors)[task] == 0)
        push_root(o, task);
    phase.task = task;
    phase.submit = task; /* one submission per task */
    ls_orchestrator_end(&o.phases, &phase);
}

MEGA_FN void orchestrator_main(const ls_mega_job *job)
{
    Orchestrator o = {};
    o.job = job;
    Waiter waiter = begin_waiting(job);
    ls_writer_open(&o.phases, at<uint8_t>(job->region), LS_ORCHESTRATOR_PHASE, 0);
    if (job->region)
        start_clock(1);
    if (!pass_gate(waiter))
        return;
    state_of(job)->start_ns = device_ns();
    for (uint32_t task = 0; task < job->task_count; task++) {
        if (task % 64 == 0 && stop_word(job) != LS_MEGA_GO)
            break;
        submit(o, task);
    }
    ls_writer_flush(&o.phases);
}

#endif
