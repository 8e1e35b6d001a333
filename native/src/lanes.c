/* Lays slices on sub-lanes, nests rows, fills rows and assembles rows of different widths. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

/* Each sub-lane is a stack of open slices, linked through `below`. */
typedef struct {
    int64_t top[LS_MAX_SUBLANES];
    int64_t *below;
    int32_t used;
    int64_t *order;
    int64_t written;
} stacks;

static void close_until(stacks *s, int32_t sublane, const int64_t *end, int64_t now)
{
    while (s->top[sublane] >= 0 && end[s->top[sublane]] <= now) {
        s->order[s->written++] = 2 * s->top[sublane] + 1;
        s->top[sublane] = s->below[s->top[sublane]];
    }
}

static void close_lane(stacks *s, const int64_t *end)
{
    for (int32_t k = 0; k < s->used; k++)
        close_until(s, k, end, INT64_MAX);
    s->used = 0;
}

static int32_t place(stacks *s, int64_t i, const int64_t *start, const int64_t *end)
{
    for (int32_t k = 0; k < s->used; k++) {
        close_until(s, k, end, start[i]);
        if (s->top[k] < 0 || end[i] <= end[s->top[k]])
            return k;
    }
    if (s->used == LS_MAX_SUBLANES)
        return -1;
    s->top[s->used] = -1;
    return s->used++;
}

static int is_sorted(int64_t count, const int32_t *lane, const int64_t *start, const int64_t *end)
{
    for (int64_t i = 1; i < count; i++) {
        if (lane[i] != lane[i - 1] ? lane[i] < lane[i - 1]
                                   : start[i] < start[i - 1] ||
                                         (start[i] == start[i - 1] && end[i] > end[i - 1]))
            return 0;
    }
    return 1;
}

int64_t ls_stack_slices(int64_t count, const int32_t *lane, const int64_t *start,
                        const int64_t *end, int32_t *sublane, int64_t *order)
{
    int64_t most = 0;
    if (!is_sorted(count, lane, start, end))
        return -3;
    stacks *s = malloc(sizeof *s);
    int64_t *below = malloc((size_t)(count ? count : 1) * sizeof *below);
    if (s == NULL || below == NULL) {
        free(s);
        free(below);
        return -2;
    }
    s->below = below;
    s->used = 0;
    s->order = order;
    s->written = 0;
    for (int64_t i = 0; i < count; i++) {
        if (i > 0 && lane[i] != lane[i - 1])
            close_lane(s, end);
        int32_t k = place(s, i, start, end);
        if (k < 0) {
            most = -1;
            break;
        }
        sublane[i] = k;
        below[i] = s->top[k];
        s->top[k] = i;
        order[s->written++] = 2 * i;
        if (s->used > most)
            most = s->used;
    }
    if (most >= 0)
        close_lane(s, end);
    free(below);
    free(s);
    return most;
}

/* Open rows are a stack, linked through `parent`; `now` is how far its time has been given away. */
typedef struct {
    const int64_t *parent, *until;
    int64_t *own, *row, *start, *end;
    int64_t top, now, written;
} nest;

static void give_until(nest *n, int64_t time)
{
    if (time > n->now) {
        n->row[n->written] = n->top;
        n->start[n->written] = n->now;
        n->end[n->written++] = time;
        n->own[n->top] += time - n->now;
        n->now = time;
    }
}

static void pop_until(nest *n, int64_t time)
{
    for (; n->top >= 0 && n->until[n->top] <= time; n->top = n->parent[n->top])
        give_until(n, n->until[n->top]);
}

int64_t ls_nest(int64_t count, const int32_t *lane, const int64_t *start, const int64_t *end,
                int64_t *parent, int64_t *until, int64_t *own, int64_t *piece_row,
                int64_t *piece_start, int64_t *piece_end)
{
    nest n = {.parent = parent, .until = until, .own = own, .row = piece_row, .start = piece_start,
              .end = piece_end, .top = -1};
    for (int64_t i = 0; i < count; i++) {
        pop_until(&n, i > 0 && lane[i] != lane[i - 1] ? INT64_MAX : start[i]);
        if (n.top >= 0)
            give_until(&n, start[i]);
        n.now = start[i];
        parent[i] = n.top;
        until[i] = n.top >= 0 && until[n.top] < end[i] ? until[n.top] : end[i];
        own[i] = 0;
        if (until[i] > start[i])
            n.top = i;
    }
    pop_until(&n, INT64_MAX);
    return n.written;
}

void ls_scatter_rows(uint8_t *target, const int64_t *offset, const uint8_t *rows, int64_t width,
                     int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        memcpy(target + offset[i], rows + i * width, (size_t)width);
}

void ls_put_varints(uint8_t *rows, int64_t stride, int64_t width, const int64_t *values,
                    int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        uint8_t *at = rows + i * stride;
        uint64_t bits = (uint64_t)values[i];
        for (int64_t k = 0; k < width - 1; k++, bits >>= 7)
            at[k] = (uint8_t)(bits | 0x80);
        at[width - 1] = (uint8_t)(bits & 0x7F);
    }
}
