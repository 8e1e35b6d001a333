/* The orchestrator: one warp that reads what comes next, and whose lane 0 submits the tasks in order. */
#ifndef LANESCOPE_MEGA_ORCHESTRATOR_CUH
#define LANESCOPE_MEGA_ORCHESTRATOR_CUH

#include "shared_state.cuh"

struct Orchestrator {
    const ls_mega_job *job;
    ls_writer phases;
    uint64_t roots;
};

/* Only this thread writes root slots, so the tail needs no exchange. What a root reads was there before
 * the kernel began, so nothing has to be carried. */
MEGA_FN void push_root(Orchestrator &o, uint32_t task)
{
    Queue queue = root_queue(o.job);
    store_relaxed(&queue.slots[o.roots], task + 1);
    store_relaxed(queue.tail, ++o.roots);
}

MEGA_FN void submit(Orchestrator &o, uint32_t task, bool is_root)
{
    ls_orchestrator_phase phase = LS_ZERO;
    ls_orchestrator_begin(&o.phases, &phase, LS_ORCHESTRATOR_SUBMIT);
    store_relaxed(state_of(o.job)->submitted, (uint64_t)task + 1);
    if (is_root)
        push_root(o, task);
    phase.task = task;
    phase.submit = task; /* one submission per task */
    ls_orchestrator_end(&o.phases, &phase);
}

/* The next tasks, one per lane; false: the run ends. */
MEGA_FN bool submit_row(Orchestrator &o, uint32_t first)
{
    uint32_t own = first + own_lane(), count = o.job->task_count;
    uint64_t stop = own_lane() == 0 ? stop_word(o.job) : 0;
    uint32_t roots = votes(own < count && at<uint32_t>(o.job->predecessors)[own] == 0);
    if (of_lane(stop, 0) != LS_MEGA_GO)
        return false;
    for (uint32_t i = 0; own_lane() == 0 && i < MEGA_LANES && first + i < count; i++)
        submit(o, first + i, roots >> i & 1);
    sync_warp();
    return true;
}

MEGA_CALL void orchestrator_main(const ls_mega_job *job, ls_mega_result *result)
{
    Orchestrator o = {};
    o.job = job;
    bool leads = own_lane() == 0;
    uint64_t open = 0;
    if (leads) {
        Waiter waiter = begin_waiting(job);
        ls_writer_open(&o.phases, at<uint8_t>(job->region), LS_ORCHESTRATOR_PHASE, 0);
        if (job->region)
            start_clock(1);
        open = pass_gate(waiter);
        state_of(job)->start_ns = device_ns();
    }
    sync_warp();
    bool goes = of_lane(open, 0) != 0;
    for (uint32_t first = 0; goes && first < job->task_count; first += MEGA_LANES)
        goes = submit_row(o, first);
    if (!leads)
        return;
    ls_writer_flush(&o.phases);
    report_clock(job, result);
}

#endif
