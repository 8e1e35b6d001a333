// A persistent GEMM, C = A × B in float: each CTA computes 64 × 64 tiles until none is left.
//
// A tile is a task. Inside it, fetching a piece of A and B and multiplying it are marks.
#include <lanescope/cuda.cuh>

constexpr int TILE = 64, DEPTH = 16, SIDE = 16; // 16 × 16 threads, 4 × 4 results each

struct Ids {
    unsigned tile, load, multiply;
};

// As many CTAs on an SM as without recording: four. The compiler then keeps to 64 registers.
extern "C" __global__ void __launch_bounds__(SIDE *SIDE, 4) gemm(const float *a, const float *b, float *c, int n, Ids ids,
                                unsigned long long handle)
{
    __shared__ float part_a[DEPTH][TILE], part_b[DEPTH][TILE];
    lanescope::Lane lane = lanescope::per_block(handle);
    int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE, across = n / TILE;
    for (int tile = blockIdx.x; tile < across * across; tile += gridDim.x) {
        int row = tile / across * TILE, column = tile % across * TILE;
        float sum[4][4] = {};
        lane.begin(tile, ids.tile);
        for (int k = 0; k < n; k += DEPTH) {
            {
                lanescope::Range load(lane, ids.load);
                for (int i = threadIdx.x; i < TILE * DEPTH; i += SIDE * SIDE) {
                    part_a[i % DEPTH][i / DEPTH] = a[(row + i / DEPTH) * n + k + i % DEPTH];
                    part_b[i / TILE][i % TILE] = b[(k + i / TILE) * n + column + i % TILE];
                }
                __syncthreads();
            }
            lanescope::Range multiply(lane, ids.multiply);
            for (int d = 0; d < DEPTH; d++)
                for (int i = 0; i < 4; i++)
                    for (int j = 0; j < 4; j++)
                        sum[i][j] += part_a[d][y * 4 + i] * part_b[d][x * 4 + j];
            __syncthreads();
        }
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                c[(row + y * 4 + i) * n + column + x * 4 + j] = sum[i][j];
        lane.end();
    }
}
