/* One thread that records into many lanes, in turn, as fast as it can.
 *
 *   patient LANES ROUNDS      a task in every lane per round; 2 buffers of 16 records each
 *
 * Prints how many milliseconds that took, and how many records were dropped. Says so on the first
 * line when half of it is done.
 */
#define _GNU_SOURCE
#include <lanescope/file.h>
#include <lanescope/lanescope.h>

enum { MOST_LANES = 64 };

int main(int count, char **arguments)
{
    if (count < 3)
        return 2;
    uint32_t lanes = (uint32_t)atoi(arguments[1]), rounds = (uint32_t)atoi(arguments[2]);
    ls_config config = ls_default_config();
    config.core_count = lanes;
    config.buffer_records[LS_CORE_TASK] = 16;
    config.buffer_count[LS_CORE_TASK] = 2;
    uint8_t *region = ls_region_from_environment(config);
    static ls_core cores[MOST_LANES];
    for (uint32_t i = 0; i < lanes; i++)
        ls_core_open(&cores[i], region, i);
    uint64_t begun = ls_read_ns(CLOCK_MONOTONIC), dropped = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t i = 0; i < lanes; i++) {
            ls_core_begin(&cores[i]);
            ls_core_end(&cores[i], round, round);
        }
        if (round == rounds / 2) {
            puts("half");
            fflush(stdout);
        }
    }
    for (uint32_t i = 0; i < lanes; i++) {
        ls_core_close(&cores[i]);
        dropped += region ? ls_lane_at(region, i)->dropped : 0;
    }
    ls_region_stopped(region);
    printf("%llu ms, %llu dropped\n",
           (unsigned long long)(ls_read_ns(CLOCK_MONOTONIC) - begun) / 1000000,
           (unsigned long long)dropped);
    return 0;
}
