/* A scheduler: one warp, whose lanes each serve some workers. A round: complete (and inside it resolve),
 * then dispatch. Lane 0 records the phases. It never waits for a worker.
 */
#ifndef LANESCOPE_MEGA_SCHEDULER_CUH
#define LANESCOPE_MEGA_SCHEDULER_CUH

#include "seats.cuh"

#define DEPTH_MOST 32767
#define TELL_MOST 8u /* a lane tells this many successors by itself, the whole warp tells more */
#define LOOK_ROWS 5u /* a scheduler of 160 workers looks at all of them at once */

struct Scheduler {
    const ls_mega_job *job;
    Seat *seats;
    uint32_t seat_count;
    uint32_t loop;
    uint64_t outstanding; /* tasks at all of its workers; the same in all lanes */
    uint64_t depth;       /* of the ready queues, as lane 0 last saw it */
    ls_writer phases;     /* lane 0 */
    Waiter waiter;
};

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

struct Told {
    uint32_t successors, pushed; /* by this lane */
};

/* Tells successors first, first + step, … of a finished task, and pushes those that became ready. */
MEGA_FN void tell(const ls_mega_job *job, uint32_t first, uint32_t end, uint32_t step, Told &told)
{
    const uint32_t *successors = at<uint32_t>(job->successors);
    for (; first < end; first += TELL_MOST * step) {
        uint32_t ready = 0;
        for (uint32_t i = 0; i < TELL_MOST && first + i * step < end; i++)
            if (fetch_sub(&at<uint32_t>(job->remaining)[successors[first + i * step]], 1) == 1)
                ready |= 1u << i;
        if (ready)
            fence(); /* what their other predecessors did is seen by whoever sees the push */
        for (uint32_t i = 0; i < TELL_MOST; i++)
            if (ready >> i & 1)
                push_ready(job, successors[first + i * step]);
        told.pushed += count_bits(ready);
    }
}

/* The finished task of each lane that has one: alone where there is little to tell, else the lanes
 * together. */
MEGA_FN void tell_all(const ls_mega_job *job, uint32_t first, uint32_t end, Told &told)
{
    bool is_long = end - first > TELL_MOST;
    told.successors += end - first;
    if (!is_long)
        tell(job, first, end, 1, told);
    for (uint32_t many = votes(is_long); many; many &= many - 1) {
        uint32_t lane = count_bits((many & (0u - many)) - 1);
        uint32_t from = (uint32_t)of_lane(first, lane), to = (uint32_t)of_lane(end, lane);
        tell(job, from + own_lane(), to, MEGA_LANES, told);
    }
}

MEGA_FN void resolve(Scheduler &s)
{
    ls_scheduler_phase phase = LS_ZERO;
    Told told = {};
    begin_phase(s, phase, LS_PHASE_RESOLVE);
    for (uint32_t base = 0; base < s.seat_count; base += MEGA_LANES) {
        uint32_t i = base + own_lane();
        for (;;) {
            bool has = i < s.seat_count && s.seats[i].resolved < s.seats[i].finished;
            if (!votes(has))
                break;
            uint32_t slot = has ? s.seats[i].resolved++ % LS_OUTSTANDING : 0;
            tell_all(s.job, has ? s.seats[i].first[slot] : 0, has ? s.seats[i].end[slot] : 0, told);
        }
    }
    s.depth += sum_of_warp(told.pushed);
    uint32_t successors = sum_of_warp(told.successors);
    if (successors)
        end_phase(s, phase, successors);
}

/* Looks at a few workers per lane; all looks are on their way before the first is waited for. */
MEGA_FN uint32_t look_at_rows(Scheduler &s, uint32_t base)
{
    const uint64_t *finished = at<uint64_t>(s.job->finished);
    uint64_t seen[LOOK_ROWS];
    uint32_t fresh = 0;
#pragma unroll
    for (uint32_t row = 0; row < LOOK_ROWS; row++) {
        uint32_t i = base + row * MEGA_LANES + own_lane();
        seen[row] = i < s.seat_count ? load_relaxed(finished + s.seats[i].core) : 0;
    }
#pragma unroll
    for (uint32_t row = 0; row < LOOK_ROWS; row++) {
        uint32_t i = base + row * MEGA_LANES + own_lane();
        if (i >= s.seat_count)
            break;
        s.seats[i].seen = seen[row];
        fresh += (uint32_t)(seen[row] - s.seats[i].finished);
    }
    return fresh;
}

/* What the workers have finished since the last round, all lanes together. */
MEGA_FN uint32_t look(Scheduler &s)
{
    uint32_t fresh = 0;
    for (uint32_t base = 0; base < s.seat_count; base += LOOK_ROWS * MEGA_LANES)
        fresh += look_at_rows(s, base);
    return sum_of_warp(fresh);
}

MEGA_FN void count_done(Scheduler &s, uint32_t tasks)
{
    ls_mega_state *state = state_of(s.job);
    if (own_lane() == 0 && fetch_add(state->done, tasks) + tasks == s.job->task_count)
        state->end_ns = device_ns();
}

MEGA_FN uint32_t complete(Scheduler &s)
{
    ls_scheduler_phase phase = LS_ZERO;
    begin_phase(s, phase, LS_PHASE_COMPLETE);
    uint32_t tasks = look(s);
    if (tasks == 0)
        return 0;
    fence(); /* with the looks: everything the workers did before is visible */
    for (uint32_t i = own_lane(); i < s.seat_count; i += MEGA_LANES)
        finish_seat(s.job, &s.seats[i]);
    sync_warp();
    s.outstanding -= tasks;
    resolve(s);
    sync_warp();
    count_done(s, tasks);
    end_phase(s, phase, tasks);
    return tasks;
}

/* ---- Dispatch --------------------------------------------------------------------------------- */

struct Tally {
    uint32_t tasks, misses;
};

/* Where the tasks of the lanes that want one lie: resolved ones first, then new ones. */
struct Share {
    Taken ready, roots;
};

MEGA_FN Share take_for(Scheduler &s, uint32_t wanted)
{
    Share share = {};
    if (own_lane() == 0) {
        share.ready = take(ready_queue(s.job), wanted);
        share.roots = take(root_queue(s.job), wanted - share.ready.count);
        s.depth = share.ready.depth + share.roots.depth;
    }
    share.ready.first = of_lane(share.ready.first, 0);
    share.ready.count = of_lane(share.ready.count, 0);
    share.roots.first = of_lane(share.roots.first, 0);
    share.roots.count = of_lane(share.roots.count, 0);
    return share;
}

/* The task number `rank` of a share. */
MEGA_FN uint64_t own_task(Scheduler &s, const Share &share, uint64_t rank)
{
    if (rank >= share.ready.count)
        return task_in(root_queue(s.job), share.roots.first + rank - share.ready.count, s.waiter);
    uint64_t task = task_in(ready_queue(s.job), share.ready.first + rank, s.waiter);
    /* Its predecessors are done, but the orchestrator may not have come to it yet. */
    while (task != LS_NO_TASK && load_relaxed(state_of(s.job)->submitted) <= task)
        if (gives_up(s.waiter) || stop_word(s.job) != LS_MEGA_GO)
            return LS_NO_TASK;
    return task;
}

/* Whether the lane's worker of a row holds `load` tasks. */
MEGA_FN bool wants(const Scheduler &s, uint32_t i, uint64_t load)
{
    return i < s.seat_count && s.seats[i].posted - s.seats[i].finished == load;
}

/* Gives a task to every worker that holds `load` of them; false: there were not enough. */
MEGA_FN bool fill(Scheduler &s, uint64_t load, Tally &tally)
{
    uint32_t wanted = 0, given = 0;
    for (uint32_t base = 0; base < s.seat_count; base += MEGA_LANES)
        wanted += count_bits(votes(wants(s, base + own_lane(), load)));
    if (wanted == 0)
        return true;
    Share share = take_for(s, wanted);
    uint64_t got = share.ready.count + share.roots.count, rank = 0;
    for (uint32_t base = 0; rank < got; base += MEGA_LANES) {
        uint32_t i = base + own_lane(), mask = votes(wants(s, i, load));
        uint64_t own = rank + bits_below(mask), task = LS_NO_TASK;
        if (wants(s, i, load) && own < got)
            task = own_task(s, share, own);
        fence(); /* whoever sees the post sees what made the task ready */
        if (task != LS_NO_TASK)
            post_task(s.job, &s.seats[i], (uint32_t)task);
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
    for (uint64_t load = 0; more && load <= s.job->pre_dispatch; load++)
        more = fill(s, load, tally);
    if (tally.tasks == 0)
        return 0;
    phase.pop_hit = tally.tasks;
    phase.pop_miss = tally.misses;
    end_phase(s, phase, tally.tasks);
    return tally.tasks;
}

/* ---- The warp --------------------------------------------------------------------------------- */

/* False: it is over. */
MEGA_FN bool run_round(Scheduler &s)
{
    const ls_mega_state *state = state_of(s.job);
    uint64_t stop = load_relaxed(state->stop); /* on its way while the workers are looked at */
    uint32_t worked = complete(s);
    stop = of_lane(stop, 0);
    if (stop > LS_MEGA_CANCELLED)
        return false;
    if (s.outstanding == 0)
        if (stop != LS_MEGA_GO || of_lane(load_relaxed(state->done), 0) == s.job->task_count)
            return false;
    if (stop == LS_MEGA_GO)
        worked += dispatch(s);
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
    s.seats = (Seat *)memory;
    s.seat_count = (job->worker_count - number + job->scheduler_count - 1) / job->scheduler_count;
    s.waiter = begin_waiting(job);
    for (uint32_t i = own_lane(); i < s.seat_count; i += MEGA_LANES)
        open_seat(job, &s.seats[i], number + i * job->scheduler_count);
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
    for (uint32_t i = own_lane(); i < s.seat_count; i += MEGA_LANES)
        close_seat(job, &s.seats[i]);
    if (own_lane() != 0)
        return;
    ls_writer_flush(&s.phases);
    result->unit = unit_number();
    result->clock_step_ns = job->region ? own_clock().step : 0;
    result->clock_error_ns = job->region ? own_clock().worst : 0;
}

#endif
