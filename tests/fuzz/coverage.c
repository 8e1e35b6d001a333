/* Which ways the sanitized library takes: gcc calls __sanitizer_cov_trace_pc at the start of every
 * basic block. A byte of the map counts how often one block came after another.
 */
#include <stdint.h>

#define WAYS 65536

uint8_t ls_fuzz_ways[WAYS];

void __sanitizer_cov_trace_pc(void)
{
    static __thread uint32_t last;
    uint64_t place = (uint64_t)(uintptr_t)__builtin_return_address(0) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t now = (uint32_t)(place >> 40);
    uint8_t *way = &ls_fuzz_ways[(now ^ last) % WAYS];
    *way = (uint8_t)(*way + (*way != 255));
    last = now >> 1;
}
