/* A core's trace engine as its controller runs it: start, drain where a task has ended, stop.
 *
 *   ls_engine engine = LS_ZERO;           registers, buffer, base, bytes and out are the caller's
 *   ls_engine_start(&engine);             before the first task
 *   ls_engine_drain(&engine);             when a task has finished: bursts become records
 *   ls_engine_stop(&engine);              after the last task, takes the rest
 *
 * device/perfmon.py does the same for simulated chips; a test compares the two access by access.
 * Registers and order: hw-native-sys/simpler issue #905. What that leaves open (ring or linear, what the
 * write pointer counts) is in ls_engine, and `lanescope probe` tells it for a chip. Not tried on hardware
 * by us.
 */
#ifndef LANESCOPE_PERFMON_H
#define LANESCOPE_PERFMON_H

#include "controller.h"
#include "registers.h"

enum ls_engine_register {
    LS_PERF_MON_EN = 0x00C4,
    LS_PERF_MON_GLOBAL_EN = 0xB000,
    LS_PERF_MON_BUF_LEN = 0xB004,
    LS_PERF_MON_GLITCH_FILTER = 0xB008,
    LS_PERF_MON_BASE_L = 0xB00C,
    LS_PERF_MON_BASE_H = 0xB010,
    LS_PERF_MON_WPTR = 0xB01C,
    LS_PERF_MON_SAMP_CRT = 0xB020,
    LS_PERF_MON_SAMP_CRT_CLR = 0xB024,
    LS_PERF_MON_SAMP_WRT = 0xB028
};

/* What the write pointer of a ring counts; that of a linear buffer counts bytes from its start. */
enum ls_engine_pointer { LS_BYTE_OFFSET = 0, LS_BYTE_COUNT = 1, LS_BURST_INDEX = 2 };

typedef struct {
    /* What the caller fills in. */
    ls_registers registers;
    uint64_t base;               /* the buffer's address, as the engine takes it */
    LS_GM const uint8_t *buffer; /* the same memory, as the controller reads it */
    uint32_t bytes;              /* of the buffer */
    uint32_t ring;               /* 0: the engine stops at the end of its buffer */
    uint32_t pointer;            /* enum ls_engine_pointer */
    uint32_t chunks_per_burst;   /* 0: LS_BURST_CHUNKS */
    void (*invalidate)(void *context, LS_GM const uint8_t *from, uint32_t bytes); /* NULL: no need */
    ls_writer *out;              /* the core's lane of LS_CORE_BURST */

    /* What the functions below keep. */
    uint64_t made;  /* chunks that the engine made so far */
    uint64_t taken; /* … and those that were still in memory when the controller came */
    uint64_t written;
    uint64_t lost_bursts;
} ls_engine;

#define LS_STREAM_END 0xEFFFFFFFu /* the first chunk of a burst that ends a stream */
#define LS_STREAM_FILLER 0xDDDDDDDDu

/* ---- since 0.2.0 ----------------------------------------------------------------------------- */

/* Gives the engine its buffer, clears its counters and enables it; the global enable is last. */
LS_SLOW void ls_engine_start(ls_engine *engine)
{
    const ls_registers *registers = &engine->registers;
    if (engine->chunks_per_burst == 0)
        engine->chunks_per_burst = LS_BURST_CHUNKS;
    ls_write_register(registers, LS_PERF_MON_BASE_L, (uint32_t)engine->base);
    ls_write_register(registers, LS_PERF_MON_BASE_H, (uint32_t)(engine->base >> 32));
    ls_write_register(registers, LS_PERF_MON_BUF_LEN, engine->bytes);
    ls_write_register(registers, LS_PERF_MON_SAMP_CRT_CLR, 1);
    ls_write_register(registers, LS_PERF_MON_SAMP_WRT, 0);
    ls_write_register(registers, LS_PERF_MON_EN, 1);
    ls_write_register(registers, LS_PERF_MON_GLOBAL_EN, 1);
}

/* ---- inside ---------------------------------------------------------------------------------- */

/* Ends the stream: chunks are missing here, so no time carries over. */
LS_SLOW void ls_engine_end_stream(ls_engine *engine)
{
    ls_burst end;
    for (int i = 0; i < LS_BURST_CHUNKS; i++)
        end.chunks[i] = i ? LS_STREAM_FILLER : LS_STREAM_END;
    ls_take_burst(engine->out, &end);
}

/* Copies bursts of the buffer into records, from burst `at` on; behind its last a ring goes on with burst 0. */
LS_SLOW void ls_engine_copy(ls_engine *engine, uint32_t at, uint32_t bursts)
{
    uint32_t whole = engine->bytes / (uint32_t)sizeof(ls_burst);
    for (uint32_t i = 0; i < bursts; i++) {
        LS_GM const uint32_t *from = (LS_GM const uint32_t *)(engine->buffer) + (size_t)at * LS_BURST_CHUNKS;
        ls_burst burst;
        for (int chunk = 0; chunk < LS_BURST_CHUNKS; chunk++)
            burst.chunks[chunk] = from[chunk];
        ls_take_burst(engine->out, &burst);
        at = at + 1 == whole ? 0 : at + 1;
    }
}

/* Takes the last `bursts` before the write pointer, and says how many more were overwritten; -1: pointer
 * and number contradict each other. */
LS_SLOW int64_t ls_engine_fetch(ls_engine *engine, uint32_t pointer, uint64_t bursts)
{
    const uint32_t size = (uint32_t)sizeof(ls_burst);
    uint32_t whole = engine->bytes / size;
    if (bursts == 0 || whole == 0)
        return 0;
    if (engine->invalidate)
        engine->invalidate(engine->registers.context, engine->buffer, engine->bytes);
    if (!engine->ring) {
        if (pointer != bursts * size || bursts > whole)
            return -1;
        ls_engine_copy(engine, 0, (uint32_t)bursts);
        ls_write_register(&engine->registers, LS_PERF_MON_BASE_L, (uint32_t)engine->base);
        return 0;
    }
    uint64_t written = engine->pointer == LS_BURST_INDEX ? (uint64_t)pointer * size : pointer;
    uint64_t end = written % ((uint64_t)whole * size);
    uint64_t here = bursts < whole ? bursts : whole;
    uint64_t start = (end + ((uint64_t)whole - here) * size) % ((uint64_t)whole * size);
    if (bursts > whole)
        ls_engine_end_stream(engine);
    ls_engine_copy(engine, (uint32_t)(start / size), (uint32_t)here);
    return (int64_t)(bursts - here);
}

/* ---- since 0.2.0 ----------------------------------------------------------------------------- */

/* Takes what was written since the last visit; clears the counters, and a linear buffer. 0: the write
 * pointer contradicts the number of bursts, and nothing was taken: the engine may have another owner. */
LS_SLOW int ls_engine_drain(ls_engine *engine)
{
    const ls_registers *registers = &engine->registers;
    uint32_t pointer = ls_read_register(registers, LS_PERF_MON_WPTR);
    uint32_t made = ls_read_register(registers, LS_PERF_MON_SAMP_CRT);
    uint32_t written = ls_read_register(registers, LS_PERF_MON_SAMP_WRT);
    uint32_t per_burst = engine->chunks_per_burst;
    if (made == 0 && written == 0)
        return 1;
    ls_write_register(registers, LS_PERF_MON_SAMP_CRT_CLR, 1);
    ls_write_register(registers, LS_PERF_MON_SAMP_WRT, 0);
    engine->made += made;
    engine->written += written;
    int64_t overwritten =
        ls_engine_fetch(engine, pointer, ((uint64_t)written + per_burst - 1) / per_burst);
    if (overwritten >= 0)
        engine->taken += written - (uint64_t)overwritten * per_burst;
    /* The engine holds back less than a burst. More that was made and not written is lost. */
    uint64_t lost = (engine->made - engine->written) / per_burst;
    if (overwritten < 0 || lost > engine->lost_bursts)
        ls_engine_end_stream(engine);
    engine->lost_bursts = lost;
    ls_source_counts(engine->out, engine->made, engine->taken);
    return overwritten >= 0;
}

/* Disables the engine, the global enable first, and takes the rest, which the engine had held back. As
 * ls_engine_drain. */
LS_SLOW int ls_engine_stop(ls_engine *engine)
{
    ls_write_register(&engine->registers, LS_PERF_MON_GLOBAL_EN, 0);
    ls_write_register(&engine->registers, LS_PERF_MON_EN, 0);
    return ls_engine_drain(engine);
}

#endif
