/* Starts the threads of the platform, lets them go together, and collects what they leave. */
#include "threads_platform.h"

#include <stdlib.h>

typedef struct {
    ls_thread *cores; /* core_count, then the schedulers, then the orchestrator */
    ls_thread *schedulers;
    ls_thread *orchestrator;
    uint32_t count;
    uint32_t started;
} crew;

static int start_threads(crew *all, ls_thread *first, uint32_t count, void *(*run)(void *))
{
    for (uint32_t i = 0; i < count; i++) {
        first[i].index = i;
        if (pthread_create(&first[i].handle, NULL, run, &first[i]) != 0)
            return 0;
        all->started++;
    }
    return 1;
}

static int start_crew(crew *all, ls_platform *platform)
{
    const ls_threads_job *job = platform->job;
    for (uint32_t i = 0; i < all->count; i++)
        all->cores[i].platform = platform;
    return start_threads(all, all->cores, job->core_count, ls_core_main)
           && start_threads(all, all->schedulers, job->scheduler_count, ls_scheduler_main)
           && start_threads(all, all->orchestrator, 1, ls_orchestrator_main);
}

static void open_gate(crew *all, ls_platform *platform, uint64_t gate)
{
    uint32_t spins = 0;
    while (ls_load_acquire(&platform->opened) < all->started)
        ls_idle(&spins);
    if (platform->region && gate == LS_GATE_OPEN)
        ls_store_release(&((ls_header *)platform->region)->state, LS_RUNNING);
    ls_store_release(&platform->gate, gate);
    for (uint32_t i = 0; i < all->started; i++)
        pthread_join(all->cores[i].handle, NULL);
}

static void collect_cores(const crew *all, ls_threads_job *job)
{
    uint64_t *tasks_done = (uint64_t *)(uintptr_t)job->core_tasks_done;
    job->tasks_done = 0;
    for (uint32_t core = 0; core < job->core_count; core++) {
        job->tasks_done += all->cores[core].tasks_done;
        if (tasks_done)
            tasks_done[core] = all->cores[core].tasks_done;
    }
}

/* A run that was cancelled is over when its last scheduler has seen all that was dispatched. */
static void collect_schedulers(const crew *all, const ls_platform *platform, ls_threads_job *job)
{
    uint64_t *busy = (uint64_t *)(uintptr_t)job->scheduler_busy_cycles;
    uint64_t last = all->orchestrator->start_cycles;
    for (uint32_t i = 0; i < job->scheduler_count; i++) {
        if (busy)
            busy[i] = all->schedulers[i].busy_cycles;
        if (all->schedulers[i].end_cycles > last)
            last = all->schedulers[i].end_cycles;
    }
    job->start_cycles = all->orchestrator->start_cycles;
    job->end_cycles = platform->over ? platform->end_cycles : last;
}

static int32_t run_platform(ls_platform *platform)
{
    ls_threads_job *job = platform->job;
    crew all = {.count = job->core_count + job->scheduler_count + 1};
    all.cores = ls_zeroed_lines(all.count, sizeof *all.cores);
    if (!all.cores)
        return LS_THREADS_NO_MEMORY;
    all.schedulers = all.cores + job->core_count;
    all.orchestrator = all.schedulers + job->scheduler_count;
    int32_t problem = LS_THREADS_OK;
    if (start_crew(&all, platform)) {
        open_gate(&all, platform, LS_GATE_OPEN);
        collect_cores(&all, job);
        collect_schedulers(&all, platform, job);
        if (job->tasks_done < job->task_count && !ls_is_cancelled(platform))
            problem = LS_THREADS_STUCK;
    } else {
        open_gate(&all, platform, LS_GATE_GO_HOME);
        problem = LS_THREADS_NO_THREAD;
    }
    free(all.cores);
    return problem;
}

int32_t ls_threads_run(ls_threads_job *job)
{
    ls_platform platform;
    int32_t problem = ls_platform_make(&platform, job);
    if (problem == LS_THREADS_OK)
        problem = run_platform(&platform);
    ls_platform_free(&platform);
    return problem;
}
