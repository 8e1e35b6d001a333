/* Hardware counters of a core as its controller runs them: start, a sample per task, stop.
 *
 *   ls_counter_map map = ls_counter_map_dav_2201();
 *   ls_counting_start(&registers, &map, events);      before the first task
 *   when a task has finished:
 *     ls_counting_sample(&registers, &map, &sample);  reads the counters, which clears them
 *     sample.task = …; sample.func = …; sample.token = …;
 *     ls_sample(&writer, &sample);                    the core's lane of LS_PMU_SAMPLE
 *   ls_counting_stop(&registers, &map);
 *
 * device/registers.py does the same for simulated chips; a test compares the two access by access.
 * Offsets: hw-native-sys/simpler src/{a2a3,a5}/platform/include/common/platform_config.h. Not tried on
 * hardware by us.
 */
#ifndef LANESCOPE_COUNTERS_H
#define LANESCOPE_COUNTERS_H

#include "kinds.h"
#include "registers.h"

/* Where the registers are. A pair holds the low and the high half of 64 bits. */
typedef struct {
    uint32_t count; /* of counters */
    uint32_t counters[LS_PMU_COUNTERS];
    uint32_t select[LS_PMU_COUNTERS]; /* by counter: the event that it counts */
    uint32_t total[2];                /* cycles that tasks ran since the last read */
    uint32_t start[2], stop[2];       /* the first and the last cycle that count */
    uint32_t enable_count;
    uint32_t enable[2], enabled[2]; /* registers that turn counting on, and the values that do */
} ls_counter_map;

/* ---- since 0.2.0 ----------------------------------------------------------------------------- */

/* The counters of a DAV_2201 core, which a2a3 has. */
LS_SLOW ls_counter_map ls_counter_map_dav_2201(void)
{
    ls_counter_map map = LS_ZERO;
    map.count = 8;
    for (uint32_t i = 0; i < map.count; i++) {
        map.counters[i] = 0x210 + 8 * i;
        map.select[i] = 0x1280 + 4 * i;
    }
    for (uint32_t half = 0; half < 2; half++) {
        map.total[half] = 0x250 + 4 * half;
        map.start[half] = 0x2a0 + 4 * half;
        map.stop[half] = 0x2a8 + 4 * half;
    }
    map.enable_count = 1;
    map.enable[0] = 0x200;
    map.enabled[0] = 0x7;
    return map;
}

/* The counters of a DAV_3510 core, which a5 has. */
LS_SLOW ls_counter_map ls_counter_map_dav_3510(void)
{
    ls_counter_map map = LS_ZERO;
    map.count = 10;
    for (uint32_t i = 0; i < map.count; i++) {
        map.counters[i] = i < 8 ? 0x4210 + 8 * i : 0x4250 + 4 * (i - 8);
        map.select[i] = 0x2500 + 4 * i;
    }
    for (uint32_t half = 0; half < 2; half++) {
        map.total[half] = 0x4260 + 4 * half;
        map.start[half] = 0x42a0 + 4 * half;
        map.stop[half] = 0x42a8 + 4 * half;
    }
    map.enable_count = 2;
    map.enable[0] = 0x4200;
    map.enabled[0] = 0x7;
    map.enable[1] = 0x2400;
    map.enabled[1] = 0x1;
    return map;
}

/* Chooses an event for each counter (0: it counts nothing), clears the counters, opens the range of
 * cycles, then enables counting. */
LS_SLOW void ls_counting_start(const ls_registers *registers, const ls_counter_map *map,
                               const uint32_t *events)
{
    for (uint32_t i = 0; i < map->count; i++)
        ls_write_register(registers, map->select[i], events[i]);
    for (uint32_t i = 0; i < map->count; i++)
        (void)ls_read_register(registers, map->counters[i]);
    for (uint32_t half = 0; half < 2; half++)
        (void)ls_read_register(registers, map->total[half]);
    for (uint32_t half = 0; half < 2; half++)
        ls_write_register(registers, map->start[half], 0);
    for (uint32_t half = 0; half < 2; half++)
        ls_write_register(registers, map->stop[half], UINT32_MAX);
    for (uint32_t i = 0; i < map->enable_count; i++)
        ls_write_register(registers, map->enable[i], map->enabled[i]);
}

/* Reads the counters of the task that has finished, which clears them. Task, function and token are left
 * to the caller. */
LS_SLOW void ls_counting_sample(const ls_registers *registers, const ls_counter_map *map,
                                ls_pmu *sample)
{
    ls_pmu fresh = LS_ZERO;
    uint32_t low = ls_read_register(registers, map->total[0]);
    fresh.total_cycles = (uint64_t)ls_read_register(registers, map->total[1]) << 32 | low;
    for (uint32_t i = 0; i < map->count; i++)
        fresh.counters[i] = ls_read_register(registers, map->counters[i]);
    *sample = fresh;
}

/* Disables counting; what was enabled last goes first. */
LS_SLOW void ls_counting_stop(const ls_registers *registers, const ls_counter_map *map)
{
    for (uint32_t i = map->enable_count; i-- > 0;)
        ls_write_register(registers, map->enable[i], 0);
}

#endif
