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
#define LS_NATIVE_VERSION 13
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
    uint64_t sim;   /* address of the ls_sim_device */
    uint64_t now;   /* when the call is made, in cycles of the device's counter, as all times */
    uint64_t owner; /* core, scheduler or orchestrator */
} ls_sim_call;

/* ls_channel_admit, ls_channel_dispatch, then ls_channel_finish and ls_sample: an ls_sim_call and
 * right behind it an ls_controller_task, whose dispatch time is known already, or an ls_pmu. */
LS_EXPORT int32_t ls_sim_admit(ls_sim_device *sim, uint32_t core, uint64_t now);
LS_EXPORT void ls_sim_dispatch(ls_sim_device *sim, uint32_t core, uint64_t dispatch);
/* Both in one call: admits at `now` and, where that may be, dispatches. */
LS_EXPORT int32_t ls_sim_give(ls_sim_device *sim, uint32_t core, uint64_t now, uint64_t dispatch);
LS_EXPORT int32_t ls_sim_finish(const uint8_t *call);
LS_EXPORT int32_t ls_sim_sample(const uint8_t *call);
/* An ls_sim_call and `count` records of one core (ls_core_write) or controller. The result is
 * LS_SIM_WAIT, or the outcome + 2 × how many more records the open buffer takes. A simulation may
 * keep back all but the last of these: nobody looks into an open buffer. */
LS_EXPORT int32_t ls_sim_tasks(const uint8_t *call, uint32_t count);
LS_EXPORT int32_t ls_sim_scheduler_phases(const uint8_t *call, uint32_t count);
LS_EXPORT int32_t ls_sim_orchestrator_phases(const uint8_t *call, uint32_t count);

#endif
