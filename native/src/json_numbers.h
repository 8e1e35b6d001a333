/* Numbers in JSON text, read exactly: whole numbers, fixed-point numbers, doubles and ids of 64 bits.
 * Every function but the predicates returns 0 and sets the cursor's problem when it cannot go on. */
#ifndef LANESCOPE_JSON_NUMBERS_H
#define LANESCOPE_JSON_NUMBERS_H

#include "json_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline int is_digit(const cursor *c)
{
    return c->at < c->length && c->text[c->at] >= '0' && c->text[c->at] <= '9';
}

/* Whether eight bytes are digits, and the number that they are: pairs become numbers below 100, pairs of those
 * numbers below 10,000, and these the answer, each step in all places at once. */
static inline int eight_digits(const uint8_t *text, uint64_t *value)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t v;
    memcpy(&v, text, sizeof v);
    if (((v & UINT64_C(0xf0f0f0f0f0f0f0f0)) |
         ((v + UINT64_C(0x0606060606060606)) & UINT64_C(0xf0f0f0f0f0f0f0f0)) >> 4) !=
        UINT64_C(0x3333333333333333))
        return 0;
    v &= UINT64_C(0x0f0f0f0f0f0f0f0f);
    v = (v * 10 + (v >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    v = (v * 100 + (v >> 16)) & UINT64_C(0x0000ffff0000ffff);
    *value = (v * 10000 + (v >> 32)) & UINT64_C(0xffffffff);
    return 1;
#else
    (void)text, (void)value;
    return 0;
#endif
}

#define LS_MANY_DIGITS 18 /* that many always fit in 64 bits */

/* Steps over up to LS_MANY_DIGITS digits and returns the number that they are. */
static inline uint64_t take_digits(cursor *c)
{
    const uint8_t *text = c->text + c->at;
    int64_t left = c->length - c->at, at = 0;
    uint64_t number = 0, part;
    if (left > LS_MANY_DIGITS)
        left = LS_MANY_DIGITS;
    while (left - at >= 8 && eight_digits(text + at, &part)) {
        number = number * 100000000 + part;
        at += 8;
    }
    for (; at < left && text[at] >= '0' && text[at] <= '9'; at++)
        number = number * 10 + (uint64_t)(text[at] - '0');
    c->at += at;
    return number;
}

/* The exponent of a number, if there is one under the cursor. */
static inline int read_power(cursor *c, int64_t *power)
{
    int negative = 0;
    *power = 0;
    if (c->at >= c->length || (c->text[c->at] | 0x20) != 'e')
        return 1;
    c->at++;
    if (c->at < c->length && (c->text[c->at] == '-' || c->text[c->at] == '+'))
        negative = c->text[c->at++] == '-';
    if (!is_digit(c))
        return fail(c, LS_JSON_NOT_NUMBER);
    for (; is_digit(c); c->at++)
        if (*power < INT32_MAX)
            *power = *power * 10 + (c->text[c->at] - '0');
    if (negative)
        *power = -*power;
    return 1;
}

/* A decimal number as sign, digits and a power of ten: 12.50 is 1250 and -2. The first 19 digits
 * that count are kept, further ones are dropped. */
typedef struct {
    uint64_t digits;
    int64_t exponent;
    int negative;
    int dropped; /* there were more digits */
} decimal;

static inline int read_decimal(cursor *c, decimal *d)
{
    int kept = 0, any = 0;
    int64_t power;
    d->digits = 0;
    d->exponent = 0;
    d->negative = 0;
    d->dropped = 0;
    if (c->at < c->length && c->text[c->at] == '-') {
        d->negative = 1;
        c->at++;
    }
    if (is_digit(c) && c->text[c->at] != '0') {
        int64_t first = c->at;
        d->digits = take_digits(c);
        kept = (int)(c->at - first);
        any = 1;
    }
    for (; is_digit(c); c->at++, any = 1) {
        if (kept == 19) {
            d->exponent++;
            d->dropped = 1;
            continue;
        }
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
            if (kept == 19) {
                d->dropped = 1;
                continue;
            }
            d->digits = d->digits * 10 + (uint64_t)(c->text[c->at] - '0');
            kept += d->digits != 0;
            d->exponent--;
        }
    }
    if (!read_power(c, &power))
        return 0;
    d->exponent += power;
    return 1;
}

#define LS_REST_DIGITS 18
#define LS_REST_ONE INT64_C(1000000000000000000)

/* A number × 10^shift as its whole part and 18 further digits; `more`: others than 0 follow. */
typedef struct {
    uint64_t whole;
    int64_t rest;
    int more;
    int negative;
} fixed;

/* Adds the digits in [from, to) of the text to a number. `point` is how many of the digits that are
 * still to come stand before its point. */
static inline int add_digits(cursor *c, fixed *f, int64_t from, int64_t to, int64_t *point)
{
    const uint8_t *text = c->text;
    for (; from < to && *point > 0; from++, --*point) {
        if (f->whole > (UINT64_MAX - 9) / 10)
            return fail(c, LS_JSON_RANGE);
        f->whole = f->whole * 10 + (uint64_t)(text[from] - '0');
    }
    for (; from < to && *point > -LS_REST_DIGITS; from++, --*point)
        f->rest = f->rest * 10 + (text[from] - '0');
    for (; from < to && !f->more; from++)
        f->more = text[from] != '0';
    return 1;
}

/* Any number, however many digits it has. */
static inline int read_long(cursor *c, int32_t shift, fixed *f)
{
    int64_t power, fraction, fraction_end;
    *f = (fixed){0, 0, 0, c->at < c->length && c->text[c->at] == '-'};
    c->at += f->negative;
    int64_t whole = c->at;
    while (is_digit(c))
        c->at++;
    int64_t whole_end = fraction = fraction_end = c->at;
    if (c->at == whole)
        return fail(c, LS_JSON_NOT_NUMBER);
    if (c->at < c->length && c->text[c->at] == '.') {
        fraction = ++c->at;
        while (is_digit(c))
            c->at++;
        fraction_end = c->at;
        if (fraction == fraction_end)
            return fail(c, LS_JSON_NOT_NUMBER);
    }
    if (!read_power(c, &power))
        return 0;
    int64_t point = whole_end - whole + power + shift;
    if (!add_digits(c, f, whole, whole_end, &point) ||
        !add_digits(c, f, fraction, fraction_end, &point))
        return 0;
    for (; point > 0 && f->whole != 0; point--) {
        if (f->whole > UINT64_MAX / 10)
            return fail(c, LS_JSON_RANGE);
        f->whole *= 10;
    }
    for (; point > -LS_REST_DIGITS && f->rest != 0; point--)
        f->rest *= 10;
    if (f->whole + (uint64_t)(f->rest >= LS_REST_ONE / 2) > (uint64_t)INT64_MAX)
        return fail(c, LS_JSON_RANGE);
    return 1;
}

static inline int read_fixed(cursor *c, int32_t shift, fixed *f)
{
    static const uint64_t tens[] = {1, 10, 100, 1000};
    int64_t start = c->at;
    decimal d;
    if (!read_decimal(c, &d))
        return 0;
    int64_t power = d.exponent + shift;
    if (d.dropped || power < 0 || power > 3 || d.digits > (uint64_t)INT64_MAX / tens[power]) {
        c->at = start;
        return read_long(c, shift, f);
    }
    *f = (fixed){d.digits * tens[power], 0, 0, d.negative};
    return 1;
}

/* The nearest whole number, of two that are equally near the even one. */
static inline int64_t rounded(const fixed *f)
{
    int64_t half = LS_REST_ONE / 2, whole = (int64_t)f->whole;
    whole += f->rest > half || (f->rest == half && (f->more || whole % 2));
    return f->negative ? -whole : whole;
}

/* The bits of the double that is nearest. The power of ten stands behind the digits, so that no
 * locale has a say in it. */
static inline int read_double(cursor *c, int64_t *bits)
{
    decimal d;
    double value;
    char text[64];
    if (!read_decimal(c, &d))
        return 0;
    if (d.exponent >= -22 && d.exponent <= 22 && d.digits <= UINT64_C(1) << 53) {
        static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
        value = d.exponent < 0 ? (double)d.digits / tens[-d.exponent]
                               : (double)d.digits * tens[d.exponent];
    } else {
        snprintf(text, sizeof text, "%llue%lld", (unsigned long long)d.digits,
                 (long long)d.exponent);
        value = strtod(text, NULL);
    }
    if (value > 1.7976931348623157e308)
        return fail(c, LS_JSON_RANGE);
    value = d.negative ? -value : value;
    memcpy(bits, &value, sizeof value);
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
    for (; d.exponent > 0 && d.digits != 0; d.exponent--) {
        if (d.digits > UINT64_MAX / 10)
            return fail(c, LS_JSON_RANGE);
        d.digits *= 10;
    }
    if (d.digits > (uint64_t)INT64_MAX)
        return fail(c, LS_JSON_RANGE);
    *value = d.negative ? -(int64_t)d.digits : (int64_t)d.digits;
    return 1;
}

/* Steps over a quote. Producers quote numbers to protect them from readers with doubles. */
static inline int open_quote(cursor *c)
{
    int quoted = peek(c) == '"';
    c->at += quoted;
    return quoted;
}

static inline int close_quote(cursor *c, int quoted)
{
    if (quoted && (c->at >= c->length || c->text[c->at] != '"'))
        return fail(c, LS_JSON_NOT_NUMBER);
    c->at += quoted;
    return 1;
}

/* An id of 64 bits without sign, also quoted, as a signed number. Ids below 2^63 are themselves. The
 * upper half is the ids 2^63 + n of a second space, which become -1 - n; n is below 2^62, so that
 * INT64_MIN stays free. 2^64 - 1 is how producers write "no id"; what else has both upper bits set
 * is no id. */
static inline int read_id(cursor *c, int64_t missing, int64_t *value)
{
    int quoted = peek(c) == '"';
    uint64_t id;
    c->at += quoted;
    if (!is_digit(c))
        return fail(c, LS_JSON_NOT_NUMBER);
    id = take_digits(c);
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
