/* The second part of a scheduler's round: ready tasks go to workers that have room. */
#ifndef LANESCOPE_MEGA_DISPATCH_CUH
#define LANESCOPE_MEGA_DISPATCH_CUH

#include "scheduler_state.cuh"

struct Tally {
    uint32_t tasks, misses;
};

/* Where tasks lie that were taken at once: on the desk, or in the queues. */
struct Share {
    uint64_t desk; /* how many */
    Taken ready, roots;
};

MEGA_FN uint64_t size_of(const Share &share)
{
    return share.desk + share.ready.count + share.roots.count;
}

/* From the queues; both are on their way before the first is waited for. */
MEGA_FN Share take_from_queues(Scheduler &s, uint32_t wanted)
{
    Share share = {};
    if (own_lane() == 0) {
        Queue ready = ready_queue(s.job), roots = root_queue(s.job);
        Ends ready_ends = ends_of(ready), root_ends = ends_of(roots);
        share.ready = take(ready, ready_ends, wanted);
        share.roots = take(roots, root_ends, wanted - share.ready.count);
        s.depth = share.ready.depth + share.roots.depth;
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

/* Workers that hold `load` tasks. */
MEGA_FN uint32_t count_holders(Scheduler &s, uint32_t load)
{
    uint32_t own = 0;
#pragma unroll 1
    for (uint32_t row = 0; row < s.rows; row++)
        own += holds(s, row, load);
    return sum_of_warp(own);
}

/* Gives the tasks of a share to workers that hold `load` of them. */
MEGA_FN void give(Scheduler &s, uint32_t load, const Share &share, Tally &tally)
{
    uint32_t given = 0;
    uint64_t got = size_of(share), rank = 0;
#pragma unroll 1
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
}

MEGA_FN Share share_of_desk(Scheduler &s, uint32_t wanted)
{
    Share share = {};
    share.desk = take_from_desk(s.desk, wanted);
    return share;
}

/* What lies on the desk goes out before anybody looks at the queues: the first `loads` turns are its.
 * Workers that hold the fewest tasks come first. */
MEGA_FN uint32_t dispatch(Scheduler &s)
{
    Begun begun = begin_phase(s);
    Tally tally = {};
    uint32_t loads = s.job->pre_dispatch + 1, turns = 2 * loads;
#pragma unroll 1
    for (uint32_t turn = s.desk.count() ? 0 : loads; turn < turns; turn++) {
        uint32_t load = turn % loads, wanted = count_holders(s, load);
        if (wanted == 0)
            continue;
        Share share = turn < loads ? share_of_desk(s, wanted) : take_from_queues(s, wanted);
        give(s, load, share, tally);
        tally.misses += turn < loads ? 0 : wanted - (uint32_t)size_of(share);
        if (size_of(share) < wanted)
            turn = turn < loads ? loads - 1 : turns; /* on to the queues, or to the end */
    }
    open_desk(s.desk, s.job, s.outstanding);
    if (tally.tasks == 0)
        return 0;
    end_phase(s, begun, LS_PHASE_DISPATCH, {tally.tasks, tally.tasks, tally.misses});
    return tally.tasks;
}

#endif
