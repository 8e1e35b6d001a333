/* The orchestrator of the thread platform: submits the tasks in order, and is then done. */
#include "threads_platform.h"

static void submit(ls_platform *platform, ls_writer *phases, uint64_t task)
{
    ls_orchestrator_phase phase = LS_ZERO;
    ls_orchestrator_begin(phases, &phase, LS_ORCHESTRATOR_SUBMIT);
    if (ls_release_task(platform, task)) {
        ls_live_more(platform, 1);
        ls_push_ready(platform, task);
    }
    phase.task = task;
    phase.submit = (uint32_t)task; /* one submission per task */
    ls_orchestrator_end(phases, &phase);
}

void *ls_orchestrator_main(void *argument)
{
    ls_thread *thread = argument;
    ls_platform *platform = thread->platform;
    ls_writer phases;
    ls_writer_open(&phases, platform->region, LS_ORCHESTRATOR_PHASE, 0);
    if (!ls_pass_gate(platform))
        return NULL;
    thread->start_cycles = LS_CLOCK();
    for (uint64_t task = 0; task < platform->job->task_count; task++) {
        if (ls_is_cancelled(platform))
            break;
        submit(platform, &phases, task);
    }
    ls_live_less(platform);
    ls_writer_flush(&phases);
    return NULL;
}
