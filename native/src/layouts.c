/* The structs that Python shares with devices and kernels, field by field, so that it needs no copy. */
#include "native.h"

#include "lanescope/call_config.h"
#include "lanescope/handle.h"
#include "lanescope/lanescope.h"
#include "lanescope/megakernel.h"
#include "threads.h"

#define FIELD LS_FIELD
/* Arrays of int64_t and of int32_t that Python gives the address of. */
#define MACHINE_ARRAY64(field) LS_FIELD_OF(ls_machine, field, 'A'),
#define MACHINE_ARRAY32(field) LS_FIELD_OF(ls_machine, field, 'a'),
#define MACHINE_NUMBER(field) LS_FIELD_OF(ls_machine, field, 'I'),

/* Per kind of record (LS_RECORD_KINDS) its fields: a kind without does not compile. */
#define FIELDS_core_task                                                                          \
    FIELD(ls_core_task, start), FIELD(ls_core_task, end), FIELD(ls_core_task, task),              \
    FIELD(ls_core_task, token), FIELD(ls_core_task, receive_to_start)
#define FIELDS_controller_task                                                                    \
    FIELD(ls_controller_task, dispatch), FIELD(ls_controller_task, finish),                       \
    FIELD(ls_controller_task, token), FIELD(ls_controller_task, func),                            \
    FIELD(ls_controller_task, task)
#define FIELDS_scheduler_phase                                                                    \
    FIELD(ls_scheduler_phase, start), FIELD(ls_scheduler_phase, end),                             \
    FIELD(ls_scheduler_phase, loop), FIELD(ls_scheduler_phase, kind),                             \
    FIELD(ls_scheduler_phase, tasks), FIELD(ls_scheduler_phase, pop_hit),                         \
    FIELD(ls_scheduler_phase, pop_miss), FIELD(ls_scheduler_phase, depth_start),                  \
    FIELD(ls_scheduler_phase, depth_end), FIELD(ls_scheduler_phase, task)
#define FIELDS_orchestrator_phase                                                                 \
    FIELD(ls_orchestrator_phase, start), FIELD(ls_orchestrator_phase, end),                       \
    FIELD(ls_orchestrator_phase, task), FIELD(ls_orchestrator_phase, submit),                     \
    FIELD(ls_orchestrator_phase, kind)
#define FIELDS_pmu                                                                                \
    FIELD(ls_pmu, task), FIELD(ls_pmu, func), FIELD(ls_pmu, token), FIELD(ls_pmu, total_cycles),  \
    FIELD(ls_pmu, counters)
#define FIELDS_burst                                                                              \
    FIELD(ls_burst, chunks)
#define FIELDS_slice                                                                              \
    FIELD(ls_slice, end), FIELD(ls_slice, duration), FIELD(ls_slice, task),                       \
    FIELD(ls_slice, what)
#define FIELDS_edge                                                                               \
    FIELD(ls_edge, pred), FIELD(ls_edge, succ), FIELD(ls_edge, kind), FIELD(ls_edge, arg),        \
    FIELD(ls_edge, flags)
#define FIELDS_host_phase                                                                         \
    FIELD(ls_host_phase, start), FIELD(ls_host_phase, end), FIELD(ls_host_phase, task),           \
    FIELD(ls_host_phase, bytes), FIELD(ls_host_phase, name)
#define FIELDS_tensor                                                                             \
    FIELD(ls_tensor, number), FIELD(ls_tensor, part), FIELD(ls_tensor, words)
#define FIELDS_OF_KIND(constant, code, name, bytes, feature, owner, producer) FIELDS_##name,

static const ls_layout_field FIELDS[] = {
    LS_RECORD_KINDS(FIELDS_OF_KIND)

    FIELD(ls_slice_now, task_begun),
    FIELD(ls_slice_now, task),
    FIELD(ls_slice_now, func),
    FIELD(ls_slice_now, mark_begun),
    FIELD(ls_slice_now, mark_task),
    FIELD(ls_slice_now, mark),
    FIELD(ls_slice_now, held_cycles),
    FIELD(ls_slice_now, held_ns),
    FIELD(ls_slice_now, unit),

    FIELD(ls_slice_clock, start_cycles),
    FIELD(ls_slice_clock, start_ns),
    FIELD(ls_slice_clock, open_cycles),
    FIELD(ls_slice_clock, open_ns),
    FIELD(ls_slice_clock, close_cycles),
    FIELD(ls_slice_clock, close_ns),
    FIELD(ls_slice_clock, unit),
    FIELD(ls_slice_clock, launch),

    FIELD(ls_tensor_facts, task),
    FIELD(ls_tensor_facts, func),
    FIELD(ls_tensor_facts, argument),
    FIELD(ls_tensor_facts, role),
    FIELD(ls_tensor_facts, stage),
    FIELD(ls_tensor_facts, dtype),
    FIELD(ls_tensor_facts, dimensions),
    FIELD(ls_tensor_facts, bytes),
    FIELD(ls_tensor_facts, kept),
    FIELD(ls_tensor_facts, start_offset),
    FIELD(ls_tensor_facts, shape),
    FIELD(ls_tensor_facts, strides),

    FIELD(ls_handle, buffer_stride),
    FIELD(ls_handle, host_lost_ns),
    FIELD(ls_handle, core_count),
    FIELD(ls_handle, pipe_count),
    FIELD(ls_handle, buffer_records),
    FIELD(ls_handle, buffer_count),
    FIELD(ls_handle, on_full),
    FIELD(ls_handle, marks),
    FIELD(ls_handle, refused),
    FIELD(ls_handle, bin),

    FIELD(ls_handle_lane, next.lane),
    FIELD(ls_handle_lane, handle),
    FIELD(ls_handle_lane, lane),
    FIELD(ls_handle_lane, ring),
    FIELD(ls_handle_lane, taken),
    FIELD(ls_handle_lane, mode),
    FIELD(ls_handle_lane, slot),
    FIELD(ls_handle_lane, released),

    FIELD(ls_buffer, sequence),
    FIELD(ls_buffer, lane),
    FIELD(ls_buffer, count),
    FIELD(ls_buffer, first),
    FIELD(ls_buffer, dropped),
    FIELD(ls_buffer, wait_start),
    FIELD(ls_buffer, wait_end),
    FIELD(ls_buffer, moments),

    FIELD(ls_lane, kind),
    FIELD(ls_lane, owner),
    FIELD(ls_lane, record_bytes),
    FIELD(ls_lane, buffer_records),
    FIELD(ls_lane, buffer_count),
    FIELD(ls_lane, pipe),
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
    FIELD(ls_lane, handles),
    FIELD(ls_lane, intruded),
    FIELD(ls_lane, segment),
    FIELD(ls_lane, source_made),
    FIELD(ls_lane, source_taken),
    FIELD(ls_lane, mismatched),
    FIELD(ls_lane, released),
    FIELD(ls_lane, refused),

    FIELD(ls_core_entry, kind),
    FIELD(ls_core_entry, cluster),
    FIELD(ls_core_entry, controller),
    FIELD(ls_core_entry, clock_hz),

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
    FIELD(ls_header, pipe_count),
    FIELD(ls_header, host_count),
    FIELD(ls_header, region_id),
    FIELD(ls_header, process),
    FIELD(ls_header, state),
    FIELD(ls_header, stop_cycles),
    FIELD(ls_header, stop_unix_ns),
    FIELD(ls_header, host_missed),
    FIELD(ls_header, strays),
    FIELD(ls_header, host_beat),
    FIELD(ls_header, host_gone),

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
    FIELD(ls_config, pipe_count),
    FIELD(ls_config, pipes_beside),
    FIELD(ls_config, host_count),
    FIELD(ls_config, buffer_records),
    FIELD(ls_config, buffer_count),

    FIELD(ls_call_config, magic),
    FIELD(ls_call_config, version),
    FIELD(ls_call_config, bytes),
    FIELD(ls_call_config, flags),
    FIELD(ls_call_config, level),
    FIELD(ls_call_config, on_full),
    FIELD(ls_call_config, buffer_records),
    FIELD(ls_call_config, buffer_count),
    FIELD(ls_call_config, pmu_group),
    FIELD(ls_call_config, pmu_count),
    FIELD(ls_call_config, pmu_events),
    FIELD(ls_call_config, tensor_bytes),
    FIELD(ls_call_config, total_bytes),
    FIELD(ls_call_config, dump_select),
    FIELD(ls_call_config, capture),
    FIELD(ls_call_config, tensors),
    FIELD(ls_call_config, deps),

    LS_MACHINE_FIELDS(MACHINE_ARRAY64, MACHINE_ARRAY32, MACHINE_NUMBER)
    LS_FIELD_OF(ls_machine, costs, 'I'),
    LS_FIELD_OF(ls_machine, hooks, 'U'),

    FIELD(ls_machine_found, now),
    FIELD(ls_machine_found, done),
    FIELD(ls_machine_found, last_finish),
    FIELD(ls_machine_found, stalled),
    FIELD(ls_machine_found, engine_stop),

    FIELD(ls_machine_run, core),
    FIELD(ls_machine_run, dispatch),
    FIELD(ls_machine_run, receive),
    FIELD(ls_machine_run, start),
    FIELD(ls_machine_run, end),
    FIELD(ls_machine_run, finish),

    FIELD(ls_drained, bytes),
    FIELD(ls_drained, buffers),
    FIELD(ls_drained, records),
    FIELD(ls_drained, problem),
    FIELD(ls_drained, lane),
    FIELD(ls_drained, sequence),
    FIELD(ls_drained, fullest),

    FIELD(ls_threads_job, region),
    FIELD(ls_threads_job, core_kinds),
    FIELD(ls_threads_job, task_count),
    FIELD(ls_threads_job, func),
    FIELD(ls_threads_job, kind),
    FIELD(ls_threads_job, work),
    FIELD(ls_threads_job, amount),
    FIELD(ls_threads_job, successor_offsets),
    FIELD(ls_threads_job, successors),
    FIELD(ls_threads_job, predecessors),
    FIELD(ls_threads_job, callback),
    FIELD(ls_threads_job, user),
    FIELD(ls_threads_job, cancel),
    FIELD(ls_threads_job, clock_hz),
    FIELD(ls_threads_job, core_count),
    FIELD(ls_threads_job, kind_count),
    FIELD(ls_threads_job, scheduler_count),
    FIELD(ls_threads_job, pre_dispatch),
    FIELD(ls_threads_job, pin),
    FIELD(ls_threads_job, func_in_task),
    FIELD(ls_threads_job, start_cycles),
    FIELD(ls_threads_job, end_cycles),
    FIELD(ls_threads_job, tasks_done),
    FIELD(ls_threads_job, core_tasks_done),
    FIELD(ls_threads_job, scheduler_busy_cycles),

    FIELD(ls_mega_work, op),
    FIELD(ls_mega_work, passes),
    FIELD(ls_mega_work, in),
    FIELD(ls_mega_work, out),
    FIELD(ls_mega_work, size),

    FIELD(ls_mega_state, stop),
    FIELD(ls_mega_state, opened),
    FIELD(ls_mega_state, submitted),
    FIELD(ls_mega_state, done),
    FIELD(ls_mega_state, ready_head),
    FIELD(ls_mega_state, ready_tail),
    FIELD(ls_mega_state, root_head),
    FIELD(ls_mega_state, root_tail),
    FIELD(ls_mega_state, start_ns),
    FIELD(ls_mega_state, end_ns),
    FIELD(ls_mega_state, submitted_ns),
    FIELD(ls_mega_state, bank_cores),

    FIELD(ls_mega_result, tasks),
    FIELD(ls_mega_result, unit),
    FIELD(ls_mega_result, clock_step_ns),
    FIELD(ls_mega_result, clock_error_ns),

    FIELD(ls_mega_job, region),
    FIELD(ls_mega_job, handle),
    FIELD(ls_mega_job, state),
    FIELD(ls_mega_job, results),
    FIELD(ls_mega_job, func),
    FIELD(ls_mega_job, work),
    FIELD(ls_mega_job, offsets),
    FIELD(ls_mega_job, successors),
    FIELD(ls_mega_job, predecessors),
    FIELD(ls_mega_job, remaining),
    FIELD(ls_mega_job, ready_slots),
    FIELD(ls_mega_job, root_slots),
    FIELD(ls_mega_job, posts),
    FIELD(ls_mega_job, finished),
    FIELD(ls_mega_job, limit_ns),
    FIELD(ls_mega_job, task_count),
    FIELD(ls_mega_job, worker_count),
    FIELD(ls_mega_job, scheduler_count),
    FIELD(ls_mega_job, pre_dispatch),
    FIELD(ls_mega_job, first_token),
    FIELD(ls_mega_job, shared_bytes),
};

const ls_layout_field *ls_layout_table(int32_t *count)
{
    *count = (int32_t)(sizeof FIELDS / sizeof FIELDS[0]);
    return FIELDS;
}
