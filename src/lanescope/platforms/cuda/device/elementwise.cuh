/* out = 2·x and out = x + y, on matrices with any distance between rows. */
#ifndef LANESCOPE_MEGA_ELEMENTWISE_CUH
#define LANESCOPE_MEGA_ELEMENTWISE_CUH

#include "fetch.cuh"

#define ELEMENTWISE_CHUNK 2048u /* elements per stage */

static_assert(2 * ELEMENTWISE_CHUNK * sizeof(float) <= LS_MEGA_IN_BYTES, "both inputs fit");
static_assert(ELEMENTWISE_CHUNK * sizeof(float) <= LS_MEGA_OUT_BYTES, "the result fits");

MEGA_FN uint32_t elementwise_stages(const ls_mega_work &work)
{
    return (work.size[0] * work.size[1] + ELEMENTWISE_CHUNK - 1) / ELEMENTWISE_CHUNK;
}

/* Elements of a stage. */
MEGA_FN uint32_t elementwise_count(const ls_mega_work &work, uint32_t stage)
{
    uint32_t left = work.size[0] * work.size[1] - stage * ELEMENTWISE_CHUNK;
    return left < ELEMENTWISE_CHUNK ? left : ELEMENTWISE_CHUNK;
}

/* A walk through a matrix, always by the same number of elements; no step waits for a division. */
struct Walk {
    uint64_t row; /* where it begins */
    uint32_t column, columns;
    uint64_t step_rows; /* what a step adds to `row` … */
    uint32_t step_columns, stride; /* … and to `column`; beyond the last column another row */
};

MEGA_FN Walk walk_from(const ls_mega_work &work, uint32_t element, uint32_t stride, uint32_t step)
{
    uint32_t columns = work.size[1];
    return {(uint64_t)(element / columns) * stride, element % columns, columns,
            (uint64_t)(step / columns) * stride, step % columns, stride};
}

/* Where it is; then it goes on. */
MEGA_FN uint64_t walk_on(Walk &walk)
{
    uint64_t here = walk.row + walk.column;
    walk.row += walk.step_rows;
    walk.column += walk.step_columns;
    bool beyond = walk.column >= walk.columns;
    walk.row += beyond ? walk.stride : 0;
    walk.column -= beyond ? walk.columns : 0;
    return here;
}

MEGA_FN void elementwise_load(const ls_mega_work &work, uint32_t stage, uint32_t rank, float *in)
{
    uint32_t count = elementwise_count(work, stage), inputs = work.op == LS_MEGA_SCALE ? 1 : 2;
#pragma unroll 1
    for (uint32_t which = 0; which < inputs; which++) {
        const float *from = at<float>(work.in[which]);
        uint32_t first = stage * ELEMENTWISE_CHUNK + rank;
        Walk walk = walk_from(work, first, work.size[2 + which], MEGA_LOADERS);
        fetch_all<float, 16>(
            rank, count, [&](uint32_t) { return from[walk_on(walk)]; },
            [&](uint32_t i, float value) { in[which * ELEMENTWISE_CHUNK + i] = value; });
    }
}

/* What lies beyond the stage's elements is computed, too, and never stored. */
MEGA_FN void elementwise_compute(const ls_mega_work &work, uint32_t rank, const float *in, float *out)
{
    for (uint32_t i = rank; i < ELEMENTWISE_CHUNK; i += MEGA_COMPUTERS)
        out[i] = work.op == LS_MEGA_SCALE ? 2.0f * in[i] : in[i] + in[ELEMENTWISE_CHUNK + i];
}

MEGA_FN void elementwise_store(const ls_mega_work &work, uint32_t stage, uint32_t rank, const float *out)
{
    float *to = at<float>(work.out);
    uint32_t count = elementwise_count(work, stage);
    Walk walk = walk_from(work, stage * ELEMENTWISE_CHUNK + rank, work.size[4], MEGA_STORERS);
    for (uint32_t i = rank; i < count; i += MEGA_STORERS)
        to[walk_on(walk)] = out[i];
}

#endif
