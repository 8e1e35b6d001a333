/* A scheduler of the thread platform. One round: complete (and inside it resolve), then dispatch.
 *
 * It never waits for a core. It waits for the host only where record.h makes a producer wait.
 */
#include "threads_platform.h"

#define DEPTHS 3
#define DEPTH_MOST 32767

typedef struct {
    ls_platform *platform;
    ls_writer phases;
    ls_scheduler_phase complete, resolve, dispatch; /* the ones of this round */
    uint32_t first_core;
    uint32_t core_step;
    uint32_t core_count;
    uint32_t loop;
    uint64_t outstanding; /* tasks at all of its cores */
} scheduler_state;

/* ---- Phases: written only if there was something to do -------------------------------------- */

static void note_depths(const scheduler_state *s, int16_t depths[DEPTHS])
{
    for (uint32_t kind = 0; kind < DEPTHS && kind < s->platform->job->kind_count; kind++) {
        uint64_t depth = ls_ready_depth(&s->platform->ready[kind]);
        depths[kind] = (int16_t)(depth < DEPTH_MOST ? depth : DEPTH_MOST);
    }
}

static void begin_phase(scheduler_state *s, ls_scheduler_phase *phase, uint32_t kind)
{
    if (!LS_ON(&s->phases))
        return;
    ls_scheduler_begin(&s->phases, phase, kind);
    phase->loop = s->loop;
    note_depths(s, phase->depth_start);
}

static void end_phase(scheduler_state *s, ls_scheduler_phase *phase, uint32_t tasks)
{
    if (!LS_ON(&s->phases))
        return;
    phase->tasks = tasks;
    note_depths(s, phase->depth_end);
    ls_scheduler_end(&s->phases, phase);
}

/* ---- Complete and resolve ------------------------------------------------------------------- */

static uint32_t finish_seat(scheduler_state *s, ls_seat *seat)
{
    uint64_t status = ls_load_acquire(&seat->mailbox->status), acknowledged = status & ~LS_TOP_BIT;
    uint64_t finished = status & LS_TOP_BIT ? acknowledged : acknowledged - 1;
    uint32_t count = (uint32_t)(finished - seat->finished);
    ls_channel_acknowledged(&seat->channel, acknowledged);
    while (seat->finished < finished) {
        uint64_t task = seat->tasks[seat->finished % LS_OUTSTANDING];
        uint32_t token = s->platform->first_token + (uint32_t)seat->finished;
        ls_channel_finish(&seat->channel, token, task, s->platform->func[task]);
        seat->finished++;
    }
    return count;
}

static void resolve(scheduler_state *s)
{
    uint32_t successors = 0;
    begin_phase(s, &s->resolve, LS_PHASE_RESOLVE);
    for (uint32_t core = s->first_core; core < s->core_count; core += s->core_step) {
        ls_seat *seat = &s->platform->seats[core];
        for (; seat->resolved < seat->finished; seat->resolved++) {
            uint64_t task = seat->tasks[seat->resolved % LS_OUTSTANDING];
            successors += ls_resolve_task(s->platform, task);
        }
    }
    if (successors)
        end_phase(s, &s->resolve, successors);
}

static uint32_t complete(scheduler_state *s)
{
    uint32_t tasks = 0;
    begin_phase(s, &s->complete, LS_PHASE_COMPLETE);
    for (uint32_t core = s->first_core; core < s->core_count; core += s->core_step)
        tasks += finish_seat(s, &s->platform->seats[core]);
    if (tasks == 0)
        return 0;
    s->outstanding -= tasks;
    resolve(s);
    end_phase(s, &s->complete, tasks);
    return tasks;
}

/* ---- Dispatch ------------------------------------------------------------------------------- */

typedef struct {
    uint32_t tasks, hits, misses;
} dispatch_tally;

static void post_task(scheduler_state *s, ls_seat *seat, uint64_t task)
{
    ls_post *post = &seat->mailbox->posts[seat->posted % LS_OUTSTANDING];
    post->task = task;
    post->func = s->platform->func[task];
    post->token = s->platform->first_token + (uint32_t)seat->posted;
    seat->tasks[seat->posted % LS_OUTSTANDING] = task;
    ls_channel_dispatch(&seat->channel);
    ls_store_release(&seat->mailbox->posted, ++seat->posted);
    s->outstanding++;
}

/* The task is popped first and held, for admitting may open a buffer or begin a wait for one:
 * both belong to a task that is really there. */
static void fill_seat(scheduler_state *s, ls_seat *seat, dispatch_tally *tally)
{
    if (seat->held == LS_NO_TASK) {
        if (!ls_ready_pop(seat->ready, &seat->held)) {
            tally->misses++;
            return;
        }
        tally->hits++;
    }
    if (!ls_channel_admit(&seat->channel))
        return;
    post_task(s, seat, seat->held);
    seat->held = LS_NO_TASK;
    tally->tasks++;
}

/* Cores that hold the fewest tasks come first. */
static uint32_t dispatch(scheduler_state *s)
{
    dispatch_tally tally = {0};
    begin_phase(s, &s->dispatch, LS_PHASE_DISPATCH);
    for (uint64_t load = 0; load <= s->platform->job->pre_dispatch; load++)
        for (uint32_t core = s->first_core; core < s->core_count; core += s->core_step) {
            ls_seat *seat = &s->platform->seats[core];
            if (seat->posted - seat->finished == load)
                fill_seat(s, seat, &tally);
        }
    if (tally.hits == 0 && tally.tasks == 0)
        return 0;
    s->dispatch.pop_hit = tally.hits;
    s->dispatch.pop_miss = tally.misses;
    end_phase(s, &s->dispatch, tally.tasks);
    return tally.tasks + tally.hits;
}

/* ---- The thread ----------------------------------------------------------------------------- */

static void open_seats(scheduler_state *s)
{
    for (uint32_t core = s->first_core; core < s->core_count; core += s->core_step) {
        ls_seat *seat = &s->platform->seats[core];
        seat->mailbox = &s->platform->mailboxes[core];
        seat->ready = &s->platform->ready[s->platform->core_kinds[core]];
        seat->held = LS_NO_TASK;
        ls_channel_open(&seat->channel, s->platform->region, core);
    }
}

/* After-finish: the core's last record is there when it has acknowledged the order to go. */
static void await_close(const ls_seat *seat)
{
    uint32_t spins = 0;
    while (ls_load_acquire(&seat->mailbox->status) != seat->posted + 1)
        ls_idle(&spins);
}

/* Sends the cores home. They have finished all that was posted. */
static void close_seats(scheduler_state *s, int started)
{
    for (uint32_t core = s->first_core; core < s->core_count; core += s->core_step) {
        ls_seat *seat = &s->platform->seats[core];
        ls_store_release(&seat->mailbox->posted, seat->posted | LS_TOP_BIT);
        if (started && seat->channel.after_finish)
            await_close(seat);
        ls_channel_close(&seat->channel);
    }
}

static void run_rounds(scheduler_state *s, ls_thread *thread)
{
    int timed = s->platform->job->scheduler_busy_cycles != 0;
    uint32_t spins = 0;
    for (;; s->loop++) {
        uint64_t start = timed ? LS_CLOCK() : 0;
        uint32_t worked = complete(s);
        /* Asked after completing: a task that cancels the run is the last of its chain. */
        int ending = ls_load_acquire(&s->platform->over) || ls_is_cancelled(s->platform);
        if (!ending)
            worked += dispatch(s);
        else if (s->outstanding == 0)
            return;
        if (worked == 0) {
            ls_idle(&spins);
            continue;
        }
        spins = 0;
        if (timed)
            thread->busy_cycles += LS_CLOCK() - start;
    }
}

void *ls_scheduler_main(void *argument)
{
    ls_thread *thread = argument;
    ls_platform *platform = thread->platform;
    const ls_threads_job *job = platform->job;
    scheduler_state s = {.platform = platform,
                         .first_core = thread->index,
                         .core_step = job->scheduler_count,
                         .core_count = job->core_count};
    if (job->pin)
        ls_pin_thread(job->core_count + thread->index);
    open_seats(&s);
    ls_writer_open(&s.phases, platform->region, LS_SCHEDULER_PHASE, thread->index);
    int started = ls_pass_gate(platform);
    if (started)
        run_rounds(&s, thread);
    thread->end_cycles = LS_CLOCK();
    close_seats(&s, started);
    ls_writer_flush(&s.phases);
    return NULL;
}
