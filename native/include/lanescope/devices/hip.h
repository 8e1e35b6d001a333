/* Hooks of a HIP program (AMD GPUs). portable.h says what each hook means and gives those not here.
 *
 * Compiled by hipcc 5.2 (gfx906, gfx90a, gfx1030), never run on a GPU. From the HIP documentation
 * (rocm.docs.amd.com): wall_clock64() counts at a constant rate, and the compiler's __atomic functions order
 * memory for the whole system. The region must be fine-grained host memory (hipHostMallocCoherent). On a gfx90a
 * the release of each record writes the level-2 cache back (buffer_wbl2); nobody measured what that costs.
 */
#ifndef LANESCOPE_DEVICES_HIP_H
#define LANESCOPE_DEVICES_HIP_H

#include <stddef.h>
#include <stdint.h>

#if !defined(LS_FN)
#define LS_FN static inline __host__ __device__
#endif
#if !defined(LS_SLOW)
#define LS_SLOW static inline __attribute__((always_inline)) __host__ __device__
#endif
#if !defined(LS_CLOCK) && defined(__HIP_DEVICE_COMPILE__)
#define LS_CLOCK() ((uint64_t)wall_clock64())
#endif
#if !defined(LS_PAUSE) && defined(__HIP_DEVICE_COMPILE__)
#define LS_PAUSE() __builtin_amdgcn_s_sleep(2)
#endif
#if !defined(LS_YIELD)
#define LS_YIELD() ((void)0)
#endif

#endif
