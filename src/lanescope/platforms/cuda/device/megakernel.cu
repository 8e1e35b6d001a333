// The megakernel: one CTA per SM, all of them resident until the graph is done.
#include "scheduler.cuh"
#include "orchestrator.cuh"
#include "worker.cuh"

// True: the memory the host gave each CTA is enough for what this one does with it.
static __device__ bool has_room(const ls_mega_job *job)
{
    uint32_t seats = (job->worker_count + job->scheduler_count - 1) / job->scheduler_count;
    return job->shared_bytes >= LS_MEGA_WORKER_BYTES && seats <= MOST_ROWS * MEGA_LANES
           && job->shared_bytes / LS_MEGA_SEAT_BYTES >= seats;
}

extern "C" __global__ void __launch_bounds__(LS_MEGA_THREADS, 1) megakernel(uint64_t address)
{
    extern __shared__ __align__(16) uint8_t memory[];
    __shared__ WorkerShared shared;
    const ls_mega_job *job = (const ls_mega_job *)address;
    ls_mega_result *results = at<ls_mega_result>(job->results), *result = results + blockIdx.x;
    if (!has_room(job)) {
        store_relaxed(state_of(job)->stop, LS_MEGA_NO_ROOM);
        return;
    }
    if (blockIdx.x >= job->scheduler_count)
        worker_main(job, blockIdx.x - job->scheduler_count, memory, &shared, result);
    else if (threadIdx.x < 32)
        scheduler_main(job, blockIdx.x, memory, result);
    else if (blockIdx.x == 0 && threadIdx.x < 64)
        orchestrator_main(job, results + gridDim.x);
}
