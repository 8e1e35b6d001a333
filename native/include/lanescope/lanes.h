/* Finds a lane of a region: what every handle does first. On a device with lines it loads every line that
 * it reads, because what is cached there may be older than the region.
 */
#ifndef LANESCOPE_LANES_H
#define LANESCOPE_LANES_H

#include "layout.h"

/* ---- inside ---------------------------------------------------------------------------------- */

/* Is there a region of this version? Afterwards its constants can be read. */
LS_SLOW int ls_is_region(LS_GM uint8_t *region)
{
    LS_GM const ls_header *header = (LS_GM const ls_header *)region;
    if (!region)
        return 0;
#if LS_HAS_LINES
    for (uint32_t at = 0; at < LS_CONSTANT_BYTES; at += LS_LINE)
        LS_LOAD_LINE(region + at);
#endif
    return header->magic == LS_REGION_MAGIC && header->version == LS_REGION_VERSION;
}

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* The lane of a kind and owner; of a core with pipes, that of its first pipe. NULL where the region has
 * none because the feature is off, and where it was made by another version of these headers.
 * ls_region_init puts lanes in the order of kind, owner and pipe; across a bus every look costs a
 * microsecond, so few are taken. */
LS_SLOW LS_GM ls_lane *ls_find_lane(LS_GM uint8_t *region, uint32_t kind, uint32_t owner)
{
    LS_GM const ls_header *header = (LS_GM const ls_header *)region;
    if (!ls_is_region(region))
        return NULL;
    uint64_t wanted = (uint64_t)kind << 32 | owner;
    uint32_t low = 0, high = header->lane_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        LS_GM const ls_lane *lane = ls_lane_at(region, middle);
        LS_LOAD_LINE(lane);
        if (((uint64_t)lane->kind << 32 | lane->owner) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == header->lane_count)
        return NULL;
    LS_GM ls_lane *lane = ls_lane_at(region, low); /* the search has looked at it */
    return lane->kind == kind && lane->owner == owner ? lane : NULL;
}

/* ---- inside ---------------------------------------------------------------------------------- */

/* Is a kind of record on in a region that has no lane of it for some owner? Then the owner's number is
 * out of range. */
LS_SLOW int ls_is_stray(LS_GM uint8_t *region, uint32_t kind)
{
    LS_GM const ls_header *header = (LS_GM const ls_header *)region;
    if (!ls_is_region(region))
        return 0;
    if (header->pipe_count == 0 && kind != LS_CORE_SLICE && kind < LS_FIRST_OPTIONAL_KIND)
        return (header->flags & ls_kind_feature(kind)) != 0;
    return ls_find_lane(region, kind, 0) != NULL;
}

#endif
