/* Records that belong to nobody, as a runtime makes them that counts its cores or threads wrongly.
 *
 *   strays range     a core, a scheduler and a controller of numbers that the region does not have
 *   strays handles   a second handle on core 0 before the first one records
 *   strays threads   four threads, each with a handle on core 0, at once
 *   strays shared    two threads through one handle, one after the other
 *   strays alone     cores that record, in a program that has no controllers
 *
 * Two cores, 2,000 records by each handle, in buffers of 16.
 */
#define _GNU_SOURCE
#include <lanescope/file.h>
#include <lanescope/lanescope.h>

enum { RECORDS = 2000, THREADS = 4 };
static uint8_t *region;

static void record_through(ls_core *core, uint32_t first)
{
    for (uint32_t task = first; task < first + RECORDS; task++) {
        ls_core_begin(core);
        ls_core_end(core, task, task);
    }
}

static void *record_in_core_0(void *first)
{
    ls_core core;
    ls_core_open(&core, region, 0);
    record_through(&core, *(uint32_t *)first);
    ls_core_close(&core);
    return NULL;
}

static void *use_handle(void *core)
{
    record_through(core, 0);
    return NULL;
}

static void out_of_range(void)
{
    ls_core core;
    ls_channel channel;
    ls_writer phases;
    ls_core_open(&core, region, 2);
    ls_channel_open(&channel, region, 99);
    ls_writer_open(&phases, region, LS_SCHEDULER_PHASE, 1);
    for (uint32_t task = 0; task < RECORDS; task++) {
        ls_scheduler_phase phase;
        ls_scheduler_begin(&phases, &phase, LS_PHASE_DISPATCH);
        if (ls_channel_admit(&channel))
            ls_channel_dispatch(&channel);
        ls_core_receive(&core);
        ls_core_begin(&core);
        ls_core_end(&core, task, task);
        ls_channel_finish(&channel, task, task, 0);
        ls_scheduler_end(&phases, &phase);
    }
    ls_core_close(&core);
    ls_channel_close(&channel);
    ls_writer_flush(&phases);
}

static void two_handles(void)
{
    ls_core first, second;
    ls_core_open(&first, region, 0);
    ls_core_open(&second, region, 0);
    record_through(&first, RECORDS);
    record_through(&second, 0);
    ls_core_close(&first);
    ls_core_close(&second);
}

static void four_threads(void)
{
    pthread_t threads[THREADS];
    uint32_t first[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        first[i] = i * RECORDS;
        if (pthread_create(&threads[i], NULL, record_in_core_0, &first[i]) != 0)
            exit(3);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void shared_handle(void)
{
    ls_core core;
    pthread_t thread;
    ls_core_open(&core, region, 0);
    if (pthread_create(&thread, NULL, use_handle, &core) != 0)
        exit(3);
    pthread_join(thread, NULL);
    record_through(&core, RECORDS);
    ls_core_close(&core);
}

static void cores_alone(void)
{
    uint32_t first = 0;
    record_in_core_0(&first);
}

int main(int count, char **arguments)
{
    const char *names[] = {"range", "handles", "threads", "shared", "alone"};
    void (*cases[])(void) = {out_of_range, two_handles, four_threads, shared_handle, cores_alone};
    ls_config config = ls_default_config();
    config.core_count = 2;
    for (int kind = 0; kind < LS_KIND_COUNT; kind++)
        config.buffer_records[kind] = 16;
    region = ls_region_from_environment(config);
    if (!region || count < 2)
        return 3;
    for (int i = 0; i < 5; i++)
        if (strcmp(arguments[1], names[i]) == 0)
            cases[i]();
    ls_region_stopped(region);
    return 0;
}
