/* Tasks of level 2 as fast as they can be recorded: what benchmarks/long_capture.py collects.
 *
 *   long_capture TASKS CORES
 *
 * One thread plays all cores and their controller in turn: it dispatches an empty task, runs it and
 * sees its end. So every task has two records. Function and length of the tasks vary a little.
 */
#define _GNU_SOURCE
#include "lanescope/file.h"
#include "lanescope/lanescope.h"

#define MOST_CORES 64
#define FUNCTIONS 7

int main(int argc, char **argv)
{
    static ls_core cores[MOST_CORES];
    static ls_channel channels[MOST_CORES];
    if (argc != 3)
        return 2;
    uint64_t tasks = strtoull(argv[1], NULL, 10);
    uint32_t count = (uint32_t)strtoul(argv[2], NULL, 10);
    if (!count || count > MOST_CORES)
        return 2;
    ls_config config = ls_default_config();
    config.core_count = count;
    config.pre_dispatch = 0;
    uint8_t *region = ls_region_from_environment(config);
    if (!region) {
        perror("no region");
        return 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        ls_describe_core(region, i, i % 3 ? "aiv" : "aic", -1, 0);
        ls_core_open(&cores[i], region, i);
        ls_channel_open(&channels[i], region, i);
    }
    ls_region_running(region);
    volatile uint64_t sink = 0;
    for (uint64_t task = 0; task < tasks; task++) {
        uint32_t i = (uint32_t)(task % count), token = (uint32_t)(task / count);
        uint32_t func = (uint32_t)(task * 2654435761u >> 7) % FUNCTIONS;
        if (!ls_channel_admit(&channels[i]))
            return 1;
        ls_channel_dispatch(&channels[i]);
        ls_core_receive(&cores[i]);
        ls_core_begin(&cores[i]);
        for (uint32_t step = 0; step < func; step++)
            sink += step;
        ls_core_end(&cores[i], task, token);
        ls_channel_finish(&channels[i], token, task, func);
    }
    for (uint32_t i = 0; i < count; i++) {
        ls_core_close(&cores[i]);
        ls_channel_close(&channels[i]);
    }
    ls_region_stopped(region);
    return 0;
}
