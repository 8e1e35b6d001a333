// A pipeline of three warps in each CTA: one loads pieces, one computes, one stores.
//
// Each warp has a lane of its own, a pipe of its CTA. What it does with a piece is a task, its waiting a
// mark. A warp that hands a piece on sends its number, and the next one receives it: an edge.
#include <lanescope/cuda.cuh>

constexpr int PIECE = 256, STAGES = 2;

struct Ids {
    unsigned load, compute, store, wait;
};

// Waits until the word has reached `value`.
static __device__ void await(volatile int *word, int value)
{
    while (*word < value)
        __nanosleep(20);
    __threadfence_block();
    __syncwarp();
}

static __device__ void signal(volatile int *word, int value)
{
    __threadfence_block();
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        *word = value;
}

extern "C" __global__ void pipeline(const float *in, float *out, int pieces, int steps, Ids ids,
                                    unsigned long long handle)
{
    __shared__ float raw[STAGES][PIECE], done[STAGES][PIECE];
    __shared__ volatile int loaded, computed, stored;
    if (threadIdx.x == 0)
        loaded = computed = stored = 0;
    __syncthreads();
    lanescope::Lane lane = lanescope::per_warp(handle);
    int role = threadIdx.x / 32, thread = threadIdx.x % 32, count = 0;
    for (int piece = blockIdx.x; piece < pieces; piece += gridDim.x, count++) {
        int stage = count % STAGES;
        lanescope::Mark waiting = lane.mark(ids.wait);
        if (role == 0) {
            await(&computed, count - STAGES + 1); // its stage was read
            lane.done(waiting);
            lane.begin(piece * 3, ids.load);
            for (int i = thread; i < PIECE; i += 32)
                raw[stage][i] = in[piece * PIECE + i];
            lane.send(piece * 2);
            signal(&loaded, count + 1);
        } else if (role == 1) {
            await(&loaded, count + 1);
            await(&stored, count - STAGES + 1);
            lane.done(waiting);
            lane.begin(piece * 3 + 1, ids.compute);
            lane.receive(piece * 2);
            for (int i = thread; i < PIECE; i += 32) {
                float value = raw[stage][i];
                for (int step = 0; step < steps; step++)
                    value = value * 0.5f + 1.0f;
                done[stage][i] = value;
            }
            lane.send(piece * 2 + 1);
            signal(&computed, count + 1);
        } else {
            await(&computed, count + 1);
            lane.done(waiting);
            lane.begin(piece * 3 + 2, ids.store);
            lane.receive(piece * 2 + 1);
            for (int i = thread; i < PIECE; i += 32)
                out[piece * PIECE + i] = done[stage][i];
            signal(&stored, count + 1);
        }
        lane.end();
    }
}
