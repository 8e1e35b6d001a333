/* A worker: takes posts from its mailbox, computes with all its threads, records, reports. */
#ifndef LANESCOPE_MEGA_WORKER_CUH
#define LANESCOPE_MEGA_WORKER_CUH

#include "seats.cuh"
#include "tasks.cuh"

/* The leader waits for post `number`; LS_MEGA_GO_HOME: there will be none. */
MEGA_FN uint64_t next_post(const ls_mega_job *job, uint32_t core, uint64_t number)
{
    Waiter waiter = begin_waiting(job);
    const uint64_t *slot = post_slot(job, core, number);
    for (;;) {
        uint64_t post = load_acquire(slot);
        if (post == LS_MEGA_GO_HOME || post >> 32 == number + 1)
            return post;
        if (gives_up(waiter))
            return LS_MEGA_GO_HOME;
        if (waiter.turns % 32 == 0 && job->region)
            keep_clock();
#if defined(MEGA_EMULATED)
        pause_a_little();
#endif
    }
}

struct Worker {
    const ls_mega_job *job;
    uint32_t core;
    uint8_t *memory;
    uint64_t *post; /* what the leader got, for all threads */
    ls_core record; /* the leader's */
};

/* One post; false: there are no more. The leader's record is written after the scheduler was told. */
MEGA_FN bool serve(Worker &w, Marks &marks, const Place &place, uint64_t number)
{
    bool leads = is_leader();
    if (leads) {
        *w.post = next_post(w.job, w.core, number);
        ls_core_receive(&w.record);
    }
    sync_block();
    uint64_t post = *w.post;
    if (post == LS_MEGA_GO_HOME)
        return false;
    uint32_t task = (uint32_t)post;
    if (leads)
        ls_core_begin(&w.record);
    run_task(w.job, task, place, marks, w.memory);
    if (leads) {
        ls_core_stop(&w.record);
        store_release(at<uint64_t>(w.job->finished) + w.core, number + 1);
        ls_core_write(&w.record, task, w.job->first_token + (uint32_t)number);
    }
    return true;
}

MEGA_FN void worker_main(const ls_mega_job *job, uint32_t core, uint8_t *memory, uint64_t *post,
                         ls_mega_result *result)
{
    Worker w = {};
    w.job = job;
    w.core = core;
    w.memory = memory;
    w.post = post;
    bool leads = is_leader(), goes = true;
    Place place = own_place();
    Marks marks(job, core, place);
    ls_core_open(&w.record, leads ? at<uint8_t>(job->region) : (uint8_t *)NULL, core);
    if (leads) {
        Waiter waiter = begin_waiting(job);
        if (job->region)
            start_clock(1);
        *post = 0;
        if (!pass_gate(waiter))
            *post = LS_MEGA_GO_HOME;
    }
    sync_block();
    goes = *post != LS_MEGA_GO_HOME;
    sync_block();
    uint64_t number = 0;
    while (goes && serve(w, marks, place, number))
        number++;
    if (!leads)
        return;
    ls_core_close(&w.record);
    result->tasks = number;
    result->unit = unit_number();
    result->clock_step_ns = job->region ? own_clock().step : 0;
    result->clock_error_ns = job->region ? own_clock().worst : 0;
}

#endif
