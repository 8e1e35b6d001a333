/* The thread platform with a host that drains it: a random graph, every task recorded exactly once.
 *
 *   ./threads_stress PROTOCOL LEVEL PRE_DISPATCH CORES SCHEDULERS TASKS RECORDS BUFFERS SEED
 *
 * Prints how many records came; exit code 1 and a sentence on the first violation.
 */
#define _GNU_SOURCE
#include "threads.h"

#include "lanescope/file.h"
#include "lanescope/lanescope.h"

#include <pthread.h>

#define REFUSE(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(1))
#define WORD(pointer) ((uint64_t)(uintptr_t)(pointer))
#define MOST_EDGES 3 /* successors of a task */

static uint8_t *region, *out, *seen;
static ls_lane *constants;
static uint64_t *taken, *next_token;
static uint64_t room, task_count, controller_records, phase_records;
static uint32_t lane_count;

static void *allocated[32];
static int allocations;

static void *zeroed(uint64_t bytes)
{
    uint64_t whole = (bytes / LS_LINE + 1) * LS_LINE;
    void *memory = aligned_alloc(LS_LINE, whole);
    if (!memory)
        REFUSE("no memory for %llu bytes", (unsigned long long)bytes);
    allocated[allocations++] = memory;
    return memset(memory, 0, whole);
}

/* ---- Host --------------------------------------------------------------------------------------- */

static void verify_core_records(const ls_buffer *header)
{
    const ls_core_task *record = (const ls_core_task *)(header + 1);
    for (uint32_t i = 0; i < header->count; i++, record++) {
        if (record->token != (uint32_t)next_token[header->lane]++)
            REFUSE("core %u: token %u is not the next one", header->lane, record->token);
        if (record->task >= task_count || seen[record->task]++)
            REFUSE("task %llu is unknown or came twice", (unsigned long long)record->task);
        if (record->end < record->start)
            REFUSE("task %llu ends before it starts", (unsigned long long)record->task);
    }
}

static uint64_t drain_once(void)
{
    ls_drained result;
    ls_drain(region, ls_lane_at(region, 0), constants, lane_count, taken, out, room, &result);
    if (result.problem)
        REFUSE("lane %u: ls_drain reports problem %u", result.lane, result.problem);
    ls_release(ls_lane_at(region, 0), lane_count, taken);
    for (uint64_t at = 0; at < result.bytes;) {
        const ls_buffer *header = (const ls_buffer *)(out + at);
        const ls_lane *lane = &constants[header->lane];
        if (lane->kind == LS_CORE_TASK)
            verify_core_records(header);
        else if (lane->kind == LS_CONTROLLER_TASK)
            controller_records += header->count;
        else
            phase_records += header->count;
        at += sizeof *header + (uint64_t)header->count * lane->record_bytes;
    }
    return result.buffers;
}

static void *host_main(void *stop)
{
    uint32_t spins = 0;
    for (;;) {
        int stopped = ls_load_acquire((uint64_t *)stop) != 0;
        if (drain_once())
            continue;
        if (stopped)
            return NULL;
        ls_wait_a_little(&spins);
    }
}

/* ---- Job ---------------------------------------------------------------------------------------- */

/* Every task has up to MOST_EDGES successors among the next tasks. */
static void make_graph(ls_threads_job *job, uint64_t random)
{
    int64_t *offsets = zeroed((task_count + 1) * sizeof *offsets);
    int64_t *successors = zeroed(task_count * MOST_EDGES * sizeof *successors);
    int32_t *predecessors = zeroed(task_count * sizeof *predecessors);
    int32_t *kind = zeroed(task_count * sizeof *kind);
    uint32_t *work = zeroed(task_count * sizeof *work);
    uint64_t *amount = zeroed(task_count * sizeof *amount), edges = 0;
    for (uint64_t task = 0; task < task_count; task++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        kind[task] = (int32_t)(random >> 60 & 1);
        work[task] = random >> 61 & 1 ? LS_WORK_SPIN : LS_WORK_NONE;
        amount[task] = random >> 50 & 1023;
        for (uint64_t edge = 0; edge < (random >> 40) % (MOST_EDGES + 1); edge++) {
            uint64_t successor = task + 1 + 5 * edge;
            if (successor >= task_count)
                continue;
            successors[edges++] = (int64_t)successor;
            predecessors[successor]++;
        }
        offsets[task + 1] = (int64_t)edges;
    }
    job->task_count = task_count;
    job->func = WORD(zeroed(task_count * sizeof(uint32_t)));
    job->kind = WORD(kind);
    job->work = WORD(work);
    job->amount = WORD(amount);
    job->successor_offsets = WORD(offsets);
    job->successors = WORD(successors);
    job->predecessors = WORD(predecessors);
}

static void make_region(ls_config *config)
{
    uint64_t bytes = ls_region_bytes(config);
    if (!bytes)
        REFUSE("the configuration is refused: problem %d", ls_config_check(config));
    region = zeroed(bytes);
    ls_region_init(region, config);
    lane_count = ((const ls_header *)region)->lane_count;
    constants = zeroed(lane_count * sizeof *constants);
    memcpy(constants, ls_lane_at(region, 0), lane_count * sizeof *constants);
    taken = zeroed(lane_count * sizeof *taken);
    next_token = zeroed(lane_count * sizeof *next_token);
    for (uint32_t i = 0; i < lane_count; i++)
        next_token[i] = config->first_token;
    seen = zeroed(task_count);
    out = zeroed(room = bytes);
}

static void verify_end(const ls_threads_job *job, uint64_t level)
{
    if (job->tasks_done != task_count)
        REFUSE("%llu tasks were done", (unsigned long long)job->tasks_done);
    for (uint64_t task = 0; task < task_count; task++)
        if (seen[task] != 1)
            REFUSE("task %llu came %d times", (unsigned long long)task, seen[task]);
    if (controller_records != (level >= 2 ? task_count : 0))
        REFUSE("%llu controller records", (unsigned long long)controller_records);
    for (uint32_t i = 0; i < lane_count; i++)
        if (ls_lane_at(region, i)->dropped || ls_lane_at(region, i)->mismatched)
            REFUSE("lane %u lost records", i);
}

int main(int count, char **words)
{
    uint64_t number[10] = {0};
    for (int i = 1; i < 10 && i < count; i++)
        number[i] = strtoull(words[i], NULL, 0);
    if (count != 10)
        REFUSE("nine numbers are expected");
    task_count = number[6];
    ls_config config = ls_default_config();
    config.protocol = (uint32_t)number[1];
    config.flags = ls_level_flags((int32_t)number[2]);
    config.pre_dispatch = (uint32_t)number[3];
    config.core_count = (uint32_t)number[4];
    config.scheduler_count = (uint32_t)number[5];
    config.first_token = UINT32_MAX - 50;
    config.clock_hz = ls_measure_clock_hz();
    config.host_lost_cycles = 300 * config.clock_hz;
    for (int kind = 0; kind < LS_FIRST_OPTIONAL_KIND; kind++) {
        config.buffer_records[kind] = (uint32_t)number[7];
        config.buffer_count[kind] = (uint32_t)number[8];
    }
    if (config.protocol == LS_AFTER_FINISH && number[8] == 1)
        config.buffer_count[LS_CORE_TASK] = 2;
    make_region(&config);
    ls_threads_job job = {.region = WORD(region), .clock_hz = config.clock_hz, .kind_count = 2};
    job.core_count = config.core_count;
    job.scheduler_count = config.scheduler_count;
    job.pre_dispatch = config.pre_dispatch;
    int32_t *kinds = zeroed(config.core_count * sizeof *kinds);
    for (uint32_t core = 0; core < config.core_count; core++)
        kinds[core] = (int32_t)core % 2;
    job.core_kinds = WORD(kinds);
    make_graph(&job, number[9] + 1);
    uint64_t stop = 0;
    pthread_t host;
    pthread_create(&host, NULL, host_main, &stop);
    int32_t problem = ls_threads_run(&job);
    ls_store_release(&stop, 1);
    pthread_join(host, NULL);
    if (problem != LS_THREADS_OK)
        REFUSE("ls_threads_run says %d", problem);
    verify_end(&job, number[2]);
    printf("%llu %llu %llu\n", (unsigned long long)task_count,
           (unsigned long long)controller_records, (unsigned long long)phase_records);
    while (allocations)
        free(allocated[--allocations]);
    return 0;
}
