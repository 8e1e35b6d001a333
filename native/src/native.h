/* The functions Python calls through ctypes; lanescope/native/__init__.py mirrors the structs.
 *
 * None of them keeps a pointer after it returns, and none trusts its input: the JSON reader never
 * reads past `length`, whatever the bytes are. All are free of global state.
 */
#ifndef LANESCOPE_NATIVE_H
#define LANESCOPE_NATIVE_H

#include "lanescope/layout.h"
#include "lanescope/region.h"

#define LS_EXPORT __attribute__((visibility("default")))

/* Moves whenever a struct or a signature below changes; Python refuses a library of another one. */
#define LS_NATIVE_VERSION 21
LS_EXPORT int32_t ls_native_version(void);

/* ---- JSON rows to columns (json_rows.c) ---------------------------------------------------- */

enum ls_json_type {
    LS_JSON_INT = 0,   /* 12 or "12": an integer, also quoted                        */
    LS_JSON_MICRO = 1, /* 12.345 microseconds, stored as 12345 ns, halves rounded up */
    LS_JSON_INTS = 2,  /* [1, 2, 3]: exactly `count` integers                        */
    LS_JSON_TEXT = 3,  /* any value: a code for its raw text, see ls_json_pool       */
    LS_JSON_SPAN = 4   /* any value: the offset and length of its raw text; count 2  */
};

enum ls_json_row_kind { LS_JSON_ARRAY_ROWS = 0, LS_JSON_OBJECT_ROWS = 1 };

enum ls_json_problem {
    LS_JSON_OK = 0,
    LS_JSON_TRUNCATED = 1,    /* the text ends inside a value        */
    LS_JSON_SYNTAX = 2,       /* not JSON here                       */
    LS_JSON_NOT_ROW = 3,      /* a row is not of the expected kind   */
    LS_JSON_NOT_NUMBER = 4,   /* a column is not a number            */
    LS_JSON_RANGE = 5,        /* a number does not fit in 64 bits    */
    LS_JSON_TOO_SMALL = 6,    /* a number is below the column's min  */
    LS_JSON_NO_COLUMN = 7,    /* a required column is absent         */
    LS_JSON_MANY_COLUMNS = 8, /* an array row is longer than known   */
    LS_JSON_POOL_FULL = 9     /* more different texts than expected  */
};

/* Different texts of one column: code k is bytes [offset[k], offset[k] + length[k]). */
typedef struct {
    int32_t used;
    int32_t capacity; /* a power of two                             */
    int64_t *offset;  /* capacity entries                           */
    int64_t *length;  /* capacity entries                           */
    int32_t *slots;   /* 2 * capacity entries, -1 where empty: hash */
} ls_json_pool;

typedef struct {
    const char *key; /* object rows: the key; array rows: unused */
    int64_t key_length;
    int32_t type;
    int32_t count;    /* numbers per row: 1 but for LS_JSON_INTS and LS_JSON_SPAN */
    int32_t required; /* 0: may be absent or null, then stored as missing */
    int32_t pad;
    int64_t min;
    int64_t missing;
    int64_t *out; /* max_rows * count entries */
    ls_json_pool *pool;
} ls_json_column;

typedef struct {
    int32_t problem;
    int32_t column; /* index, or -1 */
    int64_t row;    /* within this call */
    int64_t at;     /* byte offset */
} ls_json_error;

static_assert(sizeof(ls_json_pool) == 32, "mirrored in Python");
static_assert(sizeof(ls_json_column) == 64, "mirrored in Python");
static_assert(sizeof(ls_json_error) == 24, "mirrored in Python");

/* Reads up to max_rows rows of a JSON array into columns. *position is 0 at first and then where
 * the last call stopped; it is -1 once the array has ended. Returns the rows read, or -1. */
LS_EXPORT int64_t ls_json_rows(const uint8_t *text, int64_t length, int64_t *position,
                               int32_t row_kind, const ls_json_column *columns, int32_t column_count,
                               int64_t max_rows, ls_json_error *error);

/* ---- Lanes (lanes.c) ----------------------------------------------------------------------- */

#define LS_MAX_SUBLANES 1024

/* Puts slices on sub-lanes so that on each one any two slices are disjoint or nested, and gives
 * the order in which their begins (2 * i) and ends (2 * i + 1) must be written. The slices are
 * sorted by lane, then start, then longest first. Returns the most sub-lanes any lane needs,
 * -1 for more than LS_MAX_SUBLANES, -2 for lack of memory. */
LS_EXPORT int64_t ls_stack_slices(int64_t count, const int32_t *lane, const int64_t *start,
                                  const int64_t *end, int32_t *sublane, int64_t *order);

/* Copies row i of `rows` (each `width` bytes) to target + offset[i]. */
LS_EXPORT void ls_scatter_rows(uint8_t *target, const int64_t *offset, const uint8_t *rows,
                               int64_t width, int64_t count);

/* Writes values[i] as a protobuf varint of exactly `width` bytes (1 to 10, padded with empty
 * groups of seven bits) to rows + i * stride. What does not fit in `width` is cut off. */
LS_EXPORT void ls_put_varints(uint8_t *rows, int64_t stride, int64_t width, const int64_t *values,
                              int64_t count);

/* ---- Graph (graph.c) ----------------------------------------------------------------------- */

/* Marks the nodes that lie on a cycle or between two cycles. Returns how many, -2 for lack of
 * memory. Nodes are 0..node_count-1; edges may repeat. */
LS_EXPORT int64_t ls_cyclic_nodes(int64_t node_count, int64_t edge_count, const int64_t *pred,
                                  const int64_t *succ, uint8_t *cyclic);

/* ---- Sorting (sort.c) ---------------------------------------------------------------------- */

/* The order that sorts the keys, equal ones as they come. Returns 0, -2 for lack of memory. */
LS_EXPORT int32_t ls_sort_order(int64_t count, const int64_t *key, int64_t *order);

/* Sorts the values where they are. Returns 0, -2 for lack of memory. */
LS_EXPORT int32_t ls_sort_values(int64_t count, int64_t *values);

/* ---- Time of cores, added up (tile.c) ------------------------------------------------------ */

/* What a moment opens (change > 0) or closes. A core in several states is in the first of them. */
enum ls_tile_what {
    LS_CORE_RUNNING = 0,
    LS_CORE_UNKNOWN = 1, /* records of it were lost */
    LS_CORE_BLOCKED = 2, /* it, or the controller that serves it, waits for the profiler */
    LS_CORE_HELD = 3,    /* a task was dispatched to it and has not started */
    LS_CORE_STATES = 4,
    LS_POOL_READY = 4,  /* of a kind of core: tasks that are ready and not dispatched */
    LS_POOL_BEHIND = 5, /* tasks that wait, themselves or through others, to be submitted */
    LS_POOL_PENDING = 6, /* all tasks that are not dispatched */
    LS_POOL_UNSURE = 7,  /* of these, tasks of which nothing says what they wait for */
    LS_CORE_GIVEN = 8,   /* closes pending and, as `by` says, ready or unsure; opens held */
    LS_CORE_STARTED = 9  /* closes held, opens running */
};

/* Where the time of cores that are in none of the states goes, behind the four states. */
enum ls_tile {
    LS_TILE_READY = 4,
    LS_TILE_QUEUED = 5, /* tasks wait behind another one on a busy core */
    LS_TILE_BEHIND = 6,
    LS_TILE_DATA = 7,
    LS_TILE_UNSURE = 8,
    LS_TILE_NOTHING = 9,
    LS_TILES = 10
};

/* Moments of one sort, in any order. */
typedef struct {
    const int64_t *time;
    const int32_t *change; /* NULL: `each` for all */
    const uint16_t *where; /* core, or kind of core for pools */
    const int8_t *by; /* LS_POOL_BEHIND: kind of core of the task that is not submitted; kinds: none.
                         LS_CORE_GIVEN: the other pool that it leaves, 0: none. NULL: 0 for all */
    int64_t count;
    int32_t each;
    int32_t what;
} ls_moments;

static_assert(sizeof(ls_moments) == 48, "mirrored in Python");

typedef struct {
    const ls_moments *parts;
    const int32_t *kind_of; /* per core */
    int64_t begin;
    int64_t end;
    int64_t *areas; /* [kind * LS_TILES + tile]: nanoseconds x cores are added here; of each kind
                       they add up to cores x (end - begin) */
    float *before;  /* NULL, or [row * LS_TILES + tile]: what the core of each LS_CORE_STARTED waited
                       for since its last run, in ns; there must be one part of these at most */
    float *after;   /* the same per core, after its last run */
    int32_t count;
    int32_t cores;
    int32_t kinds;
    int32_t pad;
} ls_tiling;

static_assert(sizeof(ls_tiling) == 72, "mirrored in Python");

/* Returns 0, -2 for lack of memory. */
LS_EXPORT int32_t ls_tile(const ls_tiling *tiling);

/* Running tasks (LS_CORE_RUNNING) and waiting ones (any other `what`) by kind of core. Adds to
 * overhead[kind] the time with an idle core and a waiting task, to overhead[kinds] the time in
 * which all kinds had that, to overhead[kinds + 1] the time in which all kinds with waiting tasks
 * had idle cores. Kinds without cores do not count. Returns 0, -2 for lack of memory. */
LS_EXPORT int32_t ls_overhead(const ls_moments *parts, int32_t count, const int64_t *cores,
                              int32_t kinds, int64_t *overhead);

/* ---- Paths (path.c) ------------------------------------------------------------------------ */

#define LS_NO_TIME INT64_MIN

/* Successors of node n: target[first[n]..first[n + 1]]. `order` is topological. Returns how many
 * nodes it holds, less than `nodes` where there are cycles, -2 for lack of memory. */
LS_EXPORT int64_t ls_graph_order(int64_t nodes, int64_t edges, const int64_t *pred,
                                 const int64_t *succ, int64_t *first, int64_t *target,
                                 int64_t *order);

/* When the last predecessor of each node was done, and which one that was; nodes without a time of
 * their own hand on what they waited for. LS_NO_TIME and -1 where nothing is known. */
LS_EXPORT void ls_graph_ready(int64_t nodes, const int64_t *first, const int64_t *target,
                              const int64_t *order, const int64_t *done, int64_t *ready,
                              int64_t *gate);

/* Adds to each node's sum those of all nodes whose gate it is, and of theirs. */
LS_EXPORT void ls_sum_followers(int64_t nodes, const int64_t *order, const int64_t *gate,
                                int64_t *sum);

/* The longest way to each node (without it), from it (without it), and the node before it. */
LS_EXPORT void ls_graph_longest(int64_t nodes, const int64_t *first, const int64_t *target,
                                const int64_t *order, const int64_t *weight, int64_t *head,
                                int64_t *tail, int64_t *via);

/* Marks the edges (as in `target`) that a longer way implies. Returns how many, -1 when that takes
 * more than `budget` steps, -2 for lack of memory. */
LS_EXPORT int64_t ls_graph_reduce(int64_t nodes, const int64_t *first, const int64_t *target,
                                  const int64_t *order, int64_t budget, uint8_t *implied);

enum ls_cause { LS_CAUSE_NONE = 0, LS_CAUSE_DATA = 1, LS_CAUSE_CORE = 2, LS_CAUSE_SUBMIT = 3 };

/* Runs on cores, the nodes they belong to, and what those waited for. */
typedef struct {
    const int64_t *start;
    const int64_t *end;
    const int64_t *node;
    const int64_t *before; /* the run before it on its core, -1: none */
    const int64_t *gate;   /* of a node: the node it waited for longest, -1: none */
    const int64_t *last;   /* of a node: its run that ended last, -1: it never ran */
    const int64_t *submit; /* of a node: when it had been submitted, or LS_NO_TIME */
} ls_walk;

static_assert(sizeof(ls_walk) == 56, "mirrored in Python");

/* From the run `from` back to whatever ended last before each start. `path` and `cause` have room
 * for all runs. Returns the path's length; it begins with `from`. */
LS_EXPORT int64_t ls_walk_back(const ls_walk *walk, int64_t from, int64_t *path, int8_t *cause);

/* ---- Replay (replay.c) --------------------------------------------------------------------- */

#define LS_REPLAY_MOST 16 /* cores that one block of a task may need */

enum ls_replay_kind { LS_REPLAY_SILENT = -1, LS_REPLAY_ALLOC = -2 }; /* nodes without a core */

enum ls_replay_manner {
    LS_REPLAY_EARLY = 1,   /* may wait on a core until its predecessors are done  */
    LS_REPLAY_TOGETHER = 2 /* all its blocks start at once, on cores that are idle */
};

enum ls_replay_lane { /* what is recorded, each in buffers of its own */
    LS_REPLAY_CORE_TASK,
    LS_REPLAY_CONTROLLER_TASK,
    LS_REPLAY_SCHEDULER_PHASE,
    LS_REPLAY_ORCHESTRATOR_PHASE,
    LS_REPLAY_LANES
};

/* One run of a task on a core; all times in picoseconds. */
typedef struct {
    int64_t length; /* given: start to end     */
    int64_t setup;  /* given: receive to start */
    int64_t core;   /* found, as all below     */
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
    const int32_t *buffer_records; /* by ls_replay_lane; 0: not recorded */
    const int32_t *buffer_count;
    ls_replay_unit *units; /* a block's core first, then its partners' */
    int64_t *found;        /* found: how long producers waited for buffers */
    int32_t cores;
    int32_t kinds;
    int32_t schedulers;
    int32_t clusters;
    int32_t pre_dispatch;
    int32_t pad;
    ls_replay_costs costs;
} ls_replay;

static_assert(sizeof(ls_replay_unit) == 64, "mirrored in Python");
static_assert(sizeof(ls_replay_costs) == 152, "mirrored in Python");
static_assert(sizeof(ls_replay) == 344, "mirrored in Python");

/* Fills in the units. Returns the last finish, -1 where some task can never run, -2 for lack of
 * memory. */
LS_EXPORT int64_t ls_replay_run(const ls_replay *replay);

/* ---- Layouts (layouts.c) ------------------------------------------------------------------- */

typedef struct {
    const char *type;
    const char *field;
    uint32_t offset;
    uint32_t bytes;
    uint32_t type_bytes;
    char element; /* U u64, u u32, i i32, h i16, S text; an array where bytes says so */
} ls_layout_field;

typedef struct {
    const char *name;
    int64_t value;
} ls_constant;

static_assert(sizeof(ls_layout_field) == 32, "mirrored in Python");
static_assert(sizeof(ls_constant) == 16, "mirrored in Python");

LS_EXPORT const ls_layout_field *ls_layout_table(int32_t *count);
LS_EXPORT const ls_constant *ls_constant_table(int32_t *count);

/* ---- Regions (region.c) -------------------------------------------------------------------- */

LS_EXPORT void ls_native_default_config(ls_config *config);
LS_EXPORT int32_t ls_native_config_check(const ls_config *config);
LS_EXPORT uint64_t ls_native_region_bytes(const ls_config *config);
LS_EXPORT void ls_native_region_init(uint8_t *memory, const ls_config *config);
LS_EXPORT uint64_t ls_native_level_flags(int32_t level);
LS_EXPORT uint64_t ls_native_flags_closed(uint64_t flags);
LS_EXPORT uint64_t ls_native_clock(void);
LS_EXPORT uint64_t ls_native_clock_hz(void);
LS_EXPORT void ls_native_anchor_clock(uint8_t *region);
LS_EXPORT void ls_native_set_state(uint8_t *region, uint64_t state);
LS_EXPORT void ls_native_fence(void);

/* ---- Draining (drain.c) -------------------------------------------------------------------- */

typedef struct {
    uint64_t bytes;
    uint64_t buffers;
    uint64_t records;
    uint32_t problem; /* 0; 1: a published buffer's header is not its own; 2: a counter ran wild */
    uint32_t lane;    /* where the problem is */
    uint64_t sequence;
    uint64_t fullest; /* of the lanes' rings, the largest part that waited for the host, in percent */
} ls_drained;

/* Copies published buffers, header and used records only, one after the other into `out` until it
 * is full, and counts them in `taken`. Nothing is given back yet. `lanes` is the live table inside
 * the image, `constants` the host's checked copy of it. */
LS_EXPORT void ls_drain(const uint8_t *image, const ls_lane *lanes, const ls_lane *constants,
                        uint32_t lane_count, uint64_t *taken, uint8_t *out, uint64_t room,
                        ls_drained *result);

/* Gives all taken buffers back to the device. */
/* The same for lanes first .. after-1: collectors that share a region have lanes of their own. */
LS_EXPORT void ls_drain_some(const uint8_t *image, const ls_lane *lanes, const ls_lane *constants,
                             uint32_t first, uint32_t after, uint64_t *taken, uint8_t *out,
                             uint64_t room, ls_drained *result);
LS_EXPORT void ls_release(ls_lane *lanes, uint32_t lane_count, const uint64_t *taken);

/* Adds up the records per lane of what ls_drain wrote, and puts the sequence number after a lane's
 * last buffer into `next`; returns the buffers, or -1 - offset where the bytes are no buffer. */
LS_EXPORT int64_t ls_count_buffers(const uint8_t *bytes, uint64_t length, const ls_lane *constants,
                                   uint32_t lane_count, uint64_t *records, uint64_t *next);

/* Copies the records of each lane to the end of its target and the headers to `headers`. The bytes
 * have passed ls_count_buffers. */
LS_EXPORT void ls_unpack_buffers(const uint8_t *bytes, uint64_t length, const ls_lane *constants,
                                 uint32_t lane_count, uint8_t *const *targets, uint64_t *filled,
                                 ls_buffer *headers);

/* ---- A simulated device (sim_device.c) ----------------------------------------------------- */

typedef struct ls_sim_device ls_sim_device;

/* What a recording call did. */
enum ls_sim_outcome {
    LS_SIM_WAIT = -1,     /* nothing: there is no buffer; call again when the host gave one back */
    LS_SIM_DONE = 0,      /* written, or dropped and counted */
    LS_SIM_PUBLISHED = 1  /* and a buffer now waits for the host */
};

/* The handles of all cores and controllers of a region; NULL for lack of memory. */
LS_EXPORT ls_sim_device *ls_sim_open(uint8_t *region);
/* Publishes what is open. After the last task. */
LS_EXPORT void ls_sim_close(ls_sim_device *sim);
LS_EXPORT void ls_sim_free(ls_sim_device *sim);

/* In front of the record in the one argument of a recording call: through ctypes an argument costs
 * as much as the call. */
typedef struct {
    uint64_t sim;    /* address of the ls_sim_device */
    uint64_t now_ps; /* when the call is made; records get cycles of the device's counter */
    uint64_t owner;  /* core, scheduler or orchestrator */
} ls_sim_call;

/* What a core did with one task. */
typedef struct {
    uint64_t receive_ps, start_ps, end_ps;
    uint64_t task, token;
} ls_sim_task;

/* What its controller saw of it, where cores record by themselves. */
typedef struct {
    uint64_t dispatch_ps, finish_ps;
    uint64_t task, token, func;
} ls_sim_finished;

/* ls_channel_admit, ls_channel_dispatch, then ls_channel_finish and ls_sample: an ls_sim_call and
 * right behind it an ls_controller_task, whose dispatch time is known already, or an ls_pmu. All
 * times of these calls are in ps. */
LS_EXPORT int32_t ls_sim_admit(ls_sim_device *sim, uint32_t core, uint64_t now_ps);
LS_EXPORT void ls_sim_dispatch(ls_sim_device *sim, uint32_t core, uint64_t dispatch_ps);
/* Both in one call: admits at `now_ps` and, where that may be, dispatches. */
LS_EXPORT int32_t ls_sim_give(ls_sim_device *sim, uint32_t core, uint64_t now_ps,
                              uint64_t dispatch_ps);
LS_EXPORT int32_t ls_sim_finish(const uint8_t *call);
LS_EXPORT int32_t ls_sim_sample(const uint8_t *call);
/* An ls_sim_call, what ls_source_counts wants (two uint64_t), and `count` ls_burst. The result is how
 * many were written or dropped before the next would have to wait + 2^32 × buffers published. */
LS_EXPORT int64_t ls_sim_bursts(const uint8_t *call, uint32_t count);
/* An ls_sim_call and `count` ls_sim_task or ls_sim_finished of one core, or phases of one controller.
 * ls_sim_finished stands for ls_sim_give and ls_sim_finish of a producer-rotated run. The result is
 * LS_SIM_WAIT, or the outcome + 2 × how many more records the open buffer takes. A simulation may
 * keep back all but the last of these: nobody looks into an open buffer. */
LS_EXPORT int32_t ls_sim_tasks(const uint8_t *call, uint32_t count);
LS_EXPORT int32_t ls_sim_finishes(const uint8_t *call, uint32_t count);
LS_EXPORT int32_t ls_sim_scheduler_phases(const uint8_t *call, uint32_t count);
LS_EXPORT int32_t ls_sim_orchestrator_phases(const uint8_t *call, uint32_t count);

/* ---- The schedule of a program (schedule.c) ------------------------------------------------ */

enum ls_line_kind { LS_LINE_NONE = 0, LS_LINE_PLAIN = 1, LS_LINE_LOOP_START = 2, LS_LINE_LOOP_END = 3 };

/* What an integer register holds after an instruction. */
enum ls_value {
    LS_VALUE_UNKNOWN = 0,
    LS_VALUE_ADD = 1,
    LS_VALUE_ADD_IMMEDIATE = 2,
    LS_VALUE_SUBTRACT = 3,
    LS_VALUE_MULTIPLY = 4,
    LS_VALUE_UPPER = 5 /* immediate << 12 */
};

/* Why an instruction could not start when the one before it had. */
enum ls_wait {
    LS_WAIT_UNIT = 0,     /* its unit was busy                        */
    LS_WAIT_REGISTER = 1, /* a register was not ready                 */
    LS_WAIT_SRAM = 2,     /* an SRAM range was not ready or still read */
    LS_WAIT_SLOT = 3,     /* too many transfers were outstanding      */
    LS_WAITS = 4
};

/* Granules of a memory: `count` from the address in a register, `step` apart. */
typedef struct {
    int32_t memory; /* -1 ends the list                                              */
    int32_t base;   /* register with the address                                     */
    int32_t step;   /* register with the distance in granules (at least 1), -1: 1    */
    int32_t part;   /* the granules are written in part: what was there stays needed */
    int64_t offset; /* added to the address                                          */
    int64_t count;
} ls_range;

/* One distinct line of a program. Registers are numbered across all register files and states. */
typedef struct {
    int32_t kind; /* ls_line_kind */
    int32_t unit;
    int32_t transfer; /* waits in the queue of transfers instead of blocking what follows */
    int32_t value;    /* ls_value */
    int32_t target;   /* integer register that `value` is about, or -1 */
    int32_t left;
    int32_t right;
    int32_t clears; /* register that holds no result afterwards, or -1: no path leads through it */
    int64_t immediate; /* of a loop's start: its count */
    int64_t done;      /* at least `ready` and `interval` */
    int64_t ready;
    int64_t interval;
    int32_t reads[8];  /* -1 ends */
    int32_t writes[4]; /* -1 ends */
    ls_range loads[4];
    ls_range stores[2];
} ls_line;

typedef struct {
    const ls_line *lines;
    const int32_t *which;   /* per row of the program its line */
    const int64_t *granule; /* per memory: addresses per granule */
    int64_t rows;
    int64_t most; /* instructions that `row_of` and the arrays below hold */
    int32_t registers;
    int32_t memories;
    int32_t units;
    int32_t outstanding; /* transfers that may be under way */
    int32_t buffers;     /* 2: a transfer fills the other of two buffers */
    int32_t depth;       /* of the deepest loop */
    int64_t executed;      /* out: instructions */
    int64_t makespan;      /* out: cycles */
    int64_t critical_path; /* out: cycles */
    int64_t *waits;        /* out: LS_WAITS cycles */
    int64_t *row_waits;    /* out: per row, cycles */
    int64_t *row_critical; /* out: per row, cycles on the critical path */
    int64_t *carriers;     /* out: cycles that registers, then memories, hand on along that path */
    int64_t *issue;        /* out: per instruction, or NULL */
    int64_t *start;        /* out: per instruction, or NULL */
    int32_t *row_of;       /* out: per instruction */
    int32_t *previous;     /* scratch: per instruction */
    int32_t *carrier;      /* scratch: per instruction */
} ls_schedule;

static_assert(sizeof(ls_range) == 32, "mirrored in Python");
static_assert(sizeof(ls_line) == 304, "mirrored in Python");
static_assert(sizeof(ls_schedule) == 160, "mirrored in Python");

/* Runs the program in order: one instruction starts per cycle, on its unit, when what it reads is
 * ready. Returns 0; -1 when there are more than `most` instructions; -2 for lack of memory. */
LS_EXPORT int32_t ls_schedule_run(ls_schedule *schedule);

#endif
