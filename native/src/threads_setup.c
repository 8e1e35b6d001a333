/* Checks a job of the thread platform and makes the memory that its threads share.
 *
 * Every index the threads will follow is checked here, so they follow them without looking.
 */
#include "threads_platform.h"

#include <stdlib.h>
#include <string.h>

#define ADDRESS(type, word) ((type *)(uintptr_t)(word))

void *ls_zeroed_lines(size_t count, size_t bytes)
{
    size_t total;
    if (__builtin_mul_overflow(count, bytes, &total) || total > SIZE_MAX - 2 * LS_LINE)
        return NULL;
    total = ls_whole_lines(total + 1);
    void *memory = aligned_alloc(LS_LINE, total);
    return memory ? memset(memory, 0, total) : NULL;
}

/* ---- Checks --------------------------------------------------------------------------------- */

static int machine_is_sound(const ls_threads_job *job)
{
    if (job->core_count == 0 || job->core_count > LS_MOST_OWNERS || job->scheduler_count == 0
        || job->scheduler_count > job->core_count || job->kind_count == 0
        || job->kind_count > LS_MOST_OWNERS || job->pre_dispatch > LS_PRE_DISPATCH_MAX
        || job->clock_hz == 0 || job->core_kinds == 0)
        return 0;
    const int32_t *kinds = ADDRESS(const int32_t, job->core_kinds);
    for (uint32_t core = 0; core < job->core_count; core++)
        if (kinds[core] < 0 || kinds[core] >= (int64_t)job->kind_count)
            return 0;
    if (job->task_count == 0)
        return 1;
    return job->func && job->kind && job->work && job->amount && job->successor_offsets
           && job->predecessors && job->task_count <= (uint64_t)INT64_MAX / 64;
}

static int region_fits(const ls_threads_job *job)
{
    const ls_header *header = ADDRESS(const ls_header, job->region);
    if (!header)
        return 1;
    return ls_load_acquire(&header->magic) == LS_REGION_MAGIC
           && header->version == LS_REGION_VERSION && header->core_count == job->core_count
           && header->scheduler_count == job->scheduler_count
           && header->pre_dispatch == job->pre_dispatch;
}

/* 0: there is no core for it, no such work, or the function does not fit beside the task. */
static int task_is_sound(ls_platform *platform, uint64_t task, const uint64_t *cores_of_kind)
{
    const ls_threads_job *job = platform->job;
    int64_t kind = platform->kind[task];
    if (kind < 0 || kind >= (int64_t)job->kind_count || cores_of_kind[kind] == 0)
        return 0;
    if (job->func_in_task && (platform->func[task] >> (64 - LS_FUNC_SHIFT)) != 0)
        return 0;
    if (platform->work[task] == LS_WORK_CALLBACK && job->callback == 0)
        return 0;
    size_t bytes = ls_work_bytes(platform->work[task], platform->amount[task]);
    if (bytes == SIZE_MAX)
        return 0;
    if (bytes > platform->scratch_bytes)
        platform->scratch_bytes = (size_t)ls_whole_lines(bytes);
    return 1;
}

/* Counts what every task waits for, and whether that is what the job says. */
static int count_remaining(ls_platform *platform)
{
    const ls_threads_job *job = platform->job;
    const int32_t *predecessors = ADDRESS(const int32_t, job->predecessors);
    int64_t at = 0;
    for (uint64_t task = 0; task < job->task_count; task++) {
        if (platform->offsets[task] != at || platform->offsets[task + 1] < at)
            return 0;
        for (; at < platform->offsets[task + 1]; at++) {
            int64_t successor = platform->successors[at];
            if (successor < 0 || (uint64_t)successor >= job->task_count)
                return 0;
            platform->remaining[successor]++;
        }
    }
    for (uint64_t task = 0; task < job->task_count; task++)
        if (platform->remaining[task]++ != predecessors[task])
            return 0;
    return 1;
}

/* ---- Making --------------------------------------------------------------------------------- */

static void point_to_arrays(ls_platform *platform, ls_threads_job *job)
{
    platform->job = job;
    platform->region = ADDRESS(uint8_t, job->region);
    const ls_header *header = ADDRESS(const ls_header, job->region);
    if (header) {
        platform->first_token = header->first_token;
        platform->tells_first =
            header->protocol == LS_PRODUCER_ROTATED || header->protocol == LS_AFTER_FINISH;
    }
    platform->func = ADDRESS(const uint32_t, job->func);
    platform->kind = ADDRESS(const int32_t, job->kind);
    platform->work = ADDRESS(const uint32_t, job->work);
    platform->amount = ADDRESS(const uint64_t, job->amount);
    platform->offsets = ADDRESS(const int64_t, job->successor_offsets);
    platform->successors = ADDRESS(const int64_t, job->successors);
    platform->core_kinds = ADDRESS(const int32_t, job->core_kinds);
    platform->cancel = ADDRESS(const uint64_t, job->cancel);
    platform->live = 1; /* the orchestrator */
}

/* Each ready queue gets as many slots as there are tasks of its kind. */
static int32_t check_tasks(ls_platform *platform)
{
    const ls_threads_job *job = platform->job;
    uint64_t *counts = ls_zeroed_lines(2 * (size_t)job->kind_count, sizeof *counts);
    if (!counts)
        return LS_THREADS_NO_MEMORY;
    uint64_t *cores_of_kind = counts, *tasks_of_kind = counts + job->kind_count;
    for (uint32_t core = 0; core < job->core_count; core++)
        cores_of_kind[platform->core_kinds[core]]++;
    int sound = 1;
    for (uint64_t task = 0; sound && task < job->task_count; task++) {
        sound = task_is_sound(platform, task, cores_of_kind);
        if (sound)
            tasks_of_kind[platform->kind[task]]++;
    }
    uint64_t *slots = platform->slots;
    for (uint32_t kind = 0; sound && kind < job->kind_count; kind++) {
        platform->ready[kind].slots = slots;
        slots += tasks_of_kind[kind];
    }
    free(counts);
    return sound && count_remaining(platform) ? LS_THREADS_OK : LS_THREADS_BAD_JOB;
}

int32_t ls_platform_make(ls_platform *platform, ls_threads_job *job)
{
    memset(platform, 0, sizeof *platform);
    if (!machine_is_sound(job))
        return LS_THREADS_BAD_JOB;
    if (!region_fits(job))
        return LS_THREADS_BAD_REGION;
    point_to_arrays(platform, job);
    platform->remaining = ls_zeroed_lines(job->task_count, sizeof *platform->remaining);
    platform->slots = ls_zeroed_lines(job->task_count, sizeof *platform->slots);
    platform->ready = ls_zeroed_lines(job->kind_count, sizeof *platform->ready);
    platform->mailboxes = ls_zeroed_lines(job->core_count, sizeof *platform->mailboxes);
    platform->seats = ls_zeroed_lines(job->core_count, sizeof *platform->seats);
    if (!platform->remaining || !platform->slots || !platform->ready || !platform->mailboxes
        || !platform->seats)
        return LS_THREADS_NO_MEMORY;
    for (uint32_t core = 0; core < job->core_count; core++)
        platform->mailboxes[core].status = LS_TOP_BIT; /* FIN(0) */
    int32_t problem = check_tasks(platform);
    if (problem != LS_THREADS_OK)
        return problem;
    platform->scratch = ls_zeroed_lines(job->core_count, platform->scratch_bytes);
    return platform->scratch ? LS_THREADS_OK : LS_THREADS_NO_MEMORY;
}

void ls_platform_free(ls_platform *platform)
{
    free(platform->remaining);
    free(platform->slots);
    free(platform->ready);
    free(platform->mailboxes);
    free(platform->seats);
    free(platform->scratch);
}
