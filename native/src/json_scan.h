/* Walks over JSON text: a cursor that never leaves it, skipping of values.
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
              problem == LS_JSON_NOT_NUMBER || problem == LS_JSON_NOT_TEXT;
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

#endif
