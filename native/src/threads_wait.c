/* How threads of the platform start together, wait for each other and stay on their CPUs. */
#define _GNU_SOURCE
#include "threads_platform.h"

#include <sched.h>
#include <time.h>

#define SPINS_BEFORE_SLEEP 32000 /* ls_wait_a_little yields every 32nd time: 1000 yields */
#define SLEEP_NS 50000

int ls_pass_gate(ls_platform *platform)
{
    uint32_t spins = 0;
    __atomic_fetch_add(&platform->opened, 1, __ATOMIC_ACQ_REL);
    uint64_t gate;
    while ((gate = ls_load_acquire(&platform->gate)) == LS_GATE_CLOSED)
        ls_idle(&spins);
    return gate == LS_GATE_OPEN;
}

void ls_idle(uint32_t *spins)
{
    if (*spins < SPINS_BEFORE_SLEEP) {
        ls_wait_a_little(spins);
        return;
    }
    struct timespec nap = {.tv_nsec = SLEEP_NS};
    nanosleep(&nap, NULL);
}

/* A thread that cannot be pinned runs where the system puts it. */
void ls_pin_thread(uint32_t n)
{
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) == 0)
        return;
    uint32_t left = n % (uint32_t)CPU_COUNT(&allowed);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed) || left-- != 0)
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
        return;
    }
}
