// Kernels that hold plain numbers, as those of Numba and TileLang do.
#include <lanescope/calls.cuh>

// What `work` of tests/triton/kernels.py does.
extern "C" __global__ void called(unsigned *out, unsigned tasks, unsigned func, unsigned outer,
                                  unsigned inner, unsigned long long handle)
{
    unsigned lane = lanescope_per_block(handle);
    for (unsigned task = blockIdx.x; task < tasks; task += gridDim.x) {
        lanescope_begin(lane, task, func + task % 2);
        unsigned long long whole = lanescope_mark(lane, outer);
        if (task >= gridDim.x)
            lanescope_receive(lane, task - gridDim.x);
        unsigned long long part = lanescope_mark(lane, inner);
        out[task] = task;
        lanescope_done(lane, part);
        lanescope_done(lane, whole);
        lanescope_send(lane, task);
        lanescope_end(lane);
    }
    lanescope_close(lane);
}

// A lane for each warp, in CTAs of two dimensions.
extern "C" __global__ void warps(unsigned tasks, unsigned func, unsigned long long handle)
{
    unsigned lane = lanescope_per_warp(handle);
    for (unsigned task = 0; task < tasks; task++) {
        lanescope_begin(lane, task, func);
        lanescope_end(lane);
    }
    lanescope_close(lane);
}

// The second half of the warps computes and records; the first half opens the lane and begins, too.
extern "C" __global__ void halves(unsigned tasks, unsigned func, unsigned long long handle)
{
    unsigned half = blockDim.x / 2, lane = lanescope_per_thread(handle, 0, half);
    for (unsigned task = 0; task < tasks; task++) {
        lanescope_begin(lane, task, func);
        if (threadIdx.x >= half)
            lanescope_end(lane);
    }
    lanescope_close(lane);
}

// Each half has a lane.
extern "C" __global__ void partitions(unsigned tasks, unsigned func, unsigned long long handle)
{
    unsigned half = blockDim.x / 2, pipe = threadIdx.x / half;
    unsigned lane = lanescope_per_partition(handle, pipe, half / 32);
    for (unsigned task = pipe; task < tasks; task += 2) {
        lanescope_begin(lane, task, func);
        lanescope_end(lane);
    }
    lanescope_close(lane);
}
