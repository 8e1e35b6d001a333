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

// One lane goes from CTA to CTA, around and around; who has it records a task.
extern "C" __global__ void wandering(unsigned rounds, volatile unsigned *turn, unsigned long long handle)
{
    for (unsigned round = 0; round < rounds; round++) {
        unsigned task = round * gridDim.x + blockIdx.x;
        while (*turn != task)
            ;
        {
            lanescope::ThreadLane lane = lanescope::per_thread(handle, 0, 0);
            lane.begin(task, 0);
            lane.end();
        }
        __threadfence();
        *turn = task + 1;
    }
}

// Every CTA does two tasks; CTA `which` hangs at a mark of the second one until it is released.
extern "C" __global__ void stuck(volatile unsigned *release, unsigned which, unsigned func, unsigned mark,
                                 unsigned long long handle)
{
    lanescope::Lane lane = lanescope::per_block(handle);
    for (unsigned task = 0; task < 2; task++) {
        lane.begin(10 * blockIdx.x + task, func);
        {
            lanescope::Range range(lane, mark);
            while (task == 1 && blockIdx.x == which && *release == 0)
                __nanosleep(1000);
        }
        lane.end();
    }
}

// Every CTA does 100 tasks; in the last but one, CTA `which` reads where there is nothing. The others
// stay in their last task until the kernel is torn down.
extern "C" __global__ void beyond(volatile unsigned *nowhere, unsigned which, unsigned func,
                                  unsigned long long handle)
{
    lanescope::Lane lane = lanescope::per_block(handle);
    for (unsigned task = 0; task < 100; task++) {
        lane.begin(task, func + task % 2);
        if (task == 98 && blockIdx.x == which) {
            for (int i = 0; i < 5000; i++)
                __nanosleep(1000);
            if (*nowhere == 1)
                return;
        }
        while (task == 99)
            __nanosleep(1000);
        lane.end();
    }
}

// Warp 0 begins marks that warp 1 ends, and sends what warp 1 receives.
extern "C" __global__ void handed(unsigned rounds, unsigned give, unsigned take, unsigned mark,
                                  unsigned long long handle)
{
    __shared__ lanescope::Mark open;
    __shared__ volatile unsigned given, taken;
    if (threadIdx.x == 0)
        given = taken = 0;
    __syncthreads();
    lanescope::Lane lane = lanescope::per_warp(handle);
    for (unsigned round = 0; round < rounds; round++) {
        if (threadIdx.x < 32) {
            lane.begin(2 * round, give);
            while (taken != round)
                ;
            lanescope::Mark begun = lane.mark(mark);
            lane.send(7);
            if (threadIdx.x == 0) {
                open = begun;
                __threadfence_block();
                given = round + 1;
            }
        } else {
            while (given != round + 1)
                ;
            __threadfence_block();
            lane.begin(2 * round + 1, take);
            lane.receive(7);
            lane.done(open);
            __syncwarp();
            if (threadIdx.x == 32)
                taken = round + 1;
        }
        __syncwarp();
        lane.end();
    }
}

// Tasks of 256 dependent multiply-adds each; tests/triton/kernels.py has the same in Triton.
extern "C" __global__ void chain(float *out, unsigned tasks, unsigned func, unsigned long long handle)
{
    lanescope::Lane lane = lanescope::per_block(handle);
    float value = threadIdx.x;
    for (unsigned task = blockIdx.x; task < tasks * gridDim.x; task += gridDim.x) {
        lane.begin(task, func);
#pragma unroll 1
        for (int i = 0; i < 4; i++) {
#pragma unroll
            for (int step = 0; step < 64; step++)
                asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(value) : "f"(1.000001f), "f"(0.5f));
        }
        lane.end();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
