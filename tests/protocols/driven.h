/* What driven_actors.c (with the header under test) and driven_hooks.c (which drives it) share. */
#ifndef DRIVEN_H
#define DRIVEN_H

#include <stddef.h>
#include <stdint.h>

#define DRIVEN_ACTORS 3 /* core, controller, host */

enum { DRIVEN_NOTHING, DRIVEN_LOAD, DRIVEN_STORE, DRIVEN_ADD, DRIVEN_READ, DRIVEN_WRITE, DRIVEN_COPY };

/* All words are 64 bits wide, so that Python makes them as one array. */
typedef struct {
    int64_t kind;
    int64_t order;  /* as the compiler numbers them: 0 relaxed, 2 acquire, 3 release */
    int64_t offset; /* in the block */
    int64_t bytes;
    int64_t value;
} driven_access;

typedef struct {
    int64_t actor;
    int64_t command;  /* the call that the access belongs to; it begins where the actor is in none */
    int64_t clock;    /* what the clock says during a call that begins here */
    int64_t compares; /* not 0: the value must be the same, too */
    driven_access access;
} driven_step;

typedef struct {
    int64_t protocol, on_full, pre_dispatch, buffer_records, buffer_count, host_lost_cycles;
} driven_setting;

extern uint8_t *driven_block; /* the region, and behind it `dispatched`, `told` and `acknowledged` */
extern int64_t driven_bytes;
extern uint64_t driven_clock;

void driven_begin(const driven_setting *setting);
void driven_places(const driven_setting *setting, int64_t *places);
void driven_call(int64_t command);
int driven_is_constant(int64_t offset);
int driven_is_buffer(int64_t offset);
int64_t driven_first_task(void);
void *driven_memcpy(void *target, const void *source, size_t bytes);

#endif
