/* Kinds of record: one list, from which everything that is told per kind is made, and the record of
 * each kind.
 *
 * A new kind is a line at the end of LS_RECORD_KINDS and a struct below. Its number, its feature,
 * its lanes and what Python knows of it follow from that line. The headers do not compile before the
 * struct is there, nor the library before native/src/layouts.c has the struct's fields.
 */
#ifndef LANESCOPE_KINDS_H
#define LANESCOPE_KINDS_H

#include "flags.h"
#include "tensor_record.h"

#define LS_PMU_COUNTERS 10 /* most hardware counters of a core */
#define LS_BURST_CHUNKS 8  /* what a core's trace engine writes at once */

/* Whom a lane belongs to. There is one lane of a kind per … */
enum ls_owner {
    LS_OWNER_NONE = 0, /* of what is no kind: there is no lane */
    LS_OWNER_CORE = 1,
    LS_OWNER_PIPE = 2, /* pipe of a core; ls_lane has the core and the pipe */
    LS_OWNER_SCHEDULER = 3,
    LS_OWNER_ORCHESTRATOR = 4,
    LS_OWNER_HOST = 5 /* thread of the host program */
};

/* Who writes the records of a kind, and waits where there is no buffer for them. */
enum ls_producer { LS_BY_CORE = 1, LS_BY_SCHEDULER = 2, LS_BY_ORCHESTRATOR = 3, LS_BY_HOST = 4 };

/* Every kind of record, and of lane:
 *
 *   constant, code    the number in ls_lane.kind; codes are 0, 1, 2, … and never change
 *   name              Python's word for it; the record's struct is ls_NAME
 *   bytes             of a record
 *   feature           that turns its lanes on (flags.h)
 *   owner, producer   as above
 */
#define LS_RECORD_KINDS(KIND)                                                                     \
    KIND(LS_CORE_TASK, 0, core_task, 32, LS_CHIP_SWIMLANE_CORE_TIMING, LS_OWNER_CORE, LS_BY_CORE) \
    KIND(LS_CONTROLLER_TASK, 1, controller_task, 32, LS_CHIP_SWIMLANE_TASK_LIFECYCLE,             \
         LS_OWNER_CORE, LS_BY_SCHEDULER)                                                          \
    KIND(LS_SCHEDULER_PHASE, 2, scheduler_phase, 64, LS_CHIP_SWIMLANE_PHASE_BUFFERS,              \
         LS_OWNER_SCHEDULER, LS_BY_SCHEDULER)                                                     \
    KIND(LS_ORCHESTRATOR_PHASE, 3, orchestrator_phase, 32, LS_CHIP_SWIMLANE_ORCHESTRATOR_PHASES,  \
         LS_OWNER_ORCHESTRATOR, LS_BY_ORCHESTRATOR)                                               \
    KIND(LS_PMU_SAMPLE, 4, pmu, 64, LS_PMU, LS_OWNER_CORE, LS_BY_SCHEDULER)                       \
    KIND(LS_CORE_SLICE, 5, slice, 16, LS_CHIP_SWIMLANE_CORE_TIMING, LS_OWNER_PIPE, LS_BY_CORE)    \
    KIND(LS_CORE_BURST, 6, burst, 32, LS_CORE_SWIMLANE, LS_OWNER_CORE, LS_BY_SCHEDULER)           \
    KIND(LS_TASK_EDGE, 7, edge, 32, LS_CHIP_SWIMLANE_TASK_LIFECYCLE, LS_OWNER_ORCHESTRATOR,       \
         LS_BY_ORCHESTRATOR)                                                                      \
    KIND(LS_HOST_PHASE, 8, host_phase, 64, LS_CHIP_SWIMLANE_PHASE_BUFFERS, LS_OWNER_HOST,         \
         LS_BY_HOST)                                                                              \
    KIND(LS_TENSOR_PART, 9, tensor, 128, LS_DUMP_TENSOR, LS_OWNER_SCHEDULER, LS_BY_SCHEDULER)

/* Kinds from this one on may have 0 buffers in ls_config: then there are no lanes of them. */
#define LS_FIRST_OPTIONAL_KIND LS_TASK_EDGE

#define LS_KIND_NUMBER(constant, code, name, bytes, feature, owner, producer) constant = (code),
enum ls_kind { LS_RECORD_KINDS(LS_KIND_NUMBER) LS_KIND_COUNT };
#undef LS_KIND_NUMBER

/* ---- Records ------------------------------------------------------------------------------- */

/* Field-compatible with the records of the simpler runtime where they overlap (AicoreTaskRecord,
 * AicpuTaskRecord, SchedPhaseRecord, OrchPhaseRecord, PmuRecord; hw-native-sys/simpler). */

/* One task as its core saw it. */
typedef struct {
    uint64_t start;
    uint64_t end;
    uint64_t task;             /* func << header.func_shift | task id, where func_shift is not 0 */
    uint32_t token;            /* the core's dispatch number, modulo 2^32 */
    uint32_t receive_to_start; /* cycles from seeing the task to starting it; level 2 and up */
} ls_core_task;

/* The same task as its controller saw it. */
typedef struct {
    uint64_t dispatch;
    uint64_t finish;
    uint32_t token;
    uint32_t func;
    uint64_t task;
} ls_controller_task;

/* One interval of a scheduler's loop. */
typedef struct {
    uint64_t start;
    uint64_t end;
    uint32_t loop;
    uint32_t kind;  /* enum ls_phase */
    uint32_t tasks; /* handled in this phase */
    uint32_t pop_hit;
    uint32_t pop_miss;
    int16_t depth_start[3]; /* of the ready queues */
    int16_t depth_end[3];
    uint64_t task; /* the task it is about, LS_NO_TASK where it is about none */
    uint64_t pad;
} ls_scheduler_phase;

/* One interval of an orchestrator. */
typedef struct {
    uint64_t start;
    uint64_t end;
    uint64_t task;
    uint32_t submit; /* number of the submission */
    uint32_t kind;   /* enum ls_orchestrator_kind */
} ls_orchestrator_phase;

/* A core's hardware counters over one task, recorded by the controller that serves the core. What
 * each counter counts is the run's choice and not in the region. */
typedef struct {
    uint64_t task;
    uint32_t func;
    uint32_t token;        /* where PmuRecord has the core's type, which the core table tells */
    uint64_t total_cycles; /* of the core's own clock */
    uint32_t counters[LS_PMU_COUNTERS];
} ls_pmu;

/* What a core's trace engine wrote at once, taken over by the controller that serves the core. A
 * core's bursts in their order are its chunk stream; where chunks were lost, the controller ends the
 * stream with a burst of its own (0xEFFFFFFF, then 0xDDDDDDDD) and another one follows. */
typedef struct {
    uint32_t chunks[LS_BURST_CHUNKS];
} ls_burst;

/* One edge of the task graph: `succ` waits for `pred`. */
typedef struct {
    uint64_t pred;
    uint64_t succ;
    uint32_t kind;  /* enum ls_edge_kind */
    int32_t arg;    /* argument of `succ` that causes it; -1: none does */
    uint32_t flags; /* of the trace's table of edges */
    uint32_t pad;
} ls_edge;

enum ls_edge_kind {
    LS_EDGE_FANOUT = 0,
    LS_EDGE_EXPLICIT = 1,
    LS_EDGE_CREATOR = 2,
    LS_EDGE_TENSORMAP = 3
};

/* One interval of a thread of the host program, on the device's clock. */
typedef struct {
    uint64_t start;
    uint64_t end;
    uint64_t task;  /* LS_NO_TASK where it is about none */
    uint64_t bytes; /* moved or reserved; LS_NO_BYTES where it is not about bytes */
    uint32_t name;  /* number of the phase's name, see LS_HOST_NAMES */
    uint32_t pad0;
    uint64_t pad1[3];
} ls_host_phase;

#define LS_NO_BYTES UINT64_MAX

/* The region's table of names has functions from 0 on, and from here on names of … */
#define LS_MARK_NAMES (1u << 16)    /* marks of slices */
#define LS_PIPE_NAMES (2u << 16)    /* pipes of slices */
#define LS_HOST_NAMES (3u << 16)    /* host phases */
#define LS_COUNTER_NAMES (4u << 16) /* hardware counters, by their place in ls_pmu */

/* A task or a mark of a core whose clock is its own: half the bytes of a core task. A buffer of these
 * begins with an ls_slice_clock, which lays the core's counter over the device's clock; the host makes
 * ordinary task rows and marks of them (capture/slices.py). Slices are in the order of their ends.
 *
 *    0    4         8     12              16
 *   ┌────┬─────────┬─────┬───────────────┐
 *   │end │duration │task │what           │
 *   └────┴─────────┴─────┴───────────────┘
 */
typedef struct {
    uint32_t end;      /* of the core's counter, bits 0 to 31 */
    uint32_t duration; /* in cycles; LS_SLICE_LONG: in 65536 cycles */
    uint32_t task;     /* of a mark: the task that began last, or LS_SLICE_NO_TASK */
    uint32_t what;     /* id of function or mark | LS_SLICE_MARK | end, bits 32 to 46, << 16
                        * | LS_SLICE_LONG */
} ls_slice;

#define LS_SLICE_ID 0x7fffu
#define LS_SLICE_MARK (1u << 15)
#define LS_SLICE_LONG (1u << 31)

/* Marks that are no marks: here the task sent or received what has the number in `duration`. */
#define LS_SLICE_SEND 0x7ffeu
#define LS_SLICE_RECEIVE 0x7fffu
#define LS_SLICE_NO_TASK UINT32_MAX

/* What a lane of slices is doing, in the place of its line of segments: host memory, so that it is known
 * of a kernel that hangs or fails, and after the process was killed. */
typedef struct {
    uint64_t task_begun; /* on the core's counter, all of it */
    uint32_t task;
    uint32_t func;
    uint64_t mark_begun;
    uint32_t mark_task; /* the task that had begun last by then */
    uint32_t mark;      /* its id | LS_SLICE_MARK; 0: none began */
    uint64_t held_cycles, held_ns; /* when the kernel that has the lane took it; 0: none has it */
    uint64_t unit;
    uint64_t pad;
} ls_slice_now;

/* The first 64 bytes after the header of a buffer of slices; it takes the place of four records and
 * is counted with them in ls_buffer.count and ls_lane.buffer_records, but not in `recorded`. Each
 * pair is one moment, read from the core's counter and from the device's clock. */
typedef struct {
    uint64_t start_cycles, start_ns; /* when the lane was opened by its kernel */
    uint64_t open_cycles, open_ns;   /* when this buffer was opened */
    uint64_t close_cycles, close_ns; /* … and published */
    uint64_t unit;                   /* the physical core (SM) that the lane was on */
    uint64_t launch;                 /* number of the launch that opened the lane; 0: it has none */
} ls_slice_clock;

#define LS_SLICE_CLOCK_RECORDS 4u /* sizeof(ls_slice_clock) / sizeof(ls_slice) */

#define LS_NO_TASK UINT64_MAX

/* Kinds of scheduler phase; the codes are those of the simpler runtime. */
enum ls_phase {
    LS_PHASE_COMPLETE = 0,
    LS_PHASE_DISPATCH = 1,
    LS_PHASE_RELEASE = 2,
    LS_PHASE_DUMMY = 4,
    LS_PHASE_EARLY_DISPATCH = 5,
    LS_PHASE_RESOLVE = 6,
    LS_PHASE_DUMMY_TASK = 7,
    LS_PHASE_DRAIN = 8,
    LS_PHASE_DRAIN_PREPARE = 9,
    LS_PHASE_DRAIN_PUBLISH = 10,
    LS_PHASE_ASYNC_POLL = 11,
    LS_PHASE_PREDICATED_SKIP = 12,
    LS_PHASE_GRAPH_PREPARE = 13
};

enum ls_orchestrator_kind { LS_ORCHESTRATOR_SUBMIT = 0, LS_ORCHESTRATOR_SCOPE_END = 1 };

/* ---- What the list says; since 0.1.0 --------------------------------------------------------- */

#define LS_KIND_CHECK(constant, code, name, bytes, feature, owner, producer)                      \
    static_assert(sizeof(ls_##name) == (bytes), "LS_REGION_VERSION must move");                   \
    static_assert((bytes) % 16 == 0, "a GPU writes a record in stores of 16 bytes");
LS_RECORD_KINDS(LS_KIND_CHECK)
#undef LS_KIND_CHECK

#define LS_KIND_ONE(constant, code, name, bytes, feature, owner, producer) +1
static_assert(LS_KIND_COUNT == 0 LS_RECORD_KINDS(LS_KIND_ONE), "codes are 0, 1, 2 and so on");
#undef LS_KIND_ONE

static_assert(sizeof(ls_slice_clock) == LS_SLICE_CLOCK_RECORDS * sizeof(ls_slice),
              "LS_REGION_VERSION must move");

#if !defined(__CUDACC_RTC__) /* which has no offsetof */
static_assert(offsetof(ls_core_task, task) == 16 && offsetof(ls_core_task, token) == 24,
              "LS_REGION_VERSION must move");
static_assert(offsetof(ls_controller_task, token) == 16, "LS_REGION_VERSION must move");
static_assert(offsetof(ls_scheduler_phase, depth_start) == 36, "LS_REGION_VERSION must move");
static_assert(offsetof(ls_pmu, token) == 12 && offsetof(ls_pmu, total_cycles) == 16
                  && offsetof(ls_pmu, counters) == 24,
              "LS_REGION_VERSION must move");
#endif

/* Bytes of a record. 0: there is no such kind, so a number from a damaged region has no record. */
LS_FN uint32_t ls_record_bytes(uint32_t kind)
{
    switch (kind) {
#define LS_KIND_CASE(constant, code, name, bytes, feature, owner, producer) \
    case constant: return (bytes);
        LS_RECORD_KINDS(LS_KIND_CASE)
#undef LS_KIND_CASE
    default: return 0;
    }
}

/* The feature that turns a kind of lane on. 0: there is no such kind, and nothing turns it on. */
LS_FN uint64_t ls_kind_feature(uint32_t kind)
{
    switch (kind) {
#define LS_KIND_CASE(constant, code, name, bytes, feature, owner, producer) \
    case constant: return (feature);
        LS_RECORD_KINDS(LS_KIND_CASE)
#undef LS_KIND_CASE
    default: return 0;
    }
}

/* ---- since 0.2.0 ----------------------------------------------------------------------------- */

/* Whom a lane of the kind belongs to. LS_OWNER_NONE: there is no such kind. */
LS_FN enum ls_owner ls_kind_owner(uint32_t kind)
{
    switch (kind) {
#define LS_KIND_CASE(constant, code, name, bytes, feature, owner, producer) \
    case constant: return (owner);
        LS_RECORD_KINDS(LS_KIND_CASE)
#undef LS_KIND_CASE
    default: return LS_OWNER_NONE;
    }
}

#endif
