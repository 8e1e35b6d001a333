/* What the headers define, as tables that Python reads (layouts.c, constants.c, mirrors.c); native.h
 * includes this.
 */
#ifndef LANESCOPE_TABLES_H
#define LANESCOPE_TABLES_H

/* One field of a struct. */
typedef struct {
    const char *type;
    const char *field;
    uint32_t offset;
    uint32_t bytes;
    uint32_t type_bytes;
    char element; /* U u64, u u32, I i64, i i32, h i16, c char, S text, P address, R other structs; an
                     array where bytes says so */
} ls_layout_field;

typedef struct {
    const char *name;
    int64_t value;
} ls_constant;

/* One line of LS_RECORD_KINDS (kinds.h), its words as they stand there. */
typedef struct {
    const char *constant;
    const char *name;
    const char *owner;
    const char *producer;
    uint64_t feature;
    uint32_t code;
    uint32_t record_bytes;
} ls_record_kind;

static_assert(sizeof(ls_layout_field) == 32, "mirrored in Python");
static_assert(sizeof(ls_constant) == 16, "mirrored in Python");
static_assert(sizeof(ls_record_kind) == 48, "mirrored in Python");

/* The structs that Python takes from the table, so that it needs no copy of them. */
LS_EXPORT const ls_layout_field *ls_layout_table(int32_t *count);
/* The structs that Python has a copy of, so that a test can compare. */
LS_EXPORT const ls_layout_field *ls_mirror_table(int32_t *count);
LS_EXPORT const ls_constant *ls_constant_table(int32_t *count);
/* All kinds of record, in the order of their codes. */
LS_EXPORT const ls_record_kind *ls_record_kind_table(int32_t *count);

/* ---- For the files that make the tables ----------------------------------------------------- */

/* An array has the letter of its elements. A type without a letter does not compile. */
#define LS_ELEMENT(value)                                                                         \
    _Generic((value), uint64_t: 'U', uint32_t: 'u', int64_t: 'I', int32_t: 'i', char: 'c',        \
             uint64_t *: 'U', uint32_t *: 'u', int64_t *: 'I', int32_t *: 'i', int16_t *: 'h',     \
             char *: 'S')

#define LS_FIELD_OF(type, field, element)                                                         \
    {#type, #field, offsetof(type, field), sizeof(((type *)0)->field), sizeof(type), element}
#define LS_FIELD(type, field) LS_FIELD_OF(type, field, LS_ELEMENT(((type *)0)->field))

#endif
