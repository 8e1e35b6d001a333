/* A task graph inside one persistent kernel: what the host hands over, and what it gets back.
 *
 *   CTA 0 … S-1      schedulers, one warp each; the orchestrator is another warp of CTA 0
 *   CTA S … S+W-1    workers: core c is CTA S + c, served by scheduler c % S
 *
 * All arrays lie in the device's memory, and addresses are the device's. The words of ls_mega_state
 * and of the mailboxes change while the kernel runs:
 *
 *   word            writer              reader       order (within the device)
 *   post            scheduler           worker       fence and store / acquire: the task's inputs
 *   finished        worker              scheduler    release / load and fence: the task's results
 *   remaining[t]    who resolves        the same     a fence before and after: who takes away the last
 *                                                    one has seen the results of all predecessors
 *   ready slot      who resolves        scheduler    fence and store / load and fence: the same
 *   heads, tails    schedulers          the same     relaxed: they only reserve slots; a slot that is
 *                                                    reserved and still 0 is waited for
 *   root slot, tail orchestrator        scheduler    relaxed: a root's inputs were there before
 *   submitted       orchestrator        scheduler    relaxed: it carries nothing
 *   opened          all                 all          a fence before and after
 *   done            schedulers          the same     relaxed: it only says when it is over
 *   stop            host, who gives up  all          relaxed: everybody leaves, nothing is read after
 *
 * Inside: the kernel and the lanescope that runs it have this from the same version.
 */
#ifndef LANESCOPE_MEGAKERNEL_H
#define LANESCOPE_MEGAKERNEL_H

#include "layout.h"

/* What a task computes; `in` and `size` mean:
 *
 *   op      in[0]          in[1]            in[2]            size
 *   SCALE   x                                                rows, columns, strides of x, -, out
 *   ADD     x              y                                 rows, columns, strides of x, y, out
 *   MATMUL  a (float16)    b (float16)                       rows, columns, strides of a, b, out, depth
 *   QK      queries        key page
 *   SF      scores
 *   PV      probabilities  value page
 *   UP      part           its row sums     state before     1 where there is a state before
 *   HASH    all values     predecessors                      task, predecessors
 */
enum ls_mega_op {
    LS_MEGA_SCALE = 0,
    LS_MEGA_ADD = 1,
    LS_MEGA_MATMUL = 2,
    LS_MEGA_QK = 3,
    LS_MEGA_SF = 4,
    LS_MEGA_PV = 5,
    LS_MEGA_UP = 6,
    LS_MEGA_HASH = 7
};

#define LS_MEGA_HEADS 16  /* attention: rows of queries, … */
#define LS_MEGA_DEPTH 64  /* … values per row of queries, keys and values, … */
#define LS_MEGA_TOKENS 64 /* … and rows of a page of keys or values */
#define LS_MEGA_HASH_WIDTH 64
#define LS_MEGA_HASH_ROUNDS 32 /* per pass */

typedef struct {
    uint32_t op;
    uint32_t passes; /* how often it is computed; the result is the same, but of a HASH */
    uint64_t in[3];
    uint64_t out;
    uint32_t size[6];
} ls_mega_work;

/* state.stop: why everybody leaves. */
enum ls_mega_stop { LS_MEGA_GO = 0, LS_MEGA_CANCELLED = 1, LS_MEGA_LIMIT = 2, LS_MEGA_NO_ROOM = 3 };

/* One word and the rest of its line. */
typedef struct {
    uint64_t stop[8];
    uint64_t opened[8];    /* CTAs and the orchestrator that are ready to begin */
    uint64_t submitted[8]; /* tasks below this number are submitted */
    uint64_t done[8];      /* tasks that a scheduler has resolved */
    uint64_t ready_head[8];
    uint64_t ready_tail[8];
    uint64_t root_head[8];
    uint64_t root_tail[8];
    uint64_t start_ns;     /* before the first task was submitted */
    uint64_t end_ns;       /* after the last was resolved */
    uint64_t submitted_ns; /* after the last was submitted; 0: not all were */
    uint64_t bank_cores;   /* that a scheduler serves in one step */
    uint64_t pad[4];
} ls_mega_state;

/* What a CTA, and at last the orchestrator, leaves behind. */
typedef struct {
    uint64_t tasks;
    uint64_t unit;           /* the SM it was on */
    uint64_t clock_step_ns;  /* of the device's clock, as it saw it; 0: it read none */
    uint64_t clock_error_ns; /* the most its own line was off the device's clock beyond a step */
} ls_mega_result;

typedef struct {
    uint64_t region; /* 0: nothing is recorded */
    uint64_t handle; /* of the workers' warp roles; 0: they record nothing */
    uint64_t state;
    uint64_t results;      /* ls_mega_result per CTA, and one of the orchestrator */
    uint64_t func;         /* uint32_t per task */
    uint64_t work;         /* ls_mega_work per task */
    uint64_t offsets;      /* uint32_t, one more than tasks: task t has the successors … */
    uint64_t successors;   /* … offsets[t] to offsets[t + 1] - 1 */
    uint64_t predecessors; /* uint32_t per task: how many there are */
    uint64_t remaining;    /* … and how many of them are not done */
    uint64_t ready_slots;  /* uint32_t per task: task + 1, 0: not written yet */
    uint64_t root_slots;   /* the same of tasks that wait for none */
    uint64_t posts;        /* uint64_t, LS_OUTSTANDING per worker: number of the post << 32 | task */
    uint64_t finished;     /* uint64_t per worker: tasks it has finished */
    uint64_t limit_ns;     /* whoever waits longer than this after the start gives up for all */
    uint32_t task_count;
    uint32_t worker_count;
    uint32_t scheduler_count;
    uint32_t pre_dispatch;
    uint32_t first_token;
    uint32_t shared_bytes; /* memory of a CTA */
} ls_mega_job;

#define LS_MEGA_GO_HOME UINT64_MAX /* a post: no more will come */
#define LS_MEGA_THREADS 256
#define LS_MEGA_SEAT_BYTES 640 /* of a scheduler's CTA, per worker that it serves */

/* A worker's memory: two buffers that are loaded, two that are stored from. */
#define LS_MEGA_IN_BYTES (24u << 10)
#define LS_MEGA_OUT_BYTES (16u << 10)
#define LS_MEGA_WORKER_BYTES (2 * LS_MEGA_IN_BYTES + 2 * LS_MEGA_OUT_BYTES)

static_assert(sizeof(ls_mega_work) == LS_LINE, "LS_NATIVE_VERSION must move");
static_assert(sizeof(ls_mega_result) == 32, "LS_NATIVE_VERSION must move");
static_assert(sizeof(ls_mega_state) == 9 * LS_LINE, "LS_NATIVE_VERSION must move");
static_assert(sizeof(ls_mega_job) == 144, "LS_NATIVE_VERSION must move");

#endif
