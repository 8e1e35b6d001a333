/* A worker as its scheduler sees it, and the mailbox between the two.
 *
 * A post is one word: its number + 1 in the upper half, so that the worker sees a new one in one look,
 * and the task in the lower. Post k lies in slot k % 4; it is not written again before the worker has
 * finished k, for at most 3 tasks are outstanding.
 */
#ifndef LANESCOPE_MEGA_SEATS_CUH
#define LANESCOPE_MEGA_SEATS_CUH

#include "shared_state.cuh"

/* Only the lane of the scheduler's warp that serves the worker touches it. */
struct Seat {
    ls_channel channel;
    uint64_t posted;
    uint64_t seen;     /* the worker's count of finished tasks, as last read */
    uint64_t finished; /* of those: recorded */
    uint64_t resolved; /* of those: successors were told */
    /* Of post k at k % 4; read while the task runs, so that nobody waits for it at its end. */
    uint32_t tasks[LS_OUTSTANDING], funcs[LS_OUTSTANDING];
    uint32_t first[LS_OUTSTANDING], end[LS_OUTSTANDING]; /* its successors */
    uint32_t core;
};

MEGA_FN uint64_t *post_slot(const ls_mega_job *job, uint32_t core, uint64_t number)
{
    return at<uint64_t>(job->posts) + (uint64_t)core * LS_OUTSTANDING + number % LS_OUTSTANDING;
}

MEGA_FN void open_seat(const ls_mega_job *job, Seat *seat, uint32_t core)
{
    Seat fresh = {};
    *seat = fresh;
    seat->core = core;
    ls_channel_open(&seat->channel, at<uint8_t>(job->region), core);
    if (seat->channel.tasks.lane)
        (void)ls_reserve(&seat->channel.tasks); /* a buffer is open before the run: that crosses the bus and back */
}

/* Sends the worker home; it has finished all that was posted, or nobody cares any more. */
MEGA_FN void close_seat(const ls_mega_job *job, Seat *seat)
{
    store_release(post_slot(job, seat->core, seat->posted), LS_MEGA_GO_HOME);
    ls_channel_close(&seat->channel);
}

/* The caller has put a fence between what made the task ready and this. */
MEGA_FN void post_task(const ls_mega_job *job, Seat *seat, uint32_t task)
{
    uint64_t number = seat->posted++;
    uint32_t slot = number % LS_OUTSTANDING;
    ls_channel_dispatch(&seat->channel);
    store_relaxed(post_slot(job, seat->core, number), (number + 1) << 32 | task);
    const uint32_t *offsets = at<uint32_t>(job->offsets) + task;
    uint32_t func = at<uint32_t>(job->func)[task], first = offsets[0], end = offsets[1];
    seat->tasks[slot] = task;
    seat->funcs[slot] = func;
    seat->first[slot] = first;
    seat->end[slot] = end;
}

/* Records what the worker has finished since the last look. */
MEGA_FN void finish_seat(const ls_mega_job *job, Seat *seat)
{
#pragma unroll 1
    for (; seat->finished < seat->seen; seat->finished++) {
        uint32_t slot = seat->finished % LS_OUTSTANDING;
        uint32_t token = job->first_token + (uint32_t)seat->finished;
        ls_channel_finish(&seat->channel, token, seat->tasks[slot], seat->funcs[slot]);
    }
}

#endif
