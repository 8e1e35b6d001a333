/* A board for the probe agent whose registers and memory are files that can be mapped, as a driver offers them.
 *
 *     probe_agent --registers FILE[@OFFSET] --core N --memory FILE@VIRTUAL[,PHYSICAL[,ENGINE]] --kernel PROGRAM
 *                 --core-hz N --counter-hz N [--pipes "scalar vector"]
 *
 * FILE@OFFSET is the window of a cluster, core N of it is N MB behind. VIRTUAL, PHYSICAL and ENGINE are the addresses
 * of the memory file's first byte, or the word none; ENGINE is that of a stream of the engine's own. PROGRAM is started
 * once per kernel with the steps PIPE:CYCLES:MARK as arguments, launches them on the core and ends with 0. The counter
 * is that of the CPU or, where it is not an aarch64 one, CLOCK_MONOTONIC. Nobody has tried this file on a chip.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "board.h"

enum { WINDOW_BYTES = 3 << 20, CORE_BYTES = 1 << 20, PAGE = 4096, LINE = 64 };

static volatile uint32_t *registers; /* of the whole cluster */
static uint32_t first_register;      /* of the core, in bytes */
static uint8_t *memory;
static uint64_t memory_bytes, memory_used, counter_hz;
static uint64_t address[3] = {BOARD_NO_ADDRESS, BOARD_NO_ADDRESS, BOARD_NO_ADDRESS}; /* virtual, physical, engine */
static const char *kernel_program;

/* Maps `bytes` of a file from an offset on; 0 bytes: to its end, whose size is then in *size. */
static void *mapped(const char *path, uint64_t offset, uint64_t bytes, uint64_t *size) {
    struct stat facts;
    int file = open(path, O_RDWR | O_SYNC);
    if (file < 0) return NULL;
    if (bytes == 0 && fstat(file, &facts) == 0) bytes = (uint64_t)facts.st_size;
    void *place = bytes ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)offset) : MAP_FAILED;
    close(file);
    if (size) *size = bytes;
    return place == MAP_FAILED ? NULL : place;
}

static const char *open_registers(char *text) {
    char *at = strchr(text, '@');
    if (at) *at++ = '\0';
    registers = mapped(text, at ? strtoull(at, NULL, 0) : 0, WINDOW_BYTES, NULL);
    return registers ? NULL : "the register window cannot be mapped";
}

static const char *open_memory(char *text) {
    char *at = strchr(text, '@');
    if (at == NULL) return "expected --memory FILE@VIRTUAL[,PHYSICAL[,ENGINE]]";
    *at++ = '\0';
    memory = mapped(text, 0, 0, &memory_bytes);
    char *word = strtok(at, ",");
    for (int space = 0; space < 3 && word; space++, word = strtok(NULL, ","))
        if (strcmp(word, "none") != 0) address[space] = strtoull(word, NULL, 0);
    if (address[0] == BOARD_NO_ADDRESS) return "expected a virtual address after --memory FILE@";
    return memory ? NULL : "the memory cannot be mapped";
}

const char *board_open(int argc, char **argv, struct board_about *about) {
    const char *problem = NULL;
    unsigned long core = 0;
    *about = (struct board_about){.pipes = "scalar vector cube mte1 mte2 mte3 fixp"};
#ifdef __aarch64__
    about->can_drop = 1;
#endif
    for (int at = 1; at + 1 < argc && problem == NULL; at += 2) {
        char *name = argv[at], *value = argv[at + 1];
        if (!strcmp(name, "--registers")) problem = open_registers(value);
        else if (!strcmp(name, "--memory")) problem = open_memory(value);
        else if (!strcmp(name, "--core")) core = strtoul(value, NULL, 10);
        else if (!strcmp(name, "--kernel")) kernel_program = value;
        else if (!strcmp(name, "--core-hz")) about->core_hz = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--counter-hz")) about->counter_hz = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--pipes")) about->pipes = value;
        else problem = "unknown option; the options are at the top of board_window.c";
    }
    if (problem) return problem;
    if (argc % 2 == 0 || !registers || !memory || !kernel_program || !about->core_hz || !about->counter_hz)
        return "expected --registers, --memory, --kernel, --core-hz and --counter-hz, each with a value";
    if (core > 2) return "expected --core 0, 1 or 2";
    first_register = (uint32_t)core * CORE_BYTES;
    counter_hz = about->counter_hz;
    return NULL;
}

static volatile uint32_t *register_at(uint32_t offset) {
    return offset % 4 == 0 && offset < CORE_BYTES ? registers + (first_register + offset) / 4 : NULL;
}

int board_read(uint32_t offset, uint32_t *value) {
    volatile uint32_t *word = register_at(offset);
    if (word) *value = *word;
    return word == NULL;
}

int board_write(uint32_t offset, uint32_t value) {
    volatile uint32_t *word = register_at(offset);
    if (word) *word = value;
    return word == NULL;
}

uint64_t board_counter(void) {
#ifdef __aarch64__
    uint64_t ticks, hz;
    __asm__ volatile("isb; mrs %0, cntvct_el0; mrs %1, cntfrq_el0" : "=r"(ticks), "=r"(hz));
    return (uint64_t)((unsigned __int128)ticks * counter_hz / hz);
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t whole = (uint64_t)now.tv_sec * counter_hz;
    return whole + (uint64_t)((double)now.tv_nsec * 1e-9 * (double)counter_hz);
#endif
}

int board_allocate(uint32_t size, struct board_buffer *buffer) {
    uint64_t start = memory_used, taken = ((uint64_t)size + PAGE - 1) / PAGE * PAGE;
    if (taken > memory_bytes - memory_used) return 1;
    memory_used += taken;
    buffer->bytes = memory + start;
    buffer->virtual_address = address[0] + start;
    buffer->physical_address = address[1] == BOARD_NO_ADDRESS ? BOARD_NO_ADDRESS : address[1] + start;
    return 0;
}

uint64_t board_map(const struct board_buffer *buffer) {
    return address[2] == BOARD_NO_ADDRESS ? BOARD_NO_ADDRESS : address[2] + (uint64_t)(buffer->bytes - memory);
}

/* Writes back and drops lines. Elsewhere than on aarch64 caches are coherent with devices. */
void board_flush(const struct board_buffer *buffer, uint32_t start, uint32_t size) {
#ifdef __aarch64__
    for (uint32_t at = start / LINE * LINE; at < start + size; at += LINE)
        __asm__ volatile("dc civac, %0" ::"r"(buffer->bytes + at) : "memory");
    __asm__ volatile("dsb sy; isb" ::: "memory");
#else
    (void)buffer, (void)start, (void)size;
#endif
}

int board_drop(const struct board_buffer *buffer) {
    board_flush(buffer, 0, buffer->size);
#ifdef __aarch64__
    return 0;
#else
    return 1;
#endif
}

int board_kernel(const struct board_step *steps, size_t count) {
    char words[64][32];
    char *arguments[66] = {(char *)kernel_program};
    int status = 1;
    for (size_t at = 0; at < count; at++) {
        snprintf(words[at], sizeof words[at], "%s:%lu:%lu", steps[at].pipe, (unsigned long)steps[at].cycles,
                 (unsigned long)steps[at].mark);
        arguments[at + 1] = words[at];
    }
    pid_t child = fork();
    if (child == 0) {
        close(STDIN_FILENO);                /* requests are for the agent only, */
        dup2(STDERR_FILENO, STDOUT_FILENO); /* and its output is for answers */
        execvp(kernel_program, arguments);
        _exit(127);
    }
    return child < 0 || waitpid(child, &status, 0) < 0 || status != 0;
}

void board_close(void) {
    munmap((void *)registers, WINDOW_BYTES);
    munmap(memory, memory_bytes);
}
