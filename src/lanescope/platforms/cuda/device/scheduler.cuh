/* A scheduler: one warp, whose lanes each serve some workers. A round: complete (and inside it resolve),
 * then dispatch. It never waits for a worker.
 */
#ifndef LANESCOPE_MEGA_SCHEDULER_CUH
#define LANESCOPE_MEGA_SCHEDULER_CUH

#include "complete.cuh"
#include "dispatch.cuh"

/* Adds what was completed to what all schedulers have; true: that was everything. */
MEGA_FN bool count_done(Scheduler &s)
{
    ls_mega_state *state = state_of(s.job);
    uint64_t done = 0;
    if (own_lane() == 0) {
        done = fetch_add(state->done, s.uncounted) + s.uncounted;
        if (s.uncounted && done == s.job->task_count)
            state->end_ns = s.end_ns;
    }
    s.uncounted = 0;
    return of_lane(done, 0) == s.job->task_count;
}

/* False: it is over. */
MEGA_FN bool run_round(Scheduler &s)
{
    uint64_t stop = stop_word(s.job); /* on its way while the workers are looked at */
    uint32_t worked = complete(s);
    stop = of_lane(stop, 0);
    if (stop > LS_MEGA_CANCELLED)
        return false;
    if (stop == LS_MEGA_GO)
        worked += dispatch(s);
    if (s.outstanding == 0)
        if (stop != LS_MEGA_GO || count_done(s))
            return false;
    return worked != 0 || !votes(gives_up(s.waiter));
}

MEGA_FN void run_rounds(Scheduler &s)
{
    bool keeps = s.job->region != 0;
    for (;; s.loop++) {
        if (keeps)
            keep_line(s);
        sync_warp();
        if (!run_round(s))
            return;
    }
}

MEGA_CALL void scheduler_main(const ls_mega_job *job, uint32_t number, uint8_t *memory,
                            ls_mega_result *result)
{
    MEGA_SHARED ls_writer phases;
    MEGA_SHARED ls_scheduler_phase noted[PHASES_MOST];
    Scheduler s = {};
    s.job = job;
    s.phases = &phases;
    s.noted = noted;
    open_phases(noted);
    s.desk = make_desk(job, number, memory);
    s.rows = (s.desk.seat_count + MEGA_LANES - 1) / MEGA_LANES;
    s.waiter = begin_waiting(job);
#pragma unroll 1
    for (uint32_t row = 0; row < s.rows; row++)
        if (has_seat(s, row))
            open_seat(job, &seat_in(s, row),
                      number + (row * MEGA_LANES + own_lane()) * job->scheduler_count);
    uint32_t open = 0, records = 0;
    if (own_lane() == 0) {
        ls_writer_open(&phases, at<uint8_t>(job->region), LS_SCHEDULER_PHASE, number);
        records = LS_ON(&phases);
        if (job->region)
            start_clock(0);
        open = pass_gate(s.waiter);
    }
    sync_warp();
    s.records = of_lane(records, 0) != 0;
    if (of_lane(open, 0))
        run_rounds(s);
    write_rest(&phases, noted, s.noted_count);
#pragma unroll 1
    for (uint32_t row = 0; row < s.rows; row++)
        if (has_seat(s, row))
            close_seat(job, &seat_in(s, row));
    if (own_lane() != 0)
        return;
    ls_writer_flush(&phases);
    report_clock(job, result);
}

#endif
