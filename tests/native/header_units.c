/* Single steps of the recording header over tiny regions, with a clock that only counts.
 *
 *   ./header_units NAME     runs one test: exit code 1 and a sentence where it fails
 *
 * test_header.py finds the tests by their TEST(name) lines.
 */
#define _GNU_SOURCE
#include <stdint.h>

static uint64_t fake_now = 1000, clock_reads, slow_reads; /* so many readings at first take ten times as long */
static uint64_t fake_clock(void)
{
    return fake_now += clock_reads++ < slow_reads ? 100 : 10;
}
#define LS_CLOCK() fake_clock()

#include "native.h"

#include "lanescope/clock.h"
#include "lanescope/lanescope.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define CHECK(condition, ...)                                          \
    do {                                                               \
        if (!(condition)) {                                            \
            fprintf(stderr, "line %d: %s; ", __LINE__, #condition);    \
            fprintf(stderr, __VA_ARGS__);                              \
            fputc('\n', stderr);                                       \
            exit(1);                                                   \
        }                                                              \
    } while (0)

#define EQUAL(found, expected)                                                                \
    CHECK((uint64_t)(found) == (uint64_t)(expected), "%llu, expected %llu",                   \
          (unsigned long long)(found), (unsigned long long)(expected))

typedef struct {
    const char *name;
    void (*run)(void);
} unit;

static unit units[100];
static int unit_count;

#define TEST(name)                                                        \
    static void name(void);                                               \
    __attribute__((constructor)) static void add_##name(void)             \
    {                                                                     \
        units[unit_count++] = (unit){#name, name};                        \
    }                                                                     \
    static void name(void)

/* ---- A tiny layout ---------------------------------------------------------------------------- */

enum { ROOM = 1 << 16 };
static _Alignas(LS_LINE) uint8_t memory[ROOM];
static ls_lane constants[32];
static uint64_t taken[32];
static uint8_t out[ROOM];

static ls_config tiny(uint32_t protocol, uint32_t records, uint32_t buffers)
{
    ls_config config = ls_default_config();
    config.flags = ls_level_flags(1);
    config.protocol = protocol;
    config.clock_hz = 1000000;
    config.host_lost_cycles = UINT64_MAX;
    config.name_count = 2;
    for (int kind = 0; kind < LS_KIND_COUNT; kind++) {
        config.buffer_records[kind] = records;
        config.buffer_count[kind] = kind < LS_FIRST_OPTIONAL_KIND ? buffers : 0;
    }
    return config;
}

/* Lays a region out in `memory`; lane 0 is core 0's. */
static ls_lane *make(const ls_config *config)
{
    uint64_t bytes = ls_region_bytes(config);
    CHECK(bytes && bytes <= ROOM, "a region of %llu bytes", (unsigned long long)bytes);
    memset(memory, 0, sizeof memory);
    memset(taken, 0, sizeof taken);
    ls_region_init(memory, config);
    uint32_t lanes = ((ls_header *)memory)->lane_count;
    memcpy(constants, ls_lane_at(memory, 0), lanes * sizeof(ls_lane));
    return ls_lane_at(memory, 0);
}

static ls_buffer *buffer(uint64_t sequence)
{
    return ls_buffer_at(memory, ls_lane_at(memory, 0), sequence);
}

static ls_core_task *record(uint64_t sequence, uint32_t slot)
{
    return (ls_core_task *)(buffer(sequence) + 1) + slot;
}

/* The host takes everything published; returns the records. */
static uint64_t drain(void)
{
    ls_drained result;
    uint32_t lanes = ((ls_header *)memory)->lane_count;
    ls_drain(memory, ls_lane_at(memory, 0), constants, lanes, taken, out, sizeof out, &result);
    EQUAL(result.problem, 0);
    ls_release(ls_lane_at(memory, 0), lanes, taken);
    return result.records;
}

/* One task as the core sees it. */
static void core_task(ls_core *core, uint32_t token)
{
    ls_core_receive(core);
    ls_core_begin(core);
    ls_core_end(core, 100 + token, token);
}

/* One task through both, nothing in advance. */
static void whole_task(ls_core *core, ls_channel *channel, uint32_t token)
{
    CHECK(ls_channel_admit(channel), "task %u is not admitted", token);
    ls_channel_dispatch(channel);
    core_task(core, token);
    ls_channel_finish(channel, token, 100 + token, 7);
}

/* ---- Flags and sizes -------------------------------------------------------------------------- */

TEST(each_flag_implies_what_it_needs)
{
    const uint64_t core = LS_CHIP_SWIMLANE_CORE_TIMING, life = LS_CHIP_SWIMLANE_TASK_LIFECYCLE;
    const uint64_t phases = LS_CHIP_SWIMLANE_PHASE_BUFFERS;
    const uint64_t orchestrator = LS_CHIP_SWIMLANE_ORCHESTRATOR_PHASES;
    EQUAL(ls_flags_closed(0), 0);
    EQUAL(ls_flags_closed(core), core);
    EQUAL(ls_flags_closed(life), core | life);
    EQUAL(ls_flags_closed(phases), core | life | phases);
    EQUAL(ls_flags_closed(LS_DUMP_TENSOR), LS_DUMP_TENSOR);
    EQUAL(ls_flags_closed(orchestrator), core | life | phases | orchestrator);
    EQUAL(ls_flags_closed(LS_CORE_SWIMLANE), core | LS_CORE_SWIMLANE);
    EQUAL(ls_flags_closed(LS_PMU), core | LS_PMU);
    for (uint64_t flags = 0; flags <= LS_FLAGS_KNOWN; flags++) {
        uint64_t closed = ls_flags_closed(flags);
        EQUAL(ls_flags_closed(closed), closed);
        EQUAL(ls_flags_valid(flags), flags == closed);
    }
}

TEST(unknown_flags_are_refused)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 2, 2);
    for (int bit = 7; bit < 64; bit++) {
        config.flags = ls_level_flags(4) | UINT64_C(1) << bit;
        CHECK(!ls_flags_valid(config.flags), "bit %d is taken", bit);
        EQUAL(ls_config_check(&config), LS_CONFIG_FLAGS);
        EQUAL(ls_region_bytes(&config), 0);
    }
}

TEST(levels_are_0_to_4)
{
    const uint64_t expected[] = {0, 1, 3, 7, 23};
    for (int32_t level = 0; level <= 4; level++)
        EQUAL(ls_level_flags(level), expected[level]);
    const int32_t others[] = {-1, 5, 6, 100, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!ls_flags_valid(ls_level_flags(others[i])), "level %d is taken", others[i]);
}

TEST(what_is_no_kind_has_no_record_no_feature_and_no_lane)
{
    const uint32_t others[] = {LS_KIND_COUNT, LS_KIND_COUNT + 1, 1u << 31, UINT32_MAX};
    ls_config config = tiny(LS_PRODUCER_ROTATED, 2, 2);
    config.flags = LS_FLAGS_KNOWN;
    make(&config);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        EQUAL(ls_record_bytes(others[i]), 0);
        EQUAL(ls_kind_feature(others[i]), 0);
        EQUAL(ls_kind_owner(others[i]), LS_OWNER_NONE);
        EQUAL(ls_owner_count(&config, others[i]), 0);
        EQUAL(ls_buffer_stride(&config, others[i]), 0);
        EQUAL(ls_lane_init(memory, 0, &config, others[i], 0, 4096), 4096);
        EQUAL(ls_lane_at(memory, 0)->kind, LS_CORE_TASK);
        CHECK(!ls_find_lane(memory, others[i], 0), "there is a lane of kind %u", others[i]);
    }
}

/* The sum of everything that is on, written down independently of ls_region_plan. */
static uint64_t expected_bytes(const ls_config *c, int32_t level)
{
    uint64_t small = 64 + ls_whole_lines((uint64_t)c->buffer_records[0] * 32);
    uint64_t large = 64 + (uint64_t)c->buffer_records[0] * 64;
    uint64_t cores = c->core_count, count = c->buffer_count[0], lanes = 0, buffers = 0;
    if (level >= 1)
        lanes += cores, buffers += cores * count * small;
    if (level >= 2)
        lanes += cores, buffers += cores * count * small;
    if (level >= 3)
        lanes += c->scheduler_count, buffers += c->scheduler_count * count * large;
    if (level >= 4)
        lanes += c->orchestrator_count, buffers += c->orchestrator_count * count * small;
    uint64_t staging = c->protocol == LS_STAGING ? cores * (c->pre_dispatch == 2 ? 4 : 2) * 64 : 0;
    return 384 + ls_whole_lines(cores * 32) + c->name_count * 64 + lanes * 256 + staging + buffers;
}

TEST(a_level_takes_only_its_own_memory)
{
    for (uint32_t protocol = 0; protocol < 4; protocol++)
        for (uint32_t pre_dispatch = 0; pre_dispatch < 3; pre_dispatch++) {
            ls_config config = tiny(protocol, 3, 2);
            config.core_count = 3;
            config.scheduler_count = 2;
            config.pre_dispatch = pre_dispatch;
            uint64_t last = 0;
            config.flags = 0;
            EQUAL(ls_region_bytes(&config), 0);
            for (int32_t level = 1; level <= 4; level++) {
                config.flags = ls_level_flags(level);
                uint64_t bytes = ls_region_bytes(&config);
                EQUAL(bytes, expected_bytes(&config, level));
                CHECK(bytes > last, "level %d does not grow", level);
                last = bytes;
            }
        }
}

TEST(a_fresh_region_has_nothing_in_its_buffers_and_ends_where_it_says)
{
    for (uint32_t protocol = 0; protocol < 4; protocol++) {
        ls_config config = tiny(protocol, 2, 2);
        config.core_count = 3;
        config.pre_dispatch = 2;
        ls_lane *lane = make(&config);
        for (uint8_t *at = memory + lane->buffers; at < memory + ROOM; at++)
            CHECK(*at == 0, "protocol %u: byte %td", protocol, at - memory);
        EQUAL(lane->staging_slots, protocol == LS_STAGING ? 4 : 0);
        for (uint32_t core = 0; core < 3; core++)
            for (uint32_t slot = 0; slot < lane[core].staging_slots; slot++) {
                const uint8_t *place = memory + lane[core].staging + slot * sizeof(ls_staging_slot);
                EQUAL(((const ls_staging_slot *)place)->record.token, (uint32_t)~slot);
            }
        EQUAL(((ls_header *)memory)->region_bytes, lane[2].buffers + 2 * lane[2].buffer_stride);
    }
}

TEST(a_lane_of_an_off_feature_does_not_exist)
{
    const uint32_t kinds[] = {LS_CORE_TASK, LS_CONTROLLER_TASK, LS_SCHEDULER_PHASE,
                              LS_ORCHESTRATOR_PHASE};
    for (int32_t level = 1; level <= 4; level++) {
        ls_config config = tiny(LS_PRODUCER_ROTATED, 2, 2);
        config.flags = ls_level_flags(level);
        make(&config);
        for (int32_t i = 0; i < 4; i++) {
            ls_writer writer;
            ls_writer_open(&writer, memory, kinds[i], 0);
            EQUAL(ls_find_lane(memory, kinds[i], 0) != NULL, i < level);
            EQUAL(writer.mode != 0, i < level);
            CHECK(!ls_find_lane(memory, kinds[i], 1), "there is a lane of owner 1");
        }
    }
    CHECK(!ls_find_lane(NULL, LS_CORE_TASK, 0), "a lane without a region");
}

TEST(what_is_no_region_of_this_version_has_no_lane)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 2, 2);
    make(&config);
    ls_header *header = (ls_header *)memory;
    CHECK(ls_find_lane(memory, LS_CORE_TASK, 0), "there is no lane");
    header->version++;
    CHECK(!ls_find_lane(memory, LS_CORE_TASK, 0), "a lane of another version");
    header->version--;
    header->magic++;
    CHECK(!ls_find_lane(memory, LS_CORE_TASK, 0), "a lane of something else");
}

TEST(every_lane_of_every_kind_is_found_and_no_other)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 2, 1);
    config.flags = LS_FLAGS_KNOWN;
    config.core_count = 3;
    config.scheduler_count = 2;
    config.host_count = 2;
    config.buffer_count[LS_TASK_EDGE] = config.buffer_count[LS_HOST_PHASE] = 1;
    make(&config);
    const uint32_t owners[LS_KIND_COUNT] = {3, 3, 2, 1, 3, 0, 3, 1, 2, 0};
    uint32_t lanes = 0;
    for (uint32_t kind = 0; kind < LS_KIND_COUNT; kind++) {
        for (uint32_t owner = 0; owner < owners[kind]; owner++)
            CHECK(ls_find_lane(memory, kind, owner) == ls_lane_at(memory, lanes++), "kind %u, owner %u", kind, owner);
        CHECK(!ls_find_lane(memory, kind, owners[kind]), "kind %u has one more", kind);
    }
    EQUAL(((ls_header *)memory)->lane_count, lanes);
}

/* Kinds that have lanes, a bit each. */
static uint32_t kinds_on(uint64_t flags, uint32_t pipes, uint32_t beside)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 8, 2);
    config.flags = ls_flags_closed(flags);
    config.pipe_count = pipes;
    config.pipes_beside = beside;
    uint32_t found = 0;
    for (uint32_t kind = 0; kind < LS_KIND_COUNT; kind++) {
        EQUAL(ls_owner_count(&config, kind) != 0, ls_kind_is_on(&config, kind));
        found |= (uint32_t)ls_kind_is_on(&config, kind) << kind;
    }
    return found;
}

TEST(slices_are_alone_or_beside_the_records_of_cores_in_place_of_bursts)
{
    const uint32_t tasks = 1u << LS_CORE_TASK, slices = 1u << LS_CORE_SLICE, bursts = 1u << LS_CORE_BURST;
    const uint32_t counters = 1u << LS_PMU_SAMPLE;
    EQUAL(kinds_on(0, 3, 1), 0);
    EQUAL(kinds_on(LS_CORE_SWIMLANE | LS_PMU, 0, 0), tasks | counters | bursts);
    EQUAL(kinds_on(LS_CORE_SWIMLANE | LS_PMU, 0, 1), tasks | counters | bursts);
    EQUAL(kinds_on(LS_CORE_SWIMLANE | LS_PMU, 3, 0), slices);
    EQUAL(kinds_on(LS_CORE_SWIMLANE | LS_PMU, 3, 1), tasks | counters | slices);
    EQUAL(kinds_on(LS_PMU, 3, 1), tasks | counters);
    EQUAL(kinds_on(LS_PMU, 3, 0), slices);
}

/* ---- Off costs nothing ------------------------------------------------------------------------- */

typedef struct {
    ls_core core;
    ls_channel channel;
    ls_writer scheduler, orchestrator;
} handles;

/* Handles in a page that cannot be written while every call is made on them. */
static void call_all_read_only(uint8_t *region, uint32_t core)
{
    handles *h = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(h != MAP_FAILED && sizeof *h <= 4096, "no page for the handles");
    ls_core_open(&h->core, region, core);
    ls_channel_open(&h->channel, region, core);
    ls_writer_open(&h->scheduler, region, LS_SCHEDULER_PHASE, core);
    ls_writer_open(&h->orchestrator, region, LS_ORCHESTRATOR_PHASE, core);
    EQUAL(h->core.mode | h->channel.mode | h->scheduler.mode | h->orchestrator.mode, 0);
    mprotect(h, 4096, PROT_READ);
    ls_scheduler_phase phase;
    ls_orchestrator_phase submit;
    for (uint32_t token = 0; token < 100; token++) {
        ls_scheduler_begin(&h->scheduler, &phase, LS_PHASE_DISPATCH);
        ls_orchestrator_begin(&h->orchestrator, &submit, LS_ORCHESTRATOR_SUBMIT);
        whole_task(&h->core, &h->channel, token);
        ls_orchestrator_end(&h->orchestrator, &submit);
        ls_scheduler_end(&h->scheduler, &phase);
    }
    ls_core_close(&h->core);
    ls_channel_close(&h->channel);
    ls_writer_flush(&h->scheduler);
    munmap(h, 4096);
}

TEST(off_reads_no_clock_and_stores_nothing)
{
    call_all_read_only(NULL, 0);
    EQUAL(clock_reads, 0);
}

TEST(a_region_without_task_features_is_off)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 2, 2);
    config.flags = LS_DUMP_TENSOR;
    make(&config);
    static uint8_t before[ROOM];
    memcpy(before, memory, ROOM);
    call_all_read_only(memory, 0);
    EQUAL(clock_reads, 0);
    CHECK(!memcmp(before, memory, ROOM), "the region has changed");
}

/* ---- Records of nobody ------------------------------------------------------------------------- */

TEST(records_for_a_number_that_the_region_does_not_have_are_counted)
{
    for (uint32_t protocol = 0; protocol < 3; protocol++)
        for (int32_t level = 1; level <= 4; level++) {
            ls_config config = tiny(protocol, 2, 2);
            config.flags = ls_level_flags(level);
            config.scheduler_count = 0;
            make(&config);
            ls_core core;
            ls_channel channel;
            ls_writer scheduler;
            ls_core_open(&core, memory, 1);
            ls_channel_open(&channel, memory, 1);
            ls_writer_open(&scheduler, memory, LS_SCHEDULER_PHASE, 0);
            for (uint32_t token = 0; token < 5; token++) {
                ls_scheduler_phase phase;
                ls_scheduler_begin(&scheduler, &phase, LS_PHASE_DISPATCH);
                whole_task(&core, &channel, token);
                ls_scheduler_end(&scheduler, &phase);
            }
            ls_core_close(&core);
            ls_channel_close(&channel);
            ls_writer_flush(&scheduler);
            EQUAL(((ls_header *)memory)->strays, 5 * (level < 3 ? level : 3));
            EQUAL(ls_lane_at(memory, 0)->recorded, 0);
        }
}

/* What a handle on `owner` counts as strays of one record, and whether it is on at all. */
static uint32_t strays_of(uint32_t kind, uint32_t owner)
{
    ls_writer writer;
    ls_writer_open(&writer, memory, kind, owner);
    EQUAL(writer.lane != NULL, 0);
    if (writer.mode)
        CHECK(!ls_reserve(&writer), "there is a place");
    return writer.mode;
}

TEST(a_number_too_high_is_a_stray_where_the_kind_has_lanes)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 8, 2);
    config.pipe_count = 2;
    make(&config);
    EQUAL(strays_of(LS_CORE_SLICE, 1), 1);
    EQUAL(strays_of(LS_CORE_TASK, 1), 0); /* slices are alone */
    EQUAL(((ls_header *)memory)->strays, 1);
    config.pipe_count = 0;
    config.flags = ls_level_flags(2);
    config.buffer_count[LS_TASK_EDGE] = 1;
    make(&config);
    EQUAL(strays_of(LS_TASK_EDGE, 1), 1);
    EQUAL(strays_of(LS_HOST_PHASE, 1), 0); /* has no buffers */
    EQUAL(strays_of(LS_CORE_SLICE, 1), 0);
    EQUAL(strays_of(LS_CORE_TASK, 1), 1);
    EQUAL(strays_of(LS_PMU_SAMPLE, 1), 0);
    EQUAL(((ls_header *)memory)->strays, 2);
}

TEST(an_older_handle_leaves_the_lane_alone_and_its_records_are_counted)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 2, 8);
    ls_lane *lane = make(&config);
    ls_core first, second;
    ls_core_open(&first, memory, 0);
    ls_core_open(&second, memory, 0);
    for (uint32_t token = 0; token < 5; token++) {
        core_task(&first, 50 + token);
        core_task(&second, token);
    }
    ls_core_close(&first);
    ls_core_close(&second);
    EQUAL(lane->handles, 2);
    EQUAL(lane->recorded, 5);
    EQUAL(lane->intruded, 5);
    EQUAL(lane->published, 3);
    for (uint32_t token = 0; token < 5; token++)
        EQUAL(record(token / 2, token % 2)->token, token);
    EQUAL(((ls_header *)memory)->strays, 0);
}

TEST(a_buffer_that_is_open_when_a_newer_handle_comes_is_not_published_by_the_older_one)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 4, 8);
    ls_lane *lane = make(&config);
    ls_core first, second;
    ls_core_open(&first, memory, 0);
    core_task(&first, 0);
    ls_core_open(&second, memory, 0);
    for (uint32_t token = 1; token < 4; token++)
        core_task(&first, token);
    EQUAL(lane->published, 0);
    EQUAL(lane->intruded, 4);
    core_task(&first, 4);
    EQUAL(lane->intruded, 5);
    core_task(&second, 5);
    ls_core_close(&second);
    EQUAL(lane->published, 1);
    EQUAL(buffer(0)->count, 1);
    EQUAL(record(0, 0)->token, 5);
}

TEST(a_handle_that_waits_for_a_buffer_stops_when_a_newer_one_comes)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 1, 1);
    ls_lane *lane = make(&config);
    ls_core first, second;
    ls_core_open(&first, memory, 0);
    core_task(&first, 0);
    EQUAL(ls_wait_step(&first.out), (uint64_t)-1);
    ls_core_open(&second, memory, 0);
    core_task(&first, 1); /* would wait for ever */
    EQUAL(lane->intruded, 1);
    EQUAL(lane->opened, 1);
}

TEST(of_two_controllers_of_a_core_the_newer_one_rotates_its_buffers)
{
    for (uint32_t protocol = LS_STAGING; protocol < LS_PRODUCER_ROTATED; protocol++) {
        ls_config config = tiny(protocol, 2, 8);
        ls_lane *lane = make(&config);
        ls_core core;
        ls_channel first, second;
        ls_core_open(&core, memory, 0);
        ls_channel_open(&first, memory, 0);
        ls_channel_open(&second, memory, 0);
        for (uint32_t token = 0; token < 5; token++) {
            EQUAL(ls_channel_admit(&first), 1);
            ls_channel_dispatch(&first);
            whole_task(&core, &second, token);
            ls_channel_finish(&first, token, 100 + token, 0);
        }
        ls_channel_close(&first);
        ls_channel_close(&second);
        EQUAL(lane->recorded, 5);
        EQUAL(lane->dropped, 0);
        EQUAL(lane->intruded, 5);
        EQUAL(drain(), 5);
    }
}

/* ---- The host's end ---------------------------------------------------------------------------- */

TEST(the_fullest_ring_is_told_in_percent)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 1, 4);
    config.core_count = 2;
    make(&config);
    ls_core cores[2];
    for (uint32_t i = 0; i < 2; i++)
        ls_core_open(&cores[i], memory, i);
    for (uint32_t token = 0; token < 3; token++)
        core_task(&cores[0], token);
    core_task(&cores[1], 0);
    ls_drained result;
    ls_drain(memory, ls_lane_at(memory, 0), constants, 2, taken, out, sizeof out, &result);
    EQUAL(result.fullest, 75);
    ls_drain(memory, ls_lane_at(memory, 0), constants, 2, taken, out, sizeof out, &result);
    EQUAL(result.fullest, 0);
}

TEST(a_payload_that_ends_inside_a_buffer_is_refused_with_the_place)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 2, 4);
    make(&config);
    ls_core core;
    ls_core_open(&core, memory, 0);
    for (uint32_t token = 0; token < 4; token++)
        core_task(&core, token);
    EQUAL(drain(), 4);
    const uint64_t one = sizeof(ls_buffer) + 2 * sizeof(ls_core_task);
    for (uint64_t length = 0; length <= 2 * one; length++) {
        uint64_t records = 0, next = 0;
        int64_t found = ls_count_buffers(out, length, constants, 1, &records, &next);
        EQUAL(records, length / one * 2);
        EQUAL(next, length / one);
        EQUAL(found, length % one ? -1 - (int64_t)(length / one * one) : (int64_t)(length / one));
    }
}

/* ---- Again ------------------------------------------------------------------------------------- */

TEST(a_core_without_a_controller_has_no_buffer_and_writes_nothing)
{
    ls_config config = tiny(LS_CONTROLLER_ROTATED, 8, 2);
    make(&config);
    ls_core core;
    ls_core_open(&core, memory, 0);
    static uint8_t before[ROOM];
    memcpy(before, memory, ROOM);
    for (uint32_t token = 0; token < 8; token++)
        core_task(&core, token);
    CHECK(!memcmp(before, memory, ROOM), "the region has changed");
}

TEST(a_lane_can_be_opened_again_after_it_was_closed)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 2, 8);
    ls_lane *lane = make(&config);
    for (uint32_t round = 0; round < 3; round++) {
        ls_core core;
        ls_core_open(&core, memory, 0);
        core_task(&core, round);
        ls_core_close(&core);
    }
    EQUAL(lane->recorded, 3);
    EQUAL(lane->intruded, 0);
    EQUAL(drain(), 3);
}

TEST(clock_reads_per_task)
{
    for (uint32_t protocol = 0; protocol < 3; protocol++)
        for (int32_t level = 1; level <= 4; level++) {
            ls_config config = tiny(protocol, 8, 4);
            config.flags = ls_level_flags(level);
            make(&config);
            ls_core core;
            ls_channel channel;
            ls_core_open(&core, memory, 0);
            ls_channel_open(&channel, memory, 0);
            EQUAL(ls_channel_admit(&channel), 1);
            clock_reads = 0;
            ls_channel_dispatch(&channel);
            EQUAL(clock_reads, level >= 2 ? 1 : 0);
            clock_reads = 0;
            core_task(&core, 0);
            EQUAL(clock_reads, level >= 2 ? 3 : 2);
            clock_reads = 0;
            ls_channel_finish(&channel, 0, 100, 7);
            EQUAL(clock_reads, level >= 2 ? 1 : 0);
        }
}

/* ---- The writer: producer-rotated -------------------------------------------------------------- */

TEST(a_switch_publishes_the_old_buffer_and_opens_the_next)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 2, 2);
    ls_lane *lane = make(&config);
    ls_core core;
    ls_core_open(&core, memory, 0);
    EQUAL(lane->opened, 0);
    core_task(&core, 0);
    EQUAL(lane->opened, 1);
    EQUAL(lane->published, 0);
    EQUAL(lane->recorded, 1);
    EQUAL(buffer(0)->sequence, 0);
    EQUAL(buffer(0)->count, 0);
    core_task(&core, 1);
    EQUAL(lane->published, 1);
    EQUAL(lane->recorded, 2);
    EQUAL(buffer(0)->count, 2);
    EQUAL(record(0, 1)->token, 1);
    EQUAL(record(0, 1)->task, 101);
    EQUAL(lane->opened, 1);
    core_task(&core, 2);
    EQUAL(lane->opened, 2);
    EQUAL(buffer(1)->sequence, 1);
    EQUAL(buffer(1)->first, 2);
    EQUAL(buffer(1)->lane, 0);
    EQUAL(buffer(1)->dropped, 0);
    EQUAL(buffer(1)->wait_start | buffer(1)->wait_end, 0);
    EQUAL(record(1, 0)->token, 2);
    EQUAL(lane->published, 1);
}

TEST(without_a_buffer_in_drop_losses_are_counted_and_the_sequence_goes_on)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 1, 2);
    config.on_full = LS_DROP;
    ls_lane *lane = make(&config);
    ls_core core;
    ls_core_open(&core, memory, 0);
    for (uint32_t token = 0; token < 5; token++)
        core_task(&core, token);
    EQUAL(lane->opened, 2);
    EQUAL(lane->published, 2);
    EQUAL(lane->recorded, 2);
    EQUAL(lane->dropped, 3);
    CHECK(core.out.cursor == core.out.limit, "a buffer is open");
    CHECK(lane->wait_start && lane->wait_start == lane->wait_end, "the loss is not noted");
    EQUAL(record(1, 0)->token, 1);
    EQUAL(drain(), 2);
    core_task(&core, 5);
    EQUAL(buffer(2)->sequence, 2);
    EQUAL(buffer(2)->first, 2);
    EQUAL(buffer(2)->dropped, 3);
    CHECK(buffer(2)->wait_start && buffer(2)->wait_start == buffer(2)->wait_end, "no loss");
    EQUAL(record(2, 0)->token, 5);
    EQUAL(lane->wait_start | lane->wait_end, 0);
    EQUAL(lane->dropped, 3);
}

TEST(a_budget_of_0_cycles_gives_up_at_once)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 1, 1);
    config.host_lost_cycles = 0;
    ls_lane *lane = make(&config);
    ls_core core;
    ls_core_open(&core, memory, 0);
    core_task(&core, 0);
    clock_reads = 0;
    core_task(&core, 1);
    EQUAL(clock_reads, 2 + 2); /* the task's own, and the wait's begin and end */
    EQUAL(lane->dropped, 1);
    EQUAL(core.out.host_lost, 1);
    CHECK(lane->wait_start && lane->wait_end > lane->wait_start, "the wait is not noted");
    clock_reads = 0;
    core_task(&core, 2);
    EQUAL(clock_reads, 2); /* it does not wait again */
    EQUAL(lane->dropped, 2);
    EQUAL(drain(), 1);
    core_task(&core, 3);
    EQUAL(core.out.host_lost, 0);
    EQUAL(buffer(1)->sequence, 1);
    EQUAL(buffer(1)->dropped, 2);
    CHECK(buffer(1)->wait_end > buffer(1)->wait_start, "the header lacks the wait");
}

TEST(a_wait_in_block_keeps_the_lane_until_its_limit)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 1, 1);
    config.host_lost_cycles = 100; /* ten looks at the clock */
    ls_lane *lane = make(&config);
    ls_writer writer;
    ls_writer_open(&writer, memory, LS_CORE_TASK, 0);
    CHECK(ls_reserve(&writer), "no room");
    ls_commit(&writer, 32);
    int steps = 0, found;
    while ((found = ls_wait_step(&writer)) < 0)
        steps++;
    EQUAL(found, 0);
    EQUAL(steps, 9);
    EQUAL(lane->wait_end - lane->wait_start, 100);
}

TEST(a_free_buffer_never_waits)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 1, 1);
    config.host_lost_cycles = 0;
    ls_lane *lane = make(&config);
    ls_core core;
    ls_core_open(&core, memory, 0);
    core_task(&core, 0);
    core_task(&core, 1);
    EQUAL(core.out.host_lost, 1); /* also after it has given up once */
    EQUAL(drain(), 1);
    clock_reads = 0;
    core_task(&core, 2);
    EQUAL(clock_reads, 2);
    EQUAL(lane->dropped, 1);
    EQUAL(drain(), 1);
    core_task(&core, 3);
    EQUAL(buffer(2)->wait_start | buffer(2)->wait_end, 0);
}

TEST(a_wait_is_stamped_into_the_next_buffer)
{
    ls_config config = tiny(LS_CONTROLLER_ROTATED, 1, 1);
    ls_lane *lane = make(&config);
    ls_core core;
    ls_channel channel;
    ls_core_open(&core, memory, 0);
    ls_channel_open(&channel, memory, 0);
    whole_task(&core, &channel, 0);
    EQUAL(ls_channel_admit(&channel), 0);
    uint64_t began = lane->wait_start;
    CHECK(began && !lane->wait_end, "the wait is not noted");
    EQUAL(ls_channel_admit(&channel), 0);
    EQUAL(lane->wait_start, began);
    EQUAL(drain(), 1);
    EQUAL(ls_channel_admit(&channel), 1);
    EQUAL(buffer(1)->wait_start, began);
    CHECK(buffer(1)->wait_end > began, "the wait does not end");
    EQUAL(lane->wait_start | lane->wait_end, 0);
    EQUAL(lane->dropped, 0);
}

TEST(a_record_lands_where_it_was_reserved)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 2, 2);
    ls_lane *lane = make(&config);
    ls_writer writer;
    ls_writer_open(&writer, memory, LS_CORE_TASK, 0);
    CHECK(ls_reserve(&writer), "no room");
    ls_commit(&writer, 32);
    ls_core_task *reserved = ls_reserve(&writer); /* the last one of buffer 0 */
    CHECK(reserved == record(0, 1), "another place");
    CHECK(ls_reserve(&writer) == reserved, "reserving twice moves on");
    EQUAL(lane->published, 0);
    reserved->token = 42;
    ls_commit(&writer, 32);
    EQUAL(lane->published, 1);
    CHECK(ls_reserve(&writer) == record(1, 0), "the next one is not in the next buffer");
    EQUAL(record(0, 1)->token, 42);
    EQUAL(buffer(0)->count, 2);
    EQUAL(lane->recorded, 2);
}

TEST(a_flush_publishes_the_tail_with_its_count_and_the_writer_goes_on)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 3, 2);
    ls_lane *lane = make(&config);
    ls_writer writer;
    ls_writer_open(&writer, memory, LS_CORE_TASK, 0);
    ls_writer_flush(&writer);
    EQUAL(lane->published, 0);
    for (int i = 0; i < 4; i++) {
        CHECK(ls_reserve(&writer), "no room");
        ls_commit(&writer, 32);
    }
    ls_writer_flush(&writer);
    EQUAL(lane->published, 2);
    EQUAL(buffer(1)->count, 1);
    ls_writer_flush(&writer);
    EQUAL(lane->published, 2);
    EQUAL(drain(), 4);
    CHECK(ls_reserve(&writer), "no room");
    EQUAL(buffer(2)->sequence, 2);
    EQUAL(buffer(2)->first, 4);
}

/* ---- Controller-rotated ------------------------------------------------------------------------- */

TEST(a_buffer_is_published_when_its_last_task_has_finished)
{
    ls_config config = tiny(LS_CONTROLLER_ROTATED, 1, 4);
    config.pre_dispatch = 2;
    ls_lane *lane = make(&config);
    ls_core core;
    ls_channel channel;
    ls_core_open(&core, memory, 0);
    ls_channel_open(&channel, memory, 0);
    for (uint32_t token = 0; token < 3; token++) {
        EQUAL(ls_channel_admit(&channel), 1);
        EQUAL(lane->segment[token], token + 1);
        ls_channel_dispatch(&channel);
    }
    EQUAL(ls_channel_admit(&channel), 0); /* as many as it may hold */
    EQUAL(lane->opened, 3);
    EQUAL(lane->published, 0);
    for (uint32_t token = 0; token < 3; token++) {
        core_task(&core, token);
        EQUAL(record(token, 0)->token, token);
        EQUAL(lane->published, token);
        ls_channel_finish(&channel, token, 100 + token, 7);
        EQUAL(lane->published, token + 1);
        EQUAL(buffer(token)->count, 1);
        EQUAL(buffer(token)->first, token);
    }
    EQUAL(lane->recorded, 3);
}

TEST(a_failed_rotation_strands_nothing)
{
    ls_config config = tiny(LS_CONTROLLER_ROTATED, 2, 1);
    config.on_full = LS_DROP;
    ls_lane *lane = make(&config);
    ls_core core;
    ls_channel channel;
    ls_core_open(&core, memory, 0);
    ls_channel_open(&channel, memory, 0);
    for (uint32_t token = 0; token < 5; token++)
        whole_task(&core, &channel, token); /* 0, 1 in buffer 0; 2, 3, 4 nowhere */
    EQUAL(lane->published, 1);
    EQUAL(buffer(0)->count, 2);
    EQUAL(record(0, 0)->token, 0);
    EQUAL(record(0, 1)->token, 1);
    EQUAL(lane->recorded, 2);
    EQUAL(lane->dropped, 3);
    EQUAL(drain(), 2);
    whole_task(&core, &channel, 5);
    EQUAL(buffer(1)->sequence, 1);
    EQUAL(buffer(1)->first, 2);
    EQUAL(buffer(1)->dropped, 3);
    EQUAL(lane->segment[1], 6);
    EQUAL(record(1, 0)->token, 5);
    ls_channel_close(&channel);
    EQUAL(lane->published, 2);
    EQUAL(buffer(1)->count, 1);
    EQUAL(drain(), 1);
    EQUAL(lane->recorded + lane->dropped, 6);
}

TEST(a_task_dispatched_without_a_buffer_stays_out_of_one_opened_later)
{
    ls_config config = tiny(LS_CONTROLLER_ROTATED, 1, 1);
    config.on_full = LS_DROP;
    ls_lane *lane = make(&config);
    ls_core core;
    ls_channel channel;
    ls_core_open(&core, memory, 0);
    ls_channel_open(&channel, memory, 0);
    whole_task(&core, &channel, 0);
    EQUAL(ls_channel_admit(&channel), 1); /* task 1: no buffer */
    ls_channel_dispatch(&channel);
    EQUAL(lane->dropped, 1);
    EQUAL(drain(), 1);
    EQUAL(ls_channel_admit(&channel), 1); /* task 2: buffer 1, before task 1 has run */
    ls_channel_dispatch(&channel);
    EQUAL(buffer(1)->dropped, 1);
    EQUAL(lane->segment[1], 3);
    core_task(&core, 1);
    EQUAL(record(1, 0)->token, 0); /* still the bytes of task 0 */
    core_task(&core, 2);
    EQUAL(record(1, 0)->token, 2);
    ls_channel_finish(&channel, 1, 101, 7);
    EQUAL(lane->dropped, 1);
    EQUAL(lane->published, 1);
    ls_channel_finish(&channel, 2, 102, 7);
    EQUAL(lane->published, 2);
    EQUAL(lane->recorded, 2);
}

static void wrap_tokens(uint32_t protocol, uint32_t records)
{
    ls_config config = tiny(protocol, records, 1);
    config.first_token = UINT32_MAX - 4;
    ls_lane *lane = make(&config);
    ls_core core;
    ls_channel channel;
    ls_core_open(&core, memory, 0);
    ls_channel_open(&channel, memory, 0);
    uint64_t delivered = 0;
    uint32_t total = records + 7;
    for (uint32_t i = 0; i < total; i++) {
        uint32_t token = config.first_token + i;
        whole_task(&core, &channel, token);
        uint64_t sequence = i / records;
        EQUAL(record(sequence, i % records)->token, token);
        EQUAL(record(sequence, i % records)->task, 100 + token);
        delivered += drain();
    }
    ls_core_close(&core);
    ls_channel_close(&channel);
    delivered += drain();
    EQUAL(delivered, total);
    EQUAL(lane->recorded, total);
    EQUAL(lane->dropped, 0);
}

TEST(tokens_wrap_with_buffers_of_3)
{
    for (uint32_t protocol = 0; protocol < 3; protocol++)
        wrap_tokens(protocol, 3);
}

TEST(tokens_wrap_with_buffers_of_1000)
{
    for (uint32_t protocol = 0; protocol < 3; protocol++)
        wrap_tokens(protocol, 1000);
}

TEST(one_buffer_per_lane_and_tasks_in_advance_do_not_lock_up)
{
    ls_config config = tiny(LS_CONTROLLER_ROTATED, 1, 1);
    config.pre_dispatch = 2;
    ls_lane *lane = make(&config);
    ls_core core;
    ls_channel channel;
    ls_core_open(&core, memory, 0);
    ls_channel_open(&channel, memory, 0);
    uint32_t given = 0, finished = 0;
    for (int turn = 0; turn < 100 && finished < 5; turn++) {
        if (given < 5 && ls_channel_admit(&channel)) {
            ls_channel_dispatch(&channel);
            given++;
        } else if (finished < given) {
            core_task(&core, finished);
            ls_channel_finish(&channel, finished, 100 + finished, 7);
            finished++;
        } else {
            drain();
        }
    }
    EQUAL(finished, 5);
    EQUAL(lane->recorded, 5);
    EQUAL(lane->dropped, 0);
}

/* ---- Staging -------------------------------------------------------------------------------------- */

TEST(a_slot_that_holds_another_task_is_counted_and_dropped)
{
    ls_config config = tiny(LS_STAGING, 4, 2);
    ls_lane *lane = make(&config);
    EQUAL(lane->staging_slots, 2);
    ls_core core;
    ls_channel channel;
    ls_core_open(&core, memory, 0);
    ls_channel_open(&channel, memory, 0);
    EQUAL(ls_channel_admit(&channel), 1);
    ls_channel_dispatch(&channel);
    core_task(&core, 0);
    core_task(&core, 2); /* slot 0 again, before the controller has copied task 0 */
    ls_channel_finish(&channel, 0, 100, 7);
    EQUAL(lane->mismatched, 1);
    EQUAL(lane->dropped, 1);
    EQUAL(lane->recorded, 0);
    ls_channel_dispatch(&channel);
    ls_channel_finish(&channel, 1, 101, 7); /* nobody has ever written slot 1 */
    EQUAL(lane->mismatched, 2);
    EQUAL(lane->dropped, 2);
    ls_channel_dispatch(&channel);
    ls_channel_finish(&channel, 2, 102, 7);
    EQUAL(lane->mismatched, 2);
    EQUAL(lane->recorded, 1);
    EQUAL(record(0, 0)->task, 102);
}

TEST(the_finish_is_stamped_before_the_copy_waits)
{
    ls_config config = tiny(LS_STAGING, 1, 1);
    config.flags = ls_level_flags(2);
    config.buffer_count[LS_CONTROLLER_TASK] = 2;
    config.host_lost_cycles = 1000;
    make(&config);
    ls_core core;
    ls_channel channel;
    ls_core_open(&core, memory, 0);
    ls_channel_open(&channel, memory, 0);
    whole_task(&core, &channel, 0);
    EQUAL(ls_channel_admit(&channel), 1);
    ls_channel_dispatch(&channel);
    core_task(&core, 1);
    uint64_t ended = fake_now;
    ls_channel_finish(&channel, 1, 101, 7); /* the core's lane is full: gives up after 1000 */
    CHECK(fake_now >= ended + 1000, "it has not waited");
    const ls_lane *lane = ls_lane_at(memory, 1);
    const ls_controller_task *second =
        (const ls_controller_task *)(ls_buffer_at(memory, lane, 1) + 1);
    EQUAL(second->token, 1);
    EQUAL(second->finish, ended + 10);
}

/* ---- A host that lives, leaves or is lost ------------------------------------------------------ */

enum { LANES = 4 };

static ls_header *header(void)
{
    return (ls_header *)memory;
}

/* Lanes of one record, all full: the next record of each needs a buffer back. */
static void full_lanes(ls_core *cores, uint64_t host_lost_cycles)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 1, 1);
    config.core_count = LANES;
    config.host_lost_cycles = host_lost_cycles;
    make(&config);
    for (uint32_t i = 0; i < LANES; i++) {
        ls_core_open(&cores[i], memory, i);
        core_task(&cores[i], 0);
    }
}

TEST(nobody_waits_for_a_host_that_has_left)
{
    ls_core cores[LANES];
    full_lanes(cores, UINT64_MAX);
    ls_host_leaves(memory);
    uint64_t begun = fake_now;
    for (uint32_t i = 0; i < LANES; i++) {
        core_task(&cores[i], 1);
        EQUAL(ls_lane_at(memory, i)->dropped, 1);
    }
    EQUAL(fake_now - begun, LANES * 40); /* looks at the clock: the task's own, and two of the wait */
}

TEST(one_limit_holds_for_all_lanes)
{
    ls_core cores[LANES];
    full_lanes(cores, 1000);
    uint64_t begun = fake_now;
    for (uint32_t task = 1; task < 4; task++)
        for (uint32_t i = 0; i < LANES; i++)
            core_task(&cores[i], task);
    CHECK(fake_now - begun >= 1000, "nobody has waited");
    CHECK(fake_now - begun < 1500, "the lanes have waited one after the other");
    for (uint32_t i = 0; i < LANES; i++)
        EQUAL(ls_lane_at(memory, i)->dropped, 3);
}

TEST(a_host_that_lives_is_waited_for)
{
    ls_core cores[LANES];
    full_lanes(cores, 1000);
    ls_writer *w = &cores[0].out;
    for (int i = 0; i < 500; i++) { /* five times the limit */
        if (i % 50 == 0)
            ls_host_beats(memory);
        EQUAL(ls_wait_step(w), -1);
    }
    int more = 0;
    while (ls_wait_step(w) < 0)
        more++;
    CHECK(more > 40 && more < 60, "%d looks after the last beat but 50", more);
    EQUAL(header()->host_missed, header()->host_beat + 1);
}

TEST(a_host_that_is_back_is_waited_for_again)
{
    ls_core cores[LANES];
    full_lanes(cores, 1000);
    core_task(&cores[0], 1);
    core_task(&cores[1], 1);
    EQUAL(ls_lane_at(memory, 0)->dropped + ls_lane_at(memory, 1)->dropped, 2);
    ls_host_beats(memory);
    EQUAL(ls_wait_step(&cores[0].out), -1);
    EQUAL(ls_wait_step(&cores[1].out), -1);
    EQUAL(ls_lane_at(memory, 0)->wait_end, 0);
    EQUAL(drain(), LANES);
    core_task(&cores[0], 2);
    EQUAL(ls_lane_at(memory, 0)->recorded, 2);
    EQUAL(header()->host_missed, 0 + 1); /* what was true of beat 0 */
}

TEST(a_lane_that_is_refused_waits_for_nobody_and_is_alone_in_that)
{
    ls_core cores[LANES];
    full_lanes(cores, UINT64_MAX);
    ls_lane_at(memory, 2)->refused = 1;
    core_task(&cores[2], 1);
    EQUAL(ls_lane_at(memory, 2)->dropped, 1);
    EQUAL(header()->host_missed, 0);
    EQUAL(ls_wait_step(&cores[1].out), -1);
}

TEST(a_clock_that_steps_back_does_not_end_a_wait)
{
    ls_core cores[LANES];
    fake_now = 1000000;
    full_lanes(cores, 1000);
    ls_writer *w = &cores[0].out;
    ls_lane *lane = ls_lane_at(memory, 0);
    for (int i = 0; i < 50; i++)
        EQUAL(ls_wait_step(w), -1);
    fake_now = 5000;
    int more = 0;
    while (ls_wait_step(w) < 0)
        more++;
    CHECK(more > 40 && more < 60, "%d looks after the step", more);
    EQUAL(lane->wait_end, lane->wait_start);
    ls_host_beats(memory);
    fake_now = 4000; /* and where a buffer comes back after a step */
    EQUAL(ls_wait_step(&cores[1].out), -1);
    fake_now = 3000;
    EQUAL(drain(), LANES);
    core_task(&cores[1], 1);
    const ls_buffer *second = ls_buffer_at(memory, ls_lane_at(memory, 1), 1);
    EQUAL(second->wait_end, second->wait_start);
}

/* ---- Counters ------------------------------------------------------------------------------------- */

TEST(counters_are_recorded_where_they_are_on)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 2, 2);
    config.flags = ls_flags_closed(LS_PMU);
    make(&config);
    ls_writer writer;
    ls_writer_open(&writer, memory, LS_PMU_SAMPLE, 0);
    for (uint32_t token = 0; token < 3; token++) {
        ls_pmu sample = {.task = 100 + token, .func = 7, .token = token, .total_cycles = 1000};
        sample.counters[LS_PMU_COUNTERS - 1] = 5 + token;
        ls_sample(&writer, &sample);
    }
    const ls_lane *lane = writer.lane;
    EQUAL(lane->recorded, 3);
    EQUAL(lane->published, 1);
    ls_writer_flush(&writer);
    EQUAL(lane->published, 2);
    const ls_pmu *second = (const ls_pmu *)(ls_buffer_at(memory, lane, 0) + 1) + 1;
    EQUAL(second->task, 101);
    EQUAL(second->token, 1);
    EQUAL(second->counters[9], 6);
}

TEST(counters_that_are_off_write_nothing)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 2, 2);
    make(&config);
    ls_writer writer;
    ls_writer_open(&writer, memory, LS_PMU_SAMPLE, 0);
    ls_pmu sample = LS_ZERO;
    ls_sample(&writer, &sample);
    CHECK(!writer.lane, "there is a lane");
    EQUAL(writer.recorded, 0);
}

/* ---- What happens inside cores ---------------------------------------------------------------------- */

TEST(bursts_are_recorded_with_what_their_engine_counted)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 2, 2);
    config.flags = ls_flags_closed(LS_CORE_SWIMLANE);
    make(&config);
    ls_writer writer;
    ls_writer_open(&writer, memory, LS_CORE_BURST, 0);
    for (uint32_t number = 0; number < 3; number++) {
        ls_burst burst = {{0xe0000000u, 0, 0, 0, 0, 0, 0, number}};
        ls_take_burst(&writer, &burst);
    }
    ls_source_counts(&writer, 25, 24);
    const ls_lane *lane = writer.lane;
    EQUAL(lane->recorded, 3);
    EQUAL(lane->published, 1);
    EQUAL(lane->source_made, 25);
    EQUAL(lane->source_taken, 24);
    const ls_burst *second = (const ls_burst *)(ls_buffer_at(memory, lane, 0) + 1) + 1;
    EQUAL(second->chunks[7], 1);
}

TEST(bursts_that_are_off_write_nothing)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 2, 2);
    make(&config);
    ls_writer writer;
    ls_writer_open(&writer, memory, LS_CORE_BURST, 0);
    ls_burst burst = LS_ZERO;
    ls_take_burst(&writer, &burst);
    ls_source_counts(&writer, 1, 1);
    CHECK(!writer.lane, "there is a lane");
    EQUAL(writer.recorded, 0);
}

/* ---- All protocols -------------------------------------------------------------------------------- */

TEST(the_tail_is_flushed_with_its_count)
{
    for (uint32_t protocol = 0; protocol < 3; protocol++) {
        ls_config config = tiny(protocol, 3, 2);
        ls_lane *lane = make(&config);
        ls_core core;
        ls_channel channel;
        ls_core_open(&core, memory, 0);
        ls_channel_open(&channel, memory, 0);
        for (uint32_t token = 0; token < 5; token++)
            whole_task(&core, &channel, token);
        EQUAL(lane->published, 1);
        ls_core_close(&core);
        ls_channel_close(&channel);
        EQUAL(lane->published, 2);
        EQUAL(buffer(0)->count, 3);
        EQUAL(buffer(1)->count, 2);
        EQUAL(core.mode | channel.mode, 0);
        ls_core_close(&core);
        ls_channel_close(&channel);
        EQUAL(lane->published, 2);
        EQUAL(drain(), 5);
    }
}

TEST(handles_opened_on_a_used_region_go_on_with_its_numbers)
{
    for (uint32_t protocol = 0; protocol < 3; protocol++) {
        ls_config config = tiny(protocol, 2, 3);
        config.flags = ls_level_flags(2);
        ls_lane *lane = make(&config);
        for (uint32_t run = 0; run < 4; run++) {
            ls_core core;
            ls_channel channel;
            ls_core_open(&core, memory, 0);
            ls_channel_open(&channel, memory, 0);
            for (uint32_t token = 0; token < 3; token++) {
                EQUAL(ls_channel_admit(&channel), 1);
                ls_channel_dispatch(&channel);
                ls_core_begin(&core);
                ls_core_end(&core, 10 * run + token, token);
                ls_channel_finish(&channel, token, 10 * run + token, 7);
            }
            ls_core_close(&core);
            ls_channel_close(&channel);
            EQUAL(record(2 * run, 0)->task, 10 * run);
            EQUAL(record(2 * run, 1)->task, 10 * run + 1);
            EQUAL(record(2 * run + 1, 0)->task, 10 * run + 2);
            EQUAL(lane->published, 2 * run + 2);
            EQUAL(lane->recorded, 3 * run + 3);
            EQUAL(buffer(2 * run)->sequence, 2 * run);
            EQUAL(buffer(2 * run)->first, 3 * run);
            EQUAL(buffer(2 * run + 1)->first, 3 * run + 2);
            EQUAL(buffer(2 * run + 1)->count, 1);
            EQUAL(drain(), 2 * 3);
        }
        EQUAL(lane->dropped, 0);
    }
}

TEST(a_task_before_the_first_segment_is_written_nowhere)
{
    ls_config config = tiny(LS_CONTROLLER_ROTATED, 4, 2);
    make(&config);
    ls_core core;
    ls_channel channel;
    ls_core_open(&core, memory, 0);
    ls_channel_open(&channel, memory, 0);
    CHECK(ls_core_place(&core, 0) == NULL, "no segment was opened");
}

TEST(segments_of_an_earlier_run_are_forgotten)
{
    ls_config config = tiny(LS_CONTROLLER_ROTATED, 1, LS_OUTSTANDING);
    config.on_full = LS_DROP;
    ls_lane *lane = make(&config);
    ls_core core;
    ls_channel channel;
    ls_core_open(&core, memory, 0);
    ls_channel_open(&channel, memory, 0);
    for (uint32_t token = 0; token < LS_OUTSTANDING; token++)
        whole_task(&core, &channel, token);
    ls_core_close(&core);
    ls_channel_close(&channel);
    EQUAL(lane->segment[0], 1); /* task 0: what the next run begins with, too */
    ls_core_open(&core, memory, 0);
    ls_channel_open(&channel, memory, 0);
    EQUAL(ls_channel_admit(&channel), 1); /* the host has every buffer */
    ls_channel_dispatch(&channel);
    ls_core_begin(&core);
    ls_core_end(&core, 999, 0);
    EQUAL(record(0, 0)->task, 100);
    ls_channel_finish(&channel, 0, 999, 7);
    EQUAL(lane->dropped, 1);
    EQUAL(lane->recorded, LS_OUTSTANDING);
}

/* ---- Edges, host phases and tensors -------------------------------------------------------- */

/* A region with two host threads and buffers of every kind, at a level. */
static ls_config with_optional_kinds(int32_t level)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 4, 2);
    config.flags = ls_level_flags(level) | LS_DUMP_TENSOR;
    config.host_count = 2;
    for (uint32_t kind = LS_FIRST_OPTIONAL_KIND; kind < LS_KIND_COUNT; kind++)
        config.buffer_count[kind] = 2;
    return config;
}

TEST(kinds_without_buffers_are_off_and_no_strays)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 4, 2);
    config.flags = ls_level_flags(4) | LS_DUMP_TENSOR;
    make(&config);
    for (uint32_t kind = LS_FIRST_OPTIONAL_KIND; kind < LS_KIND_COUNT; kind++) {
        ls_writer writer;
        ls_writer_open(&writer, memory, kind, 0);
        EQUAL(writer.mode, 0);
    }
}

TEST(edges_come_with_level_2_and_host_phases_with_level_3)
{
    for (int32_t level = 1; level <= 4; level++) {
        ls_config config = with_optional_kinds(level);
        make(&config);
        EQUAL(ls_find_lane(memory, LS_TASK_EDGE, 0) != NULL, level >= 2);
        EQUAL(ls_find_lane(memory, LS_HOST_PHASE, 1) != NULL, level >= 3);
        EQUAL(ls_find_lane(memory, LS_TENSOR_PART, 0) != NULL, 1);
    }
}

TEST(an_edge_and_a_host_phase_are_written_as_given)
{
    ls_config config = with_optional_kinds(3);
    make(&config);
    ls_writer edges, host;
    ls_host_phase phase;
    ls_writer_open(&edges, memory, LS_TASK_EDGE, 0);
    ls_writer_open(&host, memory, LS_HOST_PHASE, 1);
    ls_fan_out(&edges, 7, 9);
    ls_host_begin(&host, &phase, 5);
    phase.bytes = 77;
    ls_host_end(&host, &phase);
    const ls_edge *edge =
        (const ls_edge *)(ls_buffer_at(memory, ls_find_lane(memory, LS_TASK_EDGE, 0), 0) + 1);
    const ls_host_phase *written =
        (const ls_host_phase *)(ls_buffer_at(memory, ls_find_lane(memory, LS_HOST_PHASE, 1), 0) + 1);
    EQUAL(edge->pred, 7);
    EQUAL(edge->succ, 9);
    EQUAL(edge->arg, -1);
    EQUAL(written->name, 5);
    EQUAL(written->bytes, 77);
    EQUAL(written->task, LS_NO_TASK);
    CHECK(written->start < written->end, "a phase takes time");
}

TEST(a_dump_without_a_buffer_waits_no_longer_than_it_may)
{
    ls_config config = with_optional_kinds(1);
    make(&config);
    static const uint8_t values[4096];
    ls_tensor_facts facts = {.dtype = LS_DTYPE_UINT8, .dimensions = 1, .shape = {4096}, .strides = {1}};
    ls_dump dump;
    ls_dump_open(&dump, memory, 0);
    dump.wait_cycles = 50; /* nobody drains, and no host is ever lost here */
    EQUAL(ls_dump_tensor(&dump, &facts, values), -1);
    const ls_lane *lane = ls_find_lane(memory, LS_TENSOR_PART, 0);
    EQUAL(lane->recorded, 8);                         /* all of both buffers */
    EQUAL(lane->dropped, 1 + (4096 + 119) / 120 - 8); /* the facts, the bytes, less those */
    EQUAL(lane->source_made, 1);
    EQUAL(lane->source_taken, 1);
}

TEST(a_tensor_has_six_dimensions_at_most_and_fewer_than_2_to_62_bytes)
{
    ls_tensor_facts facts = {.dtype = LS_DTYPE_FLOAT32, .dimensions = LS_TENSOR_DIMENSIONS,
                             .shape = {2, 3, 1, 1, 1, 5}};
    EQUAL(ls_tensor_size(&facts), 2 * 3 * 5 * 4);
    facts.dimensions = LS_TENSOR_DIMENSIONS + 1;
    EQUAL(ls_tensor_size(&facts), 0);
    facts.dimensions = 0;
    EQUAL(ls_tensor_size(&facts), 4);
    ls_tensor_facts large = {.dtype = LS_DTYPE_UINT8, .dimensions = 2, .shape = {1u << 31, 1u << 31}};
    EQUAL(ls_tensor_size(&large), UINT64_C(1) << 62);
    large.dtype = LS_DTYPE_INT16;
    EQUAL(ls_tensor_size(&large), 0);
    large.shape[0] = 0;
    EQUAL(ls_tensor_size(&large), 0);
}

TEST(what_is_kept_of_a_tensor_is_whole_elements_within_both_limits)
{
    ls_dump dump = {.tensor_bytes = 10, .total_bytes = 100, .used = 92};
    EQUAL(ls_dump_kept(&dump, 8, 4), 8);
    EQUAL(ls_dump_kept(&dump, 12, 4), 8);
    dump.used = 93;
    EQUAL(ls_dump_kept(&dump, 12, 4), 0);
    EQUAL(ls_dump_kept(&dump, 4, 4), 4);
}

TEST(a_selection_is_refused_where_a_part_of_it_is_nobody)
{
    ls_config config = with_optional_kinds(1);
    make(&config);
    ls_name_function(memory, 3, "add");
    ls_selection selection;
    ls_tensor_facts facts = {.task = 20, .func = 3, .argument = 1, .stage = LS_AFTER_COMPLETION};
    const char *good[] = {"", "add", "20", "7,19-20", "add,arg1", "outputs", "9,add,arg0,arg1,outputs"};
    const char *other[] = {"21", "7-19", "add,arg0", "inputs", "9,arg1"};
    const char *bad[] = {"sub", "sub,7", "ad", "adds", "5-", "-5", "arg", "argx", "7-6", "a", "1x", ",add", "7-8x",
                         "input", "outputsx"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        EQUAL(ls_select(&selection, memory, good[i]), 1);
        CHECK(ls_is_selected(&selection, &facts), "%s selects it", good[i]);
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        EQUAL(ls_select(&selection, memory, other[i]), 1);
        CHECK(!ls_is_selected(&selection, &facts), "%s selects others", other[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(!ls_select(&selection, memory, bad[i]), "%s is nobody", bad[i]);
        CHECK(!ls_is_selected(&selection, &facts), "%s selects nothing", bad[i]);
    }
}

TEST(a_selection_has_32_parts_at_most)
{
    ls_config config = with_optional_kinds(1);
    make(&config);
    ls_selection selection;
    ls_tensor_facts facts = {.task = 32};
    char text[] = "01,02,03,04,05,06,07,08,09,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,"
                  "30,31,32,33";
    EQUAL(ls_select(&selection, memory, text), 0);
    EQUAL(selection.count, 0);
    text[sizeof text - 4] = 0;
    EQUAL(ls_select(&selection, memory, text), 1);
    EQUAL(selection.count, 32);
    EQUAL(ls_is_selected(&selection, &facts), 1);
}

TEST(both_stages_are_selected_by_naming_both_or_none)
{
    ls_config config = with_optional_kinds(1);
    make(&config);
    ls_selection selection;
    ls_tensor_facts before = {.stage = LS_BEFORE_DISPATCH}, after = {.stage = LS_AFTER_COMPLETION};
    EQUAL(ls_select(&selection, memory, "inputs"), 1);
    EQUAL(ls_is_selected(&selection, &before) << 1 | ls_is_selected(&selection, &after), 2);
    EQUAL(ls_select(&selection, memory, "inputs,outputs"), 1);
    EQUAL(ls_is_selected(&selection, &before) << 1 | ls_is_selected(&selection, &after), 3);
    EQUAL(ls_select(&selection, NULL, "inputs"), 1); /* nothing is recorded, and nothing selected */
    EQUAL(ls_is_selected(&selection, &before) << 1 | ls_is_selected(&selection, &after), 0);
}

TEST(a_task_number_of_a_selection_has_18_digits_at_most)
{
    ls_config config = with_optional_kinds(1);
    make(&config);
    ls_selection selection;
    EQUAL(ls_select(&selection, memory, "999999999999999999"), 1);
    EQUAL(selection.parts[0].first, UINT64_C(999999999999999999));
    EQUAL(ls_select(&selection, memory, "1000000000000000000"), 0);
}

TEST(what_is_named_but_no_function_is_not_selected)
{
    ls_config config = with_optional_kinds(1);
    make(&config);
    ls_name_function(memory, LS_MARK_NAMES - 1, "last");
    ls_name_function(memory, LS_MARK_NAMES, "mark");
    ls_selection selection;
    EQUAL(ls_select(&selection, memory, "last"), 1);
    EQUAL(selection.parts[0].first, LS_MARK_NAMES - 1);
    EQUAL(ls_select(&selection, memory, "mark"), 0);
}

TEST(a_view_is_dumped_in_the_order_of_its_indices)
{
    ls_config config = with_optional_kinds(1);
    make(&config);
    static const uint16_t buffer[] = {0, 1, 2, 3, 4, 5, 6, 7};
    /* element (i, j) is buffer[1 + i + 3 * j]: a transposed view that begins at 1 */
    ls_tensor_facts facts = {.dtype = LS_DTYPE_UINT16, .dimensions = 2, .shape = {2, 2}, .strides = {1, 3},
                             .start_offset = 1};
    ls_dump dump;
    ls_dump_open(&dump, memory, 0);
    EQUAL(ls_dump_tensor(&dump, &facts, buffer), 1);
    EQUAL(ls_dump_tensor(&dump, &facts, buffer), 1);
    ls_dump_close(&dump);
    const ls_lane *lane = ls_find_lane(memory, LS_TENSOR_PART, 0);
    EQUAL(lane->recorded, 4); /* the facts and the values of each */
    EQUAL(lane->source_made, 2);
    EQUAL(lane->source_taken, 2);
    const ls_tensor *written = (const ls_tensor *)(ls_buffer_at(memory, lane, 0) + 1);
    const uint16_t expected[] = {1, 4, 2, 5};
    for (uint32_t number = 0; number < 2; number++) {
        EQUAL(written[2 * number].part, 0);
        EQUAL(written[2 * number].number, number);
        EQUAL(written[2 * number + 1].part, 1);
        CHECK(!memcmp(written[2 * number + 1].words, expected, sizeof expected), "other values");
    }
}

TEST(the_anchor_of_the_clock_is_the_tightest_of_sixteen_tries)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 2, 2);
    make(&config);
    slow_reads = 6; /* the first three tries; the fourth begins at 1610 and ends at 1620 */
    ls_anchor_clock(memory);
    const ls_header *header = (const ls_header *)memory;
    EQUAL(clock_reads, 32);
    EQUAL(header->clock_cycles, 1615);
    EQUAL(header->clock_error_ns, 5001); /* half of 10 cycles of 1 us, and the rounding */
    CHECK(header->clock_unix_ns > UINT64_C(1600000000000000000), "not the time of day");
}

TEST(a_region_that_stops_says_when)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 2, 2);
    make(&config);
    const ls_header *header = (const ls_header *)memory;
    EQUAL(header->state, LS_SETTING_UP);
    ls_region_stopped(memory);
    EQUAL(header->state, LS_STOPPED);
    EQUAL(header->stop_cycles, 1010);
    CHECK(header->stop_unix_ns > UINT64_C(1600000000000000000), "not the time of day");
    ls_region_stopped(NULL);
}

/* ---- What a configuration may ask for ---------------------------------------------------------- */

/* What is said of a configuration whose field at `offset` is `value`. */
static int problem_with(uint32_t protocol, size_t offset, uint32_t value)
{
    ls_config config = tiny(protocol, 8, 2);
    config.pipe_count = offset == offsetof(ls_config, pipe_count) ? 1 : 0;
    memcpy((uint8_t *)&config + offset, &value, sizeof value);
    return ls_config_check(&config);
}

TEST(each_field_of_a_configuration_is_right_up_to_its_limit)
{
    const struct {
        size_t offset;
        uint32_t least, most;
        int problem;
    } fields[] = {
        {offsetof(ls_config, protocol), 0, 3, LS_CONFIG_PROTOCOL},
        {offsetof(ls_config, on_full), 0, 1, LS_CONFIG_ON_FULL},
        {offsetof(ls_config, core_count), 1, 65536, LS_CONFIG_CORES},
        {offsetof(ls_config, scheduler_count), 0, 65536, LS_CONFIG_CORES},
        {offsetof(ls_config, orchestrator_count), 0, 65536, LS_CONFIG_CORES},
        {offsetof(ls_config, host_count), 0, 65536, LS_CONFIG_CORES},
        {offsetof(ls_config, pre_dispatch), 0, 2, LS_CONFIG_PRE_DISPATCH},
        {offsetof(ls_config, func_shift), 0, 63, LS_CONFIG_FUNC_SHIFT},
        {offsetof(ls_config, name_count), 0, 65536, LS_CONFIG_NAMES},
        {offsetof(ls_config, buffer_records[0]), 1, 1u << 20, LS_CONFIG_BUFFERS},
        {offsetof(ls_config, buffer_count[6]), 1, 4096, LS_CONFIG_BUFFERS},
        {offsetof(ls_config, buffer_count[7]), 0, 4096, LS_CONFIG_BUFFERS},
        {offsetof(ls_config, buffer_records[9]), 1, 1u << 20, LS_CONFIG_BUFFERS},
        {offsetof(ls_config, pipe_count), 0, 65536, LS_CONFIG_PIPES},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        size_t offset = fields[i].offset;
        EQUAL(problem_with(LS_PRODUCER_ROTATED, offset, fields[i].least), LS_CONFIG_OK);
        EQUAL(problem_with(LS_PRODUCER_ROTATED, offset, fields[i].most), LS_CONFIG_OK);
        EQUAL(problem_with(LS_PRODUCER_ROTATED, offset, fields[i].most + 1), fields[i].problem);
        if (fields[i].least)
            EQUAL(problem_with(LS_PRODUCER_ROTATED, offset, 0), fields[i].problem);
    }
}

TEST(some_fields_of_a_configuration_exclude_each_other)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 8, 2);
    config.clock_hz = 0;
    EQUAL(ls_config_check(&config), LS_CONFIG_CLOCK);
    EQUAL(problem_with(LS_AFTER_FINISH, offsetof(ls_config, buffer_count[0]), 2), LS_CONFIG_OK);
    EQUAL(problem_with(LS_AFTER_FINISH, offsetof(ls_config, buffer_count[0]), 1), LS_CONFIG_BUFFERS);
    EQUAL(problem_with(LS_STAGING, offsetof(ls_config, buffer_count[0]), 1), LS_CONFIG_OK);
    EQUAL(problem_with(LS_STAGING, offsetof(ls_config, pipe_count), 1), LS_CONFIG_PIPES);
    config = tiny(LS_PRODUCER_ROTATED, 8, 2);
    config.pipe_count = 2;
    config.core_count = 32768;
    EQUAL(ls_config_check(&config), LS_CONFIG_OK);
    config.core_count++;
    EQUAL(ls_config_check(&config), LS_CONFIG_PIPES);
    config.core_count = 1;
    config.buffer_records[LS_CORE_SLICE] = 5; /* one more than the clock block takes */
    EQUAL(ls_config_check(&config), LS_CONFIG_OK);
    config.buffer_records[LS_CORE_SLICE] = 4;
    EQUAL(ls_config_check(&config), LS_CONFIG_PIPES);
}

/* ---- Facts that a runtime adds ----------------------------------------------------------------- */

TEST(names_fill_the_table_and_a_name_may_be_given_again)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 2, 2);
    make(&config);
    EQUAL(ls_name_function(NULL, 7, "nobody"), 0);
    EQUAL(ls_name_function(memory, 7, "first"), 1);
    EQUAL(ls_name_function(memory, 8, "second"), 1);
    EQUAL(ls_name_function(memory, 9, "third"), 0);
    EQUAL(ls_name_function(memory, 7, "again"), 1);
    const ls_name_entry *entry = (const ls_name_entry *)(memory + ((ls_header *)memory)->names);
    EQUAL(entry[0].func, 7);
    EQUAL(entry[1].func, 8);
    CHECK(!strcmp(entry[0].name, "again"), "%s", entry[0].name);
    CHECK(!strcmp(entry[1].name, "second"), "%s", entry[1].name);
}

TEST(a_core_is_described_where_it_is_one)
{
    ls_config config = tiny(LS_PRODUCER_ROTATED, 2, 2);
    config.core_count = 2;
    make(&config);
    static uint8_t before[ROOM];
    memcpy(before, memory, ROOM);
    ls_describe_core(memory, 2, "aic", 3, 4);
    ls_core_clock(memory, 2, 5);
    ls_describe_core(NULL, 0, "aic", 3, 4);
    ls_core_clock(NULL, 0, 5);
    CHECK(!memcmp(before, memory, ROOM), "the region has changed");
    const ls_core_entry *entry = (const ls_core_entry *)(memory + ((ls_header *)memory)->cores);
    EQUAL(entry[0].cluster, (uint64_t)-1);
    EQUAL(entry[1].controller, (uint64_t)-1);
    ls_describe_core(memory, 1, "a name of 17 let.", 3, 4);
    ls_core_clock(memory, 1, 5);
    CHECK(!strcmp(entry[1].kind, "a name of 17 le"), "%s", entry[1].kind);
    EQUAL(entry[1].cluster, 3);
    EQUAL(entry[1].controller, 4);
    EQUAL(entry[1].clock_hz, 5);
    EQUAL(entry[0].kind[0] | entry[0].clock_hz, 0);
}

TEST(a_time_of_day_becomes_a_count_of_the_devices_clock)
{
    ls_config config = with_optional_kinds(1);
    make(&config);
    ls_header *header = (ls_header *)memory;
    EQUAL(ls_host_cycles(memory, 5), 0);
    header->clock_hz = 50000000;
    header->clock_unix_ns = UINT64_C(1700000000000000000);
    header->clock_cycles = 1000000;
    EQUAL(ls_host_cycles(memory, header->clock_unix_ns + 3000000020), 1000000 + 150000001);
    EQUAL(ls_host_cycles(memory, header->clock_unix_ns - 1000), 1000000 - 50);
}

int main(int count, char **words)
{
    for (int i = 0; i < unit_count; i++)
        if (count == 2 && !strcmp(units[i].name, words[1])) {
            units[i].run();
            return 0;
        }
    fprintf(stderr, "no test of that name\n");
    return 2;
}
