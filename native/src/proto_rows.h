/* Protobuf messages to columns: what Python calls in proto_rows.c, included by native.h.
 *
 * None of it trusts its input: a span that leaves the bytes is refused, and no walk leaves its span. */
#ifndef LANESCOPE_PROTO_ROWS_H
#define LANESCOPE_PROTO_ROWS_H

#include "native.h"

/* Wire types, as protobuf numbers them. Groups (3 and 4) are not read: proto3 has none. */
enum ls_proto_wire {
    LS_PROTO_VARINT = 0,
    LS_PROTO_FIXED64 = 1,
    LS_PROTO_BYTES = 2,
    LS_PROTO_FIXED32 = 5
};

enum ls_proto_problem {
    LS_PROTO_OK = 0,
    LS_PROTO_TRUNCATED = 1,    /* a field is longer than the message around it */
    LS_PROTO_LONG_VARINT = 2,  /* a number has more than ten bytes             */
    LS_PROTO_NO_FIELD = 3,     /* a field's number is 0 or above 2^29 - 1      */
    LS_PROTO_NO_WIRE_TYPE = 4, /* a field's wire type is none of the above     */
    LS_PROTO_OUTSIDE = 5       /* a span leaves the bytes                      */
};

/* Messages of one kind: message i is bytes [spans[2i], spans[2i] + spans[2i + 1]). */
typedef struct {
    const uint8_t *bytes;
    int64_t length;
    const int64_t *spans;
    int64_t count;
} ls_proto_messages;

/* A field that a message has at most once; of several the last one counts, as protobuf says. */
typedef struct {
    int32_t field;
    int32_t wire;     /* a field of another wire type is passed over, as protobuf says */
    int64_t missing;  /* what a message without the field gets                         */
    int64_t *out;     /* a number per message; of LS_PROTO_BYTES a span per message    */
} ls_proto_column;

/* A repeated field: every value with the message it is in. Numbers may be packed. */
typedef struct {
    int32_t field;
    int32_t wire;
    int64_t room;   /* how many values `owner` and `out` take */
    int64_t *owner; /* number of the message                  */
    int64_t *out;   /* as in ls_proto_column                  */
} ls_proto_list;

typedef struct {
    int32_t problem;
    int32_t pad;
    int64_t at;  /* byte at which the field begins that cannot be read */
    int64_t row; /* message that it is in                              */
} ls_proto_error;

static_assert(sizeof(ls_proto_messages) == 32, "mirrored in Python");
static_assert(sizeof(ls_proto_column) == 24, "mirrored in Python");
static_assert(sizeof(ls_proto_list) == 32, "mirrored in Python");
static_assert(sizeof(ls_proto_error) == 24, "mirrored in Python");

/* Fills the columns; returns the number of messages, or -1 with *error. */
LS_EXPORT int64_t ls_proto_columns(const ls_proto_messages *all, const ls_proto_column *columns,
                                   int32_t column_count, ls_proto_error *error);

/* Finds all values of a repeated field and stores those for which there is room. Returns how many
 * there are, or -1 with *error. */
LS_EXPORT int64_t ls_proto_repeated(const ls_proto_messages *all, const ls_proto_list *list,
                                    ls_proto_error *error);

/* Numbers the different contents of the spans from 0 in the order in which they come. `capacity` is a
 * power of two above `count`; `slots` has twice as many entries, all -1; first[k] is the first span
 * with content k, code[i] the content of span i. Returns how many different ones there are, or -1. */
LS_EXPORT int64_t ls_proto_codes(const ls_proto_messages *all, int64_t capacity, int32_t *slots,
                                 int32_t *first, int32_t *code);

#endif
