/* How loading warps fetch: many values on their way before the first is waited for. */
#ifndef LANESCOPE_MEGA_FETCH_CUH
#define LANESCOPE_MEGA_FETCH_CUH

#include "shared_state.cuh"

/* 16 bytes, which one instruction moves. */
struct alignas(16) FourFloats {
    float value[4];
};
struct alignas(16) EightHalves {
    uint16_t bits[8];
};

/* Elements rank, rank + MEGA_LOADERS, … below `count`: keep(i, fetch(i)), BATCH of them at a time. */
template <class Value, uint32_t BATCH, class Fetch, class Keep>
MEGA_FN void fetch_all(uint32_t rank, uint32_t count, Fetch fetch, Keep keep)
{
    for (uint32_t base = rank; base < count; base += BATCH * MEGA_LOADERS) {
        Value values[BATCH];
#pragma unroll
        for (uint32_t b = 0; b < BATCH; b++)
            if (base + b * MEGA_LOADERS < count)
                values[b] = fetch(base + b * MEGA_LOADERS);
#pragma unroll
        for (uint32_t b = 0; b < BATCH; b++)
            if (base + b * MEGA_LOADERS < count)
                keep(base + b * MEGA_LOADERS, values[b]);
    }
}

/* `count` floats, a multiple of four, to the same places. */
MEGA_FN void fetch_floats(const float *from, uint32_t count, uint32_t rank, float *to)
{
    fetch_all<FourFloats, 8>(
        rank, count / 4, [=](uint32_t i) { return ((const FourFloats *)from)[i]; },
        [=](uint32_t i, const FourFloats &four) { ((FourFloats *)to)[i] = four; });
}

#endif
