/* The structs that Python has a copy of (lanescope/native/), field by field: a test compares the two. */
#include "native.h"

#define FIELD LS_FIELD
#define ADDRESS(type, field) LS_FIELD_OF(type, field, 'P')
#define STRUCTS(type, field) LS_FIELD_OF(type, field, 'R')

static const ls_layout_field MIRRORED[] = {
    FIELD(ls_json_pool, used),
    FIELD(ls_json_pool, capacity),
    ADDRESS(ls_json_pool, offset),
    ADDRESS(ls_json_pool, length),
    ADDRESS(ls_json_pool, slots),

    ADDRESS(ls_json_column, key),
    FIELD(ls_json_column, key_length),
    FIELD(ls_json_column, type),
    FIELD(ls_json_column, count),
    FIELD(ls_json_column, required),
    FIELD(ls_json_column, lenient),
    FIELD(ls_json_column, number),
    FIELD(ls_json_column, inner_count),
    FIELD(ls_json_column, min),
    FIELD(ls_json_column, missing),
    FIELD(ls_json_column, seen),
    ADDRESS(ls_json_column, out),
    ADDRESS(ls_json_column, pool),
    ADDRESS(ls_json_column, inner),

    FIELD(ls_json_error, problem),
    FIELD(ls_json_error, column),
    FIELD(ls_json_error, row),
    FIELD(ls_json_error, at),

    ADDRESS(ls_proto_messages, bytes),
    FIELD(ls_proto_messages, length),
    ADDRESS(ls_proto_messages, spans),
    FIELD(ls_proto_messages, count),

    FIELD(ls_proto_column, field),
    FIELD(ls_proto_column, wire),
    FIELD(ls_proto_column, missing),
    ADDRESS(ls_proto_column, out),

    FIELD(ls_proto_list, field),
    FIELD(ls_proto_list, wire),
    FIELD(ls_proto_list, room),
    ADDRESS(ls_proto_list, owner),
    ADDRESS(ls_proto_list, out),

    FIELD(ls_proto_error, problem),
    FIELD(ls_proto_error, pad),
    FIELD(ls_proto_error, at),
    FIELD(ls_proto_error, row),

    ADDRESS(ls_layout_field, type),
    ADDRESS(ls_layout_field, field),
    FIELD(ls_layout_field, offset),
    FIELD(ls_layout_field, bytes),
    FIELD(ls_layout_field, type_bytes),
    FIELD(ls_layout_field, element),

    ADDRESS(ls_constant, name),
    FIELD(ls_constant, value),

    ADDRESS(ls_cost, name),
    ADDRESS(ls_cost, section),
    ADDRESS(ls_cost, meaning),

    FIELD(ls_machine_truth, kind),
    FIELD(ls_machine_truth, owner),
    FIELD(ls_machine_truth, task),
    FIELD(ls_machine_truth, code),
    FIELD(ls_machine_truth, dispatch),
    FIELD(ls_machine_truth, receive),
    FIELD(ls_machine_truth, start),
    FIELD(ls_machine_truth, end),
    FIELD(ls_machine_truth, finish),

    ADDRESS(ls_machine_piece, bursts),
    FIELD(ls_machine_piece, count),
    FIELD(ls_machine_piece, made),
    FIELD(ls_machine_piece, taken),

    FIELD(ls_machine_span, op),
    FIELD(ls_machine_span, start),
    FIELD(ls_machine_span, end),

    ADDRESS(ls_record_kind, constant),
    ADDRESS(ls_record_kind, name),
    ADDRESS(ls_record_kind, owner),
    ADDRESS(ls_record_kind, producer),
    FIELD(ls_record_kind, feature),
    FIELD(ls_record_kind, code),
    FIELD(ls_record_kind, record_bytes),

    FIELD(ls_range, memory),
    FIELD(ls_range, base),
    FIELD(ls_range, step),
    FIELD(ls_range, part),
    FIELD(ls_range, offset),
    FIELD(ls_range, count),

    FIELD(ls_line, kind),
    FIELD(ls_line, unit),
    FIELD(ls_line, transfer),
    FIELD(ls_line, value),
    FIELD(ls_line, target),
    FIELD(ls_line, left),
    FIELD(ls_line, right),
    FIELD(ls_line, clears),
    FIELD(ls_line, immediate),
    FIELD(ls_line, done),
    FIELD(ls_line, ready),
    FIELD(ls_line, interval),
    FIELD(ls_line, reads),
    FIELD(ls_line, writes),
    STRUCTS(ls_line, loads),
    STRUCTS(ls_line, stores),

    ADDRESS(ls_schedule, lines),
    ADDRESS(ls_schedule, which),
    ADDRESS(ls_schedule, granule),
    FIELD(ls_schedule, rows),
    FIELD(ls_schedule, most),
    FIELD(ls_schedule, registers),
    FIELD(ls_schedule, memories),
    FIELD(ls_schedule, units),
    FIELD(ls_schedule, outstanding),
    FIELD(ls_schedule, buffers),
    FIELD(ls_schedule, depth),
    FIELD(ls_schedule, executed),
    FIELD(ls_schedule, makespan),
    FIELD(ls_schedule, critical_path),
    ADDRESS(ls_schedule, waits),
    ADDRESS(ls_schedule, row_waits),
    ADDRESS(ls_schedule, row_critical),
    ADDRESS(ls_schedule, carriers),
    ADDRESS(ls_schedule, issue),
    ADDRESS(ls_schedule, start),
    ADDRESS(ls_schedule, row_of),
    ADDRESS(ls_schedule, previous),
    ADDRESS(ls_schedule, carrier),

    ADDRESS(ls_moments, time),
    ADDRESS(ls_moments, change),
    ADDRESS(ls_moments, where),
    ADDRESS(ls_moments, by),
    FIELD(ls_moments, count),
    FIELD(ls_moments, each),
    FIELD(ls_moments, what),

    ADDRESS(ls_tiling, parts),
    ADDRESS(ls_tiling, kind_of),
    FIELD(ls_tiling, begin),
    FIELD(ls_tiling, end),
    ADDRESS(ls_tiling, areas),
    ADDRESS(ls_tiling, before),
    ADDRESS(ls_tiling, after),
    FIELD(ls_tiling, count),
    FIELD(ls_tiling, cores),
    FIELD(ls_tiling, kinds),
    FIELD(ls_tiling, pad),

    ADDRESS(ls_walk, start),
    ADDRESS(ls_walk, end),
    ADDRESS(ls_walk, node),
    ADDRESS(ls_walk, before),
    ADDRESS(ls_walk, gate),
    ADDRESS(ls_walk, last),
    ADDRESS(ls_walk, submit),

};

const ls_layout_field *ls_mirror_table(int32_t *count)
{
    *count = (int32_t)(sizeof MIRRORED / sizeof MIRRORED[0]);
    return MIRRORED;
}
