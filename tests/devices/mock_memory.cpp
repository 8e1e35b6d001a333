/* The memory of mock_memory.h. */
#include "mock_memory.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr uint64_t LINE = 64;

struct actor_view {
    uint8_t *bytes = nullptr;
    std::vector<uint8_t> loaded; /* the lines as they were loaded or flushed: others are dirty */
    std::vector<std::pair<uint64_t, std::vector<uint8_t>>> on_its_way;
    std::vector<uint64_t> recent; /* lines that hooks named: where something happens */
    mock_counts counts = {};
};

uint64_t line_count, ticks;
uint32_t evicts, arrives, now;
mock_chance chance;
uint8_t *memory;
actor_view views[MOCK_ACTORS];
std::vector<uint8_t> writers; /* by line: a bit per actor */
std::string left_out_file;
int left_out_line;
std::map<std::pair<std::string, int>, std::pair<mock_hook, uint64_t>> called;

uint8_t *aligned(uint64_t bytes)
{
    return static_cast<uint8_t *>(aligned_alloc(LINE, bytes));
}

void write_line(uint32_t actor, uint64_t line, const uint8_t *data)
{
    if (memcmp(memory + line * LINE, data, LINE) != 0)
        writers[line] |= uint8_t(1u << actor);
    memcpy(memory + line * LINE, data, LINE);
}

void arrive(uint32_t actor, size_t which)
{
    actor_view &v = views[actor];
    write_line(actor, v.on_its_way[which].first, v.on_its_way[which].second.data());
    v.on_its_way.erase(v.on_its_way.begin() + long(which));
}

void arrive_line(uint32_t actor, uint64_t line)
{
    actor_view &v = views[actor];
    for (size_t i = 0; i < v.on_its_way.size(); i++)
        if (v.on_its_way[i].first == line)
            return arrive(actor, i);
}

bool is_dirty(const actor_view &v, uint64_t line)
{
    return memcmp(v.bytes + line * LINE, v.loaded.data() + line * LINE, LINE) != 0;
}

void load(uint32_t actor, uint64_t line)
{
    actor_view &v = views[actor];
    arrive_line(actor, line); /* an actor sees what it has flushed itself */
    memcpy(v.bytes + line * LINE, memory + line * LINE, LINE);
    memcpy(v.loaded.data() + line * LINE, memory + line * LINE, LINE);
}

void flush(uint32_t actor, uint64_t line)
{
    actor_view &v = views[actor];
    if (!is_dirty(v, line))
        return;
    std::vector<uint8_t> data(v.bytes + line * LINE, v.bytes + (line + 1) * LINE);
    memcpy(v.loaded.data() + line * LINE, data.data(), LINE);
    for (auto &one : v.on_its_way)
        if (one.first == line) {
            one.second = std::move(data);
            return;
        }
    v.on_its_way.emplace_back(line, std::move(data));
}

void evict(uint32_t actor, uint64_t line)
{
    actor_view &v = views[actor];
    arrive_line(actor, line);
    if (is_dirty(v, line))
        write_line(actor, line, v.bytes + line * LINE);
    load(actor, line);
}

void barrier(uint32_t actor)
{
    while (!views[actor].on_its_way.empty())
        arrive(actor, 0);
}

} // namespace

uint64_t mock_chance::next()
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

void mock_begin(uint64_t bytes, uint64_t seed, uint32_t evicts_one_in, uint32_t arrives_one_in)
{
    line_count = (bytes + LINE - 1) / LINE;
    evicts = evicts_one_in;
    arrives = arrives_one_in;
    chance.state = seed * 0x9E3779B97F4A7C15u + 1;
    memory = aligned(line_count * LINE);
    memset(memory, 0, line_count * LINE);
    writers.assign(line_count, 0);
    for (actor_view &v : views) {
        v.bytes = aligned(line_count * LINE);
        memset(v.bytes, 0x5a, line_count * LINE); /* stale: what lay there before the region did */
        v.loaded.assign(line_count * LINE, 0x5a);
    }
}

uint8_t *mock_memory() { return memory; }
uint8_t *mock_view(uint32_t actor) { return views[actor].bytes; }
void mock_set_actor(uint32_t actor) { now = actor; }

void mock_elapse()
{
    actor_view &v = views[now];
    if (!v.on_its_way.empty() && chance.one_in(arrives))
        arrive(now, chance.next() % v.on_its_way.size());
    if (!chance.one_in(evicts))
        return;
    bool near = !v.recent.empty() && chance.next() % 2;
    evict(now, near ? v.recent[chance.next() % v.recent.size()] : chance.next() % line_count);
}

void mock_power_off()
{
    for (actor_view &v : views)
        v.on_its_way.clear();
}

int mock_line_with_two_writers()
{
    for (uint64_t line = 0; line < line_count; line++)
        if (writers[line] & (writers[line] - 1))
            return int(line);
    return -1;
}

void mock_leave_out(const char *file, int line)
{
    left_out_file = file;
    left_out_line = line;
}

void mock_call(mock_hook hook, const volatile void *address, const char *path, int line)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    actor_view &v = views[now];
    v.counts.calls[hook]++;
    mock_elapse();
    if (line == left_out_line && left_out_file == file)
        return;
    static thread_local const char *last_file = nullptr;
    static thread_local int last_line = 0;
    static std::pair<mock_hook, uint64_t> *last = nullptr;
    if (file != last_file || line != last_line || !last)
        last = &called[{file, line}];
    last_file = file;
    last_line = line;
    last->first = hook;
    last->second++;
    if (hook == MOCK_BARRIER)
        return barrier(now);
    uint64_t at = uint64_t(static_cast<const volatile uint8_t *>(address) - v.bytes) / LINE;
    if (v.recent.size() < 16)
        v.recent.push_back(at);
    else
        v.recent[chance.next() % 16] = at;
    if (hook == MOCK_FLUSH)
        flush(now, at);
    else
        load(now, at);
    mock_elapse();
}

void mock_store(const void *address)
{
    actor_view &v = views[now];
    uint64_t at = uint64_t(static_cast<const uint8_t *>(address) - v.bytes);
    v.counts.stores += at < line_count * LINE;
}

uint64_t mock_clock()
{
    views[now].counts.clocks++;
    return ++ticks;
}

void mock_print_hooks()
{
    static const char *const names[] = {"LOAD_LINE", "INVALIDATE_LINE", "FLUSH_LINE", "BARRIER"};
    for (const auto &one : called)
        printf("hook %s:%d %s %llu\n", one.first.first.c_str(), one.first.second,
               names[one.second.first], (unsigned long long)one.second.second);
}

mock_counts mock_counted(uint32_t actor) { return views[actor].counts; }
