/* Producers that record as fast as they can, or at a rate: what benchmarks/stream.py and
 * benchmarks/soak.py collect from.
 *
 *   stream RECORDS PRODUCERS BUFFER_RECORDS BUFFERS [RECORDS_PER_S]
 *
 * Each thread plays one core of level 1 and the producer-rotated protocol: begin and end of an
 * empty task, RECORDS / PRODUCERS times. With a rate it sleeps where it is ahead of it, and ends after
 * RECORDS / RECORDS_PER_S seconds, also where it is behind. Prints when the first began and the last ended
 * (CLOCK_MONOTONIC), and how many records each thread made and how long it took, as JSON.
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
    double ns_per_record; /* 0: as fast as it can */
    uint64_t start_ns;
    uint64_t end_ns;
    uint32_t core;
} producer;

#define PACE 4096 /* records between two looks at the time */

/* 0: the time is over. */
static int keep_pace(const producer *p, uint64_t done)
{
    uint64_t due = p->start_ns + (uint64_t)((double)done * p->ns_per_record);
    uint64_t now = ls_read_ns(CLOCK_MONOTONIC);
    struct timespec until = {(time_t)(due / 1000000000), (long)(due % 1000000000)};
    if (now < due)
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    return (double)(now - p->start_ns) < (double)p->records * p->ns_per_record;
}

static void *produce(void *argument)
{
    producer *p = argument;
    ls_core core;
    ls_core_open(&core, p->region, p->core);
    pthread_barrier_wait(p->together);
    p->start_ns = ls_read_ns(CLOCK_MONOTONIC);
    uint64_t task = 0;
    while (task < p->records) {
        ls_core_begin(&core);
        ls_core_end(&core, task, (uint32_t)task);
        task++;
        if (p->ns_per_record > 0 && task % PACE == 0 && !keep_pace(p, task))
            break;
    }
    p->records = task;
    ls_core_close(&core);
    p->end_ns = ls_read_ns(CLOCK_MONOTONIC);
    return NULL;
}

static int run(producer *producers, uint32_t count, uint64_t records, double rate, uint8_t *region)
{
    pthread_barrier_t together;
    pthread_barrier_init(&together, NULL, count);
    for (uint32_t i = 0; i < count; i++) {
        producers[i] = (producer){.region = region, .together = &together, .core = i};
        producers[i].records = records / count + (i < records % count);
        producers[i].ns_per_record = rate > 0 ? 1e9 * count / rate : 0;
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
    printf("{\"start_ns\": %llu, \"end_ns\": %llu, \"records\": [", (unsigned long long)start,
           (unsigned long long)end);
    for (uint32_t i = 0; i < count; i++)
        printf("%s%llu", i ? ", " : "", (unsigned long long)producers[i].records);
    printf("], \"busy_ns\": [");
    for (uint32_t i = 0; i < count; i++)
        printf("%s%llu", i ? ", " : "",
               (unsigned long long)(producers[i].end_ns - producers[i].start_ns));
    printf("]}\n");
}

int main(int argc, char **argv)
{
    static producer producers[MOST_PRODUCERS];
    if (argc != 5 && argc != 6)
        return 2;
    double rate = argc == 6 ? strtod(argv[5], NULL) : 0;
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
    if (run(producers, count, strtoull(argv[1], NULL, 10), rate, region) != 0)
        return 1;
    ls_region_stopped(region);
    print_times(producers, count);
    return 0;
}
