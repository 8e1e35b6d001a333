/* The same work plain and with recording calls around it, for what "off" costs.
 *
 *   ./off_loop plain|recorded|phases N     runs one of them over N tasks, with a region of NULL
 */
#include "lanescope/lanescope.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    ls_core core;
    ls_channel channel;
    ls_writer scheduler;
} handles;

uint64_t plain(handles *h, uint64_t tasks);
uint64_t recorded(handles *h, uint64_t tasks);
uint64_t phases(handles *h, uint64_t tasks);

#define WORK(x) (x ^= x << 13, x ^= x >> 7, x ^= x << 17)

__attribute__((noinline)) uint64_t plain(handles *h, uint64_t tasks)
{
    uint64_t x = 1;
    (void)h;
    for (uint64_t i = 0; i < tasks; i++)
        WORK(x);
    return x;
}

/* Six calls per task. */
__attribute__((noinline)) uint64_t recorded(handles *h, uint64_t tasks)
{
    uint64_t x = 1;
    for (uint64_t i = 0; i < tasks; i++) {
        if (!ls_channel_admit(&h->channel))
            return 0;
        ls_channel_dispatch(&h->channel);
        ls_core_receive(&h->core);
        ls_core_begin(&h->core);
        WORK(x);
        ls_core_end(&h->core, i, (uint32_t)i);
        ls_channel_finish(&h->channel, (uint32_t)i, i, 0);
    }
    ls_core_close(&h->core);
    ls_channel_close(&h->channel);
    return x;
}

/* Two calls per task. */
__attribute__((noinline)) uint64_t phases(handles *h, uint64_t tasks)
{
    uint64_t x = 1;
    ls_scheduler_phase phase;
    for (uint64_t i = 0; i < tasks; i++) {
        ls_scheduler_begin(&h->scheduler, &phase, LS_PHASE_DISPATCH);
        WORK(x);
        ls_scheduler_end(&h->scheduler, &phase);
    }
    ls_writer_flush(&h->scheduler);
    return x;
}

#if !defined(WITHOUT_MAIN)
int main(int count, char **words)
{
    handles h;
    uint8_t *volatile none = NULL; /* so that the compiler does not know that it is off */
    if (count != 3)
        return 2;
    ls_core_open(&h.core, none, 0);
    ls_channel_open(&h.channel, none, 0);
    ls_writer_open(&h.scheduler, none, LS_SCHEDULER_PHASE, 0);
    uint64_t tasks = strtoull(words[2], NULL, 0);
    uint64_t x = 0;
    if (!strcmp(words[1], "plain"))
        x = plain(&h, tasks);
    else if (!strcmp(words[1], "recorded"))
        x = recorded(&h, tasks);
    else
        x = phases(&h, tasks);
    printf("%llu\n", (unsigned long long)x);
    return 0;
}
#endif
