/* Walks over JSON text: a cursor that never leaves it, skipping of values.
 * Every function but the predicates returns 0 and sets the cursor's problem when it cannot go on. */
#ifndef LANESCOPE_JSON_SCAN_H
#define LANESCOPE_JSON_SCAN_H

#include "json_blocks.h"
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

/* Where a walk over brackets is: how deep, and whether inside a string. */
typedef struct {
    int64_t at;
    int64_t depth;
    int quoted;
} bracket_walk;

/* Takes the walk to `until` or a byte beyond it, byte by byte; 1 once the outermost bracket is closed. */
static inline int walk_bytes(const cursor *c, bracket_walk *w, int64_t until)
{
    while (w->at < until) {
        uint8_t b = c->text[w->at++];
        if (b == '"') {
            w->quoted = !w->quoted;
        } else if (w->quoted) {
            w->at += b == '\\';
        } else if ((b | 0x20) == '{') {
            w->depth++;
        } else if ((b | 0x20) == '}' && --w->depth == 0) {
            return 1;
        }
    }
    return 0;
}

/* The same over one block without backslashes. */
static inline int walk_block(bracket_walk *w, const json_block *b)
{
    uint64_t quoted = parity_up_to(b->quote) ^ (w->quoted ? UINT64_MAX : 0);
    uint64_t open = b->open & ~quoted, close = b->close & ~quoted;
    int64_t closing = ones(close);
    w->quoted = (int)(quoted >> 63);
    if (closing < w->depth) {
        w->depth += ones(open) - closing;
        w->at += LS_JSON_BLOCK;
        return 0;
    }
    for (uint64_t both = open | close; both != 0; both &= both - 1) {
        if (close & both & (~both + 1)) {
            if (--w->depth == 0) {
                w->at += __builtin_ctzll(both) + 1;
                return 1;
            }
        } else {
            w->depth++;
        }
    }
    w->at += LS_JSON_BLOCK;
    return 0;
}

/* Walks on until `depth` brackets more are closed than opened; 0 and under a bracket: to its end. What is inside
 * is only searched for brackets and quotes; nesting is a count, so depth costs no stack. */
static inline int walk_out(cursor *c, int64_t depth)
{
    bracket_walk w = {c->at, depth, 0};
    int closed = 0;
    while (!closed && c->length - w.at >= LS_JSON_BLOCK) {
        json_block b = read_block(c->text + w.at);
        closed = b.escape ? walk_bytes(c, &w, w.at + LS_JSON_BLOCK) : walk_block(&w, &b);
    }
    closed = closed || walk_bytes(c, &w, c->length);
    c->at = w.at < c->length ? w.at : c->length;
    return closed ? 1 : fail(c, LS_JSON_TRUNCATED);
}

/* Walks over one value of any kind. */
static inline int skip_value(cursor *c)
{
    uint8_t b = peek(c);
    if (b == '"')
        return skip_string(c);
    if (b == '[' || b == '{')
        return walk_out(c, 0);
    if (!is_plain(b))
        return fail(c, LS_JSON_SYNTAX);
    while (c->at < c->length && is_plain(c->text[c->at]))
        c->at++;
    return 1;
}

#endif
