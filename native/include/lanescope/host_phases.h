/* Phases of the host program: named intervals of its threads, on the same axis as the device's records.
 *
 * `w` is a lane of LS_HOST_PHASE, opened by a thread of the host; ls_config.host_count says how many
 * threads do so. They are recorded from level 3 on, as the phases of controllers.
 */
#ifndef LANESCOPE_HOST_PHASES_H
#define LANESCOPE_HOST_PHASES_H

#include "writer.h"

/* ---- since 0.2.0 ----------------------------------------------------------------------------- */

/* Begins a phase: its name's number and its start. The caller may fill in `task` and `bytes`. */
LS_FN void ls_host_begin(const ls_writer *w, ls_host_phase *phase, uint32_t name)
{
    if (!LS_ON(w))
        return;
    ls_host_phase fresh = LS_ZERO;
    fresh.name = name;
    fresh.task = LS_NO_TASK;
    fresh.bytes = LS_NO_BYTES;
    fresh.start = LS_CLOCK();
    *phase = fresh;
}

/* A phase whose `end` is known: of a host with a clock of its own, see ls_host_cycles. */
LS_FN void ls_take_host_phase(ls_writer *w, const ls_host_phase *phase)
{
    if (!LS_ON(w))
        return;
    LS_GM void *record = ls_reserve(w);
    if (!record)
        return;
    ls_put_record(record, phase, sizeof *phase);
    ls_commit(w, sizeof(ls_host_phase));
}

/* Stamps the end of a phase and writes its record, with what the caller filled in. */
LS_FN void ls_host_end(ls_writer *w, ls_host_phase *phase)
{
    if (!LS_ON(w))
        return;
    phase->end = LS_CLOCK();
    ls_take_host_phase(w, phase);
}

/* The device's counter at a time of day in ns, by the anchor of the region's clock: exact to
 * clock_error_ns at the anchor, and to the drift of both clocks away from it. 0: there is no anchor. */
LS_SLOW uint64_t ls_host_cycles(LS_GM const uint8_t *region, uint64_t unix_ns)
{
    LS_GM const ls_header *header = (LS_GM const ls_header *)region;
    if (!region || header->clock_unix_ns == 0)
        return 0;
    uint64_t hz = header->clock_hz, anchor = header->clock_unix_ns, second = 1000000000;
    uint64_t apart = unix_ns > anchor ? unix_ns - anchor : anchor - unix_ns;
    uint64_t cycles = apart / second * hz + apart % second * (hz / 1000) / (second / 1000);
    return unix_ns > anchor ? header->clock_cycles + cycles : header->clock_cycles - cycles;
}

#endif
