/* What recording one task costs, in one thread: the core's and the controller's calls in order.
 *
 *   ./record_cost ROUNDS TASKS      one line of JSON per round: name -> ns per task
 *
 * The host drains outside the timed part and there are always enough buffers, so nobody waits. In
 * one thread no cache line moves between cores: what staging costs on top of this, reading a line
 * that another core wrote, does not show here.
 */
#define _GNU_SOURCE
#include "native.h"

#include "lanescope/file.h"
#include "lanescope/lanescope.h"

#define RECORDS 1024 /* per buffer */

#define PROTOCOL_COUNT 4
static const char *const PROTOCOLS[PROTOCOL_COUNT] = {"staging", "controller-rotated",
                                                     "producer-rotated", "after-finish"};

typedef struct {
    uint8_t *region;
    ls_core core;
    ls_channel channel;
    ls_writer scheduler, orchestrator;
    ls_lane *constants;
    uint64_t *taken;
    uint8_t *out;
    uint64_t room;
    uint32_t token;
} setup;

static uint64_t state = 88172645463325252u;

/* The task's own work: 2 ns, the same in every loop; 16 times that for "small tasks". */
#define WORK() (state ^= state << 13, state ^= state >> 7, state ^= state << 17)
#define SMALL_TASK 16

static void *zeroed(uint64_t bytes)
{
    uint64_t whole = (bytes / LS_LINE + 1) * LS_LINE;
    void *memory = aligned_alloc(LS_LINE, whole);
    if (!memory)
        exit(1);
    return memset(memory, 0, whole);
}

static void make(setup *s, uint32_t protocol, int32_t level, uint64_t tasks)
{
    ls_config config = ls_default_config();
    memset(s, 0, sizeof *s);
    config.flags = ls_level_flags(level);
    config.protocol = protocol;
    config.clock_hz = 1000000000;
    config.host_lost_cycles = UINT64_MAX;
    for (int kind = 0; kind < LS_FIRST_OPTIONAL_KIND; kind++) {
        config.buffer_records[kind] = RECORDS;
        config.buffer_count[kind] = (uint32_t)(tasks / RECORDS + 2);
    }
    uint64_t bytes = ls_region_bytes(&config);
    if (bytes) {
        s->region = zeroed(bytes);
        ls_region_init(s->region, &config);
        uint32_t lanes = ((ls_header *)s->region)->lane_count;
        s->constants = zeroed(lanes * sizeof(ls_lane));
        memcpy(s->constants, ls_lane_at(s->region, 0), lanes * sizeof(ls_lane));
        s->taken = zeroed(lanes * sizeof(uint64_t));
        s->out = zeroed(s->room = bytes);
    }
    ls_core_open(&s->core, s->region, 0);
    ls_channel_open(&s->channel, s->region, 0);
    ls_writer_open(&s->scheduler, s->region, LS_SCHEDULER_PHASE, 0);
    ls_writer_open(&s->orchestrator, s->region, LS_ORCHESTRATOR_PHASE, 0);
}

static void drain(setup *s)
{
    ls_drained result;
    if (!s->region)
        return;
    uint32_t lanes = ((ls_header *)s->region)->lane_count;
    ls_drain(s->region, ls_lane_at(s->region, 0), s->constants, lanes, s->taken, s->out, s->room, &result);
    ls_release(ls_lane_at(s->region, 0), lanes, s->taken);
    for (uint32_t i = 0; i < lanes; i++)
        if (ls_lane_at(s->region, i)->dropped) {
            fprintf(stderr, "lane %u dropped records\n", i);
            exit(1);
        }
}

/* ---- The loops: each over `tasks` tasks, noinline so that all are compiled alike ---------------- */

#define LOOP static __attribute__((noinline)) void

#define INNER static inline __attribute__((always_inline)) void

INNER work(int repeat)
{
    for (int i = 0; i < repeat; i++)
        WORK();
}

INNER plain_tasks(uint64_t tasks, int repeat)
{
    for (uint64_t i = 0; i < tasks; i++) {
        work(repeat);
        __asm__ volatile("" ::: "memory");
    }
}

LOOP loop_plain(setup *s, uint64_t tasks)
{
    (void)s;
    plain_tasks(tasks, 1);
}

LOOP loop_plain_small(setup *s, uint64_t tasks)
{
    (void)s;
    plain_tasks(tasks, SMALL_TASK);
}

/* Two clock reads and one record stored into a ring: the least that any recorder must do. */
LOOP loop_floor(setup *s, uint64_t tasks)
{
    static ls_core_task ring[RECORDS];
    for (uint64_t i = 0; i < tasks; i++) {
        ls_core_task *record = &ring[s->token % RECORDS];
        record->start = LS_CLOCK();
        WORK();
        record->end = LS_CLOCK();
        record->task = i;
        record->token = s->token++;
        record->receive_to_start = 0;
        __asm__ volatile("" ::: "memory");
    }
}

LOOP loop_core(setup *s, uint64_t tasks)
{
    for (uint64_t i = 0; i < tasks; i++) {
        ls_core_receive(&s->core);
        ls_core_begin(&s->core);
        WORK();
        ls_core_end(&s->core, i, s->token++);
        __asm__ volatile("" ::: "memory");
    }
}

/* With staging the slot's token stands in for the core; the other protocols need nothing of it. */
LOOP loop_controller(setup *s, uint64_t tasks)
{
    uint32_t mask = s->channel.slot_mask;
    int staged = s->channel.core_mode == LS_CORE_STAGING;
    for (uint64_t i = 0; i < tasks; i++) {
        if (!ls_channel_admit(&s->channel))
            exit(1);
        ls_channel_dispatch(&s->channel);
        WORK();
        if (staged)
            s->channel.slots[s->token & mask].record.token = s->token;
        ls_channel_finish(&s->channel, s->token++, i, 0);
        __asm__ volatile("" ::: "memory");
    }
}

INNER all_calls(setup *s, uint64_t tasks, int repeat)
{
    ls_scheduler_phase phase;
    ls_orchestrator_phase submit;
    for (uint64_t i = 0; i < tasks; i++) {
        ls_orchestrator_begin(&s->orchestrator, &submit, LS_ORCHESTRATOR_SUBMIT);
        ls_orchestrator_end(&s->orchestrator, &submit);
        ls_scheduler_begin(&s->scheduler, &phase, LS_PHASE_DISPATCH);
        if (!ls_channel_admit(&s->channel))
            exit(1);
        ls_channel_dispatch(&s->channel);
        ls_core_receive(&s->core);
        ls_core_begin(&s->core);
        work(repeat);
        ls_core_end(&s->core, i, s->token);
        ls_channel_finish(&s->channel, s->token++, i, 0);
        ls_scheduler_end(&s->scheduler, &phase);
        __asm__ volatile("" ::: "memory");
    }
}

LOOP loop_all(setup *s, uint64_t tasks)
{
    all_calls(s, tasks, 1);
}

LOOP loop_all_small(setup *s, uint64_t tasks)
{
    all_calls(s, tasks, SMALL_TASK);
}

/* ---- Timing -------------------------------------------------------------------------------------- */

typedef void (*loop)(setup *, uint64_t);

static double timed(loop run, setup *s, uint64_t tasks)
{
    uint64_t started = ls_read_ns(CLOCK_MONOTONIC);
    run(s, tasks);
    return (double)(ls_read_ns(CLOCK_MONOTONIC) - started);
}

static const char *separator;

static void print(const char *form, const char *protocol, int level, double ns)
{
    char name[80];
    snprintf(name, sizeof name, form, protocol, level);
    printf("%s\"%s\": %.3f", separator, name, ns);
    separator = ", ";
}

/* The core alone: with controller-rotated the controller works between the timed buffers. */
static double time_core(setup *s, uint64_t tasks)
{
    double ns = 0;
    for (uint64_t done = 0; done < tasks; done += RECORDS) {
        if (s->channel.core_mode == LS_CORE_SEGMENTS)
            (void)ls_channel_admit(&s->channel);
        ns += timed(loop_core, s, RECORDS);
        if (s->channel.core_mode == LS_CORE_SEGMENTS) {
            s->token -= RECORDS;
            loop_controller(s, RECORDS);
        }
    }
    return ns / (double)tasks;
}

static setup plain, floor_, off, all[PROTOCOL_COUNT][5], cores[PROTOCOL_COUNT][5],
    controllers[PROTOCOL_COUNT][5];

static void one_round(uint64_t tasks)
{
    separator = "{";
    print("plain", "", 0, timed(loop_plain, &plain, tasks) / (double)tasks);
    print("off", "", 0, timed(loop_all, &off, tasks) / (double)tasks);
    print("small tasks, plain", "", 0, timed(loop_plain_small, &plain, tasks) / (double)tasks);
    print("small tasks, off", "", 0, timed(loop_all_small, &off, tasks) / (double)tasks);
    print("small tasks, plain again", "", 0,
          timed(loop_plain_small, &plain, tasks) / (double)tasks);
    print("floor", "", 0, timed(loop_floor, &floor_, tasks) / (double)tasks);
    for (uint32_t protocol = 0; protocol < PROTOCOL_COUNT; protocol++)
        for (int32_t level = 1; level <= 4; level++) {
            setup *s = &all[protocol][level];
            print("%s %d", PROTOCOLS[protocol], level, timed(loop_all, s, tasks) / (double)tasks);
            drain(s);
            if (level > 2)
                continue; /* phases are neither the core's nor the channel's */
            s = &cores[protocol][level];
            print("%s %d core", PROTOCOLS[protocol], level, time_core(s, tasks));
            drain(s);
            s = &controllers[protocol][level];
            print("%s %d controller", PROTOCOLS[protocol], level,
                  timed(loop_controller, s, tasks) / (double)tasks);
            drain(s);
        }
    puts("}");
}

int main(int count, char **words)
{
    if (count != 3)
        return 2;
    uint64_t rounds = strtoull(words[1], NULL, 0);
    uint64_t tasks = strtoull(words[2], NULL, 0) / RECORDS * RECORDS;
    make(&off, LS_PRODUCER_ROTATED, 0, tasks);
    for (uint32_t protocol = 0; protocol < PROTOCOL_COUNT; protocol++)
        for (int32_t level = 1; level <= 4; level++) {
            make(&all[protocol][level], protocol, level, tasks);
            make(&cores[protocol][level], protocol, level, tasks);
            make(&controllers[protocol][level], protocol, level, tasks);
        }
    one_round(tasks); /* the first one touches the memory; its line is not used */
    for (uint64_t round = 0; round < rounds; round++)
        one_round(tasks);
    return 0;
}
