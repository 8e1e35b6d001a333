/* A small runtime with lanescope in it: a controller gives tasks to two workers.
 *
 *   cc -std=gnu11 -O2 -I "$(python -c 'import lanescope; print(lanescope.include_directory())')" \
 *      own_runtime.c -o own_runtime -lpthread
 *   lanescope collect -o traces -- ./own_runtime 10000
 *   lanescope report traces/own_runtime.lanes
 *
 * Lines that belong to lanescope are marked with ->. Started by itself the program records nothing.
 */
#include <lanescope/file.h>     /* -> */
#include <lanescope/lanescope.h> /* -> */

#include <pthread.h>
#include <stdio.h>

enum { WORKERS = 2, LOAD = 0, SUM = 1 };
#define EXIT UINT64_MAX

/* One line to the worker, one back. `given` and `done` count tasks; the worker finishes in order. */
typedef struct {
    uint64_t given __attribute__((aligned(64)));
    uint64_t task;
    uint64_t done __attribute__((aligned(64)));
    uint8_t *region;
    uint32_t number;
} mailbox;

static mailbox mailboxes[WORKERS];

static uint64_t work(uint64_t task)
{
    uint64_t sum = task;
    for (int i = 0; i < (task % 2 == LOAD ? 2000 : 500); i++)
        sum = sum * 6364136223846793005u + 1442695040888963407u;
    return sum;
}

static void *worker(void *argument)
{
    mailbox *box = (mailbox *)argument;
    volatile uint64_t sink = 0;
    uint32_t spins = 0;
    ls_core core;                                  /* -> */
    ls_core_open(&core, box->region, box->number); /* -> */
    for (uint64_t mine = 0;; mine++) {
        while (ls_load_acquire(&box->given) == mine)
            ls_wait_a_little(&spins);
        uint64_t task = box->task;
        if (task == EXIT)
            break;
        ls_core_receive(&core); /* -> */
        ls_core_begin(&core);   /* -> */
        sink += work(task);
        ls_core_end(&core, task, (uint32_t)mine); /* -> */
        ls_store_release(&box->done, mine + 1);
    }
    ls_core_close(&core); /* -> */
    return NULL;
}

int main(int count, char **arguments)
{
    uint64_t tasks = count > 1 ? strtoull(arguments[1], NULL, 10) : 10000;
    uint64_t given[WORKERS] = {0}, seen[WORKERS] = {0}, next = 0, finished = 0;
    uint32_t spins = 0;
    pthread_t threads[WORKERS];

    ls_config config = ls_default_config();                /* -> */
    config.core_count = WORKERS;                           /* -> */
    config.pre_dispatch = 0;                               /* -> */
    uint8_t *region = ls_region_from_environment(config);  /* -> NULL: record nothing */
    ls_name_function(region, LOAD, "load");                /* -> */
    ls_name_function(region, SUM, "sum");                  /* -> */
    ls_channel channels[WORKERS];                          /* -> */
    for (uint32_t i = 0; i < WORKERS; i++) {
        ls_describe_core(region, i, "worker", -1, 0);      /* -> */
        ls_channel_open(&channels[i], region, i);          /* -> */
        mailboxes[i].region = region;
        mailboxes[i].number = i;
        pthread_create(&threads[i], NULL, worker, &mailboxes[i]);
    }
    ls_region_running(region); /* -> */

    while (finished < tasks) {
        for (uint32_t i = 0; i < WORKERS; i++) {
            mailbox *box = &mailboxes[i];
            if (seen[i] < given[i] && ls_load_acquire(&box->done) > seen[i]) {
                ls_channel_finish(&channels[i], (uint32_t)seen[i], box->task, /* -> */
                                  (uint32_t)(box->task % 2));
                seen[i]++;
                finished++;
            }
            if (next < tasks && seen[i] == given[i] && ls_channel_admit(&channels[i])) { /* -> */
                box->task = next++;
                ls_channel_dispatch(&channels[i]); /* -> */
                ls_store_release(&box->given, ++given[i]);
            }
        }
        ls_wait_a_little(&spins);
    }

    for (uint32_t i = 0; i < WORKERS; i++) {
        mailboxes[i].task = EXIT;
        ls_store_release(&mailboxes[i].given, given[i] + 1);
        pthread_join(threads[i], NULL);
        ls_channel_close(&channels[i]); /* -> */
    }
    ls_region_stopped(region); /* -> */
    printf("%llu tasks done\n", (unsigned long long)finished);
    return 0;
}
