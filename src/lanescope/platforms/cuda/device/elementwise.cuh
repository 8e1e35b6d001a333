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

/* Where element `i` of a stage lies in a matrix whose rows are `stride` apart. */
MEGA_FN uint64_t elementwise_place(const ls_mega_work &work, uint32_t stage, uint32_t i, uint32_t stride)
{
    uint32_t element = stage * ELEMENTWISE_CHUNK + i;
    return (uint64_t)(element / work.size[1]) * stride + element % work.size[1];
}

MEGA_FN void elementwise_load(const ls_mega_work &work, uint32_t which, uint32_t stage, uint32_t rank,
                              float *in)
{
    const float *from = at<float>(work.in[which]);
    uint32_t count = elementwise_count(work, stage);
    uint32_t stride = work.size[2 + which];
    fetch_all<float, 16>(
        rank, count, [&](uint32_t i) { return from[elementwise_place(work, stage, i, stride)]; },
        [&](uint32_t i, float value) { in[i] = value; });
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
    for (uint32_t i = rank; i < count; i += MEGA_STORERS)
        to[elementwise_place(work, stage, i, work.size[4])] = out[i];
}

#endif
