/* A core of the thread platform: takes posts from its mailbox, works, records, reports. */
#include "threads_platform.h"

typedef struct {
    ls_platform *platform;
    ls_mailbox *mailbox;
    ls_core record;
    void *scratch;
    uint32_t core;
    uint32_t func_in_task;
    uint64_t done;
} core_state;

static void write_record(core_state *core, const ls_post *post)
{
    uint64_t task = core->func_in_task ? ls_task_word(post->func, post->task) : post->task;
    ls_core_write(&core->record, task, post->token);
}

/* Staging and controller-rotated: the record must be there when the scheduler sees FIN.
 * Producer-rotated: it is written after FIN, outside the task's latency. After-finish: also, and before
 * the next ACK, which tells that it is there. */
static void run_post(core_state *core, ls_post post)
{
    int record_first = !core->platform->tells_first;
    ls_core_receive(&core->record);
    ls_store_release(&core->mailbox->status, core->done + 1); /* ACK */
    ls_core_begin(&core->record);
    ls_work_run(core->platform, &post, core->core, core->scratch);
    ls_core_stop(&core->record);
    if (record_first)
        write_record(core, &post);
    ls_store_release(&core->mailbox->status, ++core->done | LS_TOP_BIT); /* FIN */
    if (!record_first)
        write_record(core, &post);
}

static void serve_mailbox(core_state *core)
{
    uint32_t spins = 0;
    for (;;) {
        uint64_t posted = ls_load_acquire(&core->mailbox->posted);
        if ((posted & ~LS_TOP_BIT) != core->done) {
            run_post(core, core->mailbox->posts[core->done % LS_OUTSTANDING]);
            spins = 0;
        } else if (posted & LS_TOP_BIT) {
            return;
        } else {
            ls_idle(&spins);
        }
    }
}

void *ls_core_main(void *argument)
{
    ls_thread *thread = argument;
    ls_platform *platform = thread->platform;
    core_state core = {.platform = platform,
                       .mailbox = &platform->mailboxes[thread->index],
                       .scratch = platform->scratch + thread->index * platform->scratch_bytes,
                       .core = thread->index,
                       .func_in_task = platform->job->func_in_task};
    if (platform->job->pin)
        ls_pin_thread(thread->index);
    ls_core_open(&core.record, platform->region, thread->index);
    if (ls_pass_gate(platform))
        serve_mailbox(&core);
    ls_core_close(&core.record);
    ls_store_release(&core.mailbox->status, core.done + 1); /* ACK of the order to go */
    thread->tasks_done = core.done;
    return NULL;
}
