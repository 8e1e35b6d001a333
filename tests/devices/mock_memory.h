/* A memory that is not coherent, for the recording headers to run on.
 *
 * Every actor (a core, a controller) has a view: its own copy of the region, which stands for its cache.
 * A region has offsets and no pointers, so the headers work on a view as they are, with plain loads and
 * stores. What an actor wrote is in its view only, until a line of it goes to the memory:
 *
 *   flush        the line is on its way; it arrives at some later moment, or at the next barrier
 *   load         the view's line is the memory's again; what was written there and not flushed is lost
 *   eviction     at any moment: a line that was written goes to the memory as a whole, then the view's
 *                line is the memory's again
 *
 * The host works on the memory itself. Chance is seeded, so a run can be repeated.
 *
 * A hook is known by the line of the header that it stands in. One can be left out for a run: then the
 * run must go wrong. Sides that write into one line of the memory are noted.
 */
#ifndef MOCK_MEMORY_H
#define MOCK_MEMORY_H

#include <cstdint>

enum mock_hook { MOCK_LOAD, MOCK_INVALIDATE, MOCK_FLUSH, MOCK_BARRIER };

struct mock_chance {
    uint64_t state;
    uint64_t next();
    bool one_in(uint32_t n) { return n != 0 && next() % n == 0; }
};

constexpr uint32_t MOCK_ACTORS = 8;

void mock_begin(uint64_t bytes, uint64_t seed, uint32_t evicts_one_in, uint32_t arrives_one_in);
uint8_t *mock_memory(); /* as the host sees it */
uint8_t *mock_view(uint32_t actor);
void mock_set_actor(uint32_t actor); /* who makes the next calls */
void mock_elapse();                  /* some lines arrive, some are evicted */
void mock_power_off();               /* what has not arrived never will */
int mock_line_with_two_writers();    /* its number, -1: there is none */

void mock_leave_out(const char *file, int line);
void mock_call(mock_hook hook, const volatile void *address, const char *file, int line);
void mock_store(const void *address);
uint64_t mock_clock();
void mock_print_hooks(); /* FILE:LINE KIND TIMES per hook that was called */

struct mock_counts {
    uint64_t calls[4], clocks, stores; /* stores into the region */
};
mock_counts mock_counted(uint32_t actor);

#endif
