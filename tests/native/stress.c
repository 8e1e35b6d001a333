/* The recording header under load: real threads for cores, controllers and the host.
 *
 * Every record's content is a function of its core and task number, so a torn, foreign, repeated or
 * lost record shows. Prints one line of JSON; exit code 1 and a sentence on the first violation.
 *
 *   cc -O2 -pthread -I native/include -I native/src tests/native/stress.c native/src/drain.c
 *   ./a.out --protocol producer-rotated --cores 4 --tasks-per-core 1000 --records 16 --buffers 4
 */
#define _GNU_SOURCE
#include "native.h"

#include "lanescope/file.h"
#include "lanescope/lanescope.h"

#include <pthread.h>
#include <stdarg.h>

#define MOST_THREADS 64

static struct {
    const char *protocol, *on_full;
    uint64_t cores, controllers, tasks, records, buffers, pre_dispatch, level, pause_us, seed;
    uint64_t first_token, host_lost_ms;
} options = {"producer-rotated", "block", 2, 1, 1000, 16, 4, 1, 2, 0, 1, 0, 60000};

static ls_config config;
static uint8_t *region;

static void violation(const char *form, ...)
{
    va_list values;
    va_start(values, form);
    vfprintf(stderr, form, values);
    fputc('\n', stderr);
    exit(1);
}

/* ---- What a record must hold ---------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
    return (x ^ (x >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
}

static uint64_t task_of(uint64_t owner, uint64_t k) { return mix(owner << 40 ^ k); }
static uint64_t start_of(uint64_t task) { return (task ^ UINT64_C(0x5555555555555555)) >> 1; }
static uint64_t end_of(uint64_t task) { return start_of(task) + (task & 0xffff) + 1; }
static uint32_t delay_of(uint64_t task) { return (uint32_t)(task >> 20) & 0xffff; }
static uint32_t token_of(uint64_t k) { return (uint32_t)(options.first_token + k); }

/* ---- Mailboxes: how a core gets its tasks and says that they have ended ----------------------- */

typedef struct {
    uint64_t task[LS_OUTSTANDING];
    uint64_t given; /* controller writes, core reads: release, acquire */
    uint64_t pad0[3];
    uint64_t ended; /* core writes, controller reads: release, acquire */
    uint64_t acknowledged; /* the same; at the end one more than there are tasks: the core has closed */
    uint64_t pad1[6];
} mailbox;

static mailbox mailboxes[MOST_THREADS];

/* With LOOSE_DISPATCH a core sees that it has a task, and nothing that was written before: the region's own words
 * must then order what a core does after what the controller and the host did with its buffer. */
#ifdef LOOSE_DISPATCH
#define LOAD_GIVEN ls_load_relaxed
#else
#define LOAD_GIVEN ls_load_acquire
#endif
static uint64_t phases_made[MOST_THREADS]; /* by controller; read after it has been joined */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Only after-finish has these words: in other protocols they would order what must be ordered without. */
static int late(void) { return config.protocol == LS_AFTER_FINISH; }

/* Runs one task: stamps it as a core would, then puts the content that can be verified. */
static void run_task(ls_core *core, mailbox *box, uint64_t task, uint64_t k)
{
    ls_core_receive(core);
    if (late())
        ls_store_release(&box->acknowledged, k + 1);
    ls_core_begin(core);
    ls_core_stop(core);
    core->start = start_of(task);
    core->end = end_of(task);
    core->received = core->start - delay_of(task);
    if (late())
        ls_store_release(&box->ended, k + 1);
    ls_core_write(core, task, token_of(k));
    if (!late())
        ls_store_release(&box->ended, k + 1);
}

static void *core_thread(void *argument)
{
    uint32_t id = (uint32_t)(uintptr_t)argument, spins = 0;
    uint64_t random = mix(options.seed + id) | 1;
    mailbox *box = &mailboxes[id];
    ls_core core;
    ls_core_open(&core, region, id);
    for (uint64_t k = 0; k < options.tasks; k++) {
        uint64_t task = task_of(id, k);
        if (options.controllers) {
            while (LOAD_GIVEN(&box->given) <= k)
                ls_wait_a_little(&spins);
#ifndef LOOSE_DISPATCH
            task = box->task[k % LS_OUTSTANDING];
#endif
        }
        run_task(&core, box, task, k);
        if (next_random(&random) % 4096 == 0)
            sched_yield();
    }
    ls_core_close(&core);
    if (late())
        ls_store_release(&box->acknowledged, options.tasks + 1);
    return NULL;
}

typedef struct {
    ls_channel channel;
    uint64_t given, finished;
    uint32_t core;
} served;

/* Gives the core its next task, if it may have one. */
static int dispatch_one(served *s)
{
    if (s->given == options.tasks || !ls_channel_admit(&s->channel))
        return 0;
    mailbox *box = &mailboxes[s->core];
    box->task[s->given % LS_OUTSTANDING] = task_of(s->core, s->given);
    ls_channel_dispatch(&s->channel);
    ls_store_release(&box->given, ++s->given);
    return 1;
}

static int finish_one(served *s)
{
    if (late())
        ls_channel_acknowledged(&s->channel, ls_load_acquire(&mailboxes[s->core].acknowledged));
    if (s->finished == s->given || ls_load_acquire(&mailboxes[s->core].ended) <= s->finished)
        return 0;
    uint64_t task = task_of(s->core, s->finished);
    ls_channel_finish(&s->channel, token_of(s->finished), task, (uint32_t)(task >> 32));
    s->finished++;
    return 1;
}

/* Both kinds of phases of one turn that did something; numbered, so that they can be verified. */
static void record_phases(ls_writer *scheduler, ls_writer *orchestrator, uint32_t controller,
                          uint32_t did)
{
    ls_scheduler_phase phase;
    ls_orchestrator_phase submit;
    uint64_t n = phases_made[controller]++;
    ls_scheduler_begin(scheduler, &phase, LS_PHASE_DISPATCH);
    phase.loop = (uint32_t)n;
    phase.tasks = did;
    phase.task = task_of(controller, n);
    phase.pop_hit = (uint32_t)phase.task;
    ls_scheduler_end(scheduler, &phase);
    ls_orchestrator_begin(orchestrator, &submit, LS_ORCHESTRATOR_SUBMIT);
    submit.submit = (uint32_t)n;
    submit.task = task_of(controller, n);
    ls_orchestrator_end(orchestrator, &submit);
}

static void *controller_thread(void *argument)
{
    uint32_t id = (uint32_t)(uintptr_t)argument, count = 0, spins = 0;
    static served all[MOST_THREADS][MOST_THREADS];
    served *cores = all[id];
    ls_writer scheduler, orchestrator;
    ls_writer_open(&scheduler, region, LS_SCHEDULER_PHASE, id);
    ls_writer_open(&orchestrator, region, LS_ORCHESTRATOR_PHASE, id);
    for (uint64_t core = id; core < options.cores; core += options.controllers) {
        cores[count].core = (uint32_t)core;
        ls_channel_open(&cores[count++].channel, region, (uint32_t)core);
    }
    for (uint64_t done = 0; done < count * options.tasks;) {
        uint32_t did = 0;
        for (uint32_t i = 0; i < count; i++) {
            int finished = finish_one(&cores[i]);
            done += (uint64_t)finished;
            did += (uint32_t)(finished + dispatch_one(&cores[i]));
        }
        if (did && scheduler.mode)
            record_phases(&scheduler, &orchestrator, id, did);
        if (!did)
            ls_wait_a_little(&spins);
    }
    for (uint32_t i = 0; i < count; i++) {
        while (late() && ls_load_acquire(&mailboxes[cores[i].core].acknowledged) <= options.tasks)
            ls_wait_a_little(&spins);
        ls_channel_close(&cores[i].channel);
    }
    ls_writer_flush(&scheduler);
    ls_writer_flush(&orchestrator);
    return NULL;
}

/* ---- Host ------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t taken, delivered, next; /* next: number of the record after the last one */
    uint64_t dropped, waits;
} lane_seen;

static ls_lane *constants;
static lane_seen *seen;
static uint64_t *taken;
static uint32_t lane_count;
static int lossless;

/* The number of a record within its lane, as its own content tells it; verifies that content. */
static uint64_t verify_core_task(const ls_lane *lane, const ls_core_task *record, uint64_t next)
{
    uint64_t k = next + (uint32_t)(record->token - token_of(next));
    uint64_t task = task_of(lane->owner, k);
    uint32_t delay = options.level >= 2 ? delay_of(task) : 0;
    if (record->task != task || record->start != start_of(task) || record->end != end_of(task)
        || record->receive_to_start != delay)
        violation("core %u: the record with token %u (task %llu expected next) is torn or foreign",
                  lane->owner, record->token, (unsigned long long)next);
    return k;
}

static uint64_t verify_controller_task(const ls_lane *lane, const ls_controller_task *record,
                                       uint64_t next)
{
    uint64_t k = next + (uint32_t)(record->token - token_of(next));
    uint64_t task = task_of(lane->owner, k);
    if (record->task != task || record->func != (uint32_t)(task >> 32)
        || record->dispatch > record->finish || record->dispatch == 0)
        violation("controller of core %u: the record with token %u is torn or foreign",
                  lane->owner, record->token);
    return k;
}

static uint64_t verify_phase(const ls_lane *lane, uint32_t number, uint64_t task, uint64_t next)
{
    uint64_t k = next + (uint32_t)(number - (uint32_t)next);
    if (task != task_of(lane->owner, k))
        violation("phases of controller %u: record %u is torn or foreign", lane->owner, number);
    return k;
}

static uint64_t verify_record(const ls_lane *lane, const uint8_t *bytes, uint64_t next)
{
    if (lane->kind == LS_CORE_TASK)
        return verify_core_task(lane, (const ls_core_task *)bytes, next);
    if (lane->kind == LS_CONTROLLER_TASK)
        return verify_controller_task(lane, (const ls_controller_task *)bytes, next);
    if (lane->kind == LS_ORCHESTRATOR_PHASE) {
        const ls_orchestrator_phase *phase = (const ls_orchestrator_phase *)bytes;
        return verify_phase(lane, phase->submit, phase->task, next);
    }
    const ls_scheduler_phase *phase = (const ls_scheduler_phase *)bytes;
    if (phase->pop_hit != (uint32_t)phase->task || phase->start > phase->end)
        violation("a scheduler phase of controller %u is torn", lane->owner);
    return verify_phase(lane, phase->loop, phase->task, next);
}

/* `gap`: tasks dropped between the last buffer and this one, as the records' own numbers say.
 * Only where the controller rotates it counts them later than it opens the next buffer: at the finish. */
static void verify_drops(const ls_lane *lane, const ls_buffer *header, lane_seen *s, uint64_t gap)
{
    s->dropped += gap;
    uint64_t late = 0;
    if (lane->kind == LS_CORE_TASK && ls_core_mode_of(config.protocol) == LS_CORE_SEGMENTS)
        late = options.pre_dispatch + 1;
    if (header->dropped > s->dropped || header->dropped + late < s->dropped)
        violation("lane %u, buffer %llu: its header says %llu dropped, the records say %llu",
                  header->lane, (unsigned long long)header->sequence,
                  (unsigned long long)header->dropped, (unsigned long long)s->dropped);
    if (lossless && gap)
        violation("lane %u, buffer %llu: %llu records are missing", header->lane,
                  (unsigned long long)header->sequence, (unsigned long long)gap);
}

static void verify_buffer(const uint8_t *bytes)
{
    const ls_buffer *header = (const ls_buffer *)bytes;
    lane_seen *s = &seen[header->lane];
    const ls_lane *lane = &constants[header->lane];
    if (header->sequence != s->taken++)
        violation("lane %u: buffer %llu comes as number %llu", header->lane,
                  (unsigned long long)header->sequence, (unsigned long long)s->taken - 1);
    if (header->first != s->delivered)
        violation("lane %u, buffer %llu: first is %llu, %llu records came before", header->lane,
                  (unsigned long long)header->sequence, (unsigned long long)header->first,
                  (unsigned long long)s->delivered);
    if (header->wait_start > header->wait_end)
        violation("lane %u: a wait ends before it begins", header->lane);
    s->waits += header->wait_start != 0;
    for (uint32_t i = 0; i < header->count; i++) {
        uint64_t k = verify_record(lane, bytes + sizeof *header + i * lane->record_bytes, s->next);
        if (i == 0)
            verify_drops(lane, header, s, k - s->next);
        else if (k != s->next)
            violation("lane %u, buffer %llu: a gap inside the buffer", header->lane,
                      (unsigned long long)header->sequence);
        s->next = k + 1;
    }
    s->delivered += header->count;
}

/* One pass of the host; how many buffers it took. */
static uint64_t drain_once(uint8_t *out, uint64_t room)
{
    ls_drained result;
    ls_drain(region, ls_lane_at(region, 0), constants, lane_count, taken, out, room, &result);
    if (result.problem)
        violation("lane %u, buffer %llu: ls_drain reports problem %u", result.lane,
                  (unsigned long long)result.sequence, result.problem);
    ls_release(ls_lane_at(region, 0), lane_count, taken);
    for (uint64_t at = 0; at < result.bytes;) {
        const ls_buffer *header = (const ls_buffer *)(out + at);
        verify_buffer(out + at);
        at += sizeof *header + (uint64_t)header->count * constants[header->lane].record_bytes;
    }
    return result.buffers;
}

static uint8_t *out;
static uint64_t room;

static void *host_thread(void *stop)
{
    uint64_t random = mix(options.seed + 777) | 1;
    uint32_t spins = 0;
    for (;;) {
        int stopped = ls_load_acquire((uint64_t *)stop) != 0;
        uint64_t buffers = drain_once(out, room);
        if (!buffers && stopped)
            return NULL;
        uint64_t dice = next_random(&random);
        if (options.pause_us && dice % 64 == 0 && !stopped)
            usleep((useconds_t)((dice >> 8) % options.pause_us));
        else if (!buffers)
            ls_wait_a_little(&spins);
    }
}

/* ---- The end: every record accounted for ------------------------------------------------------ */

static uint64_t made_by(const ls_lane *lane)
{
    int by_core = lane->kind == LS_CORE_TASK || lane->kind == LS_CONTROLLER_TASK;
    if (lane->kind != LS_CORE_TASK && !options.controllers)
        return 0;
    return by_core ? options.tasks : phases_made[lane->owner];
}

static void verify_ledger(void)
{
    for (uint32_t i = 0; i < lane_count; i++) {
        const ls_lane *lane = ls_lane_at(region, i);
        uint64_t made = made_by(lane);
        if (lane->recorded != seen[i].delivered || lane->recorded + lane->dropped != made)
            violation("lane %u: %llu delivered, %llu recorded + %llu dropped, %llu made", i,
                      (unsigned long long)seen[i].delivered, (unsigned long long)lane->recorded,
                      (unsigned long long)lane->dropped, (unsigned long long)made);
        if (lane->published != taken[i] || lane->opened != lane->published)
            violation("lane %u: %llu opened, %llu published, %llu taken", i,
                      (unsigned long long)lane->opened, (unsigned long long)lane->published,
                      (unsigned long long)taken[i]);
        if (lane->mismatched)
            violation("lane %u: %llu slots held another task", i,
                      (unsigned long long)lane->mismatched);
        if (lossless && lane->dropped)
            violation("lane %u: %llu dropped, though producers wait", i,
                      (unsigned long long)lane->dropped);
    }
}

static void print_result(double seconds, long rss_before, long rss_after)
{
    uint64_t records = 0, dropped = 0, waits = 0, buffers = 0;
    for (uint32_t i = 0; i < lane_count; i++) {
        records += seen[i].delivered;
        dropped += ls_lane_at(region, i)->dropped;
        waits += seen[i].waits;
        buffers += seen[i].taken;
    }
    printf("{\"records\": %llu, \"dropped\": %llu, \"waits\": %llu, \"buffers\": %llu, "
           "\"seconds\": %.3f, \"records_per_s\": %.0f, \"rss_before_kb\": %ld, "
           "\"rss_after_kb\": %ld}\n",
           (unsigned long long)records, (unsigned long long)dropped, (unsigned long long)waits,
           (unsigned long long)buffers, seconds, (double)records / seconds, rss_before, rss_after);
}

/* ---- Set-up ------------------------------------------------------------------------------------ */

static void read_options(int count, char **words)
{
    static const struct {
        const char *name;
        uint64_t *value;
    } numbers[] = {
        {"--cores", &options.cores},
        {"--controllers", &options.controllers},
        {"--tasks-per-core", &options.tasks},
        {"--records", &options.records},
        {"--buffers", &options.buffers},
        {"--pre-dispatch", &options.pre_dispatch},
        {"--level", &options.level},
        {"--pause-us", &options.pause_us},
        {"--seed", &options.seed},
        {"--first-token", &options.first_token},
        {"--host-lost-ms", &options.host_lost_ms},
    };
    for (int i = 1; i + 1 < count; i += 2) {
        int known = 1;
        if (!strcmp(words[i], "--protocol"))
            options.protocol = words[i + 1];
        else if (!strcmp(words[i], "--on-full"))
            options.on_full = words[i + 1];
        else
            known = 0;
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
            if (!strcmp(words[i], numbers[n].name)) {
                *numbers[n].value = strtoull(words[i + 1], NULL, 0);
                known = 1;
            }
        if (!known)
            violation("unknown option %s", words[i]);
    }
    if (options.cores + options.controllers > MOST_THREADS)
        violation("more than %d threads", MOST_THREADS);
    if (!options.controllers && strcmp(options.protocol, "producer-rotated"))
        violation("cores without controllers need --protocol producer-rotated");
}

static uint32_t protocol_named(const char *name)
{
    static const char *const names[] = {"staging", "controller-rotated", "producer-rotated",
                                        "after-finish"};
    for (uint32_t i = 0; i < 4; i++)
        if (!strcmp(name, names[i]))
            return i;
    violation("unknown protocol %s", name);
    return 0;
}

static void *zeroed(uint64_t bytes)
{
    uint64_t whole = (bytes + LS_LINE - 1) / LS_LINE * LS_LINE;
    void *memory = aligned_alloc(LS_LINE, whole);
    if (!memory)
        violation("no memory for %llu bytes", (unsigned long long)bytes);
    return memset(memory, 0, whole);
}

static void set_up(void)
{
    config = ls_default_config();
    config.flags = ls_level_flags((int32_t)options.level);
    config.protocol = protocol_named(options.protocol);
    config.on_full = strcmp(options.on_full, "drop") ? LS_BLOCK : LS_DROP;
    config.clock_hz = ls_measure_clock_hz();
    config.host_lost_cycles = options.host_lost_ms * config.clock_hz / 1000;
    config.core_count = (uint32_t)options.cores;
    config.scheduler_count = config.orchestrator_count = (uint32_t)options.controllers;
    config.pre_dispatch = (uint32_t)options.pre_dispatch;
    config.first_token = (uint32_t)options.first_token;
    for (int kind = 0; kind < LS_FIRST_OPTIONAL_KIND; kind++) {
        config.buffer_records[kind] = (uint32_t)options.records;
        config.buffer_count[kind] = (uint32_t)options.buffers;
    }
    if (late() && options.buffers == 1)
        config.buffer_count[LS_CORE_TASK] = 2;
    uint64_t bytes = ls_region_bytes(&config);
    if (!bytes)
        violation("the configuration is refused: problem %d", ls_config_check(&config));
    region = zeroed(bytes);
    ls_region_init(region, &config);
    lane_count = ((const ls_header *)region)->lane_count;
    constants = zeroed(lane_count * sizeof *constants);
    memcpy(constants, ls_lane_at(region, 0), lane_count * sizeof *constants);
    seen = zeroed(lane_count * sizeof *seen);
    taken = zeroed(lane_count * sizeof *taken);
    room = bytes; /* all buffers at once fit */
    out = zeroed(room);
    lossless = config.on_full == LS_BLOCK && options.host_lost_ms >= 10000;
}

/* VmHWM, for ru_maxrss also remembers the program that started this one. */
static long peak_kb(void)
{
    char line[128];
    long kb = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "VmHWM:", 6))
            kb = strtol(line + 6, NULL, 10);
    if (file)
        fclose(file);
    return kb;
}

int main(int count, char **words)
{
    read_options(count, words);
    set_up();
    long before = peak_kb();
    pthread_t threads[MOST_THREADS], host;
    uint64_t stop = 0, started = ls_read_ns(CLOCK_MONOTONIC);
    int running = 0;
    pthread_create(&host, NULL, host_thread, &stop);
    for (uintptr_t i = 0; i < options.controllers; i++)
        pthread_create(&threads[running++], NULL, controller_thread, (void *)i);
    for (uintptr_t i = 0; i < options.cores; i++)
        pthread_create(&threads[running++], NULL, core_thread, (void *)i);
    while (running)
        pthread_join(threads[--running], NULL);
    ls_store_release(&stop, 1);
    pthread_join(host, NULL);
    double seconds = (double)(ls_read_ns(CLOCK_MONOTONIC) - started) / 1e9;
    verify_ledger();
    print_result(seconds, before, peak_kb());
    free(region);
    free(constants);
    free(seen);
    free(taken);
    free(out);
    return 0;
}
