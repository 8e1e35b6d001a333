/* Attention of one request's queries over pages of keys and values, page group by page group.
 *
 *   QK  scores = queries × keysᵀ / √depth
 *   SF  per row: its largest score m, p = exp(score - m), and l = the sum of p
 *   PV  part = p × values
 *   UP  the running state (o, m, l) with this part in it: both are scaled to the larger m
 *
 * A state's result is o / l. Blocks of 16 × 64 values are followed by the rows' m and l.
 */
#ifndef LANESCOPE_MEGA_ATTENTION_CUH
#define LANESCOPE_MEGA_ATTENTION_CUH

#include "fetch.cuh"

#define HEADS ((uint32_t)LS_MEGA_HEADS)
#define DEPTH ((uint32_t)LS_MEGA_DEPTH)
#define TOKENS ((uint32_t)LS_MEGA_TOKENS)
#define SCALE 0.125f /* 1 / √64 */
#define BLOCK_VALUES (HEADS * DEPTH)
#define BLOCK_AND_SUMS (BLOCK_VALUES + 2 * HEADS)
#define PAGE_STRIDE (DEPTH + 1) /* in shared memory: rows begin in different banks */
#define EIGHT 8u

static_assert(LS_MEGA_DEPTH == 64 && LS_MEGA_TOKENS == 64, "SCALE, and scores are as large as parts");
static_assert((BLOCK_AND_SUMS + PAGE_STRIDE * TOKENS) * sizeof(float) <= LS_MEGA_IN_BYTES, "fits");

MEGA_FN float exponential(float value)
{
#if defined(MEGA_EMULATED)
    return __builtin_expf(value);
#else
    return expf(value);
#endif
}

MEGA_FN void attention_load(const ls_mega_work &work, uint32_t rank, float *in)
{
    if (work.op == LS_MEGA_UP) {
        fetch_floats(at<float>(work.in[0]), BLOCK_VALUES, rank, in);
        fetch_floats(at<float>(work.in[1]), 2 * HEADS, rank, in + BLOCK_VALUES);
        if (work.size[0])
            fetch_floats(at<float>(work.in[2]), BLOCK_AND_SUMS, rank, in + BLOCK_AND_SUMS);
        return;
    }
    fetch_floats(at<float>(work.in[0]), BLOCK_VALUES, rank, in);
    if (work.op == LS_MEGA_SF)
        return;
    const FourFloats *page = at<FourFloats>(work.in[1]);
    fetch_all<FourFloats, 8>(
        rank, TOKENS * DEPTH / 4, [&](uint32_t i) { return page[i]; },
        [&](uint32_t i, const FourFloats &four) {
            float *to = in + BLOCK_AND_SUMS + i * 4 / DEPTH * PAGE_STRIDE + i * 4 % DEPTH;
            for (uint32_t part = 0; part < 4; part++)
                to[part] = four.value[part];
        });
}

/* A thread's results lie in one column, so it reads what they share once. */
#define OWN_RESULTS (BLOCK_VALUES / MEGA_COMPUTERS)

MEGA_FN void attention_qk(uint32_t rank, const float *in, float *out)
{
    const float *keys = in + BLOCK_AND_SUMS;
    float sums[OWN_RESULTS] = {};
#pragma unroll 4
    for (uint32_t d = 0; d < DEPTH; d++)
#pragma unroll
        for (uint32_t j = 0; j < OWN_RESULTS; j++) {
            uint32_t i = rank + j * MEGA_COMPUTERS;
            sums[j] += in[i / TOKENS * DEPTH + d] * keys[i % TOKENS * PAGE_STRIDE + d];
        }
#pragma unroll
    for (uint32_t j = 0; j < OWN_RESULTS; j++)
        out[rank + j * MEGA_COMPUTERS] = sums[j] * SCALE;
}

/* Eight values at a time; whoever has some of a row finds the row's largest and sum by itself. */
MEGA_FN void attention_sf(uint32_t rank, const float *in, float *out)
{
    for (uint32_t part = rank; part < HEADS * TOKENS / EIGHT; part += MEGA_COMPUTERS) {
        uint32_t row = part * EIGHT / TOKENS, first = part * EIGHT % TOKENS;
        const float *scores = in + row * TOKENS;
        float largest = scores[0], sum = 0;
        for (uint32_t t = 1; t < TOKENS; t++)
            largest = scores[t] > largest ? scores[t] : largest;
        for (uint32_t t = 0; t < TOKENS; t++)
            sum += exponential(scores[t] - largest);
        for (uint32_t t = first; t < first + EIGHT; t++)
            out[row * TOKENS + t] = exponential(scores[t] - largest);
        if (first == 0) {
            out[BLOCK_VALUES + row] = largest;
            out[BLOCK_VALUES + HEADS + row] = sum;
        }
    }
}

MEGA_FN void attention_pv(uint32_t rank, const float *in, float *out)
{
    const float *values = in + BLOCK_AND_SUMS;
    float sums[OWN_RESULTS] = {};
#pragma unroll 4
    for (uint32_t t = 0; t < TOKENS; t++)
#pragma unroll
        for (uint32_t j = 0; j < OWN_RESULTS; j++) {
            uint32_t i = rank + j * MEGA_COMPUTERS;
            sums[j] += in[i / DEPTH * TOKENS + t] * values[t * PAGE_STRIDE + i % DEPTH];
        }
#pragma unroll
    for (uint32_t j = 0; j < OWN_RESULTS; j++)
        out[rank + j * MEGA_COMPUTERS] = sums[j];
}

MEGA_FN void attention_up(const ls_mega_work &work, uint32_t rank, const float *in, float *out)
{
    const float *sums = in + BLOCK_VALUES, *state = in + BLOCK_AND_SUMS;
    for (uint32_t i = rank; i < BLOCK_VALUES; i += MEGA_COMPUTERS) {
        uint32_t row = i / DEPTH;
        float m = sums[row], l = sums[HEADS + row], o = in[i];
        if (work.size[0]) {
            float old_m = state[BLOCK_VALUES + row], top = m > old_m ? m : old_m;
            float own = exponential(m - top), old = exponential(old_m - top);
            o = o * own + state[i] * old;
            l = l * own + state[BLOCK_VALUES + HEADS + row] * old;
            m = top;
        }
        out[i] = o;
        if (i % DEPTH == 0) {
            out[BLOCK_VALUES + row] = m;
            out[BLOCK_VALUES + HEADS + row] = l;
        }
    }
}

MEGA_FN void attention_store(const ls_mega_work &work, uint32_t rank, const float *out)
{
    float *to = at<float>(work.out);
    uint32_t count = work.op == LS_MEGA_SF || work.op == LS_MEGA_UP ? BLOCK_AND_SUMS : BLOCK_VALUES;
    for (uint32_t i = rank; i < count; i += MEGA_STORERS)
        to[i] = out[i];
}

#endif
