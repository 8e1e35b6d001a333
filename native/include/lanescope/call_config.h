/* What a caller asks a runtime to record, in one object of a fixed layout: level and features, buffers,
 * events of the counters, limits of a dump, and paths.
 *
 * Python makes it as lanescope.CallConfig, whose to_bytes() are these bytes. A runtime gets a pointer to
 * them (ls_call_check says whether it can use them), or reads the same from the environment that
 * `lanescope collect` sets (call_environment.h).
 */
#ifndef LANESCOPE_CALL_CONFIG_H
#define LANESCOPE_CALL_CONFIG_H

#include "region.h"

#define LS_CALL_MAGIC UINT64_C(0x4749464e4f434c4c) /* the bytes "LLCONFIG" */
#define LS_CALL_VERSION 1
#define LS_CALL_PATH 4096 /* bytes of a path, the 0 at its end included */
#define LS_CALL_SELECT 512

typedef struct {
    uint64_t magic;
    uint32_t version;
    uint32_t bytes; /* of this struct */
    uint64_t flags; /* flags.h; closed under implication */
    uint32_t level; /* 0 to 4, whose bits are in `flags` */
    uint32_t on_full; /* enum ls_on_full */
    uint32_t buffer_records; /* of each kind; 0: as many as the runtime likes */
    uint32_t buffer_count;   /* of each kind that has buffers; 0: the same */
    uint32_t pmu_group;      /* number of the group of events; 0: none was chosen */
    uint32_t pmu_count;      /* of pmu_events; 0: the runtime chooses */
    uint32_t pmu_events[LS_PMU_COUNTERS];
    uint64_t tensor_bytes; /* of one dumped tensor, at most */
    uint64_t total_bytes;  /* of all dumped tensors, at most */
    char dump_select[LS_CALL_SELECT]; /* for ls_select; "": all tensors */
    char capture[LS_CALL_PATH];       /* directory in which regions are made; "": none */
    char tensors[LS_CALL_PATH];       /* folder of the dump, for a runtime that writes it by itself */
    char deps[LS_CALL_PATH];          /* file for the task graph, for a runtime that writes it */
} ls_call_config;

static_assert(sizeof(ls_call_config) == 104 + LS_CALL_SELECT + 3 * LS_CALL_PATH,
              "LS_CALL_VERSION must move");

#if !defined(__CUDACC_RTC__)
static_assert(offsetof(ls_call_config, flags) == 16 && offsetof(ls_call_config, pmu_events) == 48
                  && offsetof(ls_call_config, tensor_bytes) == 88
                  && offsetof(ls_call_config, dump_select) == 104,
              "LS_CALL_VERSION must move");
#endif

/* Why a runtime cannot use such an object. */
enum ls_call_problem {
    LS_CALL_OK = 0,
    LS_CALL_NOT_ONE, /* NULL, or other bytes */
    LS_CALL_OTHER_VERSION,
    LS_CALL_FLAGS,   /* unknown bits, an implied one is missing, or they are not those of the level */
    LS_CALL_NUMBERS, /* on_full, buffers or events that cannot be */
    LS_CALL_TEXTS    /* a text without its end */
};

/* ---- since 0.2.0 ----------------------------------------------------------------------------- */

/* Nothing is recorded; the limits of a dump are 1 MiB of a tensor and 1 GiB in all. */
LS_SLOW ls_call_config ls_default_call(void)
{
    ls_call_config call = LS_ZERO;
    call.magic = LS_CALL_MAGIC;
    call.version = LS_CALL_VERSION;
    call.bytes = sizeof call;
    call.on_full = LS_BLOCK;
    call.tensor_bytes = UINT64_C(1) << 20;
    call.total_bytes = UINT64_C(1) << 30;
    return call;
}

/* The highest level whose bits are all in the flags. */
LS_FN uint32_t ls_flags_level(uint64_t flags)
{
    uint32_t level = LS_HIGHEST_LEVEL;
    while ((ls_level_flags((int32_t)level) & ~flags) != 0)
        level--;
    return level;
}

/* ---- inside ---------------------------------------------------------------------------------- */

LS_FN int ls_text_ends(const char *text, size_t room)
{
    for (size_t i = 0; i < room; i++)
        if (text[i] == 0)
            return 1;
    return 0;
}

/* ---- since 0.2.0 ----------------------------------------------------------------------------- */

/* LS_CALL_OK, or the first thing that is wrong (enum ls_call_problem). Check what comes from elsewhere. */
LS_SLOW int ls_call_check(const ls_call_config *call)
{
    if (!call || call->magic != LS_CALL_MAGIC)
        return LS_CALL_NOT_ONE;
    if (call->version != LS_CALL_VERSION || call->bytes != sizeof *call)
        return LS_CALL_OTHER_VERSION;
    if (!ls_flags_valid(call->flags) || call->level != ls_flags_level(call->flags))
        return LS_CALL_FLAGS;
    if (call->on_full > LS_DROP || call->buffer_records > LS_MOST_RECORDS
        || call->buffer_count > LS_MOST_BUFFERS || call->pmu_count > LS_PMU_COUNTERS)
        return LS_CALL_NUMBERS;
    if (!ls_text_ends(call->dump_select, LS_CALL_SELECT)
        || !ls_text_ends(call->capture, LS_CALL_PATH) || !ls_text_ends(call->tensors, LS_CALL_PATH)
        || !ls_text_ends(call->deps, LS_CALL_PATH))
        return LS_CALL_TEXTS;
    return LS_CALL_OK;
}

/* Puts what was asked for into the configuration of a region. */
LS_SLOW void ls_call_apply(const ls_call_config *call, ls_config *config)
{
    config->flags = call->flags;
    config->on_full = call->on_full;
    for (int kind = 0; kind < LS_KIND_COUNT; kind++) {
        if (call->buffer_records && kind != LS_CORE_SLICE)
            config->buffer_records[kind] = call->buffer_records;
        if (call->buffer_count && config->buffer_count[kind])
            config->buffer_count[kind] = call->buffer_count;
    }
}

#endif
