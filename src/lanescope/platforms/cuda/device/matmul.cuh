/* out = a × b with float16 inputs and float32 sums, by blocks of 64 × 64 results and 32 of the depth. */
#ifndef LANESCOPE_MEGA_MATMUL_CUH
#define LANESCOPE_MEGA_MATMUL_CUH

#include "fetch.cuh"

#define BLOCK 64u
#define SLAB 32u            /* of the depth, per stage */
#define A_STRIDE (BLOCK + 1) /* a slab of a lies transposed in shared memory: no two banks meet */

#if defined(MEGA_EMULATED)
#define ACROSS 1u
#else
#define ACROSS 16u /* threads in a row of results */
#endif
#define DOWN (MEGA_COMPUTERS / ACROSS)

static_assert((A_STRIDE + BLOCK) * SLAB * sizeof(float) <= LS_MEGA_IN_BYTES, "both slabs fit");
static_assert(BLOCK * BLOCK * sizeof(float) <= LS_MEGA_OUT_BYTES, "a block fits");

/* A thread's results: rows DOWN apart, columns ACROSS apart. */
struct Accumulators {
    float sum[BLOCK / DOWN][BLOCK / ACROSS];
};

MEGA_FN float half_value(uint16_t bits)
{
#if defined(MEGA_EMULATED)
    uint32_t sign = (uint32_t)(bits >> 15) << 31, exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent == 0) {
        float small = (float)fraction / 16777216.0f;
        return sign ? -small : small;
    }
    uint32_t word = sign | (exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13;
    float value;
    __builtin_memcpy(&value, &word, sizeof value);
    return value;
#else
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
#endif
}

struct MatmulStage {
    uint32_t row, column, depth; /* where the block and the slab begin */
    bool first, last;            /* slab of the block */
};

MEGA_FN uint32_t matmul_slabs(const ls_mega_work &work) { return (work.size[5] + SLAB - 1) / SLAB; }
MEGA_FN uint32_t matmul_columns(const ls_mega_work &work) { return (work.size[1] + BLOCK - 1) / BLOCK; }

MEGA_FN uint32_t matmul_stages(const ls_mega_work &work)
{
    return (work.size[0] + BLOCK - 1) / BLOCK * matmul_columns(work) * matmul_slabs(work);
}

MEGA_FN MatmulStage matmul_stage(const ls_mega_work &work, uint32_t stage)
{
    uint32_t slabs = matmul_slabs(work), block = stage / slabs, slab = stage % slabs;
    uint32_t columns = matmul_columns(work);
    return {block / columns * BLOCK, block % columns * BLOCK, slab * SLAB, slab == 0,
            slab + 1 == slabs};
}

struct HalfMatrix {
    const uint16_t *values;
    uint32_t rows, columns, stride;
};

/* One by one, where they do not lie together; `count` of them are inside the matrix. */
MEGA_CALL EightHalves eight_singly(const uint16_t *from, uint32_t count)
{
    EightHalves eight = {};
    for (uint32_t part = 0; part < 8; part++)
        if (part < count)
            eight.bits[part] = from[part];
    return eight;
}

/* Eight values of a row; 0 beyond the matrix. */
MEGA_FN EightHalves eight_of(const HalfMatrix &matrix, uint32_t row, uint32_t column)
{
    const uint16_t *from = matrix.values + (uint64_t)row * matrix.stride + column;
    bool inside = row < matrix.rows && column < matrix.columns;
    if (inside && column + 8 <= matrix.columns && (uint64_t)from % 16 == 0)
        return *(const EightHalves *)from;
    return eight_singly(from, inside ? matrix.columns - column : 0);
}

MEGA_FN void matmul_load(const ls_mega_work &work, uint32_t stage, uint32_t rank, float *in)
{
    MatmulStage s = matmul_stage(work, stage);
    HalfMatrix a = {at<uint16_t>(work.in[0]), work.size[0], work.size[5], work.size[2]};
    HalfMatrix b = {at<uint16_t>(work.in[1]), work.size[5], work.size[1], work.size[3]};
    fetch_all<EightHalves, 4>(
        rank, BLOCK * SLAB / 8,
        [&](uint32_t i) { return eight_of(a, s.row + i * 8 / SLAB, s.depth + i * 8 % SLAB); },
        [&](uint32_t i, const EightHalves &eight) {
            for (uint32_t part = 0; part < 8; part++)
                in[(i * 8 % SLAB + part) * A_STRIDE + i * 8 / SLAB] = half_value(eight.bits[part]);
        });
    fetch_all<EightHalves, 4>(
        rank, BLOCK * SLAB / 8,
        [&](uint32_t i) { return eight_of(b, s.depth + i * 8 / BLOCK, s.column + i * 8 % BLOCK); },
        [&](uint32_t i, const EightHalves &eight) {
            for (uint32_t part = 0; part < 8; part++)
                in[A_STRIDE * SLAB + i * 8 + part] = half_value(eight.bits[part]);
        });
}

MEGA_FN void matmul_compute(const ls_mega_work &work, uint32_t stage, uint32_t rank, const float *in,
                            float *out, Accumulators &sums)
{
    MatmulStage s = matmul_stage(work, stage);
    uint32_t top = rank / ACROSS, left = rank % ACROSS;
    for (uint32_t i = 0; s.first && i < BLOCK / DOWN; i++)
        for (uint32_t j = 0; j < BLOCK / ACROSS; j++)
            sums.sum[i][j] = 0;
#pragma unroll 4
    for (uint32_t depth = 0; depth < SLAB; depth++) {
        const float *a = in + depth * A_STRIDE, *b = in + A_STRIDE * SLAB + depth * BLOCK;
#pragma unroll
        for (uint32_t i = 0; i < BLOCK / DOWN; i++)
#pragma unroll
            for (uint32_t j = 0; j < BLOCK / ACROSS; j++)
                sums.sum[i][j] += a[top + DOWN * i] * b[left + ACROSS * j];
    }
#pragma unroll
    for (uint32_t i = 0; i < BLOCK / DOWN; i++)
#pragma unroll
        for (uint32_t j = 0; j < BLOCK / ACROSS; j++)
            if (s.last)
                out[(top + DOWN * i) * BLOCK + left + ACROSS * j] = sums.sum[i][j];
}

MEGA_FN void matmul_store(const ls_mega_work &work, uint32_t stage, uint32_t rank, const float *out)
{
    MatmulStage s = matmul_stage(work, stage);
    float *to = at<float>(work.out);
    for (uint32_t i = rank; s.last && i < BLOCK * BLOCK; i += MEGA_STORERS) {
        uint32_t row = s.row + i / BLOCK, column = s.column + i % BLOCK;
        if (row < work.size[0] && column < work.size[1])
            to[(uint64_t)row * work.size[4] + column] = out[i];
    }
}

#endif
