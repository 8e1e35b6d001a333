/* Texts in JSON rows as codes: the pool of a column has every different text once. */
#ifndef LANESCOPE_JSON_TEXTS_H
#define LANESCOPE_JSON_TEXTS_H

#include "json_scan.h"

#include <string.h>

static inline uint64_t hash(const uint8_t *bytes, int64_t length)
{
    uint64_t h = 1469598103934665603u;
    for (int64_t i = 0; i < length; i++)
        h = (h ^ bytes[i]) * 1099511628211u;
    return h ^ (h >> 29);
}

static inline int is_word(uint8_t b)
{
    return b > ' ' && b != '"' && b != '\\' && b != '{' && b != '(';
}

/* Steps over the value under the cursor if it is this text of the pool. A whole value that stands there is the value,
 * unless more letters of a word or digits follow. */
static inline int take_known(cursor *c, const ls_json_pool *pool, int64_t code)
{
    int64_t length = code >= 0 && code < pool->used ? pool->length[code] : 0, end = c->at + length;
    if (length == 0 || end >= c->length ||
        memcmp(c->text + c->at, c->text + pool->offset[code], (size_t)length) != 0 ||
        (is_plain(c->text[c->at]) && is_plain(c->text[end])))
        return 0;
    c->at = end;
    return 1;
}

static inline int read_text(cursor *c, const ls_json_column *column, int64_t row, int64_t *code)
{
    ls_json_pool *pool = column->pool;
    int first = column->type == LS_JSON_FIRST;
    if (first && peek(c) != '"')
        return fail(c, LS_JSON_NOT_TEXT);
    skip_space(c);
    int64_t start = c->at + first;
    if (!first && row > 0 && take_known(c, pool, code[-1])) {
        *code = code[-1];
        return 1;
    }
    if (!skip_value(c))
        return 0;
    int64_t length = c->at - start;
    for (int64_t end = 0; first && end < length; end++)
        if (!is_word(c->text[start + end]))
            length = end;
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

#endif
