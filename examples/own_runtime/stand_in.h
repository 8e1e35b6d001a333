/* A stand-in for what a real core has and a thread has not: hardware counters and a trace engine, behind
 * registers. On an NPU this file is the hardware; the controller reaches it through two functions.
 *
 * The core works and its controller looks only while the core has no task, so nothing here is atomic.
 */
#ifndef STAND_IN_H
#define STAND_IN_H

#include <lanescope/lanescope.h>

#include <string.h>

enum { ENGINE_BYTES = 1 << 16 };

typedef struct {
    ls_counter_map map;
    uint32_t words[0x10000 / 4]; /* registers that only keep what is written */
    uint32_t counters[LS_PMU_COUNTERS];
    uint64_t total;
    uint32_t held[LS_BURST_CHUNKS]; /* chunks of a burst that is not full */
    uint32_t held_count, bursts, made, written;
    uint64_t last; /* when the last chunk was made */
    uint32_t buffer[ENGINE_BYTES / 4] __attribute__((aligned(64)));
} stand_in;

static void burst_is_full(stand_in *core)
{
    uint32_t room = core->words[LS_PERF_MON_BUF_LEN / 4] / sizeof(ls_burst);
    if (core->bursts < room) { /* else it is lost, and `written` falls behind `made` */
        memcpy(&core->buffer[core->bursts++ * LS_BURST_CHUNKS], core->held, sizeof core->held);
        core->written += core->held_count;
    }
    core->held_count = 0;
}

static void make_chunk(stand_in *core, uint32_t chunk)
{
    if (!(core->words[LS_PERF_MON_EN / 4] & core->words[LS_PERF_MON_GLOBAL_EN / 4]))
        return;
    core->made++;
    core->held[core->held_count++] = chunk;
    if (core->held_count == LS_BURST_CHUNKS)
        burst_is_full(core);
}

/* Control code 15: which pipes are busy from now on. 65535 cycles fit into a chunk. */
static void make_state(stand_in *core, uint32_t before, uint32_t busy)
{
    uint64_t now = ls_clock(), passed = now - core->last;
    for (; passed > 0xffff; passed -= 0xffff)
        make_chunk(core, 15u << 28 | before << 16 | 0xffff);
    make_chunk(core, 15u << 28 | busy << 16 | (uint32_t)passed);
    core->last = now;
}

/* Control code 14, four times: the counter at the start of a task. */
static void make_stamp(stand_in *core)
{
    core->last = ls_clock();
    for (uint32_t i = 0; i < 4; i++)
        make_chunk(core, 14u << 28 | i << 24 | (uint32_t)(core->last >> 16 * i & 0xffff));
}

/* What the core does in a task: it counts, and its pipes are busy: scalar, then mte2. */
static void core_begins(stand_in *core)
{
    make_stamp(core);
    make_state(core, 0, 1);
}

static void core_ends(stand_in *core, uint64_t task, uint32_t steps)
{
    make_state(core, 1, 1 << 4);
    make_state(core, 1 << 4, 0);
    core->total += steps;
    core->counters[0] += steps;
    core->counters[1] += (uint32_t)task;
}

/* The two functions through which a controller reaches the registers. */
static uint32_t read_register(void *context, uint32_t offset)
{
    stand_in *core = (stand_in *)context;
    uint32_t value = core->words[offset / 4];
    for (uint32_t i = 0; i < core->map.count; i++)
        if (offset == core->map.counters[i]) { /* a read clears a counter */
            value = core->counters[i];
            core->counters[i] = 0;
        }
    if (offset == core->map.total[0] || offset == core->map.total[1]) {
        int high = offset == core->map.total[1];
        value = (uint32_t)(core->total >> (high ? 32 : 0));
        core->total &= high ? UINT32_MAX : ~(uint64_t)UINT32_MAX;
    }
    switch (offset) {
    case LS_PERF_MON_WPTR: return core->bursts * (uint32_t)sizeof(ls_burst);
    case LS_PERF_MON_SAMP_CRT: return core->made;
    case LS_PERF_MON_SAMP_WRT: return core->written;
    default: return value;
    }
}

static void write_register(void *context, uint32_t offset, uint32_t value)
{
    stand_in *core = (stand_in *)context;
    int was_on = (int)core->words[LS_PERF_MON_GLOBAL_EN / 4];
    core->words[offset / 4] = value;
    if (offset == LS_PERF_MON_SAMP_CRT_CLR)
        core->made = 0;
    else if (offset == LS_PERF_MON_SAMP_WRT)
        core->written = 0;
    else if (offset == LS_PERF_MON_BASE_L)
        core->bursts = 0;
    else if (offset == LS_PERF_MON_GLOBAL_EN && was_on && !value && core->held_count) {
        uint32_t used = core->held_count; /* the stream ends: a sentinel, then filler */
        for (uint32_t i = used; i < LS_BURST_CHUNKS; i++)
            core->held[i] = i == used ? LS_STREAM_END : LS_STREAM_FILLER;
        burst_is_full(core);
    }
}

#endif
