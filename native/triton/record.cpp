/* What Triton kernels call to record: calls.cuh, for clang without CUDA.
 *
 * `make triton-ir` compiles this with clang 18 to LLVM IR, src/lanescope/triton/record.ll, which Triton links
 * into the kernel (extern_libs) and inlines.
 */

/* ---- the words of CUDA that the header uses, for clang without CUDA ----------------------------- */

typedef unsigned long size_t;
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1    /* no system headers */
#define __CUDA_ARCH__ 750   /* loads and stores are PTX, as nvcc has them */
#define __host__
#define __device__
#define __shared__ __attribute__((address_space(3)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define memcpy __builtin_memcpy

struct Place {
    unsigned x, y, z;
};
#define REGISTERS(name)                                                                            \
    (Place{(unsigned)__nvvm_read_ptx_sreg_##name##_x(), (unsigned)__nvvm_read_ptx_sreg_##name##_y(), \
           (unsigned)__nvvm_read_ptx_sreg_##name##_z()})
#define threadIdx REGISTERS(tid)
#define blockIdx REGISTERS(ctaid)
#define blockDim REGISTERS(ntid)
#define gridDim REGISTERS(nctaid)

static inline void __syncwarp()
{
    __nvvm_bar_warp_sync(~0u);
}
static inline int __any_sync(unsigned mask, int yes)
{
    return __nvvm_vote_any_sync(mask, yes);
}
static inline void __threadfence()
{
    __nvvm_membar_gl();
}
static inline void __nanosleep(unsigned ns)
{
    asm volatile("nanosleep.u32 %0;" ::"r"(ns));
}
static inline unsigned atomicExch(unsigned *word, unsigned value)
{
    unsigned before;
    asm volatile("atom.exch.b32 %0, [%1], %2;" : "=r"(before) : "l"(word), "r"(value) : "memory");
    return before;
}
static inline unsigned long long atomicAdd(unsigned long long *word, unsigned long long value)
{
    unsigned long long before;
    asm volatile("atom.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(word), "l"(value) : "memory");
    return before;
}
static inline size_t __cvta_generic_to_shared(const __shared__ void *shared)
{
    return (size_t)shared;
}
static inline void *__cvta_shared_to_generic(size_t shared)
{
    return (void *)(__shared__ void *)shared;
}
inline void *operator new(size_t, void *place) noexcept
{
    return place;
}

#define LS_RARE static __noinline__ /* written once here; the kernel's compiler inlines it */
#define LS_UNINITIALIZED [[clang::loader_uninitialized]]
#define LS_THREAD_NUMBER threadIdx.x /* CTAs of Triton have one dimension */
#define LS_CALL extern "C" __attribute__((always_inline))

#include <lanescope/calls.cuh>
