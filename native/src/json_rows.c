/* Turns a JSON array of arrays or of objects into columns of 64 bits, in one pass and with no
 * allocation. It checks what it reads; values it skips are only walked, never trusted. */
#include "json_numbers.h"
#include "json_texts.h"

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
    for (int32_t i = 0; i < column->inner_count; i++)
        store_missing(&column->inner[i], row);
    for (int32_t i = 0; column->out != NULL && i < column->count; i++)
        column->out[row * column->count + i] = column->missing;
}

static int read_micros(cursor *c, const ls_json_column *column, int64_t *out)
{
    fixed f;
    int quoted = open_quote(c);
    if (!read_fixed(c, 3, &f) || !close_quote(c, quoted))
        return 0;
    if (column->count == 1) {
        *out = rounded(&f);
        return 1;
    }
    out[0] = f.negative ? -(int64_t)f.whole : (int64_t)f.whole;
    out[1] = f.negative ? -f.rest : f.rest;
    return 1;
}

/* A number of any type, also quoted but for those of an array. */
static int read_number(cursor *c, const ls_json_column *column, int64_t *out)
{
    int quoted, ok;
    switch (column->type) {
    case LS_JSON_INTS:
        return read_integers(c, column, out);
    case LS_JSON_ID:
        return read_id(c, column->missing, out);
    case LS_JSON_NUMBER:
        quoted = open_quote(c);
        return read_double(c, out) && close_quote(c, quoted);
    case LS_JSON_MICRO:
        ok = read_micros(c, column, out);
        break;
    default:
        quoted = open_quote(c);
        ok = read_integer(c, out) && close_quote(c, quoted);
    }
    if (ok && (out[0] < column->min ||
               (column->count > 1 && out[0] == column->min && out[1] < 0)))
        return fail(c, LS_JSON_TOO_SMALL);
    return ok;
}

static int read_keys(cursor *c, ls_json_column *columns, int32_t count, int64_t row,
                     int32_t *number);

static int read_inner(cursor *c, const ls_json_column *column, int64_t row, int32_t *number)
{
    if (peek(c) != '{') {
        store_missing(column, row);
        return skip_value(c);
    }
    for (int32_t i = 0; i < column->inner_count; i++)
        column->inner[i].seen = -1;
    return read_keys(c, column->inner, column->inner_count, row, number);
}

static int read_cell(cursor *c, ls_json_column *column, int64_t row, int32_t *number)
{
    *number = column->number;
    column->seen = row;
    skip_space(c);
    int64_t start = c->at;
    if (!column->required && take_null(c)) {
        store_missing(column, row);
        return 1;
    }
    if (column->type == LS_JSON_OBJECT)
        return read_inner(c, column, row, number);
    int64_t *out = column->out + row * column->count;
    switch (column->type) {
    case LS_JSON_TEXT:
    case LS_JSON_FIRST:
        return read_text(c, column, row, out);
    case LS_JSON_SPAN:
        out[0] = start;
        if (!skip_value(c))
            return 0;
        out[1] = c->at - start;
        return 1;
    default:
        if (read_number(c, column, out))
            return 1;
    }
    if (c->problem == LS_JSON_TRUNCATED || c->problem == LS_JSON_SYNTAX)
        return 0;
    c->at = start;
    if (!column->lenient)
        return 0;
    c->problem = LS_JSON_OK;
    store_missing(column, row);
    return skip_value(c);
}

static int read_array_row(cursor *c, ls_json_column *columns, int32_t count, int64_t row,
                          int32_t *number)
{
    int64_t start = c->at;
    *number = -1;
    if (peek(c) != '[')
        return fail(c, LS_JSON_NOT_ROW);
    c->at++;
    int more = peek(c) != ']';
    for (int32_t i = 0; i < count; i++) {
        *number = columns[i].number;
        if (!more) {
            if (columns[i].required) {
                c->at = start;
                return fail(c, LS_JSON_NO_COLUMN);
            }
            store_missing(&columns[i], row);
            continue;
        }
        if (!read_cell(c, &columns[i], row, number))
            return 0;
        more = peek(c) == ',';
        if (more)
            c->at++;
    }
    *number = -1;
    if (more)
        return fail(c, LS_JSON_MANY_COLUMNS);
    return take(c, ']');
}

/* Steps over the key under the cursor and its colon if it is this column's. */
static int take_key(cursor *c, const ls_json_column *column)
{
    int64_t end = c->at + 1 + column->key_length;
    if (end >= c->length || c->text[c->at] != '"' || c->text[end] != '"' ||
        memcmp(c->text + c->at + 1, column->key, (size_t)column->key_length) != 0)
        return 0;
    c->at = end + 1;
    return 1;
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

/* Reads the object under the cursor into the columns; those it does not have are missing. Behind the last column
 * that is asked for the rest of the object is only walked. */
static int read_keys(cursor *c, ls_json_column *columns, int32_t count, int64_t row,
                     int32_t *number)
{
    int64_t start = c->at;
    int32_t *hint = &columns[0].first, wanted = count;
    c->at++;
    if (peek(c) != '}') {
        do {
            if (peek(c) != '"')
                return fail(c, LS_JSON_SYNTAX);
            int32_t found = count > 0 ? *hint : 0;
            if (count == 0 || !take_key(c, &columns[found])) {
                int64_t key = c->at + 1;
                if (!skip_string(c))
                    return 0;
                found = find_key(columns, count, found, c->text + key, c->at - 1 - key);
            }
            if (!take(c, ':'))
                return 0;
            if (found < 0) {
                if (!skip_value(c))
                    return 0;
            } else {
                wanted -= columns[found].seen != row;
                if (!read_cell(c, &columns[found], row, number))
                    return 0;
                if (wanted == 0 && peek(c) == ',') {
                    *number = -1;
                    return walk_out(c, 1);
                }
                *hint = found;
                hint = &columns[found].next;
            }
            *number = -1;
        } while (peek(c) == ',' && ++c->at);
    }
    if (!take(c, '}'))
        return 0;
    for (int32_t i = 0; i < count; i++) {
        if (columns[i].seen == row)
            continue;
        if (columns[i].required) {
            *number = columns[i].number;
            c->at = start;
            return fail(c, LS_JSON_NO_COLUMN);
        }
        store_missing(&columns[i], row);
    }
    return 1;
}

static int read_object_row(cursor *c, ls_json_column *columns, int32_t count, int64_t row,
                           int32_t *number)
{
    *number = -1;
    if (peek(c) != '{')
        return fail(c, LS_JSON_NOT_ROW);
    return read_keys(c, columns, count, row, number);
}

int64_t ls_json_rows(const uint8_t *text, int64_t length, int64_t *position, int32_t row_kind,
                     ls_json_column *columns, int32_t column_count, int64_t max_rows,
                     ls_json_error *error)
{
    cursor c = {text, length, *position, LS_JSON_OK};
    int64_t row = 0;
    int32_t number = -1;
    int lines = row_kind == LS_JSON_LINE_ROWS, open = row_kind == LS_JSON_OPEN_ROWS, more;
    if (*position == 0) {
        if (!lines && !take(&c, '['))
            goto failed;
        if (peek(&c) == ']' || (lines && c.at >= length)) {
            *position = -1;
            error->at = c.at + 1;
            return 0;
        }
    }
    do {
        if (row == max_rows) {
            *position = c.at;
            return row;
        }
        skip_space(&c);
        if (open && c.at >= length && row + *position > 0)
            break;
        int ok = row_kind == LS_JSON_ARRAY_ROWS
                     ? read_array_row(&c, columns, column_count, row, &number)
                     : read_object_row(&c, columns, column_count, row, &number);
        if (!ok)
            goto failed;
        row++;
        more = lines ? peek(&c) != 0 || c.at < length : peek(&c) == ',';
        if (more && !lines)
            c.at++;
    } while (more);
    skip_space(&c);
    if (!lines && !(open && c.at >= length) && !take(&c, ']'))
        goto failed;
    *position = -1;
    error->at = c.at;
    return row;
failed:
    error->problem = c.problem;
    error->column = number;
    error->row = row;
    error->at = c.at < length ? c.at : length;
    return -1;
}

int32_t ls_native_version(void)
{
    return LS_NATIVE_VERSION;
}
