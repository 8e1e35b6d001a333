/* What a platform fills in for the probe agent (probe_agent.c): registers, memory and kernels of one core.
 *
 * board_window.c is one: registers and memory are files that can be mapped. Functions that return an int return 0
 * where it worked. The agent calls them from one thread.
 */
#ifndef LANESCOPE_PROBE_BOARD_H
#define LANESCOPE_PROBE_BOARD_H

#include <stddef.h>
#include <stdint.h>

#define BOARD_NO_ADDRESS UINT64_MAX

struct board_about {
    uint64_t core_hz;
    uint64_t counter_hz;
    int can_drop;      /* whether board_drop works */
    const char *pipes; /* such as "scalar vector cube mte1 mte2 mte3 fixp", one space between two */
};

struct board_buffer {
    uint8_t *bytes; /* as this program sees it */
    uint32_t size;
    uint64_t virtual_address;  /* as kernels see it */
    uint64_t physical_address; /* or BOARD_NO_ADDRESS */
};

struct board_step {
    char pipe[8];
    uint32_t cycles; /* the pipe is busy for so many core cycles */
    uint32_t mark;   /* mark_stamp(pipe, 1024 + mark) at the begin, (pipe, 3072 + mark) at the end */
};

/* Reads the program's arguments and maps what is needed. Returns NULL, or a sentence about what is wrong. */
const char *board_open(int argc, char **argv, struct board_about *about);

/* A register of the core, 32 bits at an offset in bytes. */
int board_read(uint32_t offset, uint32_t *value);
int board_write(uint32_t offset, uint32_t value);

/* The system counter, whose ticks are in start stamps. */
uint64_t board_counter(void);

/* Memory that this program has not read yet, on a page of its own. It stays until board_close. */
int board_allocate(uint32_t size, struct board_buffer *buffer);

/* Maps a buffer for a stream (SMMU) of the engine's own. Returns its address there, or BOARD_NO_ADDRESS. */
uint64_t board_map(const struct board_buffer *buffer);

/* Writes this program's cached bytes of a part of a buffer to memory, and drops them from the cache. */
void board_flush(const struct board_buffer *buffer, uint32_t start, uint32_t size);

/* Drops a buffer from this program's cache, so that the next read comes from memory. */
int board_drop(const struct board_buffer *buffer);

/* Runs the steps one after the other on the core, to their end. */
int board_kernel(const struct board_step *steps, size_t count);

/* Gives everything back. The engine is off by then. */
void board_close(void);

#endif
