/* The header and the host's end under test, and the calls that core, controller and host make. */
#include "driven.h"

#define LS_CLOCK() driven_clock
#include "lanescope/lanescope.h"

#include "native.h"
#include <stdlib.h>
#include <string.h>

#define memcpy driven_memcpy
#include "drain.c"
#undef memcpy

uint8_t *driven_block;
int64_t driven_bytes;
uint64_t driven_clock;

enum {
    TAKE = 1, WRITE, TELL, CORE_CLOSE, DISPATCH, FINISH, CHANNEL_CLOSE, DRAIN, RELEASE,
    ACKNOWLEDGE, ACKNOWLEDGED
};

static struct {
    ls_core core;
    ls_channel channel;
    ls_lane constants;
    uint64_t taken, task, dispatched, finished;
    uint8_t out[4096];
    ls_drained result;
} run;

static uint64_t *mailbox(void)
{
    return (uint64_t *)(driven_block + driven_bytes) - 3;
}

void driven_begin(const driven_setting *setting)
{
    ls_config config = ls_default_config();
    config.flags = ls_level_flags(1);
    config.protocol = (uint32_t)setting->protocol;
    config.on_full = (uint32_t)setting->on_full;
    config.pre_dispatch = (uint32_t)setting->pre_dispatch;
    config.buffer_records[LS_CORE_TASK] = (uint32_t)setting->buffer_records;
    config.buffer_count[LS_CORE_TASK] = (uint32_t)setting->buffer_count;
    config.host_lost_cycles = (uint64_t)setting->host_lost_cycles;
    config.core_count = 1;
    config.clock_hz = 1000000000;
    uint64_t bytes = ls_region_bytes(&config);
    if (!bytes)
        abort();
    free(driven_block);
    driven_block = calloc(1, bytes + 24);
    driven_bytes = (int64_t)bytes + 24;
    ls_region_init(driven_block, &config);
    memset(&run, 0, sizeof run);
    run.constants = *ls_lane_at(driven_block, 0);
    ls_core_open(&run.core, driven_block, 0);
    ls_channel_open(&run.channel, driven_block, 0);
}

/* Where lanes, staging slots and buffers begin, and where the block ends. */
void driven_places(const driven_setting *setting, int64_t *places)
{
    driven_begin(setting);
    places[0] = (int64_t)((const ls_header *)driven_block)->lanes;
    places[1] = (int64_t)run.constants.staging;
    places[2] = (int64_t)run.constants.buffers;
    places[3] = driven_bytes;
}

/* Words that nobody writes once the region is made; counters are none. */
__attribute__((no_sanitize_thread)) int driven_is_constant(int64_t offset)
{
    int64_t lanes = (int64_t)((const ls_header *)driven_block)->lanes;
    if (offset < (int64_t)offsetof(ls_header, state))
        return 1;
    return offset >= lanes && offset < lanes + (int64_t)offsetof(ls_lane, recorded);
}

/* Does a buffer begin there? */
__attribute__((no_sanitize_thread)) int driven_is_buffer(int64_t offset)
{
    int64_t at = offset - (int64_t)run.constants.buffers;
    return at >= 0 && at % (int64_t)run.constants.buffer_stride == 0;
}

int64_t driven_first_task(void)
{
    return (int64_t)((const ls_core_task *)(run.out + sizeof(ls_buffer)))->task;
}

static void dispatch(void)
{
    if (!ls_channel_admit(&run.channel))
        return;
    ls_channel_dispatch(&run.channel);
    ls_store_release(&mailbox()[0], ++run.dispatched);
}

static void finish(void)
{
    (void)ls_load_acquire(&mailbox()[1]);
    ls_channel_finish(&run.channel, (uint32_t)run.finished, run.finished, 0);
    run.finished++;
}

/* One buffer and no more: there is room for this one only. */
static __attribute__((no_sanitize_thread)) uint64_t room_for_one(void)
{
    return sizeof(ls_buffer)
           + ls_buffer_at(driven_block, &run.constants, run.taken)->count * sizeof(ls_core_task);
}

void driven_call(int64_t command)
{
    ls_lane *lane = ls_lane_at(driven_block, 0);
    switch (command) {
    case TAKE:
        (void)ls_load_acquire(&mailbox()[0]);
        ls_core_begin(&run.core);
        ls_core_stop(&run.core);
        break;
    case WRITE:
        ls_core_write(&run.core, run.task, (uint32_t)run.task);
        run.task++;
        break;
    case TELL: ls_store_release(&mailbox()[1], ls_load_relaxed(&mailbox()[1]) + 1); break;
    case CORE_CLOSE: ls_core_close(&run.core); break;
    case DISPATCH: dispatch(); break;
    case FINISH: finish(); break;
    case CHANNEL_CLOSE:
        if (run.channel.after_finish)
            (void)ls_load_acquire(&mailbox()[2]);
        ls_channel_close(&run.channel);
        break;
    case DRAIN:
        ls_drain_some(driven_block, lane, &run.constants, 0, 1, &run.taken, run.out, room_for_one(),
                      &run.result);
        break;
    case ACKNOWLEDGE: ls_store_release(&mailbox()[2], ls_load_relaxed(&mailbox()[2]) + 1); break;
    case ACKNOWLEDGED: ls_channel_acknowledged(&run.channel, ls_load_acquire(&mailbox()[2])); break;
    case RELEASE: ls_release(lane, 1, &run.taken); break;
    }
}
