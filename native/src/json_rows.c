/* Turns a JSON array of arrays or of objects into integer columns, in one pass and with no
 * allocation. It checks what it reads; values it skips are only walked, never trusted. */
#include "lanescope/native.h"

#include <string.h>

typedef struct {
    const uint8_t *text;
    int64_t length;
    int64_t at;
    int32_t problem;
} cursor;

static int fail(cursor *c, int32_t problem)
{
    int cut = problem == LS_JSON_SYNTAX || problem == LS_JSON_NOT_ROW ||
              problem == LS_JSON_NOT_NUMBER;
    if (c->problem == LS_JSON_OK)
        c->problem = cut && c->at >= c->length ? LS_JSON_TRUNCATED : problem;
    return 0;
}

static void skip_space(cursor *c)
{
    while (c->at < c->length) {
        uint8_t b = c->text[c->at];
        if (b != ' ' && b != '\n' && b != '\t' && b != '\r')
            return;
        c->at++;
    }
}

/* The byte under the cursor after white space, or 0 at the end. */
static uint8_t peek(cursor *c)
{
    skip_space(c);
    return c->at < c->length ? c->text[c->at] : 0;
}

static int take(cursor *c, uint8_t expected)
{
    if (peek(c) != expected)
        return fail(c, LS_JSON_SYNTAX);
    c->at++;
    return 1;
}

static int skip_string(cursor *c)
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

static int is_plain(uint8_t b)
{
    return (b >= '0' && b <= '9') || (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || b == '-' ||
           b == '+' || b == '.';
}

/* Walks to the end of an array or object whose bracket is under the cursor. What is inside is
 * only searched for brackets and quotes; nesting is a count, so depth costs no stack. */
static int skip_nested(cursor *c)
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
static int skip_value(cursor *c)
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

static int is_digit(const cursor *c)
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

static int read_decimal(cursor *c, decimal *d)
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
static int scale(cursor *c, const decimal *d, int32_t shift, int64_t *value)
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

static int read_integer(cursor *c, int64_t *value)
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
static int read_quotable(cursor *c, int64_t *value)
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

static int read_integers(cursor *c, const ls_json_column *column, int64_t *out)
{
    if (peek(c) != '[')
        return fail(c, LS_JSON_NOT_NUMBER);
    c->at++;
    for (int32_t i = 0; i < column->count; i++) {
        if (i > 0 && peek(c) != ',')
            return fail(c, LS_JSON_NOT_NUMBER);
        c->at += i > 0;
        skip_space(c);
        if (!read_integer(c, &out[i]))
            return 0;
        if (out[i] < column->min)
            return fail(c, LS_JSON_TOO_SMALL);
    }
    if (peek(c) != ']')
        return fail(c, LS_JSON_NOT_NUMBER);
    c->at++;
    return 1;
}

static uint64_t hash(const uint8_t *bytes, int64_t length)
{
    uint64_t h = 1469598103934665603u;
    for (int64_t i = 0; i < length; i++)
        h = (h ^ bytes[i]) * 1099511628211u;
    return h ^ (h >> 29);
}

static int read_text(cursor *c, ls_json_pool *pool, int64_t *code)
{
    skip_space(c);
    int64_t start = c->at;
    if (!skip_value(c))
        return 0;
    int64_t length = c->at - start;
    uint64_t mask = (uint64_t)pool->capacity * 2 - 1;
    uint64_t slot = hash(c->text + start, length) & mask;
    for (;; slot = (slot + 1) & mask) {
        int32_t known = pool->slots[slot];
        if (known < 0)
            break;
        if (pool->length[known] == length &&
            memcmp(c->text + pool->offset[known], c->text + start, (size_t)length) == 0) {
            *code = known;
            return 1;
        }
    }
    if (pool->used == pool->capacity) {
        c->at = start;
        return fail(c, LS_JSON_POOL_FULL);
    }
    pool->offset[pool->used] = start;
    pool->length[pool->used] = length;
    pool->slots[slot] = pool->used;
    *code = pool->used++;
    return 1;
}

/* Steps over `null`, if that is the whole value under the cursor. */
static int take_null(cursor *c)
{
    if (c->length - c->at < 4 || memcmp(c->text + c->at, "null", 4) != 0)
        return 0;
    if (c->at + 4 < c->length && is_plain(c->text[c->at + 4]))
        return 0;
    c->at += 4;
    return 1;
}

static void store_missing(const ls_json_column *column, int64_t row)
{
    for (int32_t i = 0; i < column->count; i++)
        column->out[row * column->count + i] = column->missing;
}

static int read_cell(cursor *c, const ls_json_column *column, int64_t row)
{
    int64_t *out = column->out + row * column->count;
    skip_space(c);
    int64_t start = c->at;
    int ok;
    if (!column->required && take_null(c)) {
        store_missing(column, row);
        return 1;
    }
    switch (column->type) {
    case LS_JSON_TEXT:
        return read_text(c, column->pool, out);
    case LS_JSON_SPAN:
        ok = skip_value(c);
        out[0] = start;
        out[1] = c->at - start;
        return ok;
    case LS_JSON_INTS:
        ok = read_integers(c, column, out);
        break;
    case LS_JSON_MICRO: {
        decimal d;
        ok = read_decimal(c, &d) && scale(c, &d, 3, out);
        break;
    }
    default:
        ok = read_quotable(c, out);
    }
    if (!ok) {
        if (c->problem != LS_JSON_TRUNCATED && c->problem != LS_JSON_SYNTAX)
            c->at = start;
        return 0;
    }
    if (column->type != LS_JSON_INTS && *out < column->min) {
        c->at = start;
        return fail(c, LS_JSON_TOO_SMALL);
    }
    return 1;
}

static int read_array_row(cursor *c, const ls_json_column *columns, int32_t count, int64_t row,
                          int32_t *column)
{
    int64_t start = c->at;
    if (peek(c) != '[')
        return fail(c, LS_JSON_NOT_ROW);
    c->at++;
    int more = peek(c) != ']';
    for (*column = 0; *column < count; ++*column) {
        if (!more) {
            if (columns[*column].required) {
                c->at = start;
                return fail(c, LS_JSON_NO_COLUMN);
            }
            store_missing(&columns[*column], row);
            continue;
        }
        if (!read_cell(c, &columns[*column], row))
            return 0;
        more = peek(c) == ',';
        if (more)
            c->at++;
    }
    *column = -1;
    if (more)
        return fail(c, LS_JSON_MANY_COLUMNS);
    return take(c, ']');
}

static int32_t find_key(const ls_json_column *columns, int32_t count, int32_t hint,
                        const uint8_t *key, int64_t length)
{
    for (int32_t tried = 0; tried < count; tried++) {
        int32_t i = hint + tried < count ? hint + tried : hint + tried - count;
        if (columns[i].key_length == length && memcmp(columns[i].key, key, (size_t)length) == 0)
            return i;
    }
    return -1;
}

static int read_object_row(cursor *c, const ls_json_column *columns, int32_t count, int64_t row,
                           int32_t *column)
{
    int64_t start = c->at;
    uint64_t seen = 0;
    int32_t hint = 0;
    *column = -1;
    if (peek(c) != '{')
        return fail(c, LS_JSON_NOT_ROW);
    c->at++;
    if (peek(c) != '}') {
        do {
            if (peek(c) != '"')
                return fail(c, LS_JSON_SYNTAX);
            int64_t key = c->at + 1;
            if (!skip_string(c))
                return 0;
            int64_t key_length = c->at - 1 - key;
            if (!take(c, ':'))
                return 0;
            *column = find_key(columns, count, hint, c->text + key, key_length);
            if (*column < 0) {
                if (!skip_value(c))
                    return 0;
            } else {
                if (!read_cell(c, &columns[*column], row))
                    return 0;
                seen |= UINT64_C(1) << *column;
                hint = *column + 1 < count ? *column + 1 : 0;
            }
        } while (peek(c) == ',' && ++c->at);
    }
    *column = -1;
    if (!take(c, '}'))
        return 0;
    for (int32_t i = 0; i < count; i++) {
        if (seen >> i & 1)
            continue;
        if (columns[i].required) {
            *column = i;
            c->at = start;
            return fail(c, LS_JSON_NO_COLUMN);
        }
        store_missing(&columns[i], row);
    }
    return 1;
}

int64_t ls_json_rows(const uint8_t *text, int64_t length, int64_t *position, int32_t row_kind,
                     const ls_json_column *columns, int32_t column_count, int64_t max_rows,
                     ls_json_error *error)
{
    cursor c = {text, length, *position, LS_JSON_OK};
    int64_t row = 0;
    int32_t column = -1;
    int more;
    if (*position == 0) {
        if (!take(&c, '['))
            goto failed;
        if (peek(&c) == ']') {
            *position = -1;
            return 0;
        }
    }
    do {
        if (row == max_rows) {
            *position = c.at;
            return row;
        }
        skip_space(&c);
        int ok = row_kind == LS_JSON_ARRAY_ROWS
                     ? read_array_row(&c, columns, column_count, row, &column)
                     : read_object_row(&c, columns, column_count, row, &column);
        if (!ok)
            goto failed;
        row++;
        more = peek(&c) == ',';
        if (more)
            c.at++;
    } while (more);
    if (!take(&c, ']'))
        goto failed;
    *position = -1;
    return row;
failed:
    error->problem = c.problem;
    error->column = column;
    error->row = row;
    error->at = c.at < length ? c.at : length;
    return -1;
}

int32_t ls_native_version(void)
{
    return LS_NATIVE_VERSION;
}
