/* The structs and constants of the headers as tables, so that Python needs no second copy. */
#include "native.h"

#include "lanescope/lanescope.h"

#define ELEMENT(value)                                                                            \
    _Generic((value), uint64_t: 'U', uint32_t: 'u', int32_t: 'i', uint64_t *: 'U', uint32_t *: 'u', \
             int16_t *: 'h', char *: 'S')

#define FIELD(type, field)                                                                        \
    {#type, #field, offsetof(type, field), sizeof(((type *)0)->field), sizeof(type),              \
     ELEMENT(((type *)0)->field)}

static const ls_layout_field FIELDS[] = {
    FIELD(ls_core_task, start),
    FIELD(ls_core_task, end),
    FIELD(ls_core_task, task),
    FIELD(ls_core_task, token),
    FIELD(ls_core_task, receive_to_start),

    FIELD(ls_controller_task, dispatch),
    FIELD(ls_controller_task, finish),
    FIELD(ls_controller_task, token),
    FIELD(ls_controller_task, func),
    FIELD(ls_controller_task, task),

    FIELD(ls_scheduler_phase, start),
    FIELD(ls_scheduler_phase, end),
    FIELD(ls_scheduler_phase, loop),
    FIELD(ls_scheduler_phase, kind),
    FIELD(ls_scheduler_phase, tasks),
    FIELD(ls_scheduler_phase, pop_hit),
    FIELD(ls_scheduler_phase, pop_miss),
    FIELD(ls_scheduler_phase, depth_start),
    FIELD(ls_scheduler_phase, depth_end),
    FIELD(ls_scheduler_phase, task),

    FIELD(ls_orchestrator_phase, start),
    FIELD(ls_orchestrator_phase, end),
    FIELD(ls_orchestrator_phase, task),
    FIELD(ls_orchestrator_phase, submit),
    FIELD(ls_orchestrator_phase, kind),

    FIELD(ls_buffer, sequence),
    FIELD(ls_buffer, lane),
    FIELD(ls_buffer, count),
    FIELD(ls_buffer, first),
    FIELD(ls_buffer, dropped),
    FIELD(ls_buffer, wait_start),
    FIELD(ls_buffer, wait_end),

    FIELD(ls_lane, kind),
    FIELD(ls_lane, owner),
    FIELD(ls_lane, record_bytes),
    FIELD(ls_lane, buffer_records),
    FIELD(ls_lane, buffer_count),
    FIELD(ls_lane, buffers),
    FIELD(ls_lane, buffer_stride),
    FIELD(ls_lane, staging),
    FIELD(ls_lane, staging_slots),
    FIELD(ls_lane, recorded),
    FIELD(ls_lane, dropped),
    FIELD(ls_lane, opened),
    FIELD(ls_lane, published),
    FIELD(ls_lane, wait_start),
    FIELD(ls_lane, wait_end),
    FIELD(ls_lane, mismatched),
    FIELD(ls_lane, segment),
    FIELD(ls_lane, released),

    FIELD(ls_core_entry, kind),
    FIELD(ls_core_entry, cluster),
    FIELD(ls_core_entry, controller),

    FIELD(ls_name_entry, func),
    FIELD(ls_name_entry, name),

    FIELD(ls_header, magic),
    FIELD(ls_header, version),
    FIELD(ls_header, header_bytes),
    FIELD(ls_header, region_bytes),
    FIELD(ls_header, prefix_bytes),
    FIELD(ls_header, flags),
    FIELD(ls_header, protocol),
    FIELD(ls_header, on_full),
    FIELD(ls_header, clock_hz),
    FIELD(ls_header, clock_cycles),
    FIELD(ls_header, clock_unix_ns),
    FIELD(ls_header, clock_error_ns),
    FIELD(ls_header, host_lost_cycles),
    FIELD(ls_header, pre_dispatch),
    FIELD(ls_header, func_shift),
    FIELD(ls_header, first_token),
    FIELD(ls_header, core_count),
    FIELD(ls_header, scheduler_count),
    FIELD(ls_header, orchestrator_count),
    FIELD(ls_header, lane_count),
    FIELD(ls_header, name_count),
    FIELD(ls_header, cores),
    FIELD(ls_header, names),
    FIELD(ls_header, lanes),
    FIELD(ls_header, state),
    FIELD(ls_header, stop_cycles),
    FIELD(ls_header, stop_unix_ns),

    FIELD(ls_config, flags),
    FIELD(ls_config, protocol),
    FIELD(ls_config, on_full),
    FIELD(ls_config, clock_hz),
    FIELD(ls_config, host_lost_cycles),
    FIELD(ls_config, core_count),
    FIELD(ls_config, scheduler_count),
    FIELD(ls_config, orchestrator_count),
    FIELD(ls_config, pre_dispatch),
    FIELD(ls_config, func_shift),
    FIELD(ls_config, first_token),
    FIELD(ls_config, name_count),
    FIELD(ls_config, buffer_records),
    FIELD(ls_config, buffer_count),

    FIELD(ls_drained, bytes),
    FIELD(ls_drained, buffers),
    FIELD(ls_drained, records),
    FIELD(ls_drained, problem),
    FIELD(ls_drained, lane),
    FIELD(ls_drained, sequence),
};

#define CONSTANT(name) {#name, (int64_t)(name)}

static const ls_constant CONSTANTS[] = {
    CONSTANT(LS_CHIP_SWIMLANE_CORE_TIMING),
    CONSTANT(LS_CHIP_SWIMLANE_TASK_LIFECYCLE),
    CONSTANT(LS_CHIP_SWIMLANE_PHASE_BUFFERS),
    CONSTANT(LS_DUMP_TENSOR),
    CONSTANT(LS_CHIP_SWIMLANE_ORCHESTRATOR_PHASES),
    CONSTANT(LS_CORE_SWIMLANE),
    CONSTANT(LS_PMU),
    CONSTANT(LS_FLAGS_KNOWN),
    CONSTANT(LS_HIGHEST_LEVEL),
    CONSTANT(LS_REGION_MAGIC),
    CONSTANT(LS_REGION_VERSION),
    CONSTANT(LS_LINE),
    CONSTANT(LS_OUTSTANDING),
    CONSTANT(LS_PRE_DISPATCH_MAX),
    CONSTANT(LS_FUNC_SHIFT),
    CONSTANT(LS_CORE_TASK),
    CONSTANT(LS_CONTROLLER_TASK),
    CONSTANT(LS_SCHEDULER_PHASE),
    CONSTANT(LS_ORCHESTRATOR_PHASE),
    CONSTANT(LS_KIND_COUNT),
    CONSTANT(LS_STAGING),
    CONSTANT(LS_CONTROLLER_ROTATED),
    CONSTANT(LS_PRODUCER_ROTATED),
    CONSTANT(LS_BLOCK),
    CONSTANT(LS_DROP),
    CONSTANT(LS_SETTING_UP),
    CONSTANT(LS_RUNNING),
    CONSTANT(LS_STOPPED),
    CONSTANT(LS_MOST_OWNERS),
    CONSTANT(LS_MOST_RECORDS),
    CONSTANT(LS_MOST_BUFFERS),
    CONSTANT(LS_PHASE_COMPLETE),
    CONSTANT(LS_PHASE_DISPATCH),
    CONSTANT(LS_PHASE_RELEASE),
    CONSTANT(LS_PHASE_DUMMY),
    CONSTANT(LS_PHASE_EARLY_DISPATCH),
    CONSTANT(LS_PHASE_RESOLVE),
    CONSTANT(LS_PHASE_DUMMY_TASK),
    CONSTANT(LS_PHASE_DRAIN),
    CONSTANT(LS_PHASE_DRAIN_PREPARE),
    CONSTANT(LS_PHASE_DRAIN_PUBLISH),
    CONSTANT(LS_PHASE_ASYNC_POLL),
    CONSTANT(LS_PHASE_PREDICATED_SKIP),
    CONSTANT(LS_PHASE_GRAPH_PREPARE),
    CONSTANT(LS_ORCHESTRATOR_SUBMIT),
};

const ls_layout_field *ls_layout_table(int32_t *count)
{
    *count = (int32_t)(sizeof FIELDS / sizeof FIELDS[0]);
    return FIELDS;
}

const ls_constant *ls_constant_table(int32_t *count)
{
    *count = (int32_t)(sizeof CONSTANTS / sizeof CONSTANTS[0]);
    return CONSTANTS;
}
