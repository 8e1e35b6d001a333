/* Cores of the mock device: native/include/lanescope with the hooks of devices/aicore.h, on stand-ins. */
#include "mock_actors.h"
#include "mock_memory.h"

#define __CCE_AICORE__ 220
#define __aicore__
#define __gm__

enum mock_lines { SINGLE_CACHE_LINE };
enum mock_direction { CACHELINE_OUT };
typedef int mem_dsb_t;

static inline void mock_dcci(const char *file, int line, const volatile void *address, mock_lines)
{
    mock_call(MOCK_LOAD, address, file, line);
}

static inline void mock_dcci(const char *file, int line, const volatile void *address, mock_lines,
                             mock_direction)
{
    mock_call(MOCK_FLUSH, address, file, line);
}

#define dcci(...) mock_dcci(__FILE__, __LINE__, __VA_ARGS__)
#define dsb(kind) mock_call(MOCK_BARRIER, nullptr, __FILE__, ((void)(kind), __LINE__))
#define get_sys_cnt() mock_clock()

#include "lanescope/lanescope.h"

static_assert(!LS_HAS_ATOMICS && !LS_MAY_WAIT && !LS_COUNTS_EACH, "devices/aicore.h was taken");

static ls_core cores[MOCK_CORES];

void core_open(uint32_t core, uint8_t *view) { ls_core_open(&cores[core], view, core); }
void core_receive(uint32_t core) { ls_core_receive(&cores[core]); }

void core_run(uint32_t core)
{
    ls_core_begin(&cores[core]);
    ls_core_stop(&cores[core]);
}

void core_write(uint32_t core, uint64_t task, uint32_t token)
{
    ls_core_write(&cores[core], task, token);
}

void core_close(uint32_t core) { ls_core_close(&cores[core]); }
