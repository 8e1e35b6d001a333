/* What a GPU kernel gets to record with: a block of device memory beside the region.
 *
 * The region lies in host memory, where a look costs a kernel microseconds. So the constants that a
 * lane needs, and the state that it keeps between kernels, are in device memory: one ls_handle,
 * followed by one ls_handle_lane per lane of the region and the bin. The host fills it in before the
 * first kernel; then the lane's elected thread is the only one that writes its state, except `refused`,
 * which is counted atomically.
 *
 * Inside: a kernel and the lanescope that runs it have this from the same version.
 */
#ifndef LANESCOPE_HANDLE_H
#define LANESCOPE_HANDLE_H

#include "layout.h"

/* What kernels get is one number of 64 bits: the address of an ls_handle in the lower 48, and above
 * it the number of the launch, which recorded buffers carry. 0: the launch has no number. */
#define LS_LAUNCH_SHIFT 48
#define LS_HANDLE_ADDRESS ((UINT64_C(1) << LS_LAUNCH_SHIFT) - 1)

typedef struct {
    uint64_t buffer_stride;
    uint64_t host_lost_ns;
    uint32_t core_count;
    uint32_t pipe_count;
    uint32_t buffer_records; /* slices, without the clock block: LS_SLICE_RECORDS of the kernels */
    uint32_t buffer_count;
    uint32_t on_full; /* enum ls_on_full */
    uint32_t marks;   /* not 0: marks are recorded, too */
    uint64_t refused; /* lanes that kernels asked for and did not get */
    uint64_t bin;     /* address of room for a buffer's slices: where all lanes write what they drop */
    uint64_t pad;
} ls_handle;

/* It begins with what the lane's next buffer begins with, so that a buffer is opened by copying lines. */
typedef struct {
    ls_buffer next;       /* `sequence`: buffers opened so far; `first`: slices published */
    ls_slice_clock clock; /* `open` is the last buffer's, `close` 0 */
    uint64_t handle;      /* address of the ls_handle */
    uint64_t lane;        /* … of the region's ls_lane */
    uint64_t ring;        /* … of the lane's first buffer */
    uint64_t buffer;      /* … of the open buffer, or of the last one */
    uint64_t released;    /* as last read */
    uint32_t taken;       /* 1: a kernel has the lane open */
    uint32_t mode;        /* enum ls_slice_mode */
    uint32_t slot;        /* place of the next buffer in the ring: opened modulo buffer_count */
    uint32_t pad0;
    uint64_t pad1;
} ls_handle_lane;

/* Slices in a buffer. Kernels know it while they are compiled: then the compiler sees that all threads
 * of a warp come to the end of a buffer together, which makes the test for it cheaper. */
#if !defined(LS_SLICE_RECORDS)
#define LS_SLICE_RECORDS 1024u
#endif

/* What becomes of the lane's next record. */
enum ls_slice_mode { LS_SLICE_CLOSED = 0, LS_SLICE_WRITES = 1, LS_SLICE_DROPS = 2 };

static_assert(sizeof(ls_handle) == LS_LINE, "LS_NATIVE_VERSION must move");
static_assert(sizeof(ls_handle_lane) == 3 * LS_LINE, "LS_NATIVE_VERSION must move");

#endif
