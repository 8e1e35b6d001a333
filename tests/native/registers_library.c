/* The controller's side of counters and trace engines as a library, for a test that hands in registers. */
#include <lanescope/lanescope.h>

void counting_start(const ls_registers *registers, const uint32_t *events, int dav_3510)
{
    ls_counter_map map = dav_3510 ? ls_counter_map_dav_3510() : ls_counter_map_dav_2201();
    ls_counting_start(registers, &map, events);
}

void counting_sample(const ls_registers *registers, ls_pmu *sample, int dav_3510)
{
    ls_counter_map map = dav_3510 ? ls_counter_map_dav_3510() : ls_counter_map_dav_2201();
    ls_counting_sample(registers, &map, sample);
}

void counting_stop(const ls_registers *registers, int dav_3510)
{
    ls_counter_map map = dav_3510 ? ls_counter_map_dav_3510() : ls_counter_map_dav_2201();
    ls_counting_stop(registers, &map);
}

void engine_start(ls_engine *engine, ls_writer *out, uint8_t *region)
{
    ls_writer_open(out, region, LS_CORE_BURST, 0);
    engine->out = out;
    ls_engine_start(engine);
}

int engine_drain(ls_engine *engine)
{
    return ls_engine_drain(engine);
}

int engine_stop(ls_engine *engine)
{
    int sound = ls_engine_stop(engine);
    ls_writer_flush(engine->out);
    return sound;
}

unsigned long writer_size(void)
{
    return sizeof(ls_writer);
}
