/* Walks over JSON text: a cursor that never leaves it, skipping of values, exact numbers.
 * Every function but the predicates returns 0 and sets the cursor's problem when it cannot go on. */
#ifndef LANESCOPE_JSON_SCAN_H
#define LANESCOPE_JSON_SCAN_H

#include "native.h"

typedef struct {
    const uint8_t *text;
    int64_t length;
    int64_t at;
    int32_t problem;
} cursor;

static inline int fail(cursor *c, int32_t problem)
{
    int cut = problem == LS_JSON_SYNTAX || problem == LS_JSON_NOT_ROW ||
              problem == LS_JSON_NOT_NUMBER;
    if (c->problem == LS_JSON_OK)
        c->problem = cut && c->at >= c->length ? LS_JSON_TRUNCATED : problem;
    return 0;
}

static inline void skip_space(cursor *c)
{
    while (c->at < c->length) {
        uint8_t b = c->text[c->at];
        if (b != ' ' && b != '\n' && b != '\t' && b != '\r')
            return;
        c->at++;
    }
}

/* The byte under the cursor after white space, or 0 at the end. */
static inline uint8_t peek(cursor *c)
{
    skip_space(c);
    return c->at < c->length ? c->text[c->at] : 0;
}

static inline int take(cursor *c, uint8_t expected)
{
    if (peek(c) != expected)
        return fail(c, LS_JSON_SYNTAX);
    c->at++;
    return 1;
}

static inline int skip_string(cursor *c)
{
    c->at++;
    while (c->at < c->length) {
        uint8_t b = c->text[c->at];
        if (b == '"') {
            c->at++;
            return 1;
        }
        c->at += b == '\\' ? 2 : 1;
    }
    c->at = c->length;
    return fail(c, LS_JSON_TRUNCATED);
}

static inline int is_plain(uint8_t b)
{
    return (b >= '0' && b <= '9') || (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || b == '-' ||
           b == '+' || b == '.';
}

/* Walks to the end of an array or object whose bracket is under the cursor. What is inside is
 * only searched for brackets and quotes; nesting is a count, so depth costs no stack. */
static inline int skip_nested(cursor *c)
{
    const uint8_t *text = c->text;
    int64_t at = c->at, length = c->length, depth = 0;
    while (at < length) {
        uint8_t b = text[at++];
        if (b == '"') {
            while (at < length && text[at] != '"')
                at += text[at] == '\\' ? 2 : 1;
            at++;
        } else if ((b | 0x20) == '{') {
            depth++;
        } else if ((b | 0x20) == '}' && --depth == 0) {
            c->at = at;
            return 1;
        }
    }
    c->at = length;
    return fail(c, LS_JSON_TRUNCATED);
}

/* Walks over one value of any kind. */
static inline int skip_value(cursor *c)
{
    uint8_t b = peek(c);
    if (b == '"')
        return skip_string(c);
    if (b == '[' || b == '{')
        return skip_nested(c);
    if (!is_plain(b))
        return fail(c, LS_JSON_SYNTAX);
    while (c->at < c->length && is_plain(c->text[c->at]))
        c->at++;
    return 1;
}

static inline int is_digit(const cursor *c)
{
    return c->at < c->length && c->text[c->at] >= '0' && c->text[c->at] <= '9';
}

/* A decimal number as sign, digits and a power of ten: 12.50 is 1250 and -2. At most 19 digits
 * are kept; further digits before the point are a range problem, behind it they are dropped. */
typedef struct {
    uint64_t digits;
    int32_t exponent;
    int negative;
} decimal;

static inline int read_decimal(cursor *c, decimal *d)
{
    int kept = 0, any = 0;
    d->digits = 0;
    d->exponent = 0;
    d->negative = 0;
    if (c->at < c->length && c->text[c->at] == '-') {
        d->negative = 1;
        c->at++;
    }
    for (; is_digit(c); c->at++, any = 1) {
        if (kept == 19)
            return fail(c, LS_JSON_RANGE);
        d->digits = d->digits * 10 + (uint64_t)(c->text[c->at] - '0');
        kept += d->digits != 0;
    }
    if (!any)
        return fail(c, LS_JSON_NOT_NUMBER);
    if (c->at < c->length && c->text[c->at] == '.') {
        c->at++;
        if (!is_digit(c))
            return fail(c, LS_JSON_NOT_NUMBER);
        for (; is_digit(c); c->at++) {
            if (kept == 19)
                continue;
            d->digits = d->digits * 10 + (uint64_t)(c->text[c->at] - '0');
            kept += d->digits != 0;
            d->exponent--;
        }
    }
    if (c->at < c->length && (c->text[c->at] == 'e' || c->text[c->at] == 'E')) {
        int32_t power = 0;
        int negative = 0;
        c->at++;
        if (c->at < c->length && (c->text[c->at] == '-' || c->text[c->at] == '+'))
            negative = c->text[c->at++] == '-';
        if (!is_digit(c))
            return fail(c, LS_JSON_NOT_NUMBER);
        for (; is_digit(c); c->at++)
            if (power < 1000)
                power = power * 10 + (c->text[c->at] - '0');
        d->exponent += negative ? -power : power;
    }
    return 1;
}

/* digits × 10^(exponent + shift), halves rounded up. */
static inline int scale(cursor *c, const decimal *d, int32_t shift, int64_t *value)
{
    uint64_t magnitude = d->digits;
    int32_t power = d->exponent + shift;
    unsigned last = 0;
    for (; power > 0 && magnitude != 0; power--) {
        if (magnitude > UINT64_MAX / 10)
            return fail(c, LS_JSON_RANGE);
        magnitude *= 10;
    }
    for (; power < 0 && (magnitude != 0 || last != 0); power++) {
        last = (unsigned)(magnitude % 10);
        magnitude /= 10;
    }
    magnitude += last >= 5;
    if (magnitude > (uint64_t)INT64_MAX)
        return fail(c, LS_JSON_RANGE);
    *value = d->negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return 1;
}

static inline int read_integer(cursor *c, int64_t *value)
{
    decimal d;
    int64_t start = c->at;
    if (!read_decimal(c, &d))
        return 0;
    if (d.exponent < 0) {
        c->at = start;
        return fail(c, LS_JSON_NOT_NUMBER);
    }
    return scale(c, &d, 0, value);
}

/* Quoted integers are how the producer protects 64-bit values from readers with doubles. */
static inline int read_quotable(cursor *c, int64_t *value)
{
    if (peek(c) != '"')
        return read_integer(c, value);
    c->at++;
    if (!read_integer(c, value))
        return 0;
    if (c->at >= c->length || c->text[c->at] != '"')
        return fail(c, LS_JSON_NOT_NUMBER);
    c->at++;
    return 1;
}

/* An id of 64 bits without sign, also quoted, as a signed number. Ids below 2^63 are themselves. The
 * upper half is the ids 2^63 + n of a second space, which become -1 - n; n is below 2^62, so that
 * INT64_MIN stays free. 2^64 - 1 is how producers write "no id"; what else has both upper bits set
 * is no id. */
static inline int read_id(cursor *c, int64_t missing, int64_t *value)
{
    int quoted = peek(c) == '"';
    uint64_t id = 0;
    c->at += quoted;
    if (!is_digit(c))
        return fail(c, LS_JSON_NOT_NUMBER);
    for (; is_digit(c); c->at++) {
        uint64_t digit = (uint64_t)(c->text[c->at] - '0');
        if (id > (UINT64_MAX - digit) / 10)
            return fail(c, LS_JSON_RANGE);
        id = id * 10 + digit;
    }
    if (c->at < c->length && (quoted ? c->text[c->at] != '"' : is_plain(c->text[c->at])))
        return fail(c, LS_JSON_NOT_NUMBER);
    c->at += quoted;
    if (c->at > c->length)
        return fail(c, LS_JSON_TRUNCATED);
    if (id >> 63 == 0)
        *value = (int64_t)id;
    else if (id == UINT64_MAX)
        *value = missing;
    else if (id >> 62 == 2)
        *value = -1 - (int64_t)(id & ((UINT64_C(1) << 62) - 1));
    else
        return fail(c, LS_JSON_RANGE);
    return 1;
}

#endif
