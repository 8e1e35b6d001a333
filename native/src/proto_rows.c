/* Protobuf messages to columns, in one pass and with no allocation.
 *
 * A message is a span of bytes: where it begins and how many bytes it has. Many messages of one kind
 * are an array of spans, so what Python holds is an array, whatever the number of messages. The
 * cursor never leaves the span that it walks. */
#include "proto_rows.h"

#include <string.h>

typedef struct {
    const uint8_t *bytes;
    int64_t at;
    int64_t end;
    int32_t problem;
} proto_cursor;

/* One field under the cursor: a number, or a span of bytes. */
typedef struct {
    uint64_t number;
    int32_t wire;
    int64_t value; /* of bytes: where they begin */
    int64_t length;
} proto_field;

static int broken(proto_cursor *c, int64_t at, int32_t problem)
{
    c->at = at;
    c->problem = problem;
    return 0;
}

static int take_varint(proto_cursor *c, uint64_t *value)
{
    int64_t start = c->at;
    uint64_t got = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (c->at >= c->end)
            return broken(c, start, LS_PROTO_TRUNCATED);
        uint8_t b = c->bytes[c->at++];
        got |= shift < 64 ? (uint64_t)(b & 0x7f) << shift : 0;
        if (b < 0x80) {
            *value = got;
            return 1;
        }
    }
    return broken(c, start, LS_PROTO_LONG_VARINT);
}

static int take_fixed(proto_cursor *c, int64_t start, int bytes, int64_t *value)
{
    uint64_t got = 0;
    if (c->end - c->at < bytes)
        return broken(c, start, LS_PROTO_TRUNCATED);
    for (int i = 0; i < bytes; i++)
        got |= (uint64_t)c->bytes[c->at + i] << (8 * i);
    c->at += bytes;
    *value = (int64_t)got;
    return 1;
}

static int take_field(proto_cursor *c, proto_field *field)
{
    int64_t start = c->at;
    uint64_t got;
    if (!take_varint(c, &got))
        return 0;
    field->number = got >> 3;
    field->wire = (int32_t)(got & 7);
    field->length = 0;
    if (field->number == 0 || field->number >= UINT64_C(1) << 29)
        return broken(c, start, LS_PROTO_NO_FIELD);
    switch (field->wire) {
    case LS_PROTO_VARINT:
        if (!take_varint(c, &got))
            return 0;
        field->value = (int64_t)got;
        return 1;
    case LS_PROTO_FIXED64:
        return take_fixed(c, start, 8, &field->value);
    case LS_PROTO_FIXED32:
        return take_fixed(c, start, 4, &field->value);
    case LS_PROTO_BYTES:
        if (!take_varint(c, &got))
            return 0;
        if (got > (uint64_t)(c->end - c->at))
            return broken(c, start, LS_PROTO_TRUNCATED);
        field->value = c->at;
        field->length = (int64_t)got;
        c->at += field->length;
        return 1;
    default:
        return broken(c, start, LS_PROTO_NO_WIRE_TYPE);
    }
}

static int open_span(const ls_proto_messages *all, int64_t row, proto_cursor *c)
{
    int64_t at = all->spans[2 * row], length = all->spans[2 * row + 1];
    if (at < 0 || length < 0 || at > all->length || length > all->length - at)
        return 0;
    *c = (proto_cursor){all->bytes, at, at + length, LS_PROTO_OK};
    return 1;
}

static int64_t report(const proto_cursor *c, int64_t row, ls_proto_error *error)
{
    error->problem = c->problem;
    error->at = c->at;
    error->row = row;
    return -1;
}

static int64_t outside(int64_t row, ls_proto_error *error)
{
    error->problem = LS_PROTO_OUTSIDE;
    error->at = 0;
    error->row = row;
    return -1;
}

static void store(const ls_proto_column *column, int64_t row, const proto_field *field)
{
    if (column->wire == LS_PROTO_BYTES) {
        column->out[2 * row] = field->value;
        column->out[2 * row + 1] = field->length;
    } else {
        column->out[row] = field->value;
    }
}

int64_t ls_proto_columns(const ls_proto_messages *all, const ls_proto_column *columns,
                         int32_t column_count, ls_proto_error *error)
{
    for (int64_t row = 0; row < all->count; row++) {
        proto_cursor c;
        proto_field field = {0};
        if (!open_span(all, row, &c))
            return outside(row, error);
        for (int32_t i = 0; i < column_count; i++) {
            proto_field none = {.value = columns[i].missing, .length = 0};
            store(&columns[i], row, &none);
        }
        while (c.at < c.end) {
            if (!take_field(&c, &field))
                return report(&c, row, error);
            for (int32_t i = 0; i < column_count; i++)
                if (columns[i].field == (int64_t)field.number && columns[i].wire == field.wire)
                    store(&columns[i], row, &field);
        }
    }
    return all->count;
}

typedef struct {
    const ls_proto_list *list;
    int64_t count;
} proto_sink;

static void emit(proto_sink *sink, int64_t row, const proto_field *field)
{
    if (sink->count < sink->list->room) {
        sink->list->owner[sink->count] = row;
        ls_proto_column whole = {.wire = sink->list->wire, .out = sink->list->out};
        store(&whole, sink->count, field);
    }
    sink->count++;
}

/* Numbers that stand one after another without tags, as writers may put a repeated field. */
static int emit_packed(const proto_cursor *around, const proto_field *pack, int64_t row,
                       proto_sink *sink, proto_cursor *inner)
{
    *inner = (proto_cursor){around->bytes, pack->value, pack->value + pack->length, LS_PROTO_OK};
    while (inner->at < inner->end) {
        proto_field one = {.wire = sink->list->wire};
        uint64_t got = 0;
        int ok = sink->list->wire == LS_PROTO_VARINT
                     ? take_varint(inner, &got)
                     : take_fixed(inner, inner->at, sink->list->wire == LS_PROTO_FIXED64 ? 8 : 4,
                                  &one.value);
        if (!ok)
            return 0;
        if (sink->list->wire == LS_PROTO_VARINT)
            one.value = (int64_t)got;
        emit(sink, row, &one);
    }
    return 1;
}

int64_t ls_proto_repeated(const ls_proto_messages *all, const ls_proto_list *list,
                          ls_proto_error *error)
{
    proto_sink sink = {list, 0};
    for (int64_t row = 0; row < all->count; row++) {
        proto_cursor c, inner;
        proto_field field = {0};
        if (!open_span(all, row, &c))
            return outside(row, error);
        while (c.at < c.end) {
            if (!take_field(&c, &field))
                return report(&c, row, error);
            if ((int64_t)field.number != list->field)
                continue;
            if (field.wire == list->wire)
                emit(&sink, row, &field);
            else if (field.wire == LS_PROTO_BYTES &&
                     !emit_packed(&c, &field, row, &sink, &inner))
                return report(&inner, row, error);
        }
    }
    return sink.count;
}

static uint64_t hash_bytes(const uint8_t *bytes, int64_t length)
{
    uint64_t h = 1469598103934665603u;
    for (int64_t i = 0; i < length; i++)
        h = (h ^ bytes[i]) * 1099511628211u;
    return h ^ (h >> 29);
}

int64_t ls_proto_codes(const ls_proto_messages *all, int64_t capacity, int32_t *slots,
                       int32_t *first, int32_t *code)
{
    uint64_t mask = (uint64_t)capacity * 2 - 1;
    int32_t used = 0;
    for (int64_t row = 0; row < all->count; row++) {
        proto_cursor c;
        if (!open_span(all, row, &c) || used == capacity)
            return -1;
        uint64_t slot = hash_bytes(all->bytes + c.at, c.end - c.at) & mask;
        for (;; slot = (slot + 1) & mask) {
            int32_t known = slots[slot];
            if (known < 0) {
                slots[slot] = used;
                first[used] = (int32_t)row;
                code[row] = used++;
                break;
            }
            const int64_t *other = all->spans + 2 * (int64_t)first[known];
            if (other[1] == c.end - c.at &&
                memcmp(all->bytes + other[0], all->bytes + c.at, (size_t)other[1]) == 0) {
                code[row] = known;
                break;
            }
        }
    }
    return used;
}
