/* Sorts moments by time in one pass over all parts; only their places move. */
#include "moments.h"
#include "sort.h"

#include <stdlib.h>

static void limits(const ls_moments *parts, int32_t count, ls_merged *m, int64_t *least, int64_t *most)
{
    int64_t longest = 0;
    *least = INT64_MAX;
    *most = INT64_MIN;
    for (int32_t p = 0; p < count; p++) {
        longest = parts[p].count > longest ? parts[p].count : longest;
        m->count += parts[p].count;
        for (int64_t i = 0; i < parts[p].count; i++) {
            *least = parts[p].time[i] < *least ? parts[p].time[i] : *least;
            *most = parts[p].time[i] > *most ? parts[p].time[i] : *most;
        }
    }
    m->row_bits = ls_bits_of((uint64_t)longest);
}

static int32_t merge_packed(const ls_moments *parts, int32_t count, ls_merged *m, uint64_t least,
                            unsigned low, unsigned width)
{
    uint64_t *words = malloc((size_t)m->count * sizeof *words + 1);
    uint64_t *spare = malloc((size_t)m->count * sizeof *spare + 1), *next = words;
    if (words == NULL || spare == NULL) {
        free(words);
        free(spare);
        return -2;
    }
    for (int32_t p = 0; p < count; p++)
        for (int64_t i = 0; i < parts[p].count; i++)
            *next++ = ((uint64_t)parts[p].time[i] - least) << low | (uint64_t)p << m->row_bits |
                      (uint64_t)i;
    m->at = ls_sort_words(m->count, words, spare, low, width);
    free(m->at == words ? spare : words);
    for (int64_t i = 0; i < m->count; i++)
        m->at[i] &= ((uint64_t)1 << low) - 1;
    return 0;
}

static int32_t merge_wide(const ls_moments *parts, int32_t count, ls_merged *m, uint64_t least,
                          unsigned width)
{
    ls_keyed *a = malloc((size_t)m->count * sizeof *a + 1), *next = a;
    ls_keyed *b = malloc((size_t)m->count * sizeof *b + 1);
    m->at = malloc((size_t)m->count * sizeof *m->at + 1);
    int32_t status = a == NULL || b == NULL || m->at == NULL ? -2 : 0;
    for (int32_t p = 0; p < count && status == 0; p++)
        for (int64_t i = 0; i < parts[p].count; i++)
            *next++ = (ls_keyed){(uint64_t)parts[p].time[i] - least,
                                 (uint64_t)p << m->row_bits | (uint64_t)i};
    const ls_keyed *sorted = status == 0 ? ls_sort_keyed(m->count, a, b, width) : NULL;
    for (int64_t i = 0; i < m->count && status == 0; i++)
        m->at[i] = sorted[i].index;
    free(a);
    free(b);
    return status;
}

int32_t ls_merge(const ls_moments *parts, int32_t count, ls_merged *m)
{
    int64_t least, most;
    *m = (ls_merged){0};
    limits(parts, count, m, &least, &most);
    unsigned width = m->count ? ls_bits_of((uint64_t)most - (uint64_t)least) : 0;
    unsigned low = m->row_bits + ls_bits_of((uint64_t)count);
    if (low < 64 && width + low <= 64)
        return merge_packed(parts, count, m, (uint64_t)least, low, width);
    return merge_wide(parts, count, m, (uint64_t)least, width);
}
