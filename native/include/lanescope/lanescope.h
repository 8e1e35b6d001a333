/* lanescope for a runtime or a kernel: include this, link nothing.
 *
 *   portable.h  hooks of a device    flags.h   what is recorded
 *   kinds.h     kinds of record      layout.h  every other shared byte
 *   region.h    making a region      version.h LANESCOPE_VERSION_MAJOR, _MINOR, _PATCH
 *   record.h    recording: lanes.h, writer.h, core.h, controller.h
 *   edges.h     edges of the graph   host_phases.h  phases of the host program
 *   tensors.h   dumps of tensors, chosen by selection.h; tensor_record.h is their record
 *   counters.h  hardware counters, and perfmon.h trace engines, through registers.h
 *   call_config.h  what a caller asks for, in one object; call_environment.h reads it from there
 *   debug.h     -DLS_DEBUG: stops where records would belong to nobody
 *   clock.h     the machine's clock (not included here: clock_gettime)
 *   file.h      a region in a file (not included here: Linux, POSIX)
 *   devices/    a set of hooks each: host, CUDA, HIP, AICore, AICPU; chosen by the compiler's macros
 *   cuda.cuh    inside CUDA kernels, on buffers.cuh and handle.h (not included here: C++)
 *
 * What a program can rely on. Every function stands under one of two marks, which is true of all
 * functions down to the next mark:
 *
 *   since 0.1.0  Public, from that version on. It keeps its name, its parameters and what it does.
 *                Before one of these changes, CHANGELOG.md announces it, and the function stays as
 *                it was through at least one more version with another MINOR number.
 *   inside       Other functions of these headers call it. It can change in every version.
 *
 * The same holds for names that are no functions:
 *
 *   public       Since 0.1.0: constants, enumerators and structs of flags.h, kinds.h, layout.h and
 *                region.h; macros that a program may define (LS_CLOCK, LS_CLOCK_ORDERED, LS_YIELD,
 *                LS_RECORDING). Since 0.2.0: LS_RECORD_KINDS, ls_owner, ls_producer, version.h, LS_DEBUG
 *                and the other hooks of portable.h.
 *                A new version may add enumerators, use the `pad` of a struct and add fields to
 *                ls_config. Make an ls_config with ls_default_config(), which sets them all.
 *   inside       The fields of ls_core, ls_channel and ls_writer, handle.h and megakernel.h.
 *
 * The bytes of a region are promised by LS_REGION_VERSION, not by the version of these headers: a
 * host reads every region of its own LS_REGION_VERSION and refuses all others.
 */
#ifndef LANESCOPE_H
#define LANESCOPE_H

#include "flags.h"
#include "layout.h"
#include "portable.h"
#include "record.h"
#include "edges.h"
#include "host_phases.h"
#include "tensors.h"
#if !defined(__CCE_AICORE__) /* a controller's; they call functions by their address */
#include "counters.h"
#include "perfmon.h"
#endif
#if !defined(LS_NO_SYSTEM_HEADERS)
#include "call_config.h"
#include "region.h"
#endif

#endif
