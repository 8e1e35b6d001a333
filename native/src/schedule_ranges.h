/* When ranges of memory may be read and written: what schedule.c knows of registers and granules,
 * the bounds that a load or store puts on an instruction, and what it leaves behind. */
#ifndef LANESCOPE_SCHEDULE_RANGES_H
#define LANESCOPE_SCHEDULE_RANGES_H

#include "granules.h"
#include "native.h"

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
    int64_t number; /* of the row that runs */
    int64_t transfers;
    int64_t front;    /* when the next instruction may start */
    int64_t computed; /* cycles of all instructions so far that are no transfers */
    int64_t path_end;
    int32_t path_node;
    int32_t carried_by; /* what carried the result of the instruction before, on the path */
} state;

/* Cycles of one instruction, as ls_line has them. */
typedef struct {
    int64_t done;
    int64_t ready;
    int64_t interval;
} cost;

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
    uint64_t offset = (uint64_t)r->offset + (r->open ? (uint64_t)s->number : 0);
    *first = (((uint64_t)base->value + offset) & 0xffffffffu) /
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
    for (int32_t k = 0; k < r->count; k++) {
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
    for (int32_t k = 0; k < r->count; k++) {
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
    for (int32_t k = 0; k < r->count; k++)
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
    for (int32_t k = 0; k < r->count; k++) {
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

#endif
