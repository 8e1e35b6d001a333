/* Lays slices on sub-lanes, fills rows and assembles rows of different widths. */
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

int64_t ls_stack_slices(int64_t count, const int32_t *lane, const int64_t *start,
                        const int64_t *end, int32_t *sublane, int64_t *order)
{
    int64_t most = 0;
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

void ls_nest_slices(int64_t count, const int32_t *lane, const int64_t *start, const int64_t *end,
                    int64_t *around, int32_t *depth)
{
    int64_t top = -1; /* innermost open slice; the others follow through `around` */
    for (int64_t i = 0; i < count; i++) {
        if (i > 0 && lane[i] != lane[i - 1])
            top = -1;
        while (top >= 0 && (end[top] <= start[i] || end[top] < end[i]))
            top = around[top];
        around[i] = top;
        depth[i] = top < 0 ? 0 : depth[top] + 1;
        top = i;
    }
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
