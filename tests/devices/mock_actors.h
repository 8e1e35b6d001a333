/* What mock_run.cpp makes the cores and the controller do. The first is compiled as an AICore would be,
 * the second as a processor with atomics and a cache that is not coherent. */
#ifndef MOCK_ACTORS_H
#define MOCK_ACTORS_H

#include <cstdint>

constexpr uint32_t MOCK_CORES = 3;
constexpr uint32_t MOCK_CONTROLLER = MOCK_CORES; /* number of its view */

/* A core; the number is that of its view, too. */
void core_open(uint32_t core, uint8_t *view);
void core_receive(uint32_t core);
void core_run(uint32_t core);
void core_write(uint32_t core, uint64_t task, uint32_t token);
void core_close(uint32_t core);

/* The controller, which serves all cores. */
void channel_open(uint32_t core, uint8_t *view);
bool channel_dispatch(uint32_t core); /* false: not now */
void channel_acknowledged(uint32_t core, uint64_t tasks);
void channel_finish(uint32_t core, uint32_t token, uint64_t task);
void channel_close(uint32_t core);

/* While the controller waits for a buffer, the host goes on. */
void host_goes_on();

#endif
