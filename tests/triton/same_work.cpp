// What kernels.py `work` does, written with the CUDA header. Compiled as native/triton/record.cpp is.
#include "../../native/triton/record.cpp"

static void spend(uint32_t *at, uint32_t cycles)
{
    asm volatile("st.global.b32 [%0], %1;" ::"l"(at), "r"(cycles) : "memory");
}

extern "C" void same_work(uint32_t *out, uint32_t tasks, uint32_t func, uint32_t outer, uint32_t inner,
                          uint64_t handle)
{
    lanescope::Lane lane = lanescope::per_block(handle);
    for (uint32_t task = blockIdx.x; task < tasks; task += gridDim.x) {
        lane.begin(task, func + task % 2);
        lanescope::Mark whole = lane.mark(outer);
        if (task >= gridDim.x)
            lane.receive(task - gridDim.x);
        lanescope::Mark part = lane.mark(inner);
        if (threadIdx.x == 0)
            spend(out + task, 1000 + task % 7);
        lane.done(part);
        if (threadIdx.x == 0)
            spend(out + task, 100);
        lane.done(whole);
        lane.send(task);
        lane.end();
    }
}

static void spend_cycles(uint64_t cycles)
{
    for (uint32_t out; cycles; cycles -= out) {
        out = cycles < UINT32_MAX ? (uint32_t)cycles : UINT32_MAX;
        spend(&out, out);
    }
}

// Each task is three times as long as its length says, and two marks of it are as long.
extern "C" void tasks_of_lengths(const uint64_t *lengths, uint32_t tasks, uint32_t part, uint64_t handle)
{
    lanescope::Lane lane = lanescope::per_block(handle);
    for (uint32_t task = 0; task < tasks; task++) {
        lane.begin(task, 0);
        spend_cycles(lengths[task]);
        lanescope::Mark first = lane.mark(part);
        spend_cycles(lengths[task]);
        lane.done(first);
        if (task)
            lane.receive(task - 1);
        lane.send(task);
        lanescope::Mark second = lane.mark(part);
        spend_cycles(lengths[task]);
        lane.done(second);
        lane.end();
    }
}

// A task for each warp of CTAs and threads in three dimensions.
extern "C" void task_of_a_warp(uint64_t handle)
{
    lanescope::Lane lane = lanescope::per_warp(handle);
    lane.begin(10 * lanescope::block_number() + lanescope::thread_number() / 32, 0);
    lane.end();
}
