/* The one machine: orchestrators submit a task graph, schedulers go round and serve their cores, cores
 * run tasks, and all is recorded (machine.c); native.h includes this.
 *
 * The simulator gives it a chip and a region to record into. A replay gives it what was read from a
 * trace, and buffers that are only counted. Times are picoseconds. */
#ifndef LANESCOPE_MACHINE_H
#define LANESCOPE_MACHINE_H

#include "machine/costs.h"

#define LS_MACHINE_MOST 16 /* cores that one block of a task may need */

enum ls_machine_node { LS_NODE_RUN = 0, LS_NODE_DUMMY = 1, LS_NODE_ALLOC = 2, LS_NODE_SKIPPED = 3 };

enum ls_machine_manner {
    LS_MANNER_EARLY = 1,   /* may wait on a core until its predecessors are done   */
    LS_MANNER_TOGETHER = 2 /* all its blocks start at once, on cores that are idle */
};

/* Which of the cores that hold the fewest tasks is given one: the one that holds so many for the longest
 * time, the one with the lowest number, or the one that came to hold so many last. */
enum ls_machine_choice { LS_CHOOSE_LONGEST = 0, LS_CHOOSE_LOWEST = 1, LS_CHOOSE_LATEST = 2 };

/* Which ready task is given out first: the first, or the last that was made ready by the end of another;
 * behind those come the ones that were ready when they were submitted. */
enum ls_machine_pop { LS_POP_FIRST = 0, LS_POP_LAST = 1 };

/* In which order a phase handles the ends that it finds: as they came, or by core. */
enum ls_machine_collect { LS_COLLECT_BY_END = 0, LS_COLLECT_BY_CORE = 1 };

/* Kinds of record whose buffers can be counted: the first ones of enum ls_kind. */
#define LS_COUNTED_KINDS 4
static_assert(LS_CORE_TASK == 0 && LS_CONTROLLER_TASK == 1 && LS_SCHEDULER_PHASE == 2
                  && LS_ORCHESTRATOR_PHASE == LS_COUNTED_KINDS - 1,
              "counted buffers are by kind of record");

/* One run of a task's block on one core, found. */
typedef struct {
    int64_t core, dispatch, receive, start, end, finish;
} ls_machine_run;

/* One operation of a kernel, found; times since the task began. */
typedef struct {
    int64_t op, start, end;
} ls_machine_span;

enum ls_machine_moment { LS_WAS_DISPATCHED = 0, LS_HAS_ENDED = 1, LS_WAS_FINISHED = 2 };

/* What really happened, for those who ask: a task on a core, or a phase of a controller. */
typedef struct {
    int64_t kind; /* enum ls_kind: LS_CONTROLLER_TASK, LS_SCHEDULER_PHASE or LS_ORCHESTRATOR_PHASE */
    int64_t owner; /* core, scheduler or orchestrator */
    int64_t task;
    int64_t code; /* of a phase; a task's token */
    int64_t dispatch, receive; /* of a task; of a phase its loop and how many tasks */
    int64_t start, end, finish;
} ls_machine_truth;

/* What a trace engine's controller takes at once. The bytes are copied before the hook is called again. */
typedef struct {
    const uint8_t *bursts;
    int64_t count;
    uint64_t made, taken; /* chunks, so far */
} ls_machine_piece;

/* Python's part in a run. A negative answer stops it. NULL: not wanted. */
typedef struct {
    int32_t (*host)(void); /* published buffers wait for the host */
    int32_t (*sent)(int64_t core, int64_t task, int64_t token);
    /* A task has ended; `spans` where it shared the memory. How long the core reads counters. */
    int64_t (*ended)(int64_t core, int64_t task, int64_t token, int64_t begin, int64_t length,
                     const ls_machine_span *spans, int64_t count);
    int32_t (*sample)(int64_t core, int64_t task, int64_t token, ls_pmu *found);
    int32_t (*drain)(int64_t core, int32_t stop, ls_machine_piece *found);
    int32_t (*computes)(int32_t moment, int64_t task, int64_t time);
    int32_t (*happened)(const ls_machine_truth *what);
} ls_machine_hooks;

/* ARRAY64 and ARRAY32 are addresses of int64_t and int32_t, NULL where the comment allows it. */
#define LS_MACHINE_FIELDS(ARRAY64, ARRAY32, NUMBER)                                               \
    NUMBER(tasks)                                                                                 \
    /* the graph: successors of n are target[first[n]..first[n + 1]] */                           \
    ARRAY64(first)                                                                                \
    ARRAY32(target)                                                                               \
    ARRAY32(func)                                                                                 \
    ARRAY32(kind)         /* of core */                                                           \
    ARRAY32(node)         /* enum ls_machine_node; NULL: all run */                               \
    ARRAY32(blocks)       /* how often it is in the ready queue; NULL: once */                    \
    ARRAY32(partners)     /* cores of partner_kind in the same cluster, per block; NULL: none */  \
    ARRAY32(partner_kind) /* NULL: kind 1 */                                                      \
    ARRAY32(manner)       /* bits of enum ls_machine_manner; NULL: none */                        \
    ARRAY64(wait)         /* end seen until an engine is done; NULL: no engines */                \
    ARRAY64(scopes)       /* first task and end of each; NULL: none */                            \
    NUMBER(scope_count)                                                                           \
    ARRAY64(ending_first) /* scopes that end before task n, inner ones first: */                  \
    ARRAY64(ending)       /* ending[ending_first[n]..ending_first[n + 1]], n up to `tasks` */     \
    /* how long: by task, or by unit, which is one run of a block on a core; a block's own core   \
     * first, then its partners */                                                                \
    ARRAY64(length)     /* by task */                                                             \
    ARRAY64(unit_first) /* units of task n: unit_first[n]..unit_first[n + 1]; NULL: no units */   \
    ARRAY64(unit_length)                                                                          \
    ARRAY64(unit_setup)   /* NULL: costs.setup */                                                 \
    ARRAY64(unit_pick_up) /* dispatch, or the end before it, to receive; -1 or NULL: by costs */  \
    ARRAY64(unit_seen)    /* end until its controller can see it; -1 or NULL: by costs */         \
    ARRAY64(unit_give)    /* what a scheduler takes to dispatch it; -1 or NULL: by costs */       \
    ARRAY64(unit_wait)    /* of a block's first unit: ready so much later than its task */        \
    /* kernels that share the chip's memory: operations kernel_first[k].. of kernel k */          \
    ARRAY32(kernel)      /* by task, -1: none; NULL: no task has one */                           \
    ARRAY64(kernel_first)                                                                         \
    ARRAY64(op_length)                                                                            \
    ARRAY64(op_bytes)    /* through the shared memory */                                          \
    ARRAY64(op_before)   /* how many operations it waits for */                                   \
    ARRAY64(op_after_first)                                                                       \
    ARRAY64(op_after)    /* operations that wait for it, numbers within the kernel */             \
    NUMBER(memory_bytes_per_s) /* 0: no limit */                                                  \
    /* submits: by costs, or as given */                                                          \
    NUMBER(orchestrators)  /* 0: the graph is there before the schedulers begin */                \
    NUMBER(window)         /* tasks in use at once; 0: no limit */                                \
    ARRAY32(consumers)     /* with a window: target, sorted within each task */                   \
    ARRAY64(submit_order)  /* NULL: by number */                                                  \
    ARRAY64(submit_cost)   /* of the k-th submit, since the one before; NULL: by costs */         \
    ARRAY32(submit_records) /* that are written after the k-th; with submit_cost */               \
    /* the machine */                                                                             \
    NUMBER(cores)                                                                                 \
    NUMBER(kinds)                                                                                 \
    NUMBER(schedulers)                                                                            \
    NUMBER(clusters)                                                                              \
    NUMBER(bank_cores)    /* cores that a scheduler serves in one step; 0 or 1: one by one */     \
    NUMBER(pre_dispatch)                                                                          \
    NUMBER(release_tasks) /* finished tasks that wait before their places are given back, or 0 */ \
    NUMBER(core_choice)   /* enum ls_machine_choice */                                            \
    NUMBER(pop_order)     /* enum ls_machine_pop */                                               \
    NUMBER(collect_order) /* enum ls_machine_collect */                                           \
    NUMBER(sweeps) /* 1: cores are read one by one, and each is given one task per round */       \
    ARRAY32(core_kind)    /* -1: no task needs it */                                              \
    ARRAY32(core_scheduler)                                                                       \
    ARRAY32(cluster_first)                                                                        \
    ARRAY32(cluster_cores)                                                                        \
    /* recording: a region, or counted buffers by kind of record (0 records: none), or nothing */ \
    NUMBER(region)                                                                                \
    ARRAY32(buffer_records)                                                                       \
    ARRAY32(buffer_count)                                                                         \
    NUMBER(first_token)                                                                           \
    NUMBER(core_rotates)        /* the core switches buffers */                                   \
    NUMBER(tells_first)         /* the core tells first and records then */                       \
    NUMBER(records_phases)                                                                        \
    NUMBER(records_submits)                                                                       \
    NUMBER(depth_queues)        /* how many kinds' queues have their depths in records … */       \
    NUMBER(depth_mixed)         /* … and whether the one for clusters is the last */              \
    NUMBER(reads_counters)                                                                        \
    NUMBER(reads_engines)

#define LS_ARRAY64(name) const int64_t *name;
#define LS_ARRAY32(name) const int32_t *name;
#define LS_NUMBER(name) int64_t name;
typedef struct {
    LS_MACHINE_FIELDS(LS_ARRAY64, LS_ARRAY32, LS_NUMBER)
    ls_machine_costs costs;
    ls_machine_hooks hooks;
} ls_machine;
#undef LS_ARRAY64
#undef LS_ARRAY32
#undef LS_NUMBER

enum ls_machine_answer {
    LS_MACHINE_DONE = 0,
    LS_MACHINE_STUCK = 1,  /* some task can never run, or some controller waits for ever */
    LS_MACHINE_MEMORY = 2, /* there is not enough memory       */
    LS_MACHINE_HOOK = 3    /* a hook stopped the run           */
};

typedef struct {
    int64_t now, done, last_finish;
    int64_t stalled;     /* producers waited for buffers so long, all together */
    int64_t engine_stop; /* the slowest scheduler stopped its engines in so long */
} ls_machine_found;

/* Runs a graph to its end. `runs` (by unit), `ended` (by scheduler, then by orchestrator) and `sent` (by
 * core) are filled in; `runs` may be NULL. Answers one of ls_machine_answer. */
LS_EXPORT int32_t ls_machine_go(const ls_machine *in, ls_machine_found *found, ls_machine_run *runs,
                                int64_t *ended, int64_t *sent);
LS_EXPORT const ls_cost *ls_cost_table(int32_t *count);

#endif
