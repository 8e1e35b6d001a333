/* A recorded graph run again with other costs (replay.c); native.h includes this. */
#ifndef LANESCOPE_REPLAY_H
#define LANESCOPE_REPLAY_H

#define LS_REPLAY_MOST 16 /* cores that one block of a task may need */

enum ls_replay_kind { LS_REPLAY_SILENT = -1, LS_REPLAY_ALLOC = -2 }; /* nodes without a core */

enum ls_replay_manner {
    LS_REPLAY_EARLY = 1,   /* may wait on a core until its predecessors are done  */
    LS_REPLAY_TOGETHER = 2 /* all its blocks start at once, on cores that are idle */
};

/* Which of the cores that hold equally many tasks is given the next one. */
enum ls_replay_choice { LS_REPLAY_LONGEST, LS_REPLAY_LOWEST, LS_REPLAY_LATEST };

/* Which of the tasks that are ready is dispatched next: the one that was ready first, or the one
 * that a scheduler made ready last; tasks that were ready when submitted then come behind. */
enum ls_replay_pop { LS_REPLAY_FIRST_READY, LS_REPLAY_LAST_READY };

/* In which order a scheduler sees ends that it sees in one look. */
enum ls_replay_collect { LS_REPLAY_BY_END, LS_REPLAY_BY_CORE };

/* A replay records the first kinds of record (enum ls_kind), each in buffers of its own. */
#define LS_REPLAY_LANES 4
static_assert(LS_CORE_TASK == 0 && LS_CONTROLLER_TASK == 1 && LS_SCHEDULER_PHASE == 2
                  && LS_ORCHESTRATOR_PHASE == LS_REPLAY_LANES - 1,
              "buffers of a replay are by kind of record");

/* One run of a task on a core; all times in picoseconds. */
typedef struct {
    int64_t length;  /* given: start to end                                             */
    int64_t setup;   /* given: receive to start                                         */
    int64_t pick_up; /* given: dispatch, or the end before it, to receive; -1: by costs  */
    int64_t seen;    /* given: end until the controller can see it; -1: by costs         */
    int64_t give;    /* given: what a scheduler takes to dispatch it; -1: by costs       */
    int64_t wait;    /* given: how much later than its node its block is ready           */
    int64_t core;    /* found, as all below                                             */
    int64_t dispatch;
    int64_t receive;
    int64_t start;
    int64_t end;
    int64_t finish;
} ls_replay_unit;

typedef struct {
    int64_t loop;          /* a round that looks at no core                  */
    int64_t poll;          /* per core that holds a task                     */
    int64_t complete_base; /* per phase that sees tasks end                  */
    int64_t complete;      /* per task seen to have ended, until its finish  */
    int64_t record;        /* per task, after its finish                     */
    int64_t resolve;       /* per successor told                             */
    int64_t pop;           /* per look into a ready queue                    */
    int64_t dispatch;      /* per core given a task                          */
    int64_t phase;         /* between two phases of a round                  */
    int64_t release;       /* per task released …                            */
    int64_t release_tasks; /* … so many at once                              */
    int64_t publish;       /* per core, when blocks start together           */
    int64_t poll_engine;   /* per task that an engine still works on         */
    int64_t engine_seen;   /* an engine's end until the controller can see it */
    int64_t rotate;        /* per buffer that is full                        */
    int64_t host;          /* a buffer published until the host gave it back */
    int64_t link;          /* dispatch until the core has the task           */
    int64_t seen;          /* end until the controller can see it            */
    int64_t free;          /* end until the core takes the next task         */
} ls_replay_costs;

typedef struct {
    int64_t nodes;
    const int64_t *first; /* successors of node n: target[first[n]..first[n + 1]] */
    const int64_t *target;
    const int32_t *kind;     /* of core, or ls_replay_kind */
    const int32_t *blocks;   /* how often it is in the ready queue */
    const int32_t *partners; /* cores of partner_kind, in the same cluster, per block */
    const int32_t *partner_kind;
    const int32_t *manner;     /* bits of ls_replay_manner */
    const int64_t *wait;       /* end seen until an engine beside the cores is done; 0: none */
    const int64_t *unit_first; /* units of node n: unit_first[n]..unit_first[n + 1] */
    const int64_t *submit_order;
    const int64_t *submit_cost; /* of the k-th submit, since the one before */
    const int32_t *submit_records; /* that the orchestrator writes from the k-th submit on */
    const int32_t *core_kind;
    const int32_t *core_scheduler;
    const int32_t *cluster_first;
    const int32_t *cluster_cores;
    const int32_t *buffer_records; /* by kind of record, LS_REPLAY_LANES; 0: not recorded */
    const int32_t *buffer_count;
    ls_replay_unit *units; /* a block's core first, then its partners' */
    int64_t *found;        /* found: how long producers waited for buffers */
    int32_t cores;
    int32_t kinds;
    int32_t schedulers;
    int32_t clusters;
    int32_t pre_dispatch;
    int32_t choice;  /* of a core, enum ls_replay_choice  */
    int32_t pop;     /* enum ls_replay_pop                */
    int32_t collect; /* enum ls_replay_collect            */
    ls_replay_costs costs;
} ls_replay;

static_assert(sizeof(ls_replay_unit) == 96, "mirrored in Python");
static_assert(sizeof(ls_replay_costs) == 152, "mirrored in Python");
static_assert(sizeof(ls_replay) == 352, "mirrored in Python");

/* Fills in the units. Returns the last finish, -1 where some task can never run, -2 for lack of
 * memory. */
LS_EXPORT int64_t ls_replay_run(const ls_replay *replay);

#endif
