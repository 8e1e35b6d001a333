/* The header library's host side, callable from Python: making regions, reading the clock. */
#define _GNU_SOURCE
#include "native.h"

#include "lanescope/clock.h"
#include "lanescope/lanescope.h"

void ls_native_default_config(ls_config *config)
{
    *config = ls_default_config();
}

int32_t ls_native_config_check(const ls_config *config)
{
    return ls_config_check(config);
}

uint64_t ls_native_region_bytes(const ls_config *config)
{
    return ls_region_bytes(config);
}

void ls_native_region_init(uint8_t *memory, const ls_config *config)
{
    ls_region_init(memory, config);
}

uint64_t ls_native_level_flags(int32_t level)
{
    return ls_level_flags(level);
}

uint64_t ls_native_flags_closed(uint64_t flags)
{
    return ls_flags_closed(flags);
}

uint64_t ls_native_clock(void)
{
    return LS_CLOCK();
}

uint64_t ls_native_clock_hz(void)
{
    return ls_measure_clock_hz();
}

void ls_native_anchor_clock(uint8_t *region)
{
    ls_anchor_clock(region);
}

void ls_native_set_state(uint8_t *region, uint64_t state)
{
    if (state == LS_STOPPED)
        ls_region_stopped(region);
    else
        ls_store_release(&((ls_header *)region)->state, state);
}

void ls_native_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
