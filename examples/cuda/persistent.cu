// A persistent kernel with lanescope in it: one CTA per SM, each a core that runs task after task.
//
// Thread 0 of a CTA records; the region lies in host memory that the GPU writes into, and the host
// drains it while the kernel runs. With region 0 the same kernel records nothing.
#include <lanescope/lanescope.h>

struct Result {
    unsigned long long cycles;  // of the CTA's whole loop
    unsigned long long tasks;
};

// A task: every thread of the CTA multiplies and adds for a while.
static __device__ float work(float value, unsigned steps)
{
    for (unsigned i = 0; i < steps; i++)
        value = value * 1.000001f + 0.5f;
    return value;
}

extern "C" __global__ void persistent(unsigned long long region, unsigned long long tasks_per_core,
                                      unsigned steps, volatile unsigned *stop, Result *results,
                                      float *sink)
{
    ls_core core;
    ls_core_open(&core, threadIdx.x == 0 ? (uint8_t *)region : NULL, blockIdx.x);
    float value = (float)threadIdx.x;
    unsigned long long begun = clock64(), task = 0;
    for (; task < tasks_per_core; task++) {
        if (task % 64 == 0 && *stop) // in device memory: a look at host memory costs microseconds
            break;
        ls_core_begin(&core);
        value = work(value, steps);
        __syncthreads();
        ls_core_end(&core, ls_task_word((uint32_t)(task % 2), task), (uint32_t)task);
    }
    unsigned long long cycles = clock64() - begun;
    ls_core_close(&core);
    sink[blockIdx.x * blockDim.x + threadIdx.x] = value;
    if (threadIdx.x == 0) {
        results[blockIdx.x].cycles = cycles;
        results[blockIdx.x].tasks = task;
    }
}
