/* What a scheduler's warp knows, and the phases that its lane 0 notes and all lanes write (batch.cuh).
 *
 * Workers sit in rows of one per lane; row r of a lane is worker r * 32 + lane of this scheduler.
 * A warp that is alone on its SM pays for every trip to memory and every instruction, so each lane
 * keeps in a register how many tasks its workers hold.
 */
#ifndef LANESCOPE_MEGA_SCHEDULER_STATE_CUH
#define LANESCOPE_MEGA_SCHEDULER_STATE_CUH

#include "batch.cuh"
#include "desk.cuh"

#define DEPTH_MOST 32767
#define PHASES_DUE 8u   /* so many phases are written at once: one store of the warp */
#define PHASES_MOST 12u /* wait to be written */
#define PHASES_EACH 3u  /* at most, in a round */

static_assert(PHASES_DUE - 1 + PHASES_EACH <= PHASES_MOST, "a round's phases find room");

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
    ls_writer *phases;    /* in shared memory; lane 0 uses it */
    ls_scheduler_phase *noted; /* the same: phases that wait to be written, … */
    uint32_t noted_count; /* … so many; the same in all lanes */
    bool records;         /* phases; the same in all lanes */
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

/* ---- Phases: noted only if there was something to do ------------------------------------------ */

/* A phase that has begun: the counter, and how many tasks were ready. */
struct Begun {
    uint64_t cycles;
    int16_t depth;
};

/* What a phase did. */
struct Deeds {
    uint32_t tasks, hits, misses;
};

MEGA_FN int16_t depth_of(const Scheduler &s)
{
    return (int16_t)(s.depth < DEPTH_MOST ? s.depth : DEPTH_MOST);
}

MEGA_FN Begun begin_phase(const Scheduler &s)
{
    return {s.records ? unit_cycles() : 0, depth_of(s)};
}

MEGA_FN void end_phase(Scheduler &s, const Begun &begun, uint32_t kind, const Deeds &deeds)
{
    if (!s.records)
        return;
    if (own_lane() == 0) {
        ls_scheduler_phase &phase = s.noted[s.noted_count];
        phase.start = begun.cycles;
        phase.end = unit_cycles();
        phase.loop = s.loop;
        phase.kind = kind;
        phase.tasks = deeds.tasks;
        phase.pop_hit = deeds.hits;
        phase.pop_miss = deeds.misses;
        phase.depth_start[0] = begun.depth;
        phase.depth_end[0] = depth_of(s);
    }
    s.noted_count++;
}

/* All lanes fill in what is the same in all phases. */
MEGA_FN void open_phases(ls_scheduler_phase *noted)
{
    ls_scheduler_phase fresh = LS_ZERO;
    fresh.task = LS_NO_TASK;
    for (uint32_t i = own_lane(); i < PHASES_MOST; i += MEGA_LANES)
        noted[i] = fresh;
}

/* Where the warp waits for memory anyway. */
MEGA_FN void write_due_phases(Scheduler &s)
{
    if (s.noted_count < PHASES_DUE)
        return;
    write_batch(s.phases, s.noted, s.noted_count);
    s.noted_count = 0;
}

/* A call, because it is seldom. */
MEGA_CALL void write_rest(ls_writer *phases, ls_scheduler_phase *noted, uint32_t count)
{
    write_batch(phases, noted, count);
}

/* Lays the clock's line anew where that is due. */
MEGA_FN void keep_line(Scheduler &s)
{
    if (!votes(own_lane() == 0 && is_due(own_clock())))
        return;
    write_rest(s.phases, s.noted, s.noted_count);
    s.noted_count = 0;
    if (own_lane() == 0)
        keep_clock();
    sync_warp();
}

#endif
