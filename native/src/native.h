/* The functions Python calls through ctypes; lanescope/native/ mirrors the structs.
 *
 * None of them keeps a pointer after it returns, and none trusts its input: the readers of
 * JSON and protobuf never read past `length`, whatever the bytes are. All are free of global state.
 */
#ifndef LANESCOPE_NATIVE_H
#define LANESCOPE_NATIVE_H

#include "lanescope/layout.h"
#include "lanescope/region.h"

#if defined(_WIN32)
#define LS_EXPORT __declspec(dllexport)
#else
#define LS_EXPORT __attribute__((visibility("default")))
#endif

/* Moves whenever a struct or a signature below changes; Python refuses a library of another one. */
#define LS_NATIVE_VERSION 34
LS_EXPORT int32_t ls_native_version(void);

/* ---- JSON rows to columns (json_rows.c) ---------------------------------------------------- */

enum ls_json_type {
    LS_JSON_INT = 0,    /* 12 or "12": an integer, also quoted                        */
    LS_JSON_MICRO = 1,  /* 12.345 or "12.345" microseconds, as nanoseconds. count 1: rounded, halves
                           to the even one; count 2: exactly, whole ns and 10^-18 ns of one sign */
    LS_JSON_INTS = 2,   /* [1, 2, 3]: exactly `count` integers                        */
    LS_JSON_TEXT = 3,   /* any value: a code for its raw text, see ls_json_pool       */
    LS_JSON_SPAN = 4,   /* any value: the offset and length of its raw text; count 2  */
    LS_JSON_ID = 5,     /* 12 or "12": an id of 64 bits without sign, see read_id     */
    LS_JSON_NUMBER = 6, /* 1.5e3 or "1.5e3": the bits of a double                     */
    LS_JSON_OBJECT = 7, /* {...}: the `inner` columns of the same row; else they are missing */
    LS_JSON_FIRST = 8   /* "ADD r1": a code for a string's first word, see ls_json_pool  */
};

enum ls_json_row_kind {
    LS_JSON_ARRAY_ROWS = 0,  /* [[...], [...]] */
    LS_JSON_OBJECT_ROWS = 1, /* [{...}, {...}] */
    LS_JSON_LINE_ROWS = 2,   /* {...} {...}: objects with white space between them, up to the end */
    LS_JSON_OPEN_ROWS = 3    /* [{...}, {...}, : objects; the text may end behind any of them */
};

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
    LS_JSON_POOL_FULL = 9,    /* more different texts than expected  */
    LS_JSON_NOT_TEXT = 10     /* a column is not a string            */
};

/* Different texts of one column: code k is bytes [offset[k], offset[k] + length[k]). */
typedef struct {
    int32_t used;
    int32_t capacity; /* a power of two                             */
    int64_t *offset;  /* capacity entries                           */
    int64_t *length;  /* capacity entries                           */
    int32_t *slots;   /* 2 * capacity entries, -1 where empty: hash */
} ls_json_pool;

typedef struct ls_json_column {
    const char *key; /* object rows: the key; array rows: unused */
    int64_t key_length;
    int32_t type;
    int32_t count;    /* numbers per row: 1 but for LS_JSON_MICRO, LS_JSON_INTS and LS_JSON_SPAN */
    int32_t required; /* 0: may be absent or null, then stored as missing */
    int32_t lenient;  /* 1: what is not of the type, or too small, is stored as missing, too */
    int32_t number;   /* what an error calls this column */
    int32_t inner_count;
    int64_t min;
    int64_t missing;
    int64_t seen; /* -1 at first; then the last row that had this column */
    int32_t next, first; /* which column's key came behind this one last; of column 0: which one began the last row */
    int64_t *out; /* max_rows * count entries; LS_JSON_OBJECT: NULL */
    ls_json_pool *pool;
    struct ls_json_column *inner; /* LS_JSON_OBJECT: inner_count columns */
} ls_json_column;

typedef struct {
    int32_t problem;
    int32_t column; /* its number, or -1 */
    int64_t row;    /* within this call */
    int64_t at;     /* byte offset; without a problem, where the array ends */
} ls_json_error;

static_assert(sizeof(ls_json_pool) == 32, "mirrored in Python");
static_assert(sizeof(ls_json_column) == 96, "mirrored in Python");
static_assert(sizeof(ls_json_error) == 24, "mirrored in Python");

/* Reads up to max_rows rows of a JSON array, or of JSON lines, into columns. *position is 0 at first and then where
 * the last call stopped; it is -1 once the array has ended. Returns the rows read, or -1. */
LS_EXPORT int64_t ls_json_rows(const uint8_t *text, int64_t length, int64_t *position,
                               int32_t row_kind, ls_json_column *columns, int32_t column_count,
                               int64_t max_rows, ls_json_error *error);

/* ---- the members of a JSON object or array (json_members.c) -------------------------------- */

typedef struct {
    int64_t key; /* the key with its quotes: offset and length; 0 and 0 in an array */
    int64_t key_length;
    int64_t value; /* the value: offset and length; it is walked, not checked */
    int64_t value_length;
} ls_json_member;

static_assert(sizeof(ls_json_member) == 32, "mirrored in Python");

/* Finds up to `most` members of the one object or array that the text is. *position is as for ls_json_rows. Returns
 * the members found, or -1 where the text is something else, ends early or goes on behind its end. */
LS_EXPORT int64_t ls_json_members(const uint8_t *text, int64_t length, int64_t *position,
                                  ls_json_member *members, int64_t most);

/* ---- Lanes (lanes.c) ----------------------------------------------------------------------- */

#define LS_MAX_SUBLANES 1024

/* Puts slices on sub-lanes so that on each one any two slices are disjoint or nested, and gives
 * the order in which their begins (2 * i) and ends (2 * i + 1) must be written. The slices are
 * sorted by lane, then start, then longest first. Returns the most sub-lanes any lane needs,
 * -1 for more than LS_MAX_SUBLANES, -2 for lack of memory, -3 where they are not sorted. */
LS_EXPORT int64_t ls_stack_slices(int64_t count, const int32_t *lane, const int64_t *start,
                                  const int64_t *end, int32_t *sublane, int64_t *order);

/* What rows of a lane that lie in each other say of every moment: the innermost one counts. The rows
 * are sorted as above; a row that outlives the one around it counts until that one's end, which
 * is in `until`. A row without length is around none. Gives the row around each row (-1: none), the
 * time in which it was the innermost, and the pieces of time with their innermost row, lane by lane
 * in rising order; there is room for 2 * count pieces. Returns how many pieces there are. */
LS_EXPORT int64_t ls_nest(int64_t count, const int32_t *lane, const int64_t *start,
                          const int64_t *end, int64_t *parent, int64_t *until, int64_t *own,
                          int64_t *piece_row, int64_t *piece_start, int64_t *piece_end);

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

/* Marks the edges (as in `target`; no pair twice) that a longer way implies (reduce.c). Returns how
 * many, -1 when that takes more than `budget` steps, -2 for lack of memory. */
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

/* The nodes from `from` on, each followed by next[node], until that is -1 or `count` nodes are
 * found. Returns how many there are in `path`. */
LS_EXPORT int64_t ls_follow(int64_t count, const int64_t *next, int64_t from, int64_t *path);

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
 * the image, `constants` the host's checked copy of it. A lane with a problem is left as it is, and the
 * others are taken; the first problem is told. Lanes that are refused in `constants` are not looked at. */
LS_EXPORT void ls_drain(const uint8_t *image, const ls_lane *lanes, const ls_lane *constants,
                        uint32_t lane_count, uint64_t *taken, uint8_t *out, uint64_t room,
                        ls_drained *result);

/* The same for lanes first .. after-1: collectors that share a region have lanes of their own. */
LS_EXPORT void ls_drain_some(const uint8_t *image, const ls_lane *lanes, const ls_lane *constants,
                             uint32_t first, uint32_t after, uint64_t *taken, uint8_t *out,
                             uint64_t room, ls_drained *result);
/* Gives all taken buffers back to the device. */
LS_EXPORT void ls_release(ls_lane *lanes, uint32_t lane_count, const uint64_t *taken);

/* Signs of life, which producers that wait for a buffer look for: the host lives; the host leaves. */
LS_EXPORT void ls_host_beats(uint8_t *region);
LS_EXPORT void ls_host_leaves(uint8_t *region);

/* Adds up the records per lane of what ls_drain wrote, and puts the sequence number after a lane's
 * last buffer into `next`; returns the buffers, or -1 - offset where the bytes are no buffer. */
LS_EXPORT int64_t ls_count_buffers(const uint8_t *bytes, uint64_t length, const ls_lane *constants,
                                   uint32_t lane_count, uint64_t *records, uint64_t *next);

/* Copies the headers to `headers`, and the byte at which the records of each buffer begin to
 * `records_at`. The bytes have passed ls_count_buffers. */
LS_EXPORT void ls_list_buffers(const uint8_t *bytes, uint64_t length, const ls_lane *constants,
                               uint32_t lane_count, ls_buffer *headers, uint64_t *records_at);

/* ---- With headers of their own ------------------------------------------------------------- */

#include "area.h"
#include "assembly.h"
#include "columns.h"
#include "proto_rows.h"
#include "machine/machine.h"
#include "schedule.h"
#include "tables.h"

#endif
