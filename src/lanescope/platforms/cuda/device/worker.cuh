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

/* What a worker's threads share; registers are for the tasks. */
struct WorkerShared {
    uint64_t post;  /* what the leader got, for all threads */
    ls_core record; /* the leader's */
};

struct Worker {
    const ls_mega_job *job;
    uint32_t core;
    uint8_t *memory;
    WorkerShared *shared;
};

/* The leader tells the scheduler, and then writes its record. */
MEGA_FN void report(Worker &w, uint32_t task, uint64_t number)
{
    ls_core_stop(&w.shared->record);
    store_release(at<uint64_t>(w.job->finished) + w.core, number + 1);
    ls_core_write(&w.shared->record, task, w.job->first_token + (uint32_t)number);
}

/* One post; false: there are no more. */
MEGA_FN bool serve(Worker &w, Marks &marks, const Place &place, uint64_t number)
{
    if (is_leader()) {
        w.shared->post = next_post(w.job, w.core, number);
        ls_core_receive(&w.shared->record);
    }
    sync_block();
    uint64_t post = w.shared->post;
    if (post == LS_MEGA_GO_HOME)
        return false;
    if (is_leader())
        ls_core_begin(&w.shared->record);
    run_task(w.job, (uint32_t)post, place, marks, w.memory);
    if (is_leader())
        report(w, (uint32_t)post, number);
    return true;
}

/* The leader opens what it records with, and all wait for the other CTAs; false: nothing to do. */
MEGA_FN bool begin_work(Worker &w)
{
    if (is_leader()) {
        Waiter waiter = begin_waiting(w.job);
        ls_core_open(&w.shared->record, at<uint8_t>(w.job->region), w.core);
        if (w.job->region)
            start_clock(1);
        w.shared->post = pass_gate(waiter);
    }
    sync_block();
    bool goes = w.shared->post != 0;
    sync_block();
    return goes;
}

MEGA_FN void worker_main(const ls_mega_job *job, uint32_t core, uint8_t *memory, WorkerShared *shared,
                         ls_mega_result *result)
{
    Worker w = {job, core, memory, shared};
    Place place = own_place();
    Marks marks(job, core, place);
    uint64_t number = 0;
    if (begin_work(w))
        while (serve(w, marks, place, number))
            number++;
    if (!is_leader())
        return;
    ls_core_close(&shared->record);
    result->tasks = number;
    report_clock(job, result);
}

#endif
