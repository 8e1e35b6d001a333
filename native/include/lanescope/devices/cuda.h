/* Hooks of a CUDA program, compiled by nvcc or, while the program runs, by NVRTC. portable.h says what
 * each hook means, gives those that are not here, and has the loads and stores in PTX.
 *
 * Tried: nvcc 13 for sm_90, on a GPU. A GPU and the processor see each other's stores to the region.
 */
#ifndef LANESCOPE_DEVICES_CUDA_H
#define LANESCOPE_DEVICES_CUDA_H

#if defined(__CUDACC_RTC__)
/* A kernel compiled while the program runs has no system headers. */
#define LS_NO_SYSTEM_HEADERS 1
typedef signed short int16_t;
typedef unsigned short uint16_t;
typedef signed int int32_t;
typedef signed long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#define UINT64_C(value) value##ull
#define UINT64_MAX (~UINT64_C(0))
#define UINT32_MAX (~0u)
#if !defined(NULL)
#define NULL 0
#endif
#else
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#endif

#if !defined(LS_FN)
#define LS_FN static inline __host__ __device__
#endif
/* A call would put the caller's handles into memory, and every record would wait for that. */
#if !defined(LS_SLOW)
#define LS_SLOW static __forceinline__ __host__ __device__
#endif
#if !defined(LS_PAUSE) && defined(__CUDA_ARCH__)
#define LS_PAUSE() __nanosleep(200)
#endif
#if !defined(LS_YIELD)
#define LS_YIELD() ((void)0)
#endif

#endif
