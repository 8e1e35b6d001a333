/* The controller of the mock device: a processor with atomics whose cache is not coherent. */
#include "mock_actors.h"
#include "mock_memory.h"

#define LS_HAS_LINES 1
#define LS_LOAD_LINE(address) mock_call(MOCK_LOAD, address, __FILE__, __LINE__)
#define LS_INVALIDATE_LINE(address) mock_call(MOCK_INVALIDATE, address, __FILE__, __LINE__)
#define LS_FLUSH_LINE(address) mock_call(MOCK_FLUSH, address, __FILE__, __LINE__)
#define LS_BARRIER() mock_call(MOCK_BARRIER, nullptr, __FILE__, __LINE__)
#define LS_CLOCK() mock_clock()
#define LS_PAUSE() host_goes_on()

#include "lanescope/lanescope.h"

static ls_channel channels[MOCK_CORES];

void channel_open(uint32_t core, uint8_t *view) { ls_channel_open(&channels[core], view, core); }

bool channel_dispatch(uint32_t core)
{
    if (!ls_channel_admit(&channels[core]))
        return false;
    ls_channel_dispatch(&channels[core]);
    return true;
}

void channel_acknowledged(uint32_t core, uint64_t tasks)
{
    ls_channel_acknowledged(&channels[core], tasks);
}

void channel_finish(uint32_t core, uint32_t token, uint64_t task)
{
    ls_channel_finish(&channels[core], token, task, 0);
}

void channel_close(uint32_t core) { ls_channel_close(&channels[core]); }
