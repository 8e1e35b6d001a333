/* The first part of a scheduler's round: what workers have finished, and whom that makes ready. */
#ifndef LANESCOPE_MEGA_COMPLETE_CUH
#define LANESCOPE_MEGA_COMPLETE_CUH

#include "scheduler_state.cuh"

/* What has changed since the last look. */
struct Look {
    uint32_t rows;  /* bit r: in row r, at some lane */
    uint32_t tasks; /* finished, all lanes together */
};

/* All looks are on their way before the first is waited for, and what was noted is written meanwhile. */
MEGA_FN Look look(Scheduler &s)
{
    const uint64_t *finished = at<uint64_t>(s.job->finished);
    uint64_t seen[MOST_ROWS];
    uint32_t own = 0, fresh = 0;
    Look news = {};
#pragma unroll
    for (uint32_t row = 0; row < MOST_ROWS; row++)
        seen[row] = has_seat(s, row) ? load_relaxed(finished + seat_in(s, row).core) : 0;
    write_due_phases(s);
#pragma unroll
    for (uint32_t row = 0; row < MOST_ROWS; row++)
        if (has_seat(s, row) && seen[row] != seat_in(s, row).finished) {
            seat_in(s, row).seen = seen[row];
            fresh += (uint32_t)(seen[row] - seat_in(s, row).finished);
            own |= 1u << row;
        }
    if (!votes(own != 0))
        return news;
#pragma unroll 1
    for (uint32_t row = 0; row < s.rows; row++)
        if (votes(own >> row & 1))
            news.rows |= 1u << row;
    news.tasks = sum_of_warp(fresh);
    return news;
}

/* Records what the lane's worker of a row has finished. */
MEGA_FN void finish_row(Scheduler &s, uint32_t row)
{
    if (!has_seat(s, row))
        return;
    Seat &seat = seat_in(s, row);
    s.held -= (uint32_t)(seat.seen - seat.finished) << 4 * row;
    finish_seat(s.job, &seat);
}

MEGA_FN void resolve(Scheduler &s, uint32_t rows)
{
    Begun begun = begin_phase(s);
    Told told = {};
#pragma unroll 1
    for (; rows; rows &= rows - 1) {
        uint32_t row = lowest_bit(rows);
#pragma unroll 1
        for (;;) {
            bool has = has_seat(s, row) && seat_in(s, row).resolved < seat_in(s, row).finished;
            if (!votes(has))
                break;
            uint32_t slot = has ? seat_in(s, row).resolved++ % LS_OUTSTANDING : 0;
            uint32_t first = has ? seat_in(s, row).first[slot] : 0;
            tell_all(s.job, s.desk, first, has ? seat_in(s, row).end[slot] : 0, told);
        }
    }
    s.depth += sum_of_warp(told.ready);
    uint32_t successors = sum_of_warp(told.successors);
    if (successors)
        end_phase(s, begun, LS_PHASE_RESOLVE, {successors, 0, 0});
}

MEGA_FN uint32_t complete(Scheduler &s)
{
    Begun begun = begin_phase(s);
    Look news = look(s);
    if (news.tasks == 0)
        return 0;
    fence(); /* with the looks: everything the workers did before is visible */
#pragma unroll 1
    for (uint32_t rows = news.rows; rows; rows &= rows - 1)
        finish_row(s, lowest_bit(rows));
    s.outstanding -= news.tasks;
    s.uncounted += news.tasks;
    if (s.outstanding == 0)
        s.end_ns = device_ns();
    sync_warp();
    resolve(s, news.rows);
    sync_warp();
    end_phase(s, begun, LS_PHASE_COMPLETE, {news.tasks, 0, 0});
    return news.tasks;
}

#endif
