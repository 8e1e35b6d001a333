// Kernels of the GPU tests: each does little but record.
#include <lanescope/cuda.cuh>

static __device__ float spend(float value, int steps)
{
    for (int i = 0; i < steps; i++)
        value = value * 0.5f + 1.0f;
    return value;
}

// Tasks with an outer and an inner mark; func alternates between ids.x and ids.x + 1.
extern "C" __global__ void nested(unsigned tasks, unsigned func, unsigned outer, unsigned inner,
                                  float *sink, unsigned long long handle)
{
    lanescope::Lane lane = lanescope::per_warp(handle);
    float value = threadIdx.x;
    for (unsigned task = 0; task < tasks; task++) {
        lane.begin(task * gridDim.x + blockIdx.x, func + task % 2);
        {
            lanescope::Range around(lane, outer);
            value = spend(value, 20);
            lanescope::Range inside(lane, inner);
            value = spend(value, 20);
        }
        lane.end();
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

// As many tasks as it can.
extern "C" __global__ void flood(unsigned tasks, unsigned long long handle)
{
    lanescope::Lane lane = lanescope::per_block(handle);
    for (unsigned task = 0; task < tasks; task++) {
        lane.begin(task, 0);
        lane.end();
    }
}

// CTA after CTA records a task; each waits for the flag of the one before.
extern "C" __global__ void relay(unsigned rounds, volatile unsigned *flag, unsigned long long handle)
{
    lanescope::Lane lane = lanescope::per_block(handle);
    for (unsigned round = blockIdx.x; round < rounds; round += gridDim.x) {
        while (*flag != round)
            ;
        __threadfence();
        lane.begin(round, 0);
        lane.end();
        __threadfence();
        *flag = round + 1;
    }
}

// Until it is told to stop.
extern "C" __global__ void endless(volatile unsigned *stop, unsigned steps, unsigned long long *done,
                                   unsigned long long handle)
{
    lanescope::Lane lane = lanescope::per_block(handle);
    float value = threadIdx.x;
    unsigned long long count = 0;
    for (; !*stop; count++) {
        lane.begin((unsigned)count, 0);
        value = spend(value, steps);
        lane.end();
    }
    if (threadIdx.x == 0)
        done[blockIdx.x] = count + (value == 0.0f);
}

// A mark that begins in one iteration and ends in the next.
extern "C" __global__ void carried(unsigned rounds, unsigned id, unsigned long long handle)
{
    lanescope::Lane lane = lanescope::per_block(handle);
    lanescope::Mark open = lane.mark(id);
    for (unsigned round = 0; round < rounds; round++) {
        lanescope::Mark next = lane.mark(id);
        lane.done(open);
        open = next;
    }
    lane.done(open);
}

// One task that is longer than 2^32 cycles of the counter.
extern "C" __global__ void patient(unsigned long long cycles, unsigned long long handle)
{
    lanescope::Lane lane = lanescope::per_block(handle);
    for (unsigned task = 0; task < 3; task++) {
        lane.begin(task, 0);
        long long begun = clock64();
        while (task == 1 && clock64() - begun < (long long)cycles)
            ;
        lane.end();
    }
}

// One thread of the CTA records.
extern "C" __global__ void alone(unsigned tasks, unsigned long long handle)
{
    if (threadIdx.x != 5)
        return;
    lanescope::ThreadLane lane = lanescope::per_thread(handle, blockIdx.x, 0);
    for (unsigned task = 0; task < tasks; task++) {
        lane.begin(task, 0);
        lane.end();
    }
}
