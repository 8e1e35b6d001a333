/* JSON text by blocks of 64 bytes: which bytes are quotes, brackets or backslashes, a bit each. */
#ifndef LANESCOPE_JSON_BLOCKS_H
#define LANESCOPE_JSON_BLOCKS_H

#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define LS_JSON_BLOCK 64

/* Bit i stands for byte i of the block. */
typedef struct {
    uint64_t quote;
    uint64_t open;  /* [ or { */
    uint64_t close; /* ] or } */
    uint64_t escape;
} json_block;

/* Brackets of both kinds are equal but for bit 5: [ and { become {, ] and } become }. */
static inline json_block read_block(const uint8_t *text)
{
    json_block b = {0, 0, 0, 0};
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), escape = _mm_set1_epi8('\\');
    const __m128i open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}'), bit = _mm_set1_epi8(0x20);
    for (int i = 0; i < LS_JSON_BLOCK; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text + i));
        __m128i folded = _mm_or_si128(bytes, bit);
        b.quote |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, quote)) << i;
        b.escape |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, escape)) << i;
        b.open |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(folded, open)) << i;
        b.close |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(folded, close)) << i;
    }
#else
    for (int i = 0; i < LS_JSON_BLOCK; i++) {
        uint64_t at = UINT64_C(1) << i;
        uint8_t byte = text[i], folded = byte | 0x20;
        b.quote |= byte == '"' ? at : 0;
        b.escape |= byte == '\\' ? at : 0;
        b.open |= folded == '{' ? at : 0;
        b.close |= folded == '}' ? at : 0;
    }
#endif
    return b;
}

/* Bit i of the answer: whether bits 0 to i hold an odd number of ones. */
static inline uint64_t parity_up_to(uint64_t bits)
{
    for (int shift = 1; shift < 64; shift *= 2)
        bits ^= bits << shift;
    return bits;
}

/* Number of ones; the plain x86-64 has no instruction for it, and the compiler's own is a call. */
static inline int64_t ones(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int64_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

#endif
