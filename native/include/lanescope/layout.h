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
 *   header.magic         maker      any      release / acquire: the rest of the header is written
 *   header.state         maker      host     release / acquire
 *   header.host_beat     host       producer relaxed: it carries nothing, only that it changes
 *   header.host_gone     host       producer relaxed: the host only leaves, it hands nothing over
 *   lane.refused         host       producer relaxed: the same for one lane
 *   header.host_missed   producers  producer relaxed: any of them may write it; see ls_wait_step
 *   header.strays        any        host     relaxed, added to: nobody waits for it
 *   lane.handles         producers  producer relaxed, added to: whoever opens a handle on the lane; a
 *                                            handle that finds another number than its own is not the
 *                                            newest, and leaves the lane alone
 *   lane.intruded        producers  host     relaxed, added to
 *
 * "Producer" is who publishes: the core itself (producer-rotated) or the controller that serves it (all
 * other protocols); of all other lanes the controller thread that records there.
 *
 * A line of 64 bytes is written by one side only, because a core without a coherent cache writes back
 * whole lines, and would take back what another side wrote beside it:
 *
 *   line           side         words
 *   header 0 to 2  maker        magic … process: who makes the region, before any other side opens it
 *   header 3       maker        state, stop_cycles, stop_unix_ns
 *   header 4       controller   host_missed, strays
 *   header 5       host         host_beat, host_gone
 *   lane 0         maker        kind … staging_slots
 *   lane 1         producer     recorded, dropped, opened, published, wait_start, wait_end, handles,
 *                               intruded
 *   lane 2         controller   segment, source_made, source_taken, mismatched; of slices the core,
 *                               ls_slice_now
 *   lane 3         host         released, refused
 *   slot           core         a staging slot
 *   buffer 0       producer     ls_buffer
 *   buffer 1 on    core         records of a core; other records: producer
 *
 * Controllers, and cores that have atomics, see each other's stores and count as one side; so "any" and
 * "producers" above are these. A core without atomics adds to no word and never waits for the host: it
 * writes its records, and where it is the producer lane 1 and buffer 0 (tests/devices counts its stores).
 *
 * Changing what is here, or a record (kinds.h), moves LS_REGION_VERSION. A further kind of record at
 * the end does not: whoever does not know it refuses it by its number, and regions without it are as
 * they were.
 */
#ifndef LANESCOPE_LAYOUT_H
#define LANESCOPE_LAYOUT_H

#include "kinds.h"

#define LS_REGION_MAGIC UINT64_C(0x4e4f494745525f4c) /* the bytes "L_REGION" */
#define LS_REGION_VERSION 3
#define LS_LINE 64       /* bytes that travel between caches together */
#define LS_OUTSTANDING 4 /* most tasks a core may hold, one running; see ls_channel */
#define LS_PRE_DISPATCH_MAX 2
#define LS_KIND_NAME 16
#define LS_FUNCTION_NAME 60

/* How a core's records reach the host; see record.h. */
enum ls_protocol {
    LS_STAGING = 0,
    LS_CONTROLLER_ROTATED = 1,
    LS_PRODUCER_ROTATED = 2,
    LS_AFTER_FINISH = 3 /* since 0.2.0 */
};

/* What a producer does when the host has no buffer for it. */
enum ls_on_full { LS_BLOCK = 0, LS_DROP = 1 };

/* header.state: how far the device is. */
enum ls_state { LS_SETTING_UP = 0, LS_RUNNING = 1, LS_STOPPED = 2 };

/* ---- Buffers ------------------------------------------------------------------------------- */

/* In front of the records of every buffer. Written by the producer before it publishes.
 *
 *    0        8    12   16     24       32          40        48       56     64
 *   ┌────────┬────┬────┬──────┬────────┬───────────┬─────────┬────────┬──────┬─ records …
 *   │sequence│lane│coun│first │dropped │wait_start │wait_end │moments │ pad  │
 *   └────────┴────┴────┴──────┴────────┴───────────┴─────────┴────────┴──────┴─ records …
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
    uint64_t moments;    /* of slices: how many of the records are LS_SLICE_MOMENT; since 0.2.0 */
    uint64_t pad;
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
    uint32_t owner; /* core for task records, counters and bursts; else the thread that records */
    uint32_t record_bytes;
    uint32_t buffer_records; /* N */
    uint32_t buffer_count;
    uint32_t pipe;           /* slices: which pipe of its core */
    uint64_t buffers;        /* offset of buffer 0 */
    uint64_t buffer_stride;  /* bytes from one buffer to the next */
    uint64_t staging;        /* offset of the core's staging slots, 0 where there are none */
    uint64_t staging_slots;  /* a power of two */
    uint64_t pad0;

    /* The producer's line. */
    uint64_t recorded;   /* records written into buffers */
    uint64_t dropped;    /* records given up; recorded + dropped = all the producer made */
    uint64_t opened;     /* buffers opened */
    uint64_t published;  /* buffers handed to the host */
    uint64_t wait_start; /* the wait or loss that goes on now, as in ls_buffer; 0: none */
    uint64_t wait_end;
    uint64_t handles;    /* handles opened on it where LS_WATCHES_HANDLES; only the last one records */
    uint64_t intruded;   /* records of handles that were not the last one; not in `recorded` */

    /* Controller-rotated: which task a buffer begins with; see ls_channel_admit. Slices: ls_slice_now. */
    uint64_t segment[LS_OUTSTANDING];
    /* Bursts: how many chunks the trace engine made, and how many of them reached the controller;
     * exact once the engine has stopped. Tensors: how many were selected, and of how many there are records.
     * Written by the controller, with the producer's line. */
    uint64_t source_made;
    uint64_t source_taken;
    uint64_t pad3;
    uint64_t mismatched; /* staging: slots that held another task than expected; also dropped */

    /* The host's line. */
    uint64_t released; /* buffers copied out and free again */
    uint64_t refused;  /* not 0: the lane is damaged, and no buffer of it is taken any more */
    uint64_t pad4[6];
} ls_lane;

/* ---- The rest of the prefix ---------------------------------------------------------------- */

typedef struct {
    char kind[LS_KIND_NAME]; /* "aic", "aiv", "sm", …: NUL-terminated */
    int32_t cluster;         /* -1: none */
    int32_t controller;      /* scheduler that serves it, -1: not known */
    uint64_t clock_hz;       /* rate of its own clock, in which its trace engine counts; 0: not known */
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
    uint64_t host_lost_cycles; /* a host without a sign of life for this long is lost */
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
    uint64_t region_id;  /* no two regions have the same; 0: not known */
    uint64_t process;    /* number of the process that made it */
    uint64_t host_count; /* threads of the host program that record phases */
    uint64_t pad0[2];

    /* The line of who made the region. */
    uint64_t state; /* enum ls_state */
    uint64_t stop_cycles;
    uint64_t stop_unix_ns;
    uint64_t pad1[5];

    /* The producers' line. */
    uint64_t host_missed; /* the host was lost when host_beat was one less than this; 0: it never was */
    uint64_t strays;      /* records for a core, scheduler or orchestrator that the region has not */
    uint64_t pad2[6];

    /* The host's line. */
    uint64_t host_beat; /* grows while the host lives; 0: no host has come yet */
    uint64_t host_gone; /* not 0: the host has left, and no buffer is taken any more */
    uint64_t pad3[6];
} ls_header;

#define LS_CONSTANT_BYTES (3 * LS_LINE) /* of ls_header, which nobody writes while the region is used */

#define LS_KIND_CHECK(constant, code, name, bytes, feature, owner, producer)                        \
    static_assert(LS_LINE % (bytes) == 0 || (bytes) % LS_LINE == 0, "a record lies in whole lines");
LS_RECORD_KINDS(LS_KIND_CHECK)
#undef LS_KIND_CHECK

static_assert(sizeof(ls_slice_now) == LS_LINE, "LS_REGION_VERSION must move");
static_assert(sizeof(ls_buffer) == LS_LINE, "LS_REGION_VERSION must move");
static_assert(sizeof(ls_staging_slot) == LS_LINE, "LS_REGION_VERSION must move");
static_assert(sizeof(ls_lane) == 4 * LS_LINE, "LS_REGION_VERSION must move");
static_assert(sizeof(ls_core_entry) == 32, "LS_REGION_VERSION must move");
static_assert(sizeof(ls_name_entry) == 64, "LS_REGION_VERSION must move");
static_assert(sizeof(ls_header) == 6 * LS_LINE, "LS_REGION_VERSION must move");

#if !defined(__CUDACC_RTC__) /* which has no offsetof */
static_assert(offsetof(ls_lane, recorded) == LS_LINE, "the producer has its own line");
static_assert(offsetof(ls_lane, segment) == 2 * LS_LINE, "the core reads its own line");
static_assert(offsetof(ls_lane, released) == 3 * LS_LINE, "the host has its own line");
static_assert(offsetof(ls_header, state) == LS_CONSTANT_BYTES, "the maker has its own line");
static_assert(offsetof(ls_header, host_missed) == 4 * LS_LINE, "the producers have theirs");
static_assert(offsetof(ls_header, host_beat) == 5 * LS_LINE, "the host has its own line");
static_assert(offsetof(ls_lane, mismatched) == 3 * LS_LINE - 8, "ls_slice_now leaves it 0");
#endif

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* Lane number `lane` of a region. */
LS_FN LS_GM ls_lane *ls_lane_at(LS_GM uint8_t *region, uint32_t lane)
{
    return (LS_GM ls_lane *)(region + ((LS_GM const ls_header *)region)->lanes) + lane;
}

/* The buffer with this sequence number; a lane's buffers are used in turn. */
LS_FN LS_GM ls_buffer *ls_buffer_at(LS_GM uint8_t *region, LS_GM const ls_lane *lane,
                                    uint64_t sequence)
{
    return (LS_GM ls_buffer *)(region + lane->buffers
                         + sequence % lane->buffer_count * lane->buffer_stride);
}

#endif
