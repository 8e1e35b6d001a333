/* Makes a region: how large it must be for a configuration, and its first bytes.
 *
 * Only lanes whose feature is on get buffers; with flags 0 there is no region at all.
 */
#ifndef LANESCOPE_REGION_H
#define LANESCOPE_REGION_H

#include "layout.h"

#include <string.h> /* not used here: programs have it from this header since 0.1.0 */

typedef struct {
    uint64_t flags;      /* flags.h */
    uint32_t protocol;   /* enum ls_protocol */
    uint32_t on_full;    /* enum ls_on_full */
    uint64_t clock_hz;
    uint64_t host_lost_cycles;
    uint32_t core_count;
    uint32_t scheduler_count;
    uint32_t orchestrator_count;
    uint32_t pre_dispatch;
    uint32_t func_shift;
    uint32_t first_token;
    uint32_t name_count; /* function names there is room for */
    uint32_t pipe_count; /* not 0: cores write slices, in this many lanes each, and nothing else
                          * unless pipes_beside */
    uint32_t buffer_records[LS_KIND_COUNT];
    uint32_t buffer_count[LS_KIND_COUNT];
    uint32_t pipes_beside; /* not 0: slices are marks beside the cores' other records, and only with
                            * LS_CORE_SWIMLANE */
    uint32_t host_count;   /* threads of the host program that record phases */
} ls_config;

static_assert(sizeof(ls_config) == 152, "Python learns it from the layout table");

/* Why a configuration is refused. */
enum ls_config_problem {
    LS_CONFIG_OK = 0,
    LS_CONFIG_FLAGS,        /* unknown bits, or an implied one is missing */
    LS_CONFIG_PROTOCOL,     /* there is no such protocol */
    LS_CONFIG_ON_FULL,      /* neither block nor drop */
    LS_CONFIG_CLOCK,        /* clock_hz is 0 */
    LS_CONFIG_CORES,        /* none, or more than 65536 cores or controllers */
    LS_CONFIG_PRE_DISPATCH, /* more than LS_PRE_DISPATCH_MAX */
    LS_CONFIG_FUNC_SHIFT,   /* 64 or more */
    LS_CONFIG_BUFFERS,      /* records or buffers of a lane are 0 or too many; after-finish: one buffer */
    LS_CONFIG_NAMES,        /* more than 65536 names */
    LS_CONFIG_PIPES         /* too many lanes of slices, no room for records, or not producer-rotated */
};

#define LS_MOST_OWNERS 65536
#define LS_MOST_RECORDS (1u << 20)
#define LS_MOST_BUFFERS 4096

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* One core, one scheduler, one orchestrator, the highest level, 8 buffers of 1024 records, none for
 * edges, host phases and tensors; clock_hz is left to the caller. */
LS_SLOW ls_config ls_default_config(void)
{
    ls_config config = LS_ZERO;
    config.flags = ls_level_flags(LS_HIGHEST_LEVEL);
    config.protocol = LS_PRODUCER_ROTATED;
    config.on_full = LS_BLOCK;
    config.core_count = 1;
    config.scheduler_count = 1;
    config.orchestrator_count = 1;
    config.pre_dispatch = 1;
    config.name_count = 64;
    for (int kind = 0; kind < LS_KIND_COUNT; kind++) {
        config.buffer_records[kind] = 1024;
        config.buffer_count[kind] = kind < LS_FIRST_OPTIONAL_KIND ? 8 : 0;
    }
    return config;
}

/* LS_CONFIG_OK, or the first thing that is wrong with a configuration (enum ls_config_problem). */
LS_SLOW int ls_config_check(const ls_config *config)
{
    if (!ls_flags_valid(config->flags))
        return LS_CONFIG_FLAGS;
    if (config->protocol > LS_AFTER_FINISH)
        return LS_CONFIG_PROTOCOL;
    if (config->on_full > LS_DROP)
        return LS_CONFIG_ON_FULL;
    if (config->clock_hz == 0)
        return LS_CONFIG_CLOCK;
    if (config->core_count == 0 || config->core_count > LS_MOST_OWNERS
        || config->scheduler_count > LS_MOST_OWNERS || config->orchestrator_count > LS_MOST_OWNERS
        || config->host_count > LS_MOST_OWNERS)
        return LS_CONFIG_CORES;
    if (config->pre_dispatch > LS_PRE_DISPATCH_MAX)
        return LS_CONFIG_PRE_DISPATCH;
    if (config->func_shift > 63)
        return LS_CONFIG_FUNC_SHIFT;
    if (config->name_count > LS_MOST_OWNERS)
        return LS_CONFIG_NAMES;
    for (int kind = 0; kind < LS_KIND_COUNT; kind++)
        if (config->buffer_records[kind] == 0 || config->buffer_records[kind] > LS_MOST_RECORDS
            || (config->buffer_count[kind] == 0 && kind < LS_FIRST_OPTIONAL_KIND)
            || config->buffer_count[kind] > LS_MOST_BUFFERS)
            return LS_CONFIG_BUFFERS;
    if (config->protocol == LS_AFTER_FINISH && config->buffer_count[LS_CORE_TASK] < 2)
        return LS_CONFIG_BUFFERS; /* a full buffer is handed on only when a task of the next one has begun */
    if (config->pipe_count == 0)
        return LS_CONFIG_OK;
    if (config->protocol != LS_PRODUCER_ROTATED
        || (uint64_t)config->core_count * config->pipe_count > LS_MOST_OWNERS
        || config->buffer_records[LS_CORE_SLICE] <= LS_SLICE_CLOCK_RECORDS)
        return LS_CONFIG_PIPES;
    return LS_CONFIG_OK;
}

/* ---- inside ---------------------------------------------------------------------------------- */

LS_FN uint64_t ls_whole_lines(uint64_t bytes)
{
    return (bytes + LS_LINE - 1) / LS_LINE * LS_LINE;
}

/* Whether there are lanes of a kind. */
LS_FN int ls_kind_is_on(const ls_config *config, uint32_t kind)
{
    if (!(config->flags & ls_kind_feature(kind)) || config->buffer_count[kind] == 0)
        return 0;
    if (config->pipe_count == 0 || !config->pipes_beside)
        return (kind == LS_CORE_SLICE) == (config->pipe_count != 0);
    if (kind == LS_CORE_SLICE)
        return (config->flags & LS_CORE_SWIMLANE) != 0;
    return kind != LS_CORE_BURST;
}

/* Lanes of a kind: one per core, or one per controller thread, or one per pipe of a core. */
LS_FN uint32_t ls_owner_count(const ls_config *config, uint32_t kind)
{
    if (!ls_kind_is_on(config, kind))
        return 0;
    switch (ls_kind_owner(kind)) {
    case LS_OWNER_NONE: return 0;
    case LS_OWNER_CORE: return config->core_count;
    case LS_OWNER_PIPE: return config->core_count * config->pipe_count;
    case LS_OWNER_SCHEDULER: return config->scheduler_count;
    case LS_OWNER_ORCHESTRATOR: return config->orchestrator_count;
    case LS_OWNER_HOST: return config->host_count;
    }
    return 0;
}

/* Bytes of a lane's buffer, header and all. 0: there is no such kind. */
LS_FN uint64_t ls_buffer_stride(const ls_config *config, uint32_t kind)
{
    if (kind >= LS_KIND_COUNT)
        return 0;
    return sizeof(ls_buffer)
           + ls_whole_lines((uint64_t)config->buffer_records[kind] * ls_record_bytes(kind));
}

/* Slots of a core's staging ring: enough that a task it holds never meets one not yet copied. */
LS_FN uint32_t ls_staging_slots(const ls_config *config)
{
    return config->pre_dispatch < 2 ? 2 : 4;
}

typedef struct {
    uint64_t cores, names, lanes, staging, buffers, end;
    uint32_t lane_count;
} ls_plan;

LS_SLOW ls_plan ls_region_plan(const ls_config *config)
{
    ls_plan plan = LS_ZERO;
    uint64_t buffers = 0;
    for (uint32_t kind = 0; kind < LS_KIND_COUNT; kind++) {
        uint32_t owners = ls_owner_count(config, kind);
        plan.lane_count += owners;
        buffers += (uint64_t)owners * config->buffer_count[kind] * ls_buffer_stride(config, kind);
    }
    int staged = config->protocol == LS_STAGING && ls_owner_count(config, LS_CORE_TASK) != 0;
    plan.cores = sizeof(ls_header);
    plan.names = ls_whole_lines(plan.cores + config->core_count * sizeof(ls_core_entry));
    plan.lanes = plan.names + config->name_count * sizeof(ls_name_entry);
    plan.staging = plan.lanes + plan.lane_count * sizeof(ls_lane);
    plan.buffers = plan.staging;
    if (staged)
        plan.buffers +=
            (uint64_t)config->core_count * ls_staging_slots(config) * sizeof(ls_staging_slot);
    plan.end = plan.buffers + buffers;
    return plan;
}

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* How large the region is; 0 with flags 0, for then there is none, and for a bad configuration. */
LS_SLOW uint64_t ls_region_bytes(const ls_config *config)
{
    if (config->flags == 0 || ls_config_check(config) != LS_CONFIG_OK)
        return 0;
    return ls_region_plan(config).end;
}

/* ---- inside ---------------------------------------------------------------------------------- */

LS_SLOW uint64_t ls_lane_init(LS_GM uint8_t *region, uint32_t lane_index, const ls_config *config,
                              uint32_t kind, uint32_t owner, uint64_t buffers)
{
    LS_GM ls_lane *lane = ls_lane_at(region, lane_index);
    if (kind >= LS_KIND_COUNT)
        return buffers; /* there is no such kind */
    lane->kind = kind;
    int of_pipe = ls_kind_owner(kind) == LS_OWNER_PIPE;
    lane->owner = of_pipe ? owner / config->pipe_count : owner;
    lane->pipe = of_pipe ? owner % config->pipe_count : 0;
    lane->record_bytes = ls_record_bytes(kind);
    lane->buffer_records = config->buffer_records[kind];
    lane->buffer_count = config->buffer_count[kind];
    lane->buffers = buffers;
    lane->buffer_stride = ls_buffer_stride(config, kind);
    return buffers + lane->buffer_count * lane->buffer_stride;
}

LS_SLOW void ls_staging_init(LS_GM uint8_t *region, const ls_config *config, uint64_t staging)
{
    uint32_t slots = ls_staging_slots(config);
    for (uint32_t core = 0; core < config->core_count; core++) {
        LS_GM ls_lane *lane = ls_lane_at(region, core); /* core lanes come first */
        lane->staging = staging + (uint64_t)core * slots * sizeof(ls_staging_slot);
        lane->staging_slots = slots;
        LS_GM ls_staging_slot *slot = (LS_GM ls_staging_slot *)(region + lane->staging);
        for (uint32_t i = 0; i < slots; i++)
            slot[i].record.token = ~i; /* belongs to no task that will use slot i */
    }
}

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* Lays the region out in `memory`, which holds ls_region_bytes() zeroed bytes. The clock's anchor,
 * kinds of cores and names can be filled in before or after; the magic makes it valid. */
LS_SLOW void ls_region_init(LS_GM uint8_t *memory, const ls_config *config)
{
    ls_plan plan = ls_region_plan(config);
    LS_GM ls_header *header = (LS_GM ls_header *)memory;
    header->version = LS_REGION_VERSION;
    header->header_bytes = sizeof(ls_header);
    header->region_bytes = plan.end;
    header->prefix_bytes = plan.staging;
    header->flags = config->flags;
    header->protocol = config->protocol;
    header->on_full = config->on_full;
    header->clock_hz = config->clock_hz;
    header->host_lost_cycles = config->host_lost_cycles;
    header->pre_dispatch = config->pre_dispatch;
    header->func_shift = config->func_shift;
    header->first_token = config->first_token;
    header->core_count = config->core_count;
    header->scheduler_count = config->scheduler_count;
    header->orchestrator_count = config->orchestrator_count;
    header->lane_count = plan.lane_count;
    header->pipe_count = config->pipe_count;
    header->host_count = config->host_count;
    header->name_count = config->name_count;
    header->cores = plan.cores;
    header->names = plan.names;
    header->lanes = plan.lanes;
    for (uint32_t core = 0; core < config->core_count; core++) {
        LS_GM ls_core_entry *entry = (LS_GM ls_core_entry *)(memory + plan.cores) + core;
        entry->cluster = entry->controller = -1;
    }
    uint64_t buffers = plan.buffers;
    uint32_t lane = 0;
    for (uint32_t kind = 0; kind < LS_KIND_COUNT; kind++)
        for (uint32_t owner = 0; owner < ls_owner_count(config, kind); owner++)
            buffers = ls_lane_init(memory, lane++, config, kind, owner, buffers);
    if (plan.buffers != plan.staging)
        ls_staging_init(memory, config, plan.staging);
    ls_store_release(&header->magic, LS_REGION_MAGIC);
}

/* ---- inside ---------------------------------------------------------------------------------- */

/* Copies a text, cut to the room and filled up with NUL. */
LS_SLOW void ls_copy_text(LS_GM char *target, size_t room, const char *text)
{
    for (size_t at = 0; at < room; at++) {
        target[at] = at + 1 < room ? *text : 0;
        if (*text)
            text++;
    }
}

/* ---- Facts a runtime adds; since 0.1.0 ------------------------------------------------------- */

/* Says of a core what it is: its kind, its cluster and the scheduler that serves it. */
LS_SLOW void ls_describe_core(LS_GM uint8_t *region, uint32_t core, const char *kind, int32_t cluster,
                              int32_t controller)
{
    if (!region || core >= ((LS_GM ls_header *)region)->core_count)
        return;
    LS_GM ls_core_entry *entry =
        (LS_GM ls_core_entry *)(region + ((LS_GM ls_header *)region)->cores) + core;
    ls_copy_text(entry->kind, sizeof entry->kind, kind);
    entry->cluster = cluster;
    entry->controller = controller;
}

/* ---- since 0.2.0 ----------------------------------------------------------------------------- */

/* Says of a core at which rate its own clock runs, in which its trace engine counts. */
LS_SLOW void ls_core_clock(LS_GM uint8_t *region, uint32_t core, uint64_t clock_hz)
{
    if (!region || core >= ((LS_GM ls_header *)region)->core_count)
        return;
    LS_GM uint8_t *cores = region + ((LS_GM ls_header *)region)->cores;
    ((LS_GM ls_core_entry *)cores + core)->clock_hz = clock_hz;
}

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* Names a function; 0 where the table is full. */
LS_SLOW int ls_name_function(LS_GM uint8_t *region, uint32_t func, const char *name)
{
    if (!region)
        return 0;
    LS_GM ls_header *header = (LS_GM ls_header *)region;
    LS_GM ls_name_entry *entry = (LS_GM ls_name_entry *)(region + header->names);
    for (uint32_t i = 0; i < header->name_count; i++, entry++) {
        if (entry->name[0] && entry->func != func)
            continue;
        entry->func = func;
        ls_copy_text(entry->name, sizeof entry->name, name);
        return 1;
    }
    return 0;
}

#endif
