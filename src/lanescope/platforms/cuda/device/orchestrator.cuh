/* The orchestrator: one warp that reads what comes next, and whose lane 0 submits the tasks in order.
 *
 * What it submits it only notes, a row at a time. The warp writes a row's records while it waits for what
 * it reads for the next row, so that a submission that is recorded takes hardly longer than one that is
 * not.
 */
#ifndef LANESCOPE_MEGA_ORCHESTRATOR_CUH
#define LANESCOPE_MEGA_ORCHESTRATOR_CUH

#include "batch.cuh"

#define ROW 32u /* tasks that are submitted between two looks at what comes next */
#define LOOKS (ROW / MEGA_LANES)

static_assert(ROW <= 32 && ROW % MEGA_LANES == 0, "a row's roots are the bits of one word");

struct Orchestrator {
    const ls_mega_job *job;
    ls_writer *phases;            /* in shared memory; lane 0 uses it */
    ls_orchestrator_phase *noted; /* the same: the submissions of a row … */
    uint32_t count, first;        /* … so many, from this task on; the same in all lanes */
    bool records;                 /* the same in all lanes */
    uint64_t *submitted;          /* the state's word; read once, because the job lies in memory */
    Queue queue;
    uint64_t roots;
};

/* Only this thread writes root slots, so the tail needs no exchange. What a root reads was there before
 * the kernel began, so nothing has to be carried. */
MEGA_FN void push_root(Orchestrator &o, uint32_t task)
{
    store_relaxed(&o.queue.slots[o.roots], task + 1);
    store_relaxed(o.queue.tail, ++o.roots);
}

MEGA_FN void submit(Orchestrator &o, uint32_t task, bool is_root)
{
    store_relaxed(o.submitted, (uint64_t)task + 1);
    if (is_root)
        push_root(o, task);
}

/* Lane 0. A submission begins where the one before it ends, or with its row. */
MEGA_FN void submit_all(Orchestrator &o, uint32_t roots)
{
    uint64_t begun = o.records ? unit_cycles() : 0;
    for (uint32_t i = 0; i < o.count; i++) {
        submit(o, o.first + i, roots >> i & 1);
        if (!o.records)
            continue;
        uint64_t ended = unit_cycles();
        o.noted[i].start = begun;
        o.noted[i].end = ended;
        begun = ended;
    }
}

/* Writes the records of the row before, and lays the clock's line anew if that is due. */
MEGA_FN void write_row(Orchestrator &o)
{
    if (!o.records)
        return;
    sync_warp();
    for (uint32_t i = own_lane(); i < o.count; i += MEGA_LANES) {
        ls_orchestrator_phase &phase = o.noted[i];
        phase.task = o.first + i;
        phase.submit = o.first + i; /* one submission per task */
        phase.kind = LS_ORCHESTRATOR_SUBMIT;
    }
    write_batch(o.phases, o.noted, o.count);
    if (own_lane() == 0)
        keep_clock();
    sync_warp();
}

/* The next tasks; false: there are none, or the run ends. */
MEGA_FN bool submit_row(Orchestrator &o, uint32_t first)
{
    const uint32_t *predecessors = at<uint32_t>(o.job->predecessors) + first;
    uint32_t left = first < o.job->task_count ? o.job->task_count - first : 0;
    uint32_t count = left < ROW ? left : ROW, waits[LOOKS], roots = 0;
    uint64_t stop = own_lane() == 0 ? stop_word(o.job) : 0;
    if (left == 0 && own_lane() == 0)
        state_of(o.job)->submitted_ns = device_ns();
#pragma unroll
    for (uint32_t look = 0; look < LOOKS; look++) {
        uint32_t own = look * MEGA_LANES + own_lane();
        waits[look] = own < count ? predecessors[own] : 1;
    }
    write_row(o); /* while both are on their way */
#pragma unroll
    for (uint32_t look = 0; look < LOOKS; look++)
        roots |= votes(waits[look] == 0) << look * MEGA_LANES;
    o.first = first;
    o.count = of_lane(stop, 0) == LS_MEGA_GO ? count : 0;
    if (own_lane() == 0)
        submit_all(o, roots);
    sync_warp();
    return o.count != 0;
}

MEGA_CALL void orchestrator_main(const ls_mega_job *job, ls_mega_result *result)
{
    MEGA_SHARED ls_writer phases;
    MEGA_SHARED ls_orchestrator_phase noted[ROW];
    Orchestrator o = {};
    o.job = job;
    o.phases = &phases;
    o.noted = noted;
    o.submitted = state_of(job)->submitted;
    o.queue = root_queue(job);
    bool leads = own_lane() == 0;
    uint64_t open = 0, records = 0;
    if (leads) {
        Waiter waiter = begin_waiting(job);
        ls_writer_open(&phases, at<uint8_t>(job->region), LS_ORCHESTRATOR_PHASE, 0);
        records = LS_ON(&phases);
        if (job->region)
            start_clock(1);
        open = pass_gate(waiter);
        state_of(job)->bank_cores = MEGA_LANES;
        state_of(job)->start_ns = device_ns();
    }
    sync_warp();
    o.records = of_lane(records, 0) != 0;
    bool goes = of_lane(open, 0) != 0;
    for (uint32_t first = 0; goes; first += ROW)
        goes = submit_row(o, first);
    if (!leads)
        return;
    ls_writer_flush(&phases);
    report_clock(job, result);
}

#endif
