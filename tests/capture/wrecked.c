/* Records tasks, and then wrecks its region, as a runtime with a stray pointer does.
 *
 *   wrecked head    the first bytes of the region, at the end
 *   wrecked lane    the counters of core 1, half way
 *   wrecked times   the stamps of a few records
 *
 * Two cores, 2,000 tasks each, in buffers of 16.
 */
#define _GNU_SOURCE
#include <lanescope/file.h>
#include <lanescope/lanescope.h>

static void wreck_times(ls_core *core, uint32_t task)
{
    if (!core->out.cursor) /* the buffer was full and is published */
        return;
    ls_core_task *record = (ls_core_task *)(core->out.cursor - sizeof *record);
    if (task == 100)
        record->end = INT64_MAX;
    if (task == 101)
        record->end = UINT64_MAX;
    if (task == 102)
        record->start = 0;
    if (task == 103)
        record->end = record->start - 1;
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    ls_config config = ls_default_config();
    config.core_count = 2;
    config.buffer_records[LS_CORE_TASK] = 16;
    config.buffer_count[LS_CORE_TASK] = 4;
    uint8_t *region = ls_region_from_environment(config);
    if (!region)
        return 1;
    ls_core cores[2];
    for (uint32_t i = 0; i < 2; i++)
        ls_core_open(&cores[i], region, i);
    for (uint32_t task = 0; task < 2000; task++) {
        for (uint32_t i = 0; i < 2; i++) {
            ls_core_begin(&cores[i]);
            ls_core_end(&cores[i], task, task);
        }
        if (strcmp(what, "times") == 0)
            wreck_times(&cores[0], task);
        if (strcmp(what, "lane") == 0 && task == 1000)
            cores[1].out.published = UINT64_C(1) << 60; /* what it publishes next */
    }
    for (uint32_t i = 0; i < 2; i++)
        ls_core_close(&cores[i]);
    if (strcmp(what, "head") == 0) {
        memset(region, 0xff, 64);
        return 0;
    }
    ls_region_stopped(region);
    return 0;
}
