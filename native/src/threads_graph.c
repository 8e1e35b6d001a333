/* The task graph while it runs: who waits for how many, who has become ready, when it is over. */
#include "threads_platform.h"

int ls_release_task(ls_platform *platform, uint64_t task)
{
    return __atomic_sub_fetch(&platform->remaining[task], 1, __ATOMIC_ACQ_REL) == 0;
}

void ls_live_more(ls_platform *platform, uint64_t count)
{
    __atomic_fetch_add(&platform->live, count, __ATOMIC_ACQ_REL);
}

void ls_live_less(ls_platform *platform)
{
    if (__atomic_sub_fetch(&platform->live, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    platform->end_cycles = LS_CLOCK_ORDERED();
    ls_store_release(&platform->over, 1);
}

void ls_push_ready(ls_platform *platform, uint64_t task)
{
    ls_ready_push(&platform->ready[platform->kind[task]], task);
}

/* The last successor that became ready takes the share of the finished task; all others are
 * counted before they can run, so live does not touch 0 in between. */
uint32_t ls_resolve_task(ls_platform *platform, uint64_t task)
{
    int64_t first = platform->offsets[task], end = platform->offsets[task + 1];
    uint64_t last = LS_NO_TASK;
    for (int64_t i = first; i < end; i++) {
        uint64_t successor = (uint64_t)platform->successors[i];
        if (!ls_release_task(platform, successor))
            continue;
        if (last != LS_NO_TASK) {
            ls_live_more(platform, 1);
            ls_push_ready(platform, last);
        }
        last = successor;
    }
    if (last != LS_NO_TASK)
        ls_push_ready(platform, last);
    else
        ls_live_less(platform);
    return (uint32_t)(end - first);
}
