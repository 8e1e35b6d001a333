/* What the threads of the platform share, and the words they talk through.
 *
 * A mailbox has three lines: two written by the core's scheduler, one by the core.
 *
 *            0        16       32       48       64
 *           ┌────────┬────────┬────────┬────────┐
 *   posts   │ post 0 │ post 1 │ post 2 │ post 3 │   task k lies in post k % 4
 *           ├──┬─────┴────────┴────────┴────────┤
 *   posted  │C │ tasks posted                   │   C (bit 63): no more will come, go
 *           ├──┼────────────────────────────────┤
 *   status  │F │ tasks acknowledged             │   F (bit 63): 1 FIN, 0 ACK
 *           └──┴────────────────────────────────┘
 *
 *   FIN(n): n tasks are finished and the core waits.
 *   ACK(n): task n-1 was taken over and runs. A core works in order, so n-1 tasks are finished,
 *           and a FIN that ACK overwrites before anybody saw it is not lost. The last one, with
 *           n-1 tasks posted, says that the core has closed its handle and goes.
 *
 *   word          writer        reader      order
 *   posts         scheduler     core        carried by posted; post k is not written again before
 *                                           FIN(k+1), for at most 3 tasks are outstanding
 *   posted        scheduler     core        release / acquire: the post, and segment[] of record.h
 *   status        core          scheduler   release / acquire: the task's effects and its record
 *   remaining[t]  who submits   the same    acquire and release: who takes away the last one has
 *                 or resolves               seen the effects of all predecessors
 *   live          the same      the same    acquire and release; see below
 *   over          one           all         release / acquire
 *   opened, gate  all, starter  starter,all release / acquire
 *
 * live counts tasks that are ready, dispatched or being resolved, and 1 for the orchestrator while
 * it submits. Only something live can make a task ready, so at 0 the run is over: all tasks are
 * done, or those left wait for each other.
 */
#ifndef LANESCOPE_THREADS_PLATFORM_H
#define LANESCOPE_THREADS_PLATFORM_H

#include "lanescope/lanescope.h"
#include "ready_queue.h"
#include "threads.h"

#include <pthread.h>

#define LS_TOP_BIT (UINT64_C(1) << 63)

typedef struct {
    uint64_t task;
    uint32_t func;
    uint32_t token; /* first_token of the region + k, modulo 2^32 */
} ls_post;

typedef struct {
    _Alignas(LS_LINE) ls_post posts[LS_OUTSTANDING];
    _Alignas(LS_LINE) uint64_t posted;
    _Alignas(LS_LINE) uint64_t status;
} ls_mailbox;

static_assert(sizeof(ls_mailbox) == 3 * LS_LINE, "each side has its own lines");

/* A core as its scheduler sees it; only that scheduler's thread touches it. */
typedef struct {
    _Alignas(LS_LINE) ls_channel channel;
    ls_mailbox *mailbox;
    ls_ready_queue *ready; /* of the core's kind */
    uint64_t posted;
    uint64_t finished;
    uint64_t resolved;              /* of the finished ones: successors were told */
    uint64_t tasks[LS_OUTSTANDING]; /* task k at k % 4 */
    uint64_t held; /* popped, and waits for the channel to admit it; LS_NO_TASK: none */
} ls_seat;

/* The gate that all threads wait at until every one has opened its handles. */
enum ls_gate { LS_GATE_CLOSED = 0, LS_GATE_OPEN = 1, LS_GATE_GO_HOME = 2 };

typedef struct {
    ls_threads_job *job;
    uint8_t *region; /* NULL: off */
    uint32_t first_token;
    uint32_t tells_first; /* cores write a record after FIN */
    const uint32_t *func;
    const int32_t *kind;
    const uint32_t *work;
    const uint64_t *amount;
    const int64_t *offsets;
    const int64_t *successors;
    const int32_t *core_kinds;
    const uint64_t *cancel;
    size_t scratch_bytes; /* what the work of the tasks needs, in whole lines */

    int32_t *remaining; /* predecessors not done, plus 1 until it is submitted */
    ls_ready_queue *ready;
    uint64_t *slots; /* of all ready queues */
    ls_mailbox *mailboxes; /* one per core, like seats */
    ls_seat *seats;        /* scheduler s serves s, s + M, s + 2 M, … */
    uint8_t *scratch;      /* scratch_bytes per core */

    _Alignas(LS_LINE) uint64_t live;
    _Alignas(LS_LINE) uint64_t over;
    uint64_t end_cycles; /* written before `over` by the one who sets it */
    _Alignas(LS_LINE) uint64_t opened;
    _Alignas(LS_LINE) uint64_t gate;
} ls_platform;

/* One thread and what it leaves behind when it has ended. */
typedef struct {
    _Alignas(LS_LINE) ls_platform *platform;
    pthread_t handle;
    uint32_t index; /* of the core or scheduler */
    uint32_t pad;
    uint64_t tasks_done;   /* core */
    uint64_t busy_cycles;  /* scheduler */
    uint64_t start_cycles; /* orchestrator */
    uint64_t end_cycles;   /* scheduler */
} ls_thread;

/* ---- threads_setup.c ------------------------------------------------------------------------ */

/* Checks the job and makes the platform; enum ls_threads_problem. ls_platform_free either way. */
int32_t ls_platform_make(ls_platform *platform, ls_threads_job *job);
void ls_platform_free(ls_platform *platform);

/* `count` zeroed entries that share no cache line with anything else; NULL for lack of memory. */
void *ls_zeroed_lines(size_t count, size_t bytes);

/* ---- threads_wait.c ------------------------------------------------------------------------- */

/* Says that this thread is ready and waits for the others; 0: there is nothing to do, go. */
int ls_pass_gate(ls_platform *platform);

/* Waits a little: first pausing, then giving way, then sleeping. `spins` counts empty rounds. */
void ls_idle(uint32_t *spins);

/* Keeps the calling thread on the n-th allowed CPU, counted round and round. */
void ls_pin_thread(uint32_t n);

/* ---- threads_work.c ------------------------------------------------------------------------- */

/* Memory the task's work needs; SIZE_MAX: there is no such work. */
size_t ls_work_bytes(uint32_t work, uint64_t amount);
void ls_work_run(const ls_platform *platform, const ls_post *post, uint32_t core, void *scratch);

/* ---- threads_graph.c ------------------------------------------------------------------------ */

/* One thing `task` waited for has happened; 1: it was the last, the caller pushes it. */
int ls_release_task(ls_platform *platform, uint64_t task);

/* `count` more of what keeps the run going; before they are pushed. */
void ls_live_more(ls_platform *platform, uint64_t count);
void ls_live_less(ls_platform *platform);

void ls_push_ready(ls_platform *platform, uint64_t task);

/* Tells the successors of a finished task, and gives up its share of live. Returns how many. */
uint32_t ls_resolve_task(ls_platform *platform, uint64_t task);

static inline int ls_is_cancelled(const ls_platform *platform)
{
    return platform->cancel && ls_load_acquire(platform->cancel) != 0;
}

/* ---- The threads' own functions: threads_core.c, threads_scheduler.c, threads_orchestrator.c - */

void *ls_core_main(void *thread);
void *ls_scheduler_main(void *thread);
void *ls_orchestrator_main(void *thread);

#endif
