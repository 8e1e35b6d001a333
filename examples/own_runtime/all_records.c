/* A small runtime that records everything lanescope has a record for: tasks, edges, phases of controllers
 * and of the host, hardware counters, trace engines, and tensors. own_runtime.c is the same with tasks only.
 *
 *   cc -std=gnu11 -O2 -I "$(python -c 'import lanescope; print(lanescope.include_directory())')" \
 *      all_records.c -o all_records -lpthread
 *   lanescope collect --pmu --core-swimlane --dump-tensors=sum,0-99 -o traces -- ./all_records 10000
 *   lanescope report traces/all_records.lanes
 *
 * Task t reads t and t + 1 (argument 0) and writes a column of a 3 by 4 matrix (argument 1); it waits for
 * task t - 2. stand_in.h is what a real core has and a thread has not.
 */
#include <lanescope/file.h>
#include <lanescope/lanescope.h>

#include "stand_in.h"

#include <pthread.h>
#include <stdio.h>

enum { WORKERS = 2, LOAD = 0, SUM = 1, SET_UP = 0, RUN = 1, CLEAN_UP = 2 };
#define EXIT UINT64_MAX

/* One line to the worker, one back. `given` and `done` count tasks; the worker finishes in order. */
typedef struct {
    uint64_t given __attribute__((aligned(64)));
    uint64_t task;
    uint64_t done __attribute__((aligned(64)));
    uint8_t *region;
    uint32_t number;
    float input[2];
    int32_t output[3][4]; /* a task writes column 1 */
    stand_in core;
} mailbox;

/* What the controller records with. */
typedef struct {
    ls_channel channel[WORKERS];
    ls_writer samples[WORKERS], bursts[WORKERS];
    ls_engine engine[WORKERS];
    ls_registers registers[WORKERS];
    ls_writer scheduler, orchestrator, edges, host;
    ls_dump dump;
} controller;

static mailbox mailboxes[WORKERS];
static controller own;

static uint32_t steps_of(uint64_t task)
{
    return task % 2 == LOAD ? 2000 : 500;
}

static void work(mailbox *box, uint64_t task)
{
    volatile uint64_t sum = task;
    core_begins(&box->core);
    for (uint32_t i = 0; i < steps_of(task); i++)
        sum = sum * 6364136223846793005u + 1442695040888963407u;
    for (int row = 0; row < 3; row++)
        box->output[row][1] = (int32_t)task + row;
    core_ends(&box->core, task, steps_of(task));
}

static void *worker(void *argument)
{
    mailbox *box = (mailbox *)argument;
    uint32_t spins = 0;
    ls_core core;
    ls_core_open(&core, box->region, box->number);
    for (uint64_t mine = 0;; mine++) {
        while (ls_load_acquire(&box->given) == mine)
            ls_wait_a_little(&spins);
        uint64_t task = box->task;
        if (task == EXIT)
            break;
        ls_core_receive(&core);
        ls_core_begin(&core);
        work(box, task);
        ls_core_end(&core, task, (uint32_t)mine);
        ls_store_release(&box->done, mine + 1);
    }
    ls_core_close(&core);
    return NULL;
}

/* A tensor of a task, before its dispatch or after its completion; it is recorded if it is selected. */
static void dump_argument(mailbox *box, uint64_t task, uint32_t argument)
{
    ls_tensor_facts facts = {.task = task, .func = (uint32_t)(task % 2), .argument = argument};
    if (argument == 0) {
        facts.stage = LS_BEFORE_DISPATCH;
        facts.role = LS_TENSOR_INPUT;
        facts.dtype = LS_DTYPE_FLOAT32;
        facts.dimensions = 1;
        facts.shape[0] = 2;
        facts.strides[0] = 1;
        ls_dump_tensor(&own.dump, &facts, box->input);
    } else {
        facts.stage = LS_AFTER_COMPLETION;
        facts.role = LS_TENSOR_OUTPUT;
        facts.dtype = LS_DTYPE_INT32;
        facts.dimensions = 1;
        facts.shape[0] = 3;
        facts.strides[0] = 4; /* a column: one element of each row */
        facts.start_offset = 1;
        ls_dump_tensor(&own.dump, &facts, box->output);
    }
}

static void give(uint32_t worker_number, uint64_t task, uint64_t given)
{
    mailbox *box = &mailboxes[worker_number];
    ls_orchestrator_phase submit;
    ls_scheduler_phase phase;
    ls_orchestrator_begin(&own.orchestrator, &submit, LS_ORCHESTRATOR_SUBMIT);
    submit.task = task;
    submit.submit = (uint32_t)task;
    if (task >= 2)
        ls_fan_out(&own.edges, task - 2, task);
    ls_orchestrator_end(&own.orchestrator, &submit);
    ls_scheduler_begin(&own.scheduler, &phase, LS_PHASE_DISPATCH);
    phase.tasks = 1;
    box->task = task;
    box->input[0] = (float)task;
    box->input[1] = (float)(task + 1);
    dump_argument(box, task, 0);
    ls_channel_dispatch(&own.channel[worker_number]);
    ls_store_release(&box->given, given + 1);
    ls_scheduler_end(&own.scheduler, &phase);
}

static void finish(uint32_t worker_number, uint32_t token)
{
    mailbox *box = &mailboxes[worker_number];
    uint32_t func = (uint32_t)(box->task % 2);
    ls_scheduler_phase phase;
    ls_pmu sample;
    ls_scheduler_begin(&own.scheduler, &phase, LS_PHASE_COMPLETE);
    ls_channel_finish(&own.channel[worker_number], token, box->task, func);
    if (LS_ON(&own.samples[worker_number])) {
        ls_counting_sample(&own.registers[worker_number], &box->core.map, &sample);
        sample.task = box->task;
        sample.func = func;
        sample.token = token;
        ls_sample(&own.samples[worker_number], &sample);
    }
    if (LS_ON(&own.bursts[worker_number]))
        ls_engine_drain(&own.engine[worker_number]);
    dump_argument(box, box->task, 1);
    ls_scheduler_end(&own.scheduler, &phase);
}

/* Opens the handles of one worker, and starts its counters and its trace engine. */
static void open_worker(uint8_t *region, uint32_t i, const ls_call_config *call)
{
    mailbox *box = &mailboxes[i];
    uint32_t events[LS_PMU_COUNTERS] = {1, 2}; /* unless the caller chooses */
    box->region = region;
    box->number = i;
    box->core.map = ls_counter_map_dav_2201();
    own.registers[i] = (ls_registers){read_register, write_register, &box->core};
    ls_describe_core(region, i, "worker", -1, 0);
    ls_channel_open(&own.channel[i], region, i);
    ls_writer_open(&own.samples[i], region, LS_PMU_SAMPLE, i);
    ls_writer_open(&own.bursts[i], region, LS_CORE_BURST, i);
    if (LS_ON(&own.samples[i]))
        ls_counting_start(&own.registers[i], &box->core.map,
                          call->pmu_count ? call->pmu_events : events);
    if (LS_ON(&own.bursts[i])) {
        ls_core_clock(region, i, ((const ls_header *)region)->clock_hz); /* chunks count its ticks */
        own.engine[i].registers = own.registers[i];
        own.engine[i].base = (uint64_t)(uintptr_t)box->core.buffer;
        own.engine[i].buffer = (const uint8_t *)box->core.buffer;
        own.engine[i].bytes = ENGINE_BYTES;
        own.engine[i].out = &own.bursts[i];
        ls_engine_start(&own.engine[i]);
    }
}

static uint8_t *open_all(const ls_call_config *call)
{
    ls_config config = ls_default_config();
    config.core_count = WORKERS;
    config.host_count = 1;
    config.pre_dispatch = 0;
    config.buffer_count[LS_TASK_EDGE] = 8;
    config.buffer_count[LS_HOST_PHASE] = 2;
    config.buffer_count[LS_TENSOR_PART] = 8;
    uint8_t *region = ls_region_from_call(call, config); /* NULL: record nothing */
    ls_name_function(region, LOAD, "load");
    ls_name_function(region, SUM, "sum");
    ls_name_function(region, LS_HOST_NAMES + SET_UP, "set up");
    ls_name_function(region, LS_HOST_NAMES + RUN, "run");
    ls_name_function(region, LS_HOST_NAMES + CLEAN_UP, "clean up");
    if (!call->pmu_count) { /* else --chip has their names */
        ls_name_function(region, LS_COUNTER_NAMES + 0, "steps");
        ls_name_function(region, LS_COUNTER_NAMES + 1, "task_numbers");
    }
    ls_writer_open(&own.scheduler, region, LS_SCHEDULER_PHASE, 0);
    ls_writer_open(&own.orchestrator, region, LS_ORCHESTRATOR_PHASE, 0);
    ls_writer_open(&own.edges, region, LS_TASK_EDGE, 0);
    ls_writer_open(&own.host, region, LS_HOST_PHASE, 0);
    ls_dump_open(&own.dump, region, 0);
    own.dump.tensor_bytes = call->tensor_bytes;
    own.dump.total_bytes = call->total_bytes;
    return region;
}

static void close_all(uint8_t *region)
{
    for (uint32_t i = 0; i < WORKERS; i++) {
        ls_channel_close(&own.channel[i]);
        if (LS_ON(&own.samples[i]))
            ls_counting_stop(&own.registers[i], &mailboxes[i].core.map);
        if (LS_ON(&own.bursts[i]))
            ls_engine_stop(&own.engine[i]);
        ls_writer_flush(&own.samples[i]);
        ls_writer_flush(&own.bursts[i]);
    }
    ls_writer_flush(&own.scheduler);
    ls_writer_flush(&own.orchestrator);
    ls_writer_flush(&own.edges);
    ls_writer_flush(&own.host);
    ls_dump_close(&own.dump);
    ls_region_stopped(region);
}

/* Gives tasks in their order; a task waits for the one two before it. */
static void run(uint64_t tasks)
{
    uint64_t given[WORKERS] = {0}, seen[WORKERS] = {0}, next = 0, finished = 0;
    uint32_t spins = 0;
    while (finished < tasks) {
        for (uint32_t i = 0; i < WORKERS; i++) {
            mailbox *box = &mailboxes[i], *other = &mailboxes[1 - i];
            if (seen[i] < given[i] && ls_load_acquire(&box->done) > seen[i]) {
                finish(i, (uint32_t)seen[i]++);
                finished++;
            }
            int waits = seen[1 - i] < given[1 - i] && other->task + 2 == next;
            if (next < tasks && !waits && seen[i] == given[i] && ls_channel_admit(&own.channel[i])) {
                give(i, next++, given[i]);
                given[i]++;
            }
        }
        ls_wait_a_little(&spins);
    }
    for (uint32_t i = 0; i < WORKERS; i++) {
        mailboxes[i].task = EXIT;
        ls_store_release(&mailboxes[i].given, given[i] + 1);
    }
}

int main(int count, char **arguments)
{
    uint64_t tasks = count > 1 ? strtoull(arguments[1], NULL, 10) : 10000;
    pthread_t threads[WORKERS];
    ls_host_phase phase;
    static ls_call_config call;
    call = ls_call_from_environment();
    uint8_t *region = open_all(&call);
    ls_host_begin(&own.host, &phase, SET_UP);
    phase.bytes = sizeof mailboxes;
    if (!ls_select(&own.dump.selected, region, call.dump_select)) {
        fprintf(stderr, "no task, function or argument is called as in '%s'\n", call.dump_select);
        return 2;
    }
    for (uint32_t i = 0; i < WORKERS; i++)
        open_worker(region, i, &call);
    ls_region_running(region);
    for (uint32_t i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, worker, &mailboxes[i]);
    ls_host_end(&own.host, &phase);

    ls_host_begin(&own.host, &phase, RUN);
    run(tasks);
    ls_host_end(&own.host, &phase);
    ls_host_begin(&own.host, &phase, CLEAN_UP);
    for (uint32_t i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    ls_host_end(&own.host, &phase);
    close_all(region);
    printf("%llu tasks done\n", (unsigned long long)tasks);
    return 0;
}
