/* Hooks of an Ascend AICPU, the controller processor (64-bit Arm, g++ of CANN, C++17). Define LS_AICPU
 * before including lanescope, and LS_AICPU_HOST_COHERENT 1 on a5. portable.h says what each hook means and
 * gives those not here.
 *
 * Not tried on hardware. What it is built on: no maintenance between AICore and AICPU, only order; what
 * the host wrote must be dropped from the cache on a2a3, and not on a5 (hw-native-sys/simpler:
 * docs/hardware/cache-coherency.md).
 */
#ifndef LANESCOPE_DEVICES_AICPU_H
#define LANESCOPE_DEVICES_AICPU_H

#include "host.h"

#if !defined(LS_AICPU_HOST_COHERENT)
#define LS_AICPU_HOST_COHERENT 0
#endif

#define LS_HAS_LINES 1

#if !defined(LS_LOAD_LINE)
#define LS_LOAD_LINE(address) __asm__ volatile("dsb ld" ::"r"(address) : "memory")
#endif
#if !defined(LS_INVALIDATE_LINE)
#if LS_AICPU_HOST_COHERENT
#define LS_INVALIDATE_LINE(address) LS_LOAD_LINE(address)
#else
#define LS_INVALIDATE_LINE(address) \
    __asm__ volatile("dc civac, %0\n\tdsb sy\n\tisb" ::"r"(address) : "memory")
#endif
#endif
#if !defined(LS_FLUSH_LINE)
#define LS_FLUSH_LINE(address) ((void)(address))
#endif
#if !defined(LS_BARRIER)
#define LS_BARRIER() __asm__ volatile("dsb st" ::: "memory")
#endif

#endif
