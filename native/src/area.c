/* What lies in an area of a page: bars by name and run, and values at places of their sorted lengths without
 * sorting. lanescope/viewer/area.py adds up what the lanes tell. */
#include "native.h"

enum { LOW_BITS = 31, FIRST_BITS = 5 };
static const uint64_t LOW = (1u << LOW_BITS) - 1;

static int touches(const ls_area_bars *b, int64_t i)
{
    return b->end[i] > b->t0 || b->start[i] >= b->t0;
}

/* Where the function of a bar stands in slot_of; names that there are not stand with -1. */
static uint32_t index_of(const ls_area_bars *b, int64_t i)
{
    uint32_t index = (uint32_t)b->name[i] + 1u;
    return index < (uint32_t)b->names ? index : 0;
}

static uint64_t length_of(const ls_area_bars *b, int64_t i)
{
    return b->end[i] > b->start[i] ? (uint64_t)b->end[i] - (uint64_t)b->start[i] : 0;
}

/* 16 bins per factor of two; a length below 32 has its own. */
static uint32_t bin_of(uint64_t length)
{
    int bits = length >> FIRST_BITS ? 64 - FIRST_BITS - __builtin_clzll(length) : 0;
    return ((uint32_t)bits << (FIRST_BITS - 1)) + (uint32_t)(length >> bits);
}

static void add_to(ls_area_sums *sums, const ls_area_bars *b, int64_t i)
{
    uint64_t length = length_of(b, i), outside = 0;
    if (LS_UNLIKELY(b->start[i] < b->t0))
        outside += (uint64_t)b->t0 - (uint64_t)b->start[i];
    if (LS_UNLIKELY(b->end[i] > b->t1))
        outside += (uint64_t)b->end[i] - (uint64_t)b->t1;
    sums->count++;
    sums->low += (int64_t)(length & LOW);
    sums->high += (int64_t)(length >> LOW_BITS);
    if (LS_UNLIKELY(outside)) {
        sums->over++;
        sums->outside_low += (int64_t)(outside & LOW);
        sums->outside_high += (int64_t)(outside >> LOW_BITS);
    }
}

int64_t ls_area_count(ls_area_bars *b, int64_t from, ls_area_sums *sums, uint32_t *bins)
{
    for (int64_t i = from; i < b->count; i++) {
        if (!touches(b, i))
            continue;
        uint32_t index = index_of(b, i);
        if (LS_UNLIKELY(b->slot_of[index] < 0)) {
            if (b->used == b->slots)
                return i;
            b->slot_of[index] = b->used++;
        }
        int64_t slot = b->slot_of[index], run = 0;
        if (b->run)
            run = b->run[i] >= 0 && b->run[i] < b->runs ? b->run[i] : b->runs - 1;
        add_to(&sums[slot * b->runs + run], b, i);
        bins[slot * LS_AREA_BINS + bin_of(length_of(b, i))]++;
    }
    return b->count;
}

void ls_area_narrow(const ls_area_bars *b, const ls_area_search *searches, uint32_t *counts)
{
    for (int64_t i = 0; i < b->count; i++) {
        if (!touches(b, i))
            continue;
        int32_t slot = b->slot_of[index_of(b, i)];
        if (slot < 0 || slot >= b->slots)
            continue;
        uint64_t length = length_of(b, i);
        for (int k = 0; k < LS_AREA_PLACES; k++) {
            const ls_area_search *s = &searches[slot * LS_AREA_PLACES + k];
            uint64_t offset = length - s->low;
            if (offset < s->width)
                counts[s->at + (int64_t)(offset >> s->shift)]++;
        }
    }
}
