/* A task that any graph can have: mixes the values of its predecessors with its own number.
 *
 * The sum does not depend on the order of the predecessors, but on every one of them: a task that ran
 * before one of them was done has a wrong value, and so has everything after it. The mixing is that of
 * splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
 */
#ifndef LANESCOPE_MEGA_HASH_CUH
#define LANESCOPE_MEGA_HASH_CUH

#include "shared_state.cuh"

#define WIDTH ((uint32_t)LS_MEGA_HASH_WIDTH)

MEGA_FN uint64_t mixed(uint64_t word)
{
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return word ^ word >> 31;
}

MEGA_FN void hash_load(const ls_mega_work &work, uint32_t rank, uint64_t *in)
{
    const uint64_t *values = at<uint64_t>(work.in[0]);
    const uint32_t *predecessors = at<uint32_t>(work.in[1]);
    for (uint32_t i = rank; i < WIDTH; i += MEGA_LOADERS) {
        uint64_t sum = mixed((uint64_t)work.size[0] * WIDTH + i + 1);
        for (uint32_t p = 0; p < work.size[1]; p++)
            sum += values[(uint64_t)predecessors[p] * WIDTH + i];
        in[i] = sum;
    }
}

MEGA_FN void hash_compute(const ls_mega_work &work, uint32_t rank, const uint64_t *in, uint64_t *out)
{
    for (uint32_t i = rank; i < WIDTH; i += MEGA_COMPUTERS) {
        uint64_t word = in[i];
        for (uint32_t round = 0; round < work.passes * LS_MEGA_HASH_ROUNDS; round++)
            word = mixed(word);
        out[i] = mixed(word);
    }
}

MEGA_FN void hash_store(const ls_mega_work &work, uint32_t rank, const uint64_t *out)
{
    uint64_t *to = at<uint64_t>(work.out);
    for (uint32_t i = rank; i < WIDTH; i += MEGA_STORERS)
        to[i] = out[i];
}

#endif
