/* The schedule of a program: in-order issue, one queue of transfers, hazards through registers and
 * SRAM granules, and beside it the critical path through what is read after it was written.
 *
 * All loops are run, so the result is exact for the model; about 20 million instructions a second. */
#include "granules.h"
#include "native.h"

#include <stdlib.h>
#include <string.h>

/* What is known of a memory as a whole, for addresses that are not known. */
typedef struct {
    ls_cell any;     /* the latest of all accesses */
    ls_cell unknown; /* the latest of those with an unknown address */
} whole;

typedef struct {
    int64_t value;
    int32_t known;
    int32_t node;
    int64_t ready;
    int64_t path;
} reg;

typedef struct {
    int32_t row;
    int64_t left;
} loop;

typedef struct {
    ls_schedule *call;
    ls_granules granules;
    whole *memories;
    reg *registers;
    int64_t *unit_free;
    int64_t *slots; /* end of the transfer that used the slot last */
    loop *loops;
    int32_t depth;
    int64_t transfers;
    int64_t front; /* when the next instruction may start */
    int64_t path_end;
    int32_t path_node;
} state;

/* The earliest start of one instruction, on the machine and on the critical path. */
typedef struct {
    int64_t at;
    int32_t cause;
    int64_t path;
    int32_t node;
    int32_t carrier;
} bound;

static void later(bound *b, int64_t at, int32_t cause)
{
    if (at > b->at) {
        b->at = at;
        b->cause = cause;
    }
}

static void path_later(bound *b, int64_t path, int64_t node, int32_t carrier)
{
    if (path > b->path) {
        b->path = path;
        b->node = (int32_t)node;
        b->carrier = carrier;
    }
}

/* First granule and distance of a range; 0 when its address is not known. */
static int32_t locate(const state *s, const ls_range *r, uint64_t *first, uint64_t *step)
{
    const reg *base = &s->registers[r->base];
    *step = 1;
    if (r->step != NONE) {
        if (!s->registers[r->step].known)
            return 0;
        if (s->registers[r->step].value > 1)
            *step = (uint64_t)s->registers[r->step].value;
    }
    *first = (((uint64_t)base->value + (uint64_t)r->offset) & 0xffffffffu) /
             (uint64_t)s->call->granule[r->memory];
    return base->known;
}

static int32_t carrier_of(const state *s, int32_t memory)
{
    return s->call->registers + memory;
}

static int32_t bound_load(state *s, const ls_range *r, bound *b)
{
    uint64_t first, step;
    const whole *w = &s->memories[r->memory];
    int32_t carrier = carrier_of(s, r->memory);
    if (!locate(s, r, &first, &step)) {
        later(b, w->any.written, LS_WAIT_SRAM);
        path_later(b, w->any.path, w->any.node, carrier);
        return 0;
    }
    later(b, w->unknown.written, LS_WAIT_SRAM);
    path_later(b, w->unknown.path, w->unknown.node, carrier);
    for (int64_t k = 0; k < r->count; k++) {
        ls_cell *c = ls_granule(&s->granules, r->memory, first + (uint64_t)k * step);
        if (c == NULL)
            return -2;
        later(b, c->written, LS_WAIT_SRAM);
        path_later(b, c->path, c->node, carrier);
    }
    return 0;
}

static int32_t bound_store(state *s, const ls_range *r, int32_t other_buffer, bound *b)
{
    uint64_t first, step;
    const whole *w = &s->memories[r->memory];
    if (!locate(s, r, &first, &step)) {
        later(b, w->any.written > w->any.read ? w->any.written : w->any.read, LS_WAIT_SRAM);
        return 0;
    }
    later(b, w->unknown.written, LS_WAIT_SRAM);
    later(b, w->unknown.read, LS_WAIT_SRAM);
    for (int64_t k = 0; k < r->count; k++) {
        ls_cell *c = ls_granule(&s->granules, r->memory, first + (uint64_t)k * step);
        if (c == NULL)
            return -2;
        if (other_buffer) {
            later(b, c->read_before, LS_WAIT_SRAM);
        } else {
            later(b, c->written, LS_WAIT_SRAM);
            later(b, c->read, LS_WAIT_SRAM);
        }
    }
    return 0;
}

static void raise_to(int64_t *value, int64_t other)
{
    if (other > *value)
        *value = other;
}

static void raise_path(ls_cell *c, int64_t path, int64_t node)
{
    if (path > c->path) {
        c->path = path;
        c->node = node;
    }
}

static void note_load(state *s, const ls_range *r, int64_t end)
{
    uint64_t first, step;
    whole *w = &s->memories[r->memory];
    raise_to(&w->any.read, end);
    if (!locate(s, r, &first, &step)) {
        raise_to(&w->unknown.read, end);
        return;
    }
    for (int64_t k = 0; k < r->count; k++)
        raise_to(&ls_granule(&s->granules, r->memory, first + (uint64_t)k * step)->read, end);
}

static void note_store(state *s, const ls_range *r, int64_t ready, int64_t path, int64_t node)
{
    uint64_t first, step;
    whole *w = &s->memories[r->memory];
    raise_to(&w->any.written, ready);
    raise_path(&w->any, path, node);
    if (!locate(s, r, &first, &step)) {
        raise_to(&w->unknown.written, ready);
        raise_path(&w->unknown, path, node);
        return;
    }
    for (int64_t k = 0; k < r->count; k++) {
        ls_cell *c = ls_granule(&s->granules, r->memory, first + (uint64_t)k * step);
        c->written = ready;
        c->read_before = c->read;
        c->read = 0;
        if (r->part) {
            raise_path(c, path, node);
        } else {
            c->path = path;
            c->node = node;
        }
    }
}

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
    switch ((enum ls_value)line->value) {
    case LS_VALUE_UNKNOWN: break;
    case LS_VALUE_ADD: value = a + c; known = both; break;
    case LS_VALUE_ADD_IMMEDIATE: value = a + (uint64_t)line->immediate; known = left->known; break;
    case LS_VALUE_SUBTRACT: value = a - c; known = both; break;
    case LS_VALUE_MULTIPLY: value = a * c; known = both; break;
    case LS_VALUE_UPPER: value = (uint64_t)line->immediate << 12; known = 1; break;
    }
    s->registers[line->target].value = (int64_t)(value & 0xffffffffu);
    s->registers[line->target].known = known;
}

static void note_effects(state *s, const ls_line *line, int64_t start, const bound *b, int32_t node)
{
    for (int32_t k = 0; k < 4 && line->loads[k].memory != NONE; k++)
        note_load(s, &line->loads[k], start + line->interval);
    for (int32_t k = 0; k < 2 && line->stores[k].memory != NONE; k++)
        note_store(s, &line->stores[k], start + line->ready, b->path + line->ready, node);
    note_value(s, line);
    for (int32_t k = 0; k < 4 && line->writes[k] != NONE; k++) {
        reg *r = &s->registers[line->writes[k]];
        r->ready = start + line->ready;
        r->path = b->path + line->ready;
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
    s->front = leaves->at + (line->done > 0);
    s->unit_free[line->unit] = b.at + line->interval;
    if (line->transfer)
        s->slots[s->transfers++ % call->outstanding] = b.at + line->done;
    raise_to(&call->makespan, b.at + line->done);
    if (b.path + line->done > s->path_end || s->path_node == NONE) {
        s->path_end = b.path + line->done;
        s->path_node = node;
    }
    note_effects(s, line, b.at, &b, node);
    return 0;
}

/* The row to run next; a loop's register counts down. */
static int64_t next_row(state *s, const ls_line *line, int64_t row)
{
    if (line->kind == LS_LINE_LOOP_START) {
        s->loops[s->depth++] = (loop){(int32_t)row, line->immediate};
        if (line->target != NONE)
            s->registers[line->target] = (reg){line->immediate, 1, s->registers[line->target].node,
                                               s->registers[line->target].ready,
                                               s->registers[line->target].path};
    } else if (line->kind == LS_LINE_LOOP_END) {
        loop *inner = &s->loops[s->depth - 1];
        inner->left--;
        if (line->target != NONE) {
            s->registers[line->target].value = inner->left;
            s->registers[line->target].known = 1;
        }
        if (inner->left > 0)
            return inner->row + 1;
        s->depth--;
    }
    return row + 1;
}

/* Charges the rows and carriers along the critical path, from its end to its start. */
static void walk_path(const state *s)
{
    ls_schedule *call = s->call;
    int32_t last = 1;
    for (int32_t node = s->path_node; node != NONE; node = call->previous[node]) {
        const ls_line *line = &call->lines[call->which[call->row_of[node]]];
        call->row_critical[call->row_of[node]] += last ? line->done : line->ready;
        if (call->previous[node] != NONE) {
            int32_t before = call->row_of[call->previous[node]];
            call->carriers[call->carrier[node]] += call->lines[call->which[before]].ready;
        }
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
        int32_t problem = run_line(s, line, row);
        if (problem != 0)
            return problem;
        row = next_row(s, line, row);
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
