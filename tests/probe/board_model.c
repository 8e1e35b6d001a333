/* A board for the probe agent with a model of a trace engine in it, so that the agent runs without a chip.
 *
 * It is written from docs/core-swimlane.md and shares nothing with the simulator in Python. Arguments are NAME=VALUE:
 * address=virtual|engine|physical, physical=none, wrap=ring, pointer=byte_count|burst_index, kernels=slow, state=FILE.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "board.h"

enum { MEMORY = 1 << 20, BURST = 32, CHUNKS = 8, PIPES = 7 };
static const char *const PIPE[PIPES] = {"scalar", "vector", "cube", "mte1", "mte2", "mte3", "fixp"};
static const uint64_t FIRST[3] = {0x7f0000000000, 0x3400000000, 0x500000000}; /* virtual, engine, physical */

static uint8_t memory[MEMORY];
static uint32_t memory_used, mapped_at[64], mapped_count;
static int space, tells_physical = 1, ring, byte_count, burst_index, slow;
static const char *state_file;
static uint64_t ticks = 1000000;

static uint32_t own_enable, enable, length, base_low, base_high, created, written, bursts, held[CHUNKS], held_count;

const char *board_open(int argc, char **argv, struct board_about *about) {
    *about = (struct board_about){2000000000, 1000000000, 1, "scalar vector cube mte1 mte2 mte3 fixp"};
    for (int at = 1; at < argc; at++) {
        if (!strcmp(argv[at], "address=engine")) space = 1;
        else if (!strcmp(argv[at], "address=physical")) space = 2;
        else if (!strcmp(argv[at], "address=virtual")) space = 0;
        else if (!strcmp(argv[at], "physical=none")) tells_physical = 0;
        else if (!strcmp(argv[at], "wrap=ring")) ring = 1;
        else if (!strcmp(argv[at], "pointer=byte_count")) byte_count = 1;
        else if (!strcmp(argv[at], "pointer=burst_index")) burst_index = 1;
        else if (!strcmp(argv[at], "kernels=slow")) slow = 1;
        else if (!strncmp(argv[at], "state=", 6)) state_file = argv[at] + 6;
        else return "unknown setting";
    }
    return NULL;
}

static int reaches(uint64_t place) {
    if (space != 1) return place <= MEMORY - BURST;
    for (uint32_t at = 0; at < mapped_count; at++)
        if (place >= mapped_at[2 * at] && place + BURST <= mapped_at[2 * at + 1]) return 1;
    return 0;
}

static void send_burst(const uint32_t *chunks, uint32_t count) {
    uint32_t room = length / BURST;
    if (room == 0 || (!ring && bursts >= room)) return;
    uint64_t place = ((uint64_t)(base_high & 0xFFFF) << 32 | base_low) - FIRST[space] + bursts % room * BURST;
    if (reaches(place)) memcpy(memory + place, chunks, BURST);
    bursts++;
    written += count;
}

static void make(uint32_t chunk) {
    if (!(own_enable & enable & 1)) return;
    created++;
    held[held_count++] = chunk;
    if (held_count == CHUNKS) send_burst(held, CHUNKS), held_count = 0;
}

static void flush(void) {
    if (held_count == 0) return;
    uint32_t count = held_count;
    held[held_count++] = 0xEFFFFFFF;
    while (held_count < CHUNKS) held[held_count++] = 0xDDDDDDDD;
    send_burst(held, count);
    held_count = 0;
}

int board_read(uint32_t offset, uint32_t *value) {
    uint32_t room = length / BURST, place = ring && room && !byte_count ? bursts % room : bursts;
    switch (offset) {
    case 0x00C4: *value = own_enable; return 0;
    case 0xB000: *value = enable; return 0;
    case 0xB004: *value = length; return 0;
    case 0xB00C: *value = base_low; return 0;
    case 0xB010: *value = base_high; return 0;
    case 0xB01C: *value = burst_index ? place : place * BURST; return 0;
    case 0xB020: *value = created; return 0;
    case 0xB028: *value = written; return 0;
    default: return 1;
    }
}

int board_write(uint32_t offset, uint32_t value) {
    switch (offset) {
    case 0x00C4: own_enable = value; return 0;
    case 0xB000:
        if (!(value & 1) && (own_enable & enable & 1)) flush();
        enable = value;
        return 0;
    case 0xB004: length = value; return 0;
    case 0xB00C: base_low = value, bursts = 0; return 0;
    case 0xB010: base_high = value, bursts = 0; return 0;
    case 0xB024: created = value & 1 ? 0 : created; return 0;
    case 0xB028: written = value ? written : 0; return 0;
    default: return 1;
    }
}

uint64_t board_counter(void) { return ticks; }

int board_allocate(uint32_t size, struct board_buffer *buffer) {
    uint32_t start = memory_used;
    if (size > MEMORY - start) return 1;
    memory_used += (size + 63) / 64 * 64;
    buffer->bytes = memory + start;
    buffer->virtual_address = FIRST[0] + start;
    buffer->physical_address = tells_physical ? FIRST[2] + start : BOARD_NO_ADDRESS;
    return 0;
}

uint64_t board_map(const struct board_buffer *buffer) {
    uint32_t start = (uint32_t)(buffer->bytes - memory);
    if (2 * mapped_count >= 64) return BOARD_NO_ADDRESS;
    mapped_at[2 * mapped_count] = start, mapped_at[2 * mapped_count + 1] = start + buffer->size;
    mapped_count++;
    return FIRST[1] + start;
}

void board_flush(const struct board_buffer *buffer, uint32_t start, uint32_t size) {
    (void)buffer, (void)start, (void)size;
}

int board_drop(const struct board_buffer *buffer) {
    (void)buffer;
    return 0;
}

static void mark(uint32_t pipe, uint32_t number) {
    uint32_t code = pipe == 6 ? 10 : pipe;
    make(number << 16); /* issued on scalar */
    if (pipe != 0) make(code << 28 | number << 16);
}

int board_kernel(const struct board_step *steps, size_t count) {
    struct timespec long_time = {60, 0};
    if (slow) nanosleep(&long_time, NULL);
    ticks += 100;
    for (uint32_t part = 0; part < 4; part++)
        make(14u << 28 | part << 24 | (uint32_t)(ticks >> 16 * part & 0xFFFF));
    for (size_t at = 0; at < count; at++) {
        uint32_t pipe = 0;
        while (pipe < PIPES && strcmp(PIPE[pipe], steps[at].pipe)) pipe++;
        if (pipe == PIPES) return 1;
        mark(pipe, 1024 + steps[at].mark);
        make(15u << 28 | 1u << pipe << 16);
        make(15u << 28 | steps[at].cycles);
        mark(pipe, 3072 + steps[at].mark);
        ticks += steps[at].cycles / 2;
    }
    ticks += 100;
    return 0;
}

void board_close(void) {
    FILE *file = state_file ? fopen(state_file, "w") : NULL;
    if (file) fprintf(file, "%u %u\n", enable, own_enable), fclose(file);
}
