/* The roles of a worker's warps: some load, some compute, some store, all at once.
 *
 *   step    0        1        2        3
 *   load    stage 0  stage 1  stage 2
 *   compute          stage 0  stage 1  stage 2
 *   store                     stage 0  stage 1 …
 *
 * After each step all wait for each other, so a stage's data is handed on through two buffers in
 * shared memory. Each role is a pipe of its core, and a stage of it is a mark,
 * numbered like the task's function.
 */
#ifndef LANESCOPE_MEGA_ROLES_CUH
#define LANESCOPE_MEGA_ROLES_CUH

#include "shared_state.cuh"

enum Role { ROLE_LOAD = 0, ROLE_COMPUTE = 1, ROLE_STORE = 2 };

/* A thread's place: number `rank` of the threads with its role. */
struct Place {
    uint32_t role, rank;
};

#if defined(MEGA_EMULATED)

MEGA_FN Place own_place() { return {0, 0}; }
MEGA_FN bool has_role(const Place &, uint32_t) { return true; }

struct Marks {
    Marks(const ls_mega_job *, uint32_t, const Place &) {}
    void task(uint32_t, uint32_t) {}
    int begin() { return 0; }
    void end(int) {}
};

#else

static_assert(MEGA_LOADERS + MEGA_COMPUTERS + MEGA_STORERS == LS_MEGA_THREADS, "every thread has a role");

MEGA_FN Place own_place()
{
    uint32_t thread = threadIdx.x;
    if (thread < MEGA_LOADERS)
        return {ROLE_LOAD, thread};
    if (thread < MEGA_LOADERS + MEGA_COMPUTERS)
        return {ROLE_COMPUTE, thread - MEGA_LOADERS};
    return {ROLE_STORE, thread - MEGA_LOADERS - MEGA_COMPUTERS};
}

MEGA_FN bool has_role(const Place &place, uint32_t role) { return place.role == role; }

/* What the first warp of each role records; the other warps stay silent. */
struct Marks {
    __device__ __forceinline__ Marks(const ls_mega_job *job, uint32_t core, const Place &place)
        : on(job->handle != 0 && place.rank < 32),
          lane(on ? job->handle : 0, core, place.role, on && place.rank == 0)
    {
    }
    __device__ __forceinline__ void task(uint32_t number, uint32_t func)
    {
        if (on)
            lane.begin(number, func);
        name = func;
    }
    __device__ __forceinline__ lanescope::Mark begin()
    {
        return on ? lane.mark(name) : lanescope::Mark{0, 0};
    }
    __device__ __forceinline__ void end(lanescope::Mark mark)
    {
        if (on)
            lane.done(mark);
    }
    bool on;
    lanescope::Lane lane;
    uint32_t name = 0;
};

#endif
#endif
