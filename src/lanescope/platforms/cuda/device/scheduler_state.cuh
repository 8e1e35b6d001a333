/* What a scheduler's warp knows, and the phases that its lane 0 records.
 *
 * Workers sit in rows of one per lane; row r of a lane is worker r * 32 + lane of this scheduler.
 * A warp that is alone on its SM pays for every trip to memory and every instruction, so each lane
 * keeps in a register how many tasks its workers hold.
 */
#ifndef LANESCOPE_MEGA_SCHEDULER_STATE_CUH
#define LANESCOPE_MEGA_SCHEDULER_STATE_CUH

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
    ls_writer *phases;    /* in shared memory; lane 0 uses it */
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

MEGA_FN bool records_phases(const Scheduler &s)
{
    return own_lane() == 0 && LS_ON(s.phases);
}

MEGA_FN int16_t depth_of(const Scheduler &s)
{
    return (int16_t)(s.depth < DEPTH_MOST ? s.depth : DEPTH_MOST);
}

/* Calls, because every one of them inline is as much code as the rest of the round. */
MEGA_CALL void open_phase(ls_writer *phases, ls_scheduler_phase *phase, uint32_t kind)
{
    ls_scheduler_begin(phases, phase, kind);
}

MEGA_CALL void write_phase(ls_writer *phases, ls_scheduler_phase *phase)
{
    ls_scheduler_end(phases, phase);
}

MEGA_FN void begin_phase(Scheduler &s, ls_scheduler_phase &phase, uint32_t kind)
{
    if (!records_phases(s))
        return;
    open_phase(s.phases, &phase, kind);
    phase.loop = s.loop;
    phase.depth_start[0] = depth_of(s);
}

MEGA_FN void end_phase(Scheduler &s, ls_scheduler_phase &phase, uint32_t tasks)
{
    if (!records_phases(s))
        return;
    phase.tasks = tasks;
    phase.depth_end[0] = depth_of(s);
    write_phase(s.phases, &phase);
}

#endif
