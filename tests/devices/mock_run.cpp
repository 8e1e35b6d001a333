/* Runs tasks on the mock device and holds what the host gets against what was done.
 *
 *   mock_run PROTOCOL ON_FULL TASKS RECORDS BUFFERS PRE_DISPATCH SEED EVICTS ARRIVES [FILE LINE]
 *
 * TASKS per core; one step in EVICTS evicts a line and one in ARRIVES lets a flushed line arrive, 0: none
 * does. The hook at FILE:LINE is left out. Core and controller talk through registers, which are coherent.
 * Exit status 1 and one line where the host gets something else than was recorded.
 */
#include "mock_actors.h"
#include "mock_memory.h"

#define LS_CLOCK() UINT64_C(0)
#include "lanescope/lanescope.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr uint32_t FIRST_TOKEN = 0xfffffff0u; /* tokens wrap early */

struct registers {
    uint64_t dispatched, acknowledged, finished; /* what the core's two registers tell */
    bool go_home, closed;
};

struct core_run_state {
    uint64_t taken;
    int at; /* 0: waits for a task, 1: has acknowledged one, 2: has told of its end */
};

struct controller_state {
    uint64_t finished;
    bool closed;
};

struct lane_state {
    uint64_t taken, delivered;
    uint64_t next; /* the first task that may come */
};

ls_config config;
uint64_t tasks;
mock_chance chance;
registers wires[MOCK_CORES];
core_run_state runs[MOCK_CORES];
controller_state served[MOCK_CORES];
lane_state lanes[2 * MOCK_CORES];
bool host_rests;
uint32_t rest_left;

[[noreturn]] void wrong(const char *text, ...)
{
    va_list values;
    va_start(values, text);
    vprintf(text, values);
    va_end(values);
    printf("\n");
    exit(1);
}

bool writes_late()
{
    return config.protocol == LS_AFTER_FINISH || config.protocol == LS_PRODUCER_ROTATED;
}

uint32_t token_of(uint64_t k) { return FIRST_TOKEN + uint32_t(k); }
uint64_t task_of(uint32_t core, uint64_t k) { return k * 7 + core; }

/* ---- The host: on the memory itself ------------------------------------------------------------- */

/* The task of a record, by its token; the host knows about where it is. */
uint64_t task_number(const lane_state &state, uint32_t token)
{
    return state.next + uint32_t(token - token_of(state.next));
}

void check_core_record(const ls_lane *lane, const lane_state &state, const ls_core_task *r)
{
    uint64_t k = task_number(state, r->token);
    if (k >= tasks || r->task != task_of(lane->owner, k) || !r->start || r->end != r->start + 1)
        wrong("core %u: after task %llu comes token %u, task %llu, %llu to %llu", lane->owner,
              (unsigned long long)state.next, r->token, (unsigned long long)r->task,
              (unsigned long long)r->start, (unsigned long long)r->end);
}

void check_controller_record(const ls_lane *lane, const lane_state &state, const ls_controller_task *r)
{
    uint64_t k = task_number(state, r->token);
    if (k >= tasks || r->task != task_of(lane->owner, k) || r->finish <= r->dispatch)
        wrong("controller of core %u: after task %llu comes token %u, task %llu", lane->owner,
              (unsigned long long)state.next, r->token, (unsigned long long)r->task);
}

/* The first `count` records of a buffer; the state moves on only where they are taken. */
void check_records(const ls_lane *lane, lane_state *state, const ls_buffer *buffer, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *record = reinterpret_cast<const uint8_t *>(buffer + 1) + i * lane->record_bytes;
        const ls_core_task *task = reinterpret_cast<const ls_core_task *>(record);
        const ls_controller_task *seen = reinterpret_cast<const ls_controller_task *>(record);
        if (lane->kind == LS_CORE_TASK)
            check_core_record(lane, *state, task);
        else
            check_controller_record(lane, *state, seen);
        state->next = task_number(*state, lane->kind == LS_CORE_TASK ? task->token : seen->token) + 1;
    }
}

ls_buffer *checked_buffer(ls_lane *lane, const lane_state &state, uint64_t sequence)
{
    ls_buffer *buffer = ls_buffer_at(mock_memory(), lane, sequence);
    if (buffer->sequence != sequence || buffer->first != state.delivered)
        wrong("lane of kind %u, owner %u: buffer %llu arrives as %llu, after %llu records instead of %llu",
              lane->kind, lane->owner, (unsigned long long)sequence,
              (unsigned long long)buffer->sequence, (unsigned long long)buffer->first,
              (unsigned long long)state.delivered);
    return buffer;
}

void take_buffers(ls_lane *lane, lane_state *state)
{
    for (; state->taken < lane->published; state->taken++) {
        ls_buffer *buffer = checked_buffer(lane, *state, state->taken);
        if (buffer->count > lane->buffer_records)
            wrong("a buffer has %u records", buffer->count);
        check_records(lane, state, buffer, buffer->count);
        state->delivered += buffer->count;
    }
}

/* Looks into the oldest open buffer, as somebody would who saves what was recorded before a crash. */
void look_at_open(ls_lane *lane, const lane_state &state)
{
    if (state.taken != lane->published || lane->opened <= lane->published)
        return;
    ls_buffer *buffer = checked_buffer(lane, state, lane->published);
    lane_state ahead = state;
    uint64_t count = lane->recorded - buffer->first;
    check_records(lane, &ahead, buffer, count < lane->buffer_records ? count : lane->buffer_records);
}

void host_step()
{
    ls_header *header = reinterpret_cast<ls_header *>(mock_memory());
    header->host_beat++;
    if (rest_left) { /* it lives, and gives nothing back */
        rest_left--;
        return;
    }
    if (host_rests && chance.one_in(4000))
        rest_left = 3000;
    uint32_t index = uint32_t(chance.next() % (2 * MOCK_CORES));
    ls_lane *lane = ls_lane_at(mock_memory(), index);
    take_buffers(lane, &lanes[index]);
    look_at_open(lane, lanes[index]);
    if (chance.one_in(2))
        lane->released = lanes[index].taken;
}

/* ---- Cores and their controller ------------------------------------------------------------------ */

void core_step(uint32_t core)
{
    registers &wire = wires[core];
    core_run_state &run = runs[core];
    mock_set_actor(core);
    mock_elapse();
    uint64_t task = task_of(core, run.taken);
    if (run.at == 0 && run.taken < wire.dispatched) {
        core_receive(core);
        wire.acknowledged = run.taken + 1;
        run.at = 1;
    } else if (run.at == 1) {
        core_run(core);
        if (!writes_late())
            core_write(core, task, token_of(run.taken));
        wire.finished = run.taken + 1;
        run.taken += !writes_late();
        run.at = writes_late() ? 2 : 0;
    } else if (run.at == 2) {
        core_write(core, task, token_of(run.taken++));
        run.at = 0;
    } else if (wire.go_home && !wire.closed) {
        core_close(core);
        wire.closed = true;
    }
}

void controller_step(uint32_t core)
{
    registers &wire = wires[core];
    controller_state &own = served[core];
    mock_set_actor(MOCK_CONTROLLER);
    mock_elapse();
    if (chance.one_in(2))
        channel_acknowledged(core, wire.acknowledged);
    for (uint64_t seen = wire.finished; own.finished < seen; own.finished++)
        channel_finish(core, token_of(own.finished), task_of(core, own.finished));
    if (wire.dispatched < tasks && channel_dispatch(core))
        wire.dispatched++;
    if (own.finished == tasks)
        wire.go_home = true;
    if (wire.closed && !own.closed) {
        channel_close(core);
        own.closed = true;
    }
}

bool everybody_has_closed()
{
    for (uint32_t core = 0; core < MOCK_CORES; core++)
        if (!wires[core].closed || !served[core].closed)
            return false;
    return true;
}

void run_all()
{
    uint64_t quiet = 0, done = 0;
    while (!everybody_has_closed()) {
        uint32_t core = uint32_t(chance.next() % MOCK_CORES);
        switch (chance.next() % 4) {
        case 0: controller_step(core); break;
        case 1: host_step(); break;
        default: core_step(core);
        }
        uint64_t now = 0;
        for (uint32_t i = 0; i < MOCK_CORES; i++)
            now += runs[i].taken + served[i].closed;
        quiet = now == done ? quiet + 1 : 0;
        done = now;
        if (quiet > 200000)
            wrong("nothing goes on after %llu tasks", (unsigned long long)done);
    }
}

/* ---- The end ------------------------------------------------------------------------------------- */

void check_lane(uint32_t index)
{
    ls_lane *lane = ls_lane_at(mock_memory(), index);
    lane_state &state = lanes[index];
    take_buffers(lane, &state);
    bool waits = config.on_full == LS_BLOCK
                 && (lane->kind != LS_CORE_TASK || config.protocol != LS_PRODUCER_ROTATED);
    if (state.delivered + lane->dropped != tasks || (waits && lane->dropped))
        wrong("lane of kind %u, owner %u: %llu delivered, %llu dropped of %llu", lane->kind, lane->owner,
              (unsigned long long)state.delivered, (unsigned long long)lane->dropped,
              (unsigned long long)tasks);
    if (lane->recorded != state.delivered || lane->opened != lane->published)
        wrong("lane of kind %u, owner %u: %llu recorded, %llu delivered, %llu opened, %llu published",
              lane->kind, lane->owner, (unsigned long long)lane->recorded,
              (unsigned long long)state.delivered, (unsigned long long)lane->opened,
              (unsigned long long)lane->published);
}

void print_counts(uint32_t actor, const char *name)
{
    mock_counts counts = mock_counted(actor);
    printf("%s stores %llu loads %llu flushes %llu barriers %llu clocks %llu\n", name,
           (unsigned long long)counts.stores,
           (unsigned long long)(counts.calls[MOCK_LOAD] + counts.calls[MOCK_INVALIDATE]),
           (unsigned long long)counts.calls[MOCK_FLUSH],
           (unsigned long long)counts.calls[MOCK_BARRIER], (unsigned long long)counts.clocks);
}

void make_region(uint32_t protocol, uint32_t on_full, uint32_t records, uint32_t buffers)
{
    config = ls_default_config();
    config.flags = ls_level_flags(2);
    config.protocol = protocol;
    config.on_full = on_full;
    config.clock_hz = 1000;
    config.host_lost_cycles = 1000;
    config.core_count = MOCK_CORES;
    config.first_token = FIRST_TOKEN;
    config.name_count = 1;
    for (uint32_t kind = 0; kind < LS_FIRST_OPTIONAL_KIND; kind++) {
        config.buffer_records[kind] = records;
        config.buffer_count[kind] = buffers;
    }
}

} // namespace

void host_goes_on() { host_step(); }

int main(int count, char **words)
{
    auto number = [&](int at) { return at < count ? strtoull(words[at], nullptr, 0) : 0; };
    make_region(uint32_t(number(1)), uint32_t(number(2)), uint32_t(number(4)), uint32_t(number(5)));
    tasks = number(3);
    config.pre_dispatch = uint32_t(number(6));
    chance.state = number(7) * 77 + 1;
    host_rests = number(7) % 2 == 0;
    uint64_t bytes = ls_region_bytes(&config);
    if (!bytes)
        wrong("no region can be made");
    mock_begin(bytes, number(7), uint32_t(number(8)), uint32_t(number(9)));
    if (count > 11)
        mock_leave_out(words[10], int(number(11)));
    ls_region_init(mock_memory(), &config);
    for (uint32_t core = 0; core < MOCK_CORES; core++) {
        mock_set_actor(MOCK_CONTROLLER);
        channel_open(core, mock_view(MOCK_CONTROLLER));
        mock_set_actor(core);
        core_open(core, mock_view(core));
    }
    run_all();
    mock_power_off();
    for (uint32_t index = 0; index < 2 * MOCK_CORES; index++)
        check_lane(index);
    if (mock_line_with_two_writers() >= 0)
        wrong("line %d has two writers", mock_line_with_two_writers());
    print_counts(0, "core");
    mock_print_hooks();
    return 0;
}
