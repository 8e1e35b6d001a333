/* The probe agent: answers one line per request, so that `lanescope probe --agent COMMAND` can try a trace engine.
 *
 * docs/probe-agent.md describes the protocol. A platform is a file with the functions of board.h:
 *     cc -std=c11 -O2 probe_agent.c board_window.c -o probe_agent
 */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"

enum {
    LINE_BYTES = 4096,
    PIECE_BYTES = 1024,
    MOST_BUFFERS = 64,
    MOST_STEPS = 64,
    MOST_WORDS = MOST_STEPS + 1,
    MOST_BYTES = 1 << 20,
    /* Registers of a core's trace engine: hw-native-sys/simpler issue #905. */
    PERF_MON_EN = 0x00C4,
    PERF_MON_GLOBAL_EN = 0xB000,
};

struct request {
    char *words[MOST_WORDS];
    int count; /* words after the request's number */
};

static struct board_about about;
static struct board_buffer buffers[MOST_BUFFERS];
static int buffer_count;
static char values[LINE_BYTES]; /* of the answer that is being made, each after a space */
static size_t values_length;
static volatile sig_atomic_t told_to_end;

static void end(int signal_number) {
    (void)signal_number;
    told_to_end = 1;
}

static void tell(const char *format, ...) {
    va_list given;
    va_start(given, format);
    int length = vsnprintf(values + values_length, sizeof values - values_length, format, given);
    va_end(given);
    values_length += (size_t)length;
}

/* Decimal, or hexadecimal after 0x. */
static bool number(const char *word, uint64_t below, uint64_t *value) {
    bool hex = word[0] == '0' && word[1] == 'x';
    const char *digits = hex ? word + 2 : word;
    size_t length = strlen(digits);
    if (length == 0 || length > (hex ? 16 : 19) || strspn(digits, hex ? "0123456789abcdef" : "0123456789") != length)
        return false;
    *value = strtoull(digits, NULL, hex ? 16 : 10);
    return *value < below;
}

static int nibble(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

static bool buffer_of(const char *word, struct board_buffer **buffer) {
    uint64_t index;
    if (!number(word, (uint64_t)buffer_count, &index)) return false;
    *buffer = &buffers[index];
    return true;
}

/* The functions below tell the values of an answer and return NULL, or return a sentence. */

static const char *do_about(struct request *r) {
    (void)r;
    tell(" %llu %llu %d %s", (unsigned long long)about.core_hz, (unsigned long long)about.counter_hz, about.can_drop,
           about.pipes);
    return NULL;
}

static const char *do_read(struct request *r) {
    uint64_t offset;
    uint32_t value;
    if (!number(r->words[1], UINT32_MAX, &offset)) return "expected the offset of a register";
    if (board_read((uint32_t)offset, &value)) return "no such register";
    tell(" %lu", (unsigned long)value);
    return NULL;
}

static const char *do_write(struct request *r) {
    uint64_t offset, value;
    if (!number(r->words[1], UINT32_MAX, &offset) || !number(r->words[2], 1ULL << 32, &value))
        return "expected the offset of a register and 32 bits";
    return board_write((uint32_t)offset, (uint32_t)value) ? "no such register takes that" : NULL;
}

static const char *do_counter(struct request *r) {
    (void)r;
    tell(" %llu", (unsigned long long)board_counter());
    return NULL;
}

static void print_address(uint64_t address) {
    if (address == BOARD_NO_ADDRESS)
        tell(" none");
    else
        tell(" 0x%llx", (unsigned long long)address);
}

static const char *do_alloc(struct request *r) {
    uint64_t size;
    struct board_buffer *buffer = &buffers[buffer_count];
    if (buffer_count == MOST_BUFFERS) return "all buffers are taken";
    if (!number(r->words[1], MOST_BYTES + 1, &size) || size == 0) return "expected a size of 1 to 1048576 bytes";
    if (board_allocate((uint32_t)size, buffer)) return "there is no memory left";
    buffer->size = (uint32_t)size;
    tell(" %d", buffer_count++);
    print_address(buffer->virtual_address);
    print_address(buffer->physical_address);
    return NULL;
}

static const char *do_map(struct request *r) {
    struct board_buffer *buffer;
    if (!buffer_of(r->words[1], &buffer)) return "no such buffer";
    print_address(board_map(buffer));
    return NULL;
}

static const char *do_fill(struct request *r) {
    struct board_buffer *buffer;
    uint64_t start;
    const char *hex = r->words[3];
    size_t size = strlen(hex) / 2;
    if (!buffer_of(r->words[1], &buffer)) return "no such buffer";
    if (size == 0 || strlen(hex) % 2 || size > PIECE_BYTES || size > buffer->size
        || !number(r->words[2], buffer->size - size + 1, &start) || strspn(hex, "0123456789abcdef") != 2 * size)
        return "expected a place in the buffer and bytes that fit there";
    for (size_t at = 0; at < size; at++)
        buffer->bytes[start + at] = (uint8_t)(nibble(hex[2 * at]) << 4 | nibble(hex[2 * at + 1]));
    board_flush(buffer, (uint32_t)start, (uint32_t)size);
    return NULL;
}

static const char *do_peek(struct request *r) {
    struct board_buffer *buffer;
    uint64_t start, size;
    if (!buffer_of(r->words[1], &buffer)) return "no such buffer";
    if (!number(r->words[3], PIECE_BYTES + 1, &size) || size == 0 || size > buffer->size
        || !number(r->words[2], buffer->size - size + 1, &start))
        return "expected a place in the buffer and a size that fits there";
    tell(" ");
    for (uint64_t at = start; at < start + size; at++) tell("%02x", ((volatile uint8_t *)buffer->bytes)[at]);
    return NULL;
}

static const char *do_drop(struct request *r) {
    struct board_buffer *buffer;
    if (!buffer_of(r->words[1], &buffer)) return "no such buffer";
    return board_drop(buffer) ? "the cache cannot be invalidated" : NULL;
}

static bool step_of(char *word, struct board_step *step) {
    char *cycles = strchr(word, ':'), *mark = cycles ? strchr(cycles + 1, ':') : NULL;
    uint64_t value;
    if (mark == NULL || (size_t)(cycles - word) >= sizeof step->pipe) return false;
    *cycles++ = *mark++ = '\0';
    strcpy(step->pipe, word);
    if (!number(cycles, 1 << 20, &value)) return false;
    step->cycles = (uint32_t)value;
    if (!number(mark, 1 << 10, &value)) return false;
    step->mark = (uint32_t)value;
    return true;
}

static const char *do_kernel(struct request *r) {
    struct board_step steps[MOST_STEPS];
    if (r->count < 2) return "expected steps";
    for (int at = 1; at < r->count; at++)
        if (!step_of(r->words[at], &steps[at - 1])) return "expected steps PIPE:CYCLES:MARK";
    return board_kernel(steps, (size_t)r->count - 1) ? "the kernel did not run" : NULL;
}

static const char *do_bye(struct request *r) {
    (void)r;
    told_to_end = 1;
    return NULL;
}

static const struct {
    const char *word;
    int count; /* with the word itself; 0: any number */
    const char *(*run)(struct request *);
} REQUESTS[] = {
    {"about", 1, do_about}, {"read", 2, do_read}, {"write", 3, do_write},   {"counter", 1, do_counter},
    {"alloc", 2, do_alloc}, {"map", 2, do_map},   {"fill", 4, do_fill},     {"peek", 4, do_peek},
    {"drop", 2, do_drop},   {"bye", 1, do_bye},   {"kernel", 0, do_kernel},
};

static void answer(char *line) {
    struct request r = {.count = 0};
    char *asked = strtok(line, " "), *word;
    while ((word = strtok(NULL, " ")) != NULL && r.count < MOST_WORDS) r.words[r.count++] = word;
    const char *refusal = "expected NUMBER WORD ARGUMENT...";
    uint64_t ignored;
    if (asked == NULL || !number(asked, UINT64_MAX, &ignored)) asked = "0", r.count = 0;
    values_length = 0;
    for (size_t at = 0; r.count && word == NULL && at < sizeof REQUESTS / sizeof REQUESTS[0]; at++) {
        if (strcmp(r.words[0], REQUESTS[at].word) || (REQUESTS[at].count && REQUESTS[at].count != r.count)) continue;
        refusal = REQUESTS[at].run(&r);
        break;
    }
    if (refusal)
        printf("%s error %s\n", asked, refusal);
    else
        printf("%s ok%.*s\n", asked, (int)values_length, values);
}

int main(int argc, char **argv) {
    static char line[LINE_BYTES + 1], answers[2 * LINE_BYTES];
    struct sigaction ending = {.sa_handler = end}; /* without SA_RESTART: a read that waits comes back */
    sigaction(SIGTERM, &ending, NULL);
    sigaction(SIGINT, &ending, NULL);
    signal(SIGPIPE, SIG_IGN); /* the engine is switched off also where nobody reads */
    const char *problem = board_open(argc, argv, &about);
    if (problem) {
        fprintf(stderr, "probe_agent: %s\n", problem);
        return 1;
    }
    setvbuf(stdout, answers, _IOFBF, sizeof answers);
    puts("lanescope-probe-agent 1");
    while (fflush(stdout) == 0 && !told_to_end && fgets(line, sizeof line, stdin)) {
        size_t length = strcspn(line, "\n");
        bool whole = line[length] == '\n';
        line[length] = '\0';
        answer(line);
        told_to_end |= !whole;
    }
    fflush(stdout);
    board_write(PERF_MON_GLOBAL_EN, 0);
    board_write(PERF_MON_EN, 0);
    board_close();
    return 0;
}
