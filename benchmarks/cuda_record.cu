// What recording costs inside a kernel. The work is pinned: dependent multiply-adds that the compiler
// can neither move nor shorten, with factors that it cannot know.
#include <lanescope/cuda.cuh>

#define F4 "fma.rn.f32 %0,%0,%1,%2;\n fma.rn.f32 %0,%0,%1,%2;\n fma.rn.f32 %0,%0,%1,%2;\n fma.rn.f32 %0,%0,%1,%2;\n"
#define F64 F4 F4 F4 F4 F4 F4 F4 F4 F4 F4 F4 F4 F4 F4 F4 F4

// So many instructions come first: where a loop's code lies in the instruction cache is worth some cycles.
#if !defined(PLACE)
#define PLACE 0
#endif

#if CTA
#define LANE lanescope::per_block
#else
#define LANE lanescope::per_warp
#endif

// 256 multiply-adds per task, in a row or as a loop of 4 × 64.
extern "C" __global__ void cost(unsigned tasks, unsigned long long *cycles, volatile float *pins,
                                float *sink, unsigned long long handle)
{
    float a = pins[0], b = pins[1], value = threadIdx.x;
#pragma unroll
    for (int i = 0; i < PLACE; i++)
        asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(value) : "f"(a), "f"(b));
    lanescope::Lane lane = LANE(handle);
    __syncthreads();
    long long begun = clock64();
#pragma unroll 1
    for (unsigned task = 0; task < tasks; task++) {
        lane.begin(task, 0);
#if LOOP
#pragma unroll 1
        for (int i = 0; i < 4; i++)
            asm volatile(F64 : "+f"(value) : "f"(a), "f"(b));
#else
        asm volatile(F64 F64 F64 F64 : "+f"(value) : "f"(a), "f"(b));
#endif
#if CTA
        __syncthreads();
#endif
        lane.end();
    }
    long long ended = clock64();
    lane.close();
    sink[blockIdx.x * blockDim.x + threadIdx.x] = value;
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = ended - begun;
}

// Nothing but records.
extern "C" __global__ void flood(unsigned tasks, unsigned long long handle)
{
    lanescope::Lane lane = lanescope::per_warp(handle);
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
        for (unsigned i = 0; i < steps; i++)
            value = value * 0.5f + 1.0f;
        lane.end();
    }
    if (threadIdx.x == 0)
        done[blockIdx.x] = count + (value == 0.0f);
}

// A flag goes from CTA to CTA, up and down again; who has it records a task. What is rare, such as a moment of both
// clocks, would make hops longer, and always those of one direction. So it comes before: each CTA records two tasks of
// which the second finds everything done.
#define BESIDE 0x80000000u
extern "C" __global__ void relay(unsigned rounds, volatile unsigned *flag, unsigned long long handle)
{
    lanescope::Lane lane = lanescope::per_block(handle);
    unsigned turns = 2 * gridDim.x - 2;
    for (unsigned round = 0; round < rounds; round++) {
        unsigned turn = round % turns, holder = turn < gridDim.x ? turn : turns - turn;
        if (holder != blockIdx.x)
            continue;
        for (int i = 0; i < 2; i++) {
            lane.begin(BESIDE, 0);
            lane.end();
        }
        while (*flag != round)
            ;
        __threadfence();
        lane.begin(round, 0);
        lane.end();
        __threadfence();
        *flag = round + 1;
    }
}
