/* Runs three actors one access at a time, in the order that a test asks for.
 *
 * driven_actors.c is compiled with -fsanitize=thread, so the compiler calls the functions below at
 * every load and store, atomic or plain. They stop the actor before each access to the shared block:
 * the region, and the mailbox behind it. The sanitizer's own library is not linked.
 */
#include "driven.h"

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define STACK (256 << 10)

typedef struct {
    ucontext_t context;
    char *stack;
    int64_t command; /* the call that it is in; 0: none */
    driven_access next;
} actor;

static actor actors[DRIVEN_ACTORS];
static ucontext_t driver;
static int64_t running = -1;

/* ---- What the compiler calls ------------------------------------------------------------------ */

static void about_to(const volatile void *address, int64_t kind, int64_t order, int64_t bytes,
                     uint64_t value)
{
    int64_t offset = (const volatile uint8_t *)address - driven_block;
    if (running < 0 || offset < 0 || offset >= driven_bytes)
        return;
    if (kind == DRIVEN_READ && driven_is_constant(offset))
        return;
    actor *me = &actors[running];
    me->next = (driven_access){.kind = kind, .order = order, .offset = offset, .bytes = bytes,
                               .value = (int64_t)value};
    swapcontext(&me->context, &driver);
}

#define PLAIN(bytes)                                                                          \
    void __tsan_read##bytes(void *a) { about_to(a, DRIVEN_READ, 0, bytes, 0); }               \
    void __tsan_write##bytes(void *a) { about_to(a, DRIVEN_WRITE, 0, bytes, 0); }             \
    void __tsan_unaligned_read##bytes(void *a) { about_to(a, DRIVEN_READ, 0, bytes, 0); }     \
    void __tsan_unaligned_write##bytes(void *a) { about_to(a, DRIVEN_WRITE, 0, bytes, 0); }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void *a, unsigned long n) { about_to(a, DRIVEN_READ, 0, (int64_t)n, 0); }
void __tsan_write_range(void *a, unsigned long n) { about_to(a, DRIVEN_WRITE, 0, (int64_t)n, 0); }
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_init(void) {}

uint64_t __tsan_atomic64_load(const volatile uint64_t *a, int order)
{
    about_to(a, DRIVEN_LOAD, order, 8, 0);
    return *a;
}

void __tsan_atomic64_store(volatile uint64_t *a, uint64_t value, int order)
{
    about_to(a, DRIVEN_STORE, order, 8, value);
    *a = value;
}

uint64_t __tsan_atomic64_fetch_add(volatile uint64_t *a, uint64_t value, int order)
{
    about_to(a, DRIVEN_ADD, order, 8, value);
    *a += value;
    return *a - value;
}

/* The host's copies out of a buffer: first every first half of a record, then every second one. */
void *driven_memcpy(void *target, const void *source, size_t bytes)
{
    int64_t offset = (const uint8_t *)source - driven_block;
    if (offset < 0 || offset >= driven_bytes || driven_is_buffer(offset)) {
        about_to(source, DRIVEN_COPY, 0, (int64_t)bytes, 0);
        return memcpy(target, source, bytes);
    }
    for (size_t half = 0; half < 32; half += 16) {
        about_to((const uint8_t *)source + half, DRIVEN_COPY, 0, (int64_t)bytes / 2, 0);
        for (size_t at = half; at < bytes; at += 32)
            memcpy((uint8_t *)target + at, (const uint8_t *)source + at, 16);
    }
    return target;
}

/* ---- The driver ------------------------------------------------------------------------------- */

static void live(void)
{
    for (;;) {
        actor *me = &actors[running];
        driven_call(me->command);
        me->command = 0;
        swapcontext(&me->context, &driver);
    }
}

static void go_on(int64_t number)
{
    running = number;
    swapcontext(&driver, &actors[number].context);
    running = -1;
}

static void begin(const driven_setting *setting)
{
    running = -1;
    driven_begin(setting);
    for (int64_t i = 0; i < DRIVEN_ACTORS; i++) {
        actor *one = &actors[i];
        if (!one->stack)
            one->stack = malloc(STACK);
        one->command = 0;
        getcontext(&one->context);
        one->context.uc_stack.ss_sp = one->stack;
        one->context.uc_stack.ss_size = STACK;
        makecontext(&one->context, live, 0);
    }
}

static int64_t value_at(int64_t offset, int64_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, driven_block + offset, bytes > 8 ? 8 : (size_t)bytes);
    return (int64_t)value;
}

/* What the actor is about to do, with the value that it finds. */
static driven_access pending(const actor *one)
{
    driven_access now = one->command ? one->next : (driven_access){.kind = DRIVEN_NOTHING};
    if (now.kind == DRIVEN_LOAD || now.kind == DRIVEN_READ)
        now.value = value_at(now.offset, now.bytes);
    return now;
}

static int same(const driven_access *found, const driven_access *wanted)
{
    return found->kind == wanted->kind && found->order == wanted->order
           && found->offset == wanted->offset && found->bytes == wanted->bytes;
}

/* One access of the list; 1 where the code does what the list says. */
static int follow(const driven_step *step, driven_access *found)
{
    actor *one = &actors[step->actor];
    if (!one->command) {
        one->command = step->command;
        driven_clock = (uint64_t)step->clock;
        go_on(step->actor);
    }
    *found = pending(one);
    if (one->command && one->command != step->command)
        return 0;
    if (step->access.kind == DRIVEN_NOTHING)
        return 1;
    if (!same(found, &step->access))
        return 0;
    go_on(step->actor);
    if (found->kind == DRIVEN_WRITE)
        found->value = value_at(found->offset, found->bytes);
    if (found->kind == DRIVEN_COPY)
        found->value = driven_first_task();
    return !step->compares || found->value == step->access.value;
}

/* The first step that the code does not follow; `count` where an actor still has something to do at
 * the end; -1: everything is as listed. `found` is what the code did instead. */
int64_t driven_replay(const driven_setting *setting, const driven_step *steps, int64_t count,
                      driven_access *found)
{
    begin(setting);
    for (int64_t i = 0; i < count; i++)
        if (!follow(&steps[i], found))
            return i;
    for (int64_t i = 0; i < DRIVEN_ACTORS; i++)
        if (actors[i].command) {
            *found = pending(&actors[i]);
            return count;
        }
    return -1;
}
