/* Radix sorts: they take as many passes as the keys have groups of eleven bits. */
#include "sort.h"
#include "native.h"

#include <stdlib.h>
#include <string.h>

enum { RADIX_BITS = 11, RADIX = 1 << RADIX_BITS };

/* Where each digit's elements begin, from how often it occurs. */
static void begins(int64_t *place)
{
    int64_t sum = 0;
    for (int k = 0; k < RADIX; k++) {
        int64_t here = place[k];
        place[k] = sum;
        sum += here;
    }
}

static void word_pass(int64_t count, const uint64_t *from, uint64_t *to, unsigned shift)
{
    int64_t place[RADIX] = {0};
    for (int64_t i = 0; i < count; i++)
        place[(from[i] >> shift) & (RADIX - 1)]++;
    begins(place);
    for (int64_t i = 0; i < count; i++)
        to[place[(from[i] >> shift) & (RADIX - 1)]++] = from[i];
}

static void keyed_pass(int64_t count, const ls_keyed *from, ls_keyed *to, unsigned shift)
{
    int64_t place[RADIX] = {0};
    for (int64_t i = 0; i < count; i++)
        place[(from[i].key >> shift) & (RADIX - 1)]++;
    begins(place);
    for (int64_t i = 0; i < count; i++)
        to[place[(from[i].key >> shift) & (RADIX - 1)]++] = from[i];
}

unsigned ls_bits_of(uint64_t value)
{
    unsigned bits = 0;
    while (bits < 64 && value >> bits)
        bits++;
    return bits;
}

uint64_t *ls_sort_words(int64_t count, uint64_t *words, uint64_t *spare, unsigned shift,
                        unsigned width)
{
    for (unsigned done = 0; done < width; done += RADIX_BITS) {
        word_pass(count, words, spare, shift + done);
        uint64_t *swap = words;
        words = spare;
        spare = swap;
    }
    return words;
}

ls_keyed *ls_sort_keyed(int64_t count, ls_keyed *words, ls_keyed *spare, unsigned width)
{
    for (unsigned shift = 0; shift < width; shift += RADIX_BITS) {
        keyed_pass(count, words, spare, shift);
        ls_keyed *swap = words;
        words = spare;
        spare = swap;
    }
    return words;
}

static int32_t order_packed(int64_t count, const int64_t *key, uint64_t least, unsigned width,
                            unsigned low, int64_t *order)
{
    uint64_t *spare = malloc((size_t)count * sizeof *spare), *words = (uint64_t *)order;
    if (spare == NULL)
        return -2;
    for (int64_t i = 0; i < count; i++)
        words[i] = ((uint64_t)key[i] - least) << low | (uint64_t)i;
    words = ls_sort_words(count, words, spare, low, width);
    for (int64_t i = 0; i < count; i++)
        order[i] = (int64_t)(words[i] & (((uint64_t)1 << low) - 1));
    free(spare);
    return 0;
}

static int32_t order_wide(int64_t count, const int64_t *key, uint64_t least, unsigned width,
                          int64_t *order)
{
    ls_keyed *a = malloc((size_t)count * sizeof *a), *b = malloc((size_t)count * sizeof *b);
    if (a != NULL && b != NULL) {
        for (int64_t i = 0; i < count; i++)
            a[i] = (ls_keyed){(uint64_t)key[i] - least, (uint64_t)i};
        const ls_keyed *sorted = ls_sort_keyed(count, a, b, width);
        for (int64_t i = 0; i < count; i++)
            order[i] = (int64_t)sorted[i].index;
    }
    int32_t status = a == NULL || b == NULL ? -2 : 0;
    free(a);
    free(b);
    return status;
}

static void range_of(int64_t count, const int64_t *values, int64_t *least, int64_t *most)
{
    *least = *most = values[0];
    for (int64_t i = 1; i < count; i++) {
        *least = values[i] < *least ? values[i] : *least;
        *most = values[i] > *most ? values[i] : *most;
    }
}

int32_t ls_sort_order(int64_t count, const int64_t *key, int64_t *order)
{
    int64_t least, most;
    if (count == 0)
        return 0;
    range_of(count, key, &least, &most);
    unsigned width = ls_bits_of((uint64_t)most - (uint64_t)least);
    unsigned low = ls_bits_of((uint64_t)count);
    if (width + low <= 64)
        return order_packed(count, key, (uint64_t)least, width, low, order);
    return order_wide(count, key, (uint64_t)least, width, order);
}

int32_t ls_sort_values(int64_t count, int64_t *values)
{
    int64_t least, most;
    uint64_t *words = (uint64_t *)values, *spare = malloc((size_t)count * sizeof *spare + 1);
    if (spare == NULL)
        return -2;
    if (count > 0) {
        range_of(count, values, &least, &most);
        for (int64_t i = 0; i < count; i++)
            words[i] -= (uint64_t)least;
        const uint64_t *sorted =
            ls_sort_words(count, words, spare, 0, ls_bits_of((uint64_t)most - (uint64_t)least));
        for (int64_t i = 0; i < count; i++)
            words[i] = sorted[i] + (uint64_t)least;
    }
    free(spare);
    return 0;
}
