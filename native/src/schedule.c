/* The schedule of a program: in-order issue, one queue of transfers, hazards through registers and
 * SRAM granules, and beside it the critical path through what is read after it was written.
 *
 * All loops are run, so the result is exact for the model; about 20 million instructions a second. */
#include "schedule_ranges.h"

#include <stdlib.h>
#include <string.h>

static int32_t bounds_of(state *s, const ls_line *line, bound *issue, bound *b)
{
    later(b, s->unit_free[line->unit], LS_WAIT_UNIT);
    for (int32_t k = 0; k < 8 && line->reads[k] != NONE; k++) {
        const reg *r = &s->registers[line->reads[k]];
        later(issue, r->ready, LS_WAIT_REGISTER);
        path_later(b, r->path, r->node, line->reads[k]);
    }
    for (int32_t k = 0; k < 4 && line->writes[k] != NONE; k++)
        later(issue, s->registers[line->writes[k]].ready, LS_WAIT_REGISTER);
    if (line->transfer)
        later(issue, s->slots[s->transfers % s->call->outstanding], LS_WAIT_SLOT);
    later(b, issue->at, issue->cause);
    for (int32_t k = 0; k < 4 && line->loads[k].memory != NONE; k++)
        if (bound_load(s, &line->loads[k], b) != 0)
            return -2;
    for (int32_t k = 0; k < 2 && line->stores[k].memory != NONE; k++)
        if (bound_store(s, &line->stores[k], line->transfer && s->call->buffers > 1, b) != 0)
            return -2;
    return 0;
}

/* What the integer register holds now; wraps like the 32-bit register it is. */
static void note_value(state *s, const ls_line *line)
{
    if (line->target == NONE)
        return;
    static const reg zero = {.known = 0};
    const reg *left = line->left == NONE ? &zero : &s->registers[line->left];
    const reg *right = line->right == NONE ? &zero : &s->registers[line->right];
    uint64_t a = (uint64_t)left->value, c = (uint64_t)right->value, value = 0;
    int32_t both = left->known & right->known, known = 0; /* also of what is no ls_value */
    uint64_t number = (uint64_t)s->number;
    uint64_t kept = 0xffffffffu;
    switch ((enum ls_value)line->value) {
    case LS_VALUE_UNKNOWN: break;
    case LS_VALUE_ADD: value = a + c; known = both; break;
    case LS_VALUE_ADD_IMMEDIATE: value = a + number; known = left->known; break;
    case LS_VALUE_SUBTRACT: value = a - c; known = both; break;
    case LS_VALUE_MULTIPLY: value = a * c; known = both; break;
    case LS_VALUE_UPPER: value = number << 12; known = 1; break;
    case LS_VALUE_JOIN: value = a << 32 | c; known = both; kept = UINT64_MAX; break;
    case LS_VALUE_COPY: value = a; known = left->known; break;
    /* What a shift of 32 bits or more, or a division by zero, leaves is not known. */
    case LS_VALUE_SHIFT_LEFT: known = both & (c < 32); value = a << (c & 31); break;
    case LS_VALUE_SHIFT_LEFT_IMMEDIATE:
        known = left->known & (number < 32);
        value = a << (number & 31);
        break;
    case LS_VALUE_SHIFT_RIGHT: known = both & (c < 32); value = a >> (c & 31); break;
    case LS_VALUE_SHIFT_RIGHT_IMMEDIATE:
        known = left->known & (number < 32);
        value = a >> (number & 31);
        break;
    case LS_VALUE_DIVIDE: known = both & (c != 0); value = c ? a / c : 0; break;
    case LS_VALUE_REMAINDER: known = both & (c != 0); value = c ? a % c : 0; break;
    }
    s->registers[line->target].value = (int64_t)(value & kept);
    s->registers[line->target].known = known;
}

/* Cycles of one instruction: its line's, or what the memory takes for this very transfer. */
static cost cost_of(const state *s, const ls_line *line)
{
    if (line->transfer && s->call->transfer_cycles != NULL) {
        int64_t cycles = s->call->transfer_cycles[s->transfers];
        return (cost){cycles, cycles, cycles};
    }
    return (cost){line->done, line->ready, line->interval};
}

/* Notes a transfer before its effects: what it reads its address from. */
static void note_transfer(state *s, const ls_line *line, int64_t row, int32_t node)
{
    if (s->call->transfers == NULL)
        return;
    static const reg zero = {.known = 1};
    const reg *at[4];
    const int32_t from[4] = {line->right, line->left, s->call->scale, s->call->stride};
    for (int32_t k = 0; k < 4; k++)
        at[k] = from[k] == NONE ? &zero : &s->registers[from[k]];
    s->call->transfers[s->transfers] = (ls_transfer){
        .before = s->computed,
        .base = at[0]->value,
        .offset = at[1]->value,
        .scale = at[2]->value,
        .stride = at[3]->value,
        .row = (int32_t)row,
        .node = node,
        .known = at[0]->known & at[1]->known & at[2]->known & at[3]->known,
    };
}

static void note_effects(state *s, const ls_line *line, int64_t start, const bound *b, cost c,
                         int32_t node)
{
    for (int32_t k = 0; k < 4 && line->loads[k].memory != NONE; k++)
        note_load(s, &line->loads[k], start + c.interval);
    for (int32_t k = 0; k < 2 && line->stores[k].memory != NONE; k++)
        note_store(s, &line->stores[k], start + c.ready, b->path + c.ready, node);
    note_value(s, line);
    for (int32_t k = 0; k < 4 && line->writes[k] != NONE; k++) {
        reg *r = &s->registers[line->writes[k]];
        r->ready = start + c.ready;
        r->path = b->path + c.ready;
        r->node = node;
    }
    if (line->clears != NONE) {
        s->registers[line->clears].path = 0;
        s->registers[line->clears].node = NONE;
    }
}

static int32_t run_line(state *s, const ls_line *line, int64_t row)
{
    ls_schedule *call = s->call;
    if (call->executed >= call->most)
        return -1;
    if (line->transfer && call->transfers != NULL && s->transfers >= call->most_transfers)
        return -1;
    cost c = cost_of(s, line);
    int32_t node = (int32_t)call->executed++;
    bound issue = {.at = s->front, .cause = LS_WAIT_UNIT};
    bound b = {.at = s->front, .cause = LS_WAIT_UNIT, .node = NONE, .carrier = NONE};
    if (bounds_of(s, line, &issue, &b) != 0)
        return -2;
    /* A transfer leaves the front when it is issued, anything else when it starts. */
    const bound *leaves = line->transfer ? &issue : &b;
    call->waits[leaves->cause] += leaves->at - s->front;
    call->row_waits[row] += leaves->at - s->front;
    call->row_of[node] = (int32_t)row;
    call->previous[node] = b.node;
    call->carrier[node] = b.carrier;
    if (call->start != NULL) {
        call->issue[node] = s->front;
        call->start[node] = b.at;
    }
    s->front = leaves->at + (c.done > 0);
    s->unit_free[line->unit] = b.at + c.interval;
    if (line->transfer) {
        note_transfer(s, line, row, node);
        s->slots[s->transfers++ % call->outstanding] = b.at + c.done;
    } else {
        s->computed += c.done;
    }
    raise_to(&call->makespan, b.at + c.done);
    if (b.path + c.done > s->path_end || s->path_node == NONE) {
        s->path_end = b.path + c.done;
        s->path_node = node;
    }
    note_effects(s, line, b.at, &b, c, node);
    return 0;
}

/* Moves to the row to run next; a loop's register counts down. -1: loops are not as `depth` says. */
static int32_t next_row(state *s, const ls_line *line, int64_t *row)
{
    if (line->kind == LS_LINE_LOOP_START) {
        if (s->depth >= s->call->depth)
            return -1;
        s->loops[s->depth++] = (loop){(int32_t)*row, s->number};
        if (line->target != NONE)
            s->registers[line->target] = (reg){s->number, 1, s->registers[line->target].node,
                                               s->registers[line->target].ready,
                                               s->registers[line->target].path};
    } else if (line->kind == LS_LINE_LOOP_END) {
        if (s->depth <= 0)
            return -1;
        loop *inner = &s->loops[s->depth - 1];
        inner->left--;
        if (line->target != NONE) {
            s->registers[line->target].value = inner->left;
            s->registers[line->target].known = 1;
        }
        if (inner->left > 0) {
            *row = inner->row;
        } else {
            s->depth--;
        }
    }
    ++*row;
    return 0;
}

/* Cost of an executed instruction, asked from the last one to the first: `transfers` counts down
 * to the transfers that are not behind it. */
static cost cost_at(state *s, int32_t node)
{
    const ls_schedule *call = s->call;
    const ls_line *line = &call->lines[call->which[call->row_of[node]]];
    if (line->transfer && call->transfer_cycles != NULL) {
        while (s->transfers > 0 && call->transfers[s->transfers].node > node)
            s->transfers--;
    }
    return cost_of(s, line);
}

/* Charges the rows and carriers along the critical path, from its end to its start. */
static void walk_path(state *s)
{
    ls_schedule *call = s->call;
    int32_t last = 1;
    s->transfers--;
    for (int32_t node = s->path_node; node != NONE; node = call->previous[node]) {
        cost c = cost_at(s, node);
        call->row_critical[call->row_of[node]] += last ? c.done : c.ready;
        if (!last)
            call->carriers[s->carried_by] += c.ready;
        s->carried_by = call->carrier[node];
        last = 0;
    }
}

static int32_t run_all(state *s)
{
    ls_schedule *call = s->call;
    for (int64_t row = 0; row < call->rows;) {
        const ls_line *line = &call->lines[call->which[row]];
        if (line->kind == LS_LINE_NONE) {
            row++;
            continue;
        }
        s->number = call->number[row];
        int32_t problem = line->unit == NONE ? 0 : run_line(s, line, row);
        if (problem == 0)
            problem = next_row(s, line, &row);
        if (problem != 0)
            return problem;
    }
    call->critical_path = s->path_end;
    walk_path(s);
    return 0;
}

static int32_t prepare(state *s)
{
    const ls_schedule *call = s->call;
    int32_t problem = ls_granules_open(&s->granules);
    s->memories = calloc((size_t)call->memories + 1, sizeof *s->memories);
    s->registers = calloc((size_t)call->registers + 1, sizeof *s->registers);
    s->unit_free = calloc((size_t)call->units + 1, sizeof *s->unit_free);
    s->slots = calloc((size_t)call->outstanding, sizeof *s->slots);
    s->loops = calloc((size_t)call->depth + 1, sizeof *s->loops);
    if (problem != 0 || !s->memories || !s->registers || !s->unit_free || !s->slots ||
        !s->loops)
        return -2;
    for (int32_t k = 0; k < call->memories; k++)
        s->memories[k].any.node = s->memories[k].unknown.node = NONE;
    for (int32_t k = 0; k < call->registers; k++)
        s->registers[k] = (reg){.known = 1, .node = NONE};
    s->path_node = NONE;
    return 0;
}

int32_t ls_schedule_run(ls_schedule *schedule)
{
    state s = {.call = schedule};
    int32_t problem = prepare(&s);
    if (problem == 0)
        problem = run_all(&s);
    ls_granules_close(&s.granules);
    free(s.memories);
    free(s.registers);
    free(s.unit_free);
    free(s.slots);
    free(s.loops);
    return problem;
}
