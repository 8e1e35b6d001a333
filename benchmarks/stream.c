/* Producers that record as fast as they can: what benchmarks/stream.py collects from.
 *
 *   stream RECORDS PRODUCERS BUFFER_RECORDS BUFFERS
 *
 * Each thread plays one core of level 1 and the producer-rotated protocol: begin and end of an
 * empty task, RECORDS / PRODUCERS times. Prints when the first began and the last ended
 * (CLOCK_MONOTONIC) and how long each thread took, as JSON.
 */
#define _GNU_SOURCE
#include "lanescope/file.h"
#include "lanescope/lanescope.h"

#include <pthread.h>

#define MOST_PRODUCERS 64

typedef struct {
    pthread_t thread;
    uint8_t *region;
    pthread_barrier_t *together;
    uint64_t records;
    uint64_t start_ns;
    uint64_t end_ns;
    uint32_t core;
} producer;

static void *produce(void *argument)
{
    producer *p = argument;
    ls_core core;
    ls_core_open(&core, p->region, p->core);
    pthread_barrier_wait(p->together);
    p->start_ns = ls_read_ns(CLOCK_MONOTONIC);
    for (uint64_t task = 0; task < p->records; task++) {
        ls_core_begin(&core);
        ls_core_end(&core, task, (uint32_t)task);
    }
    ls_core_close(&core);
    p->end_ns = ls_read_ns(CLOCK_MONOTONIC);
    return NULL;
}

static int run(producer *producers, uint32_t count, uint64_t records, uint8_t *region)
{
    pthread_barrier_t together;
    pthread_barrier_init(&together, NULL, count);
    for (uint32_t i = 0; i < count; i++) {
        producers[i] = (producer){.region = region, .together = &together, .core = i};
        producers[i].records = records / count + (i < records % count);
        if (pthread_create(&producers[i].thread, NULL, produce, &producers[i]) != 0)
            return 1;
    }
    for (uint32_t i = 0; i < count; i++)
        pthread_join(producers[i].thread, NULL);
    return 0;
}

static void print_times(const producer *producers, uint32_t count)
{
    uint64_t start = UINT64_MAX, end = 0;
    for (uint32_t i = 0; i < count; i++) {
        start = producers[i].start_ns < start ? producers[i].start_ns : start;
        end = producers[i].end_ns > end ? producers[i].end_ns : end;
    }
    printf("{\"start_ns\": %llu, \"end_ns\": %llu, \"busy_ns\": [", (unsigned long long)start,
           (unsigned long long)end);
    for (uint32_t i = 0; i < count; i++)
        printf("%s%llu", i ? ", " : "",
               (unsigned long long)(producers[i].end_ns - producers[i].start_ns));
    printf("]}\n");
}

int main(int argc, char **argv)
{
    static producer producers[MOST_PRODUCERS];
    if (argc != 5)
        return 2;
    uint32_t count = (uint32_t)strtoul(argv[2], NULL, 10);
    ls_config config = ls_default_config();
    config.core_count = count;
    config.buffer_records[LS_CORE_TASK] = (uint32_t)strtoul(argv[3], NULL, 10);
    config.buffer_count[LS_CORE_TASK] = (uint32_t)strtoul(argv[4], NULL, 10);
    uint8_t *region = count && count <= MOST_PRODUCERS ? ls_region_from_environment(config) : NULL;
    if (!region) {
        perror("no region");
        return 1;
    }
    ls_region_running(region);
    if (run(producers, count, strtoull(argv[1], NULL, 10), region) != 0)
        return 1;
    ls_region_stopped(region);
    print_times(producers, count);
    return 0;
}
