/* The clock of the machine that runs this, beside LS_CLOCK(): how fast the counter runs, and what time of
 * day it shows. It needs clock_gettime; file.h includes it.
 */
#ifndef LANESCOPE_CLOCK_H
#define LANESCOPE_CLOCK_H

#include "layout.h"
#include "portable.h"

#include <time.h>

/* ---- inside ---------------------------------------------------------------------------------- */

LS_FN uint64_t ls_read_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* Rate of LS_CLOCK(), measured against the system's clock for 20 ms. */
LS_SLOW uint64_t ls_measure_clock_hz(void)
{
    uint64_t ns0 = ls_read_ns(CLOCK_MONOTONIC), cycles0 = LS_CLOCK(), ns1;
    do
        ns1 = ls_read_ns(CLOCK_MONOTONIC);
    while (ns1 - ns0 < 20000000u);
    uint64_t cycles = LS_CLOCK() - cycles0;
    return (uint64_t)((double)cycles * 1e9 / (double)(ns1 - ns0) + 0.5);
}

/* Reads the device's counter and the time of day together; the tightest of several tries. */
LS_SLOW void ls_anchor_clock(LS_GM uint8_t *region)
{
    LS_GM ls_header *header = (LS_GM ls_header *)region;
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 16; i++) {
        uint64_t before = LS_CLOCK(), ns = ls_read_ns(CLOCK_REALTIME), width = LS_CLOCK() - before;
        if (width >= best)
            continue;
        best = width;
        header->clock_cycles = before + width / 2;
        header->clock_unix_ns = ns;
        header->clock_error_ns = width * 500000000u / header->clock_hz + 1;
    }
}

/* After every handle was closed: the host may read to the end and go. */
LS_SLOW void ls_region_stopped(LS_GM uint8_t *region)
{
    if (!region)
        return;
    LS_GM ls_header *header = (LS_GM ls_header *)region;
    header->stop_cycles = LS_CLOCK();
    header->stop_unix_ns = ls_read_ns(CLOCK_REALTIME);
    ls_store_release(&header->state, LS_STOPPED);
}

#endif
