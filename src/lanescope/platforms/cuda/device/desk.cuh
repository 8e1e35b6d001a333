/* A scheduler's own memory: its workers' seats, and the desk.
 *
 * Tasks that become ready lie on the desk as long as there is room, one place for each task that the
 * scheduler's own workers can still take; what does not fit goes to the queue that all schedulers share.
 */
#ifndef LANESCOPE_MEGA_DESK_CUH
#define LANESCOPE_MEGA_DESK_CUH

#include "seats.cuh"

#define TELL_MOST 8u /* a lane tells this many successors by itself, the whole warp tells more */
#define MOST_ROWS 8u /* a scheduler's workers: eight per lane at most */
#define PLACES 3u    /* on the desk, per worker: LS_PRE_DISPATCH_MAX + 1 */

static_assert(LS_PRE_DISPATCH_MAX + 1 == PLACES, "a worker can take so many tasks");
static_assert(sizeof(Seat) + (PLACES + 2) * sizeof(uint32_t) <= LS_MEGA_SEAT_BYTES,
              "LS_MEGA_SEAT_BYTES must grow");

struct Desk {
    Seat *seats;
    uint32_t seat_count;
    uint32_t *words;  /* tasks on the desk, and how many fit there; lanes add to the first at once */
    uint32_t *handed; /* the tasks */

    MEGA_IN uint32_t count() const { return words[0] < words[1] ? words[0] : words[1]; }
};

/* The memory has LS_MEGA_SEAT_BYTES per seat. */
MEGA_FN Desk make_desk(const ls_mega_job *job, uint32_t number, uint8_t *memory)
{
    uint32_t step = job->scheduler_count;
    uint32_t seats = (job->worker_count - number + step - 1) / step;
    uint32_t *words = (uint32_t *)(memory + seats * sizeof(Seat));
    if (own_lane() == 0) {
        words[0] = 0;
        words[1] = 0;
    }
    sync_warp();
    return {(Seat *)memory, seats, words, words + 2};
}

/* Makes room for what the workers can take beside what they hold. Nothing lies there: there were never
 * more tasks than workers could take, and dispatching has just gone through all of them. */
MEGA_FN void open_desk(Desk &desk, const ls_mega_job *job, uint64_t outstanding)
{
    sync_warp();
    if (own_lane() == 0) {
        desk.words[0] = 0;
        desk.words[1] = desk.seat_count * (job->pre_dispatch + 1) - (uint32_t)outstanding;
    }
    sync_warp();
}

/* Takes the newest away; they stay where they are until the next task is handed on. */
MEGA_FN uint32_t take_from_desk(Desk &desk, uint32_t most)
{
    uint32_t there = desk.count(), taken = there < most ? there : most;
    sync_warp();
    if (own_lane() == 0)
        desk.words[0] = there - taken;
    sync_warp();
    return taken;
}

/* A task is ready. The caller has put a fence between what its predecessors did and this. */
MEGA_FN void hand_on(const ls_mega_job *job, Desk &desk, uint32_t task)
{
    uint32_t place = add_nearby(&desk.words[0], 1);
    if (place < desk.words[1])
        desk.handed[place] = task;
    else
        push_ready(job, task);
}

/* ---- Telling successors ----------------------------------------------------------------------- */

struct Told {
    uint32_t successors, ready; /* by this lane */
};

/* Tells successors first, first + step, … of a finished task, and hands on those that became ready. */
MEGA_FN void tell(const ls_mega_job *job, Desk &desk, uint32_t first, uint32_t end, uint32_t step,
                  Told &told)
{
    const uint32_t *successors = at<uint32_t>(job->successors);
#pragma unroll 1
    for (; first < end; first += TELL_MOST * step) {
        uint32_t ready = 0;
#pragma unroll 1
        for (uint32_t i = 0; i < TELL_MOST && first + i * step < end; i++)
            if (fetch_sub(&at<uint32_t>(job->remaining)[successors[first + i * step]], 1) == 1)
                ready |= 1u << i;
        if (ready)
            fence(); /* what their other predecessors did is seen by whoever is handed them */
        told.ready += count_bits(ready);
#pragma unroll 1
        for (; ready; ready &= ready - 1)
            hand_on(job, desk, successors[first + lowest_bit(ready) * step]);
    }
}

/* The finished task of each lane that has one: alone where there is little to tell, else the lanes
 * together. */
MEGA_FN void tell_all(const ls_mega_job *job, Desk &desk, uint32_t first, uint32_t end, Told &told)
{
    bool is_long = end - first > TELL_MOST;
    told.successors += end - first;
    if (!is_long)
        tell(job, desk, first, end, 1, told);
    for (uint32_t many = votes(is_long); many; many &= many - 1) {
        uint32_t lane = lowest_bit(many);
        uint32_t from = (uint32_t)of_lane(first, lane), to = (uint32_t)of_lane(end, lane);
        tell(job, desk, from + own_lane(), to, MEGA_LANES, told);
    }
}

#endif
