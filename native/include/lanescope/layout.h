/* The region: the memory that device and host both see. Every byte of it is described here.
 *
 *   core        runs tasks                          controller  dispatches them to cores
 *   record      one fact, of a fixed size           lane        one producer's records of one kind
 *   buffer      a header and N records              host        takes full buffers while it runs
 *
 *   0 ┌─────────────────┐
 *     │ header          │  sizes, flags, clock
 *     ├─────────────────┤
 *     │ cores           │  one entry per core
 *     ├─────────────────┤
 *     │ names           │  function id -> name, filled in by the runtime
 *     ├─────────────────┤
 *     │ lanes           │  per lane: constants, producer's line, segment line, host's line
 *     ├─────────────────┤  <- prefix_bytes: all of the above
 *     │ staging slots   │  only with the staging protocol
 *     ├─────────────────┤
 *     │ buffers         │  buffer_count per lane, in lane order
 *     └─────────────────┘
 *
 * There are offsets and no pointers, so the same bytes work at any address, in a copy, and on both
 * sides of a bus. All words are little-endian.
 *
 * A lane's buffers form a ring: the buffer of sequence number s is buffer s % buffer_count. So its
 * two queues are two counters, each with one writer:
 *
 *     released (host) <= published (producer) <= opened (producer) <= released + buffer_count
 *
 *     ready queue: sequence numbers released .. published-1, waiting for the host
 *     open:        published .. opened-1, being written
 *     free queue:  the rest of the ring
 *
 * Neither can overflow, and a sequence number is never skipped or used twice.
 *
 * The shared words, who writes and who reads them, and the order that makes it right:
 *
 *   word                 writer     reader   order
 *   lane.published       producer   host     release / acquire: the host sees the buffer's bytes
 *   lane.released        host       producer release / acquire: the host has copied them already
 *   lane.recorded        producer   host     release / acquire: records of the open buffer, for
 *                                            whoever looks at it before it is published
 *   lane.opened          producer   host     release / acquire: the open buffer's header is written
 *   lane.dropped, wait_* producer   host     relaxed; exact once the producer has stopped
 *   lane.segment[]       controller core     release / acquire; see record.h
 *   header.state         device     host     release / acquire
 *
 * "Producer" is who publishes: the core itself (producer-rotated) or the controller that serves it
 * (staging, controller-rotated); of all other lanes the controller thread that records there.
 *
 * Changing what is here moves LS_REGION_VERSION. A further kind of lane at the end does not: whoever
 * does not know it refuses it by its number, and regions without it are as they were.
 */
#ifndef LANESCOPE_LAYOUT_H
#define LANESCOPE_LAYOUT_H

#include "flags.h"

#define LS_REGION_MAGIC UINT64_C(0x4e4f494745525f4c) /* the bytes "L_REGION" */
#define LS_REGION_VERSION 1
#define LS_LINE 64         /* bytes that travel between caches together */
#define LS_OUTSTANDING 4   /* most tasks a core may hold, one running; see ls_channel */
#define LS_PRE_DISPATCH_MAX 2
#define LS_KIND_NAME 16
#define LS_FUNCTION_NAME 60
#define LS_PMU_COUNTERS 10 /* most hardware counters of a core */
#define LS_BURST_CHUNKS 8  /* what a core's trace engine writes at once */

/* Kinds of record, and of lane. */
enum ls_kind {
    LS_CORE_TASK = 0,
    LS_CONTROLLER_TASK = 1,
    LS_SCHEDULER_PHASE = 2,
    LS_ORCHESTRATOR_PHASE = 3,
    LS_PMU_SAMPLE = 4,
    LS_CORE_SLICE = 5,
    LS_CORE_BURST = 6,
    LS_KIND_COUNT = 7
};

/* How a core's records reach the host; see record.h. */
enum ls_protocol { LS_STAGING = 0, LS_CONTROLLER_ROTATED = 1, LS_PRODUCER_ROTATED = 2 };

/* What a producer does when the host has no buffer for it. */
enum ls_on_full { LS_BLOCK = 0, LS_DROP = 1 };

/* header.state: how far the device is. */
enum ls_state { LS_SETTING_UP = 0, LS_RUNNING = 1, LS_STOPPED = 2 };

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
    uint64_t pad;
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

/* ---- Buffers ------------------------------------------------------------------------------- */

/* In front of the records of every buffer. Written by the producer before it publishes.
 *
 *    0        8    12   16     24       32          40        48          64
 *   ┌────────┬────┬────┬──────┬────────┬───────────┬─────────┬───────────┬─ records …
 *   │sequence│lane│coun│first │dropped │wait_start │wait_end │ pad       │
 *   └────────┴────┴────┴──────┴────────┴───────────┴─────────┴───────────┴─ records …
 */
typedef struct {
    uint64_t sequence;   /* 0, 1, 2, … within the lane */
    uint32_t lane;
    uint32_t count;      /* records in it; stamped when it is published */
    uint64_t first;      /* how many records the lane delivered before this buffer */
    uint64_t dropped;    /* how many it had dropped by the time this buffer was opened */
    uint64_t wait_start; /* the producer waited for this buffer from here … */
    uint64_t wait_end;   /* … to here; both 0: it was free at once. If `dropped` grew since the
                            last buffer, it gave up at wait_end and dropped until this one came. */
    uint64_t pad[2];
} ls_buffer;

/* One slot of a core's ring under the staging protocol. Core writes, controller reads after FIN. */
typedef struct {
    ls_core_task record;
    uint64_t pad[4];
} ls_staging_slot;

/* ---- Lanes --------------------------------------------------------------------------------- */

typedef struct {
    /* Constants, written when the region is made. */
    uint32_t kind;  /* enum ls_kind */
    uint32_t owner; /* core for task records, counters and bursts, controller thread for phases */
    uint32_t record_bytes;
    uint32_t buffer_records; /* N */
    uint32_t buffer_count;
    uint32_t pipe;           /* slices: which pipe of its core */
    uint64_t buffers;        /* offset of buffer 0 */
    uint64_t buffer_stride;  /* bytes from one buffer to the next */
    uint64_t staging;        /* offset of the core's staging slots, 0 where there are none */
    uint64_t staging_slots;  /* a power of two */
    uint64_t pad1;

    /* The producer's line. */
    uint64_t recorded;   /* records written into buffers */
    uint64_t dropped;    /* records given up; recorded + dropped = all the producer made */
    uint64_t opened;     /* buffers opened */
    uint64_t published;  /* buffers handed to the host */
    uint64_t wait_start; /* the wait or loss that goes on now, as in ls_buffer; 0: none */
    uint64_t wait_end;
    uint64_t mismatched; /* staging: slots that held another task than expected; also dropped */
    uint64_t pad2;

    /* Controller-rotated: which task a buffer begins with; see ls_channel_admit. Slices: ls_slice_now. */
    uint64_t segment[LS_OUTSTANDING];
    /* Bursts: how many chunks the trace engine made, and how many of them reached the controller.
     * Written by the controller, with the producer's line; exact once the engine has stopped. */
    uint64_t source_made;
    uint64_t source_taken;
    uint64_t pad3[2];

    /* The host's line. */
    uint64_t released; /* buffers copied out and free again */
    uint64_t pad4[7];
} ls_lane;

/* ---- The rest of the prefix ---------------------------------------------------------------- */

typedef struct {
    char kind[LS_KIND_NAME]; /* "aic", "aiv", "sm", …: NUL-terminated */
    int32_t cluster;         /* -1: none */
    int32_t controller;      /* scheduler that serves it, -1: not known */
    uint64_t pad;
} ls_core_entry;

typedef struct {
    uint32_t func;
    char name[LS_FUNCTION_NAME]; /* UTF-8, NUL-terminated; "" marks an unused entry */
} ls_name_entry;

typedef struct {
    /* Constants, written when the region is made; magic last, with release. */
    uint64_t magic;
    uint32_t version;
    uint32_t header_bytes;
    uint64_t region_bytes;
    uint64_t prefix_bytes;
    uint64_t flags; /* flags.h; closed under implication */
    uint32_t protocol;
    uint32_t on_full;

    uint64_t clock_hz;         /* rate of the device's counter */
    uint64_t clock_cycles;     /* the counter … */
    uint64_t clock_unix_ns;    /* … at this time of day */
    uint64_t clock_error_ns;   /* how far the two may be apart */
    uint64_t host_lost_cycles; /* a blocked producer gives up after this long */
    uint32_t pre_dispatch;     /* tasks a core may hold beside the one it runs */
    uint32_t func_shift;
    uint32_t first_token; /* of every core */
    uint32_t core_count;
    uint32_t scheduler_count;
    uint32_t orchestrator_count;

    uint32_t lane_count;
    uint32_t name_count;
    uint64_t cores; /* offsets */
    uint64_t names;
    uint64_t lanes;
    uint64_t pipe_count; /* slices: lanes per core; 0: cores write no slices */
    uint64_t pad0[5];

    /* The device's line. */
    uint64_t state; /* enum ls_state */
    uint64_t stop_cycles;
    uint64_t stop_unix_ns;
    uint64_t pad1[5];
} ls_header;

static_assert(sizeof(ls_core_task) == 32, "LS_REGION_VERSION must move");
static_assert(sizeof(ls_controller_task) == 32, "LS_REGION_VERSION must move");
static_assert(sizeof(ls_scheduler_phase) == 64, "LS_REGION_VERSION must move");
static_assert(sizeof(ls_orchestrator_phase) == 32, "LS_REGION_VERSION must move");
static_assert(sizeof(ls_pmu) == 64, "LS_REGION_VERSION must move");
static_assert(sizeof(ls_burst) == 32, "LS_REGION_VERSION must move");

static_assert(sizeof(ls_slice) == 16, "LS_REGION_VERSION must move");
static_assert(sizeof(ls_slice_clock) == LS_SLICE_CLOCK_RECORDS * sizeof(ls_slice),
              "LS_REGION_VERSION must move");
static_assert(sizeof(ls_slice_now) == LS_LINE, "LS_REGION_VERSION must move");
static_assert(sizeof(ls_buffer) == LS_LINE, "LS_REGION_VERSION must move");
static_assert(sizeof(ls_staging_slot) == LS_LINE, "LS_REGION_VERSION must move");
static_assert(sizeof(ls_lane) == 4 * LS_LINE, "LS_REGION_VERSION must move");
static_assert(sizeof(ls_core_entry) == 32, "LS_REGION_VERSION must move");
static_assert(sizeof(ls_name_entry) == 64, "LS_REGION_VERSION must move");
static_assert(sizeof(ls_header) == 4 * LS_LINE, "LS_REGION_VERSION must move");

#if !defined(__CUDACC_RTC__)
static_assert(offsetof(ls_core_task, task) == 16 && offsetof(ls_core_task, token) == 24,
              "LS_REGION_VERSION must move");
static_assert(offsetof(ls_controller_task, token) == 16, "LS_REGION_VERSION must move");
static_assert(offsetof(ls_scheduler_phase, depth_start) == 36, "LS_REGION_VERSION must move");
static_assert(offsetof(ls_pmu, token) == 12 && offsetof(ls_pmu, total_cycles) == 16
                  && offsetof(ls_pmu, counters) == 24,
              "LS_REGION_VERSION must move");
static_assert(offsetof(ls_lane, recorded) == LS_LINE, "the producer has its own line");
static_assert(offsetof(ls_lane, segment) == 2 * LS_LINE, "the core reads its own line");
static_assert(offsetof(ls_lane, released) == 3 * LS_LINE, "the host has its own line");
static_assert(offsetof(ls_header, state) == 3 * LS_LINE, "the device has its own line");
#endif

LS_FN uint32_t ls_record_bytes(uint32_t kind)
{
    switch (kind) {
    case LS_SCHEDULER_PHASE: return (uint32_t)sizeof(ls_scheduler_phase);
    case LS_PMU_SAMPLE: return (uint32_t)sizeof(ls_pmu);
    case LS_CORE_SLICE: return (uint32_t)sizeof(ls_slice);
    default: return 32;
    }
}

/* The feature that turns a kind of lane on. */
LS_FN uint64_t ls_kind_feature(uint32_t kind)
{
    switch (kind) {
    case LS_CORE_TASK:
    case LS_CORE_SLICE: return LS_CHIP_SWIMLANE_CORE_TIMING;
    case LS_CONTROLLER_TASK: return LS_CHIP_SWIMLANE_TASK_LIFECYCLE;
    case LS_SCHEDULER_PHASE: return LS_CHIP_SWIMLANE_PHASE_BUFFERS;
    case LS_ORCHESTRATOR_PHASE: return LS_CHIP_SWIMLANE_ORCHESTRATOR_PHASES;
    case LS_PMU_SAMPLE: return LS_PMU;
    default: return LS_CORE_SWIMLANE;
    }
}

LS_FN ls_lane *ls_lane_at(uint8_t *region, uint32_t lane)
{
    return (ls_lane *)(region + ((const ls_header *)region)->lanes) + lane;
}

LS_FN ls_buffer *ls_buffer_at(uint8_t *region, const ls_lane *lane, uint64_t sequence)
{
    return (ls_buffer *)(region + lane->buffers
                         + sequence % lane->buffer_count * lane->buffer_stride);
}

#endif
