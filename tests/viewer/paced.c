/* Cores and their controller that record tasks of PAUSE microseconds, one after the other.
 *
 *   paced TASKS PAUSE CORES [FILE]
 *
 * Every core runs one task per round; its function is the round's number modulo 3. With FILE there are TASKS
 * rounds at least, and more until it is there.
 */
#define _GNU_SOURCE
#include <lanescope/file.h>
#include <lanescope/lanescope.h>
#include <unistd.h>

enum { MOST_CORES = 16, MOST_ROUNDS = 40000 };

static int waits_for(const char *file, uint32_t round)
{
    return file && round < MOST_ROUNDS && access(file, F_OK);
}

int main(int count, char **arguments)
{
    static ls_core cores[MOST_CORES];
    static ls_channel channels[MOST_CORES];
    if (count != 4 && count != 5)
        return 2;
    uint32_t tasks = (uint32_t)atoi(arguments[1]), used = (uint32_t)atoi(arguments[3]);
    ls_config config = ls_default_config();
    config.core_count = used;
    config.pre_dispatch = 0;
    uint8_t *region = ls_region_from_environment(config);
    if (!region)
        return 1;
    for (uint32_t i = 0; i < used; i++) {
        ls_describe_core(region, i, "aiv", -1, 0);
        ls_core_open(&cores[i], region, i);
        ls_channel_open(&channels[i], region, i);
    }
    ls_region_running(region);
    for (uint32_t round = 0; round < tasks || waits_for(arguments[4], round); round++) {
        for (uint32_t i = 0; i < used; i++) {
            if (!ls_channel_admit(&channels[i]))
                return 1;
            ls_channel_dispatch(&channels[i]);
            ls_core_receive(&cores[i]);
            ls_core_begin(&cores[i]);
        }
        usleep((useconds_t)atoi(arguments[2]));
        for (uint32_t i = 0; i < used; i++) {
            ls_core_end(&cores[i], (uint64_t)round * used + i, round);
            ls_channel_finish(&channels[i], round, (uint64_t)round * used + i, round % 3);
        }
    }
    for (uint32_t i = 0; i < used; i++) {
        ls_core_close(&cores[i]);
        ls_channel_close(&channels[i]);
    }
    ls_region_stopped(region);
    return 0;
}
