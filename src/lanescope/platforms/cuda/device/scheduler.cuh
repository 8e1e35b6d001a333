/* A scheduler: one warp, whose lanes each serve some workers. A round: complete (and inside it resolve),
 * then dispatch. Lane 0 records the phases. It never waits for a worker.
 *
 * Workers sit in rows of one per lane; row r of a lane is worker r * 32 + lane of this scheduler.
 * A warp that is alone on its SM pays for every trip to memory and every instruction, so each lane
 * keeps in a register how many tasks its workers hold, and a task that becomes ready while there is
 * room is handed on inside the warp (desk.cuh) and not through the queue.
 */
#ifndef LANESCOPE_MEGA_SCHEDULER_CUH
#define LANESCOPE_MEGA_SCHEDULER_CUH

#include "desk.cuh"

#define DEPTH_MOST 32767

struct Scheduler {
    const ls_mega_job *job;
    Desk desk;
    uint32_t rows;
    uint32_t held;        /* tasks that the lane's workers hold: bits 4 r to 4 r + 3 for row r */
    uint32_t loop;
    uint64_t outstanding; /* tasks at all of its workers; the same in all lanes */
    uint64_t uncounted;   /* completed, and not yet added to state.done; the same in all lanes */
    uint64_t end_ns;      /* when it last saw a task end and had no other */
    uint64_t depth;       /* of the ready queues, as lane 0 last saw it */
    uint64_t submitted;   /* as last read */
    ls_writer phases;     /* lane 0 */
    Waiter waiter;
};

MEGA_FN bool has_seat(const Scheduler &s, uint32_t row)
{
    return row * MEGA_LANES + own_lane() < s.desk.seat_count;
}

MEGA_FN Seat &seat_in(Scheduler &s, uint32_t row)
{
    return s.desk.seats[row * MEGA_LANES + own_lane()];
}

/* Whether the lane's worker of a row holds `load` tasks. */
MEGA_FN bool holds(const Scheduler &s, uint32_t row, uint32_t load)
{
    return has_seat(s, row) && (s.held >> 4 * row & 15) == load;
}

/* ---- Phases: written only if there was something to do ---------------------------------------- */

MEGA_FN int16_t depth_of(const Scheduler &s)
{
    return (int16_t)(s.depth < DEPTH_MOST ? s.depth : DEPTH_MOST);
}

MEGA_FN void begin_phase(Scheduler &s, ls_scheduler_phase &phase, uint32_t kind)
{
    if (!LS_ON(&s.phases))
        return;
    ls_scheduler_begin(&s.phases, &phase, kind);
    phase.loop = s.loop;
    phase.depth_start[0] = depth_of(s);
}

MEGA_FN void end_phase(Scheduler &s, ls_scheduler_phase &phase, uint32_t tasks)
{
    if (!LS_ON(&s.phases))
        return;
    phase.tasks = tasks;
    phase.depth_end[0] = depth_of(s);
    ls_scheduler_end(&s.phases, &phase);
}

/* ---- Complete and resolve --------------------------------------------------------------------- */

/* What has changed since the last look. */
struct Look {
    uint32_t rows;  /* bit r: in row r, at some lane */
    uint32_t tasks; /* finished, all lanes together */
};

/* All looks are on their way before the first is waited for. */
MEGA_FN Look look(Scheduler &s)
{
    const uint64_t *finished = at<uint64_t>(s.job->finished);
    uint64_t seen[MOST_ROWS];
    uint32_t own = 0, fresh = 0;
    Look found = {};
#pragma unroll
    for (uint32_t row = 0; row < MOST_ROWS; row++)
        seen[row] = has_seat(s, row) ? load_relaxed(finished + seat_in(s, row).core) : 0;
#pragma unroll
    for (uint32_t row = 0; row < MOST_ROWS; row++)
        if (has_seat(s, row) && seen[row] != seat_in(s, row).finished) {
            seat_in(s, row).seen = seen[row];
            fresh += (uint32_t)(seen[row] - seat_in(s, row).finished);
            own |= 1u << row;
        }
    if (!votes(own != 0))
        return found;
    for (uint32_t row = 0; row < s.rows; row++)
        if (votes(own >> row & 1))
            found.rows |= 1u << row;
    found.tasks = sum_of_warp(fresh);
    return found;
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
    ls_scheduler_phase phase = LS_ZERO;
    Told told = {};
    begin_phase(s, phase, LS_PHASE_RESOLVE);
    for (; rows; rows &= rows - 1) {
        uint32_t row = lowest_bit(rows);
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
        end_phase(s, phase, successors);
}

MEGA_FN uint32_t complete(Scheduler &s)
{
    ls_scheduler_phase phase = LS_ZERO;
    begin_phase(s, phase, LS_PHASE_COMPLETE);
    Look found = look(s);
    if (found.tasks == 0)
        return 0;
    fence(); /* with the looks: everything the workers did before is visible */
    for (uint32_t rows = found.rows; rows; rows &= rows - 1)
        finish_row(s, lowest_bit(rows));
    s.outstanding -= found.tasks;
    s.uncounted += found.tasks;
    if (s.outstanding == 0)
        s.end_ns = device_ns();
    sync_warp();
    resolve(s, found.rows);
    sync_warp();
    end_phase(s, phase, found.tasks);
    return found.tasks;
}

/* ---- Dispatch --------------------------------------------------------------------------------- */

struct Tally {
    uint32_t tasks, misses;
};

/* Where tasks lie that were taken at once: at the desk, then in the queues. */
struct Share {
    uint64_t desk; /* how many */
    Taken ready, roots;
};

MEGA_FN Share take_for(Scheduler &s, uint32_t wanted)
{
    Share share = {};
    share.desk = take_from_desk(s.desk, wanted);
    uint64_t left = wanted - share.desk;
    if (left == 0)
        return share;
    if (own_lane() == 0) {
        share.ready = take(ready_queue(s.job), left);
        share.roots = take(root_queue(s.job), left - share.ready.count);
        s.depth = s.desk.count() + share.desk + share.ready.depth + share.roots.depth;
    }
    share.ready.first = of_lane(share.ready.first, 0);
    share.ready.count = of_lane(share.ready.count, 0);
    share.roots.first = of_lane(share.roots.first, 0);
    share.roots.count = of_lane(share.roots.count, 0);
    return share;
}

/* The task number `rank` of a share; LS_NO_TASK where the run ends before it is there. */
MEGA_FN uint64_t task_of(Scheduler &s, const Share &share, uint64_t rank)
{
    uint64_t task;
    if (rank < share.desk)
        task = s.desk.handed[s.desk.count() + rank];
    else if (rank - share.desk < share.ready.count)
        task = task_in(ready_queue(s.job), share.ready.first + rank - share.desk, s.waiter);
    else
        return task_in(root_queue(s.job), share.roots.first + rank - share.desk - share.ready.count,
                       s.waiter);
    /* Its predecessors are done, but the orchestrator may not have come to it yet. */
    while (task != LS_NO_TASK && s.submitted <= task) {
        s.submitted = load_relaxed(state_of(s.job)->submitted);
        if (s.submitted <= task && (gives_up(s.waiter) || stop_word(s.job) != LS_MEGA_GO))
            return LS_NO_TASK;
    }
    return task;
}

/* Gives a task to every worker that holds `load` of them; false: there were not enough. */
MEGA_FN bool fill(Scheduler &s, uint32_t load, Tally &tally)
{
    uint32_t own = 0, given = 0;
    for (uint32_t row = 0; row < s.rows; row++)
        own += holds(s, row, load);
    uint32_t wanted = sum_of_warp(own);
    if (wanted == 0)
        return true;
    Share share = take_for(s, wanted);
    uint64_t got = share.desk + share.ready.count + share.roots.count, rank = 0;
    for (uint32_t row = 0; rank < got; row++) {
        bool wants = holds(s, row, load);
        uint32_t mask = votes(wants);
        uint64_t mine = rank + bits_below(mask), task = LS_NO_TASK;
        if (wants && mine < got)
            task = task_of(s, share, mine);
        fence(); /* whoever sees the post sees what made the task ready */
        if (task != LS_NO_TASK) {
            post_task(s.job, &seat_in(s, row), (uint32_t)task);
            s.held += 1u << 4 * row;
        }
        given += count_bits(votes(task != LS_NO_TASK));
        rank += count_bits(mask);
    }
    s.outstanding += given;
    s.depth -= given < s.depth ? given : s.depth;
    tally.tasks += given;
    tally.misses += wanted - given;
    return given == wanted;
}

/* Workers that hold the fewest tasks come first. */
MEGA_FN uint32_t dispatch(Scheduler &s)
{
    ls_scheduler_phase phase = LS_ZERO;
    Tally tally = {};
    bool more = true;
    begin_phase(s, phase, LS_PHASE_DISPATCH);
    for (uint32_t load = 0; more && load <= s.job->pre_dispatch; load++)
        more = fill(s, load, tally);
    open_desk(s.desk, s.job, s.outstanding);
    if (tally.tasks == 0)
        return 0;
    phase.pop_hit = tally.tasks;
    phase.pop_miss = tally.misses;
    end_phase(s, phase, tally.tasks);
    return tally.tasks;
}

/* ---- The warp --------------------------------------------------------------------------------- */

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
    bool keeps = s.job->region != 0 && own_lane() == 0;
    for (;; s.loop++) {
        if (keeps)
            keep_clock();
        sync_warp();
        if (!run_round(s))
            return;
    }
}

MEGA_FN void scheduler_main(const ls_mega_job *job, uint32_t number, uint8_t *memory,
                            ls_mega_result *result)
{
    Scheduler s = {};
    s.job = job;
    s.desk = make_desk(job, number, memory);
    s.rows = (s.desk.seat_count + MEGA_LANES - 1) / MEGA_LANES;
    s.waiter = begin_waiting(job);
    for (uint32_t row = 0; row < s.rows; row++)
        if (has_seat(s, row))
            open_seat(job, &seat_in(s, row),
                      number + (row * MEGA_LANES + own_lane()) * job->scheduler_count);
    uint32_t open = 0;
    if (own_lane() == 0) {
        ls_writer_open(&s.phases, at<uint8_t>(job->region), LS_SCHEDULER_PHASE, number);
        if (job->region)
            start_clock(0);
        open = pass_gate(s.waiter);
    }
    sync_warp();
    if (of_lane(open, 0))
        run_rounds(s);
    for (uint32_t row = 0; row < s.rows; row++)
        if (has_seat(s, row))
            close_seat(job, &seat_in(s, row));
    if (own_lane() != 0)
        return;
    ls_writer_flush(&s.phases);
    result->unit = unit_number();
    result->clock_step_ns = job->region ? own_clock().step : 0;
    result->clock_error_ns = job->region ? own_clock().worst : 0;
}

#endif
