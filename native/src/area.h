/* Bars in an area of a page (area.c): counted by name and run, and the places of their sorted lengths. Included by
 * native.h. */
#ifndef LANESCOPE_AREA_H
#define LANESCOPE_AREA_H

#include "native.h"

/* Bars of one lane that start before t1. A bar counts when it ends after t0 or does not start before it. */
typedef struct {
    const int64_t *start;
    const int64_t *end;
    const int32_t *name;
    const int32_t *run; /* NULL, or per bar its run; the last run is "none" */
    int32_t *slot_of;   /* per name from -1 on: its slot, -1 where it has none yet */
    int64_t count;
    int64_t t0;
    int64_t t1;
    int32_t names; /* entries of slot_of */
    int32_t runs;
    int32_t slots; /* there is room for so many */
    int32_t used;  /* slots that names have */
} ls_area_bars;

/* Bars of one name and run. A sum is high x 2^31 + low, because 64 bits may overflow. */
typedef struct {
    int64_t count;
    int64_t over; /* bars that reach over the border */
    int64_t low;  /* their whole lengths, ns */
    int64_t high;
    int64_t outside_low; /* how much of that lies outside the area */
    int64_t outside_high;
} ls_area_sums;

#define LS_AREA_BINS 1024 /* of lengths, per slot: see bin_of */
#define LS_AREA_PLACES 3  /* values that are searched per slot */

/* Lengths from `low` on, below low + width, are counted in bins of 2^shift ns, the first at counts[at]. */
typedef struct {
    uint64_t low;
    uint64_t width;
    int64_t at;
    int64_t shift;
} ls_area_search;

static_assert(sizeof(ls_area_bars) == 80, "mirrored in Python");
static_assert(sizeof(ls_area_sums) == 48, "mirrored in Python");
static_assert(sizeof(ls_area_search) == 32, "mirrored in Python");

/* Adds bars from `from` on to sums[slot * runs + run] and bins[slot * LS_AREA_BINS + bin]. Returns where it stopped:
 * `count`, or the first bar whose name has no slot when all slots are used. */
LS_EXPORT int64_t ls_area_count(ls_area_bars *bars, int64_t from, ls_area_sums *sums,
                                uint32_t *bins);

/* Counts the lengths that are searched for; searches[slot * LS_AREA_PLACES + k]. */
LS_EXPORT void ls_area_narrow(const ls_area_bars *bars, const ls_area_search *searches,
                              uint32_t *counts);

#endif
