/* What is recorded: one bit per feature in one 64-bit word, the same for host, controller and core.
 *
 * A feature that needs another implies it. A new feature takes the next bit; nothing else changes.
 * lanescope/trace/flags.py names the same bits; a test compares the two.
 */
#ifndef LANESCOPE_FLAGS_H
#define LANESCOPE_FLAGS_H

#include "portable.h"

#define LS_CHIP_SWIMLANE_CORE_TIMING (UINT64_C(1) << 0)         /* start and end on the core */
#define LS_CHIP_SWIMLANE_TASK_LIFECYCLE (UINT64_C(1) << 1)      /* dispatch, finish; implies 0 */
#define LS_CHIP_SWIMLANE_PHASE_BUFFERS (UINT64_C(1) << 2)       /* scheduler phases; implies 1 */
#define LS_DUMP_TENSOR (UINT64_C(1) << 3)                       /* arguments of tasks */
#define LS_CHIP_SWIMLANE_ORCHESTRATOR_PHASES (UINT64_C(1) << 4) /* implies 2 */
#define LS_CORE_SWIMLANE (UINT64_C(1) << 5)                     /* marks inside a core; implies 0 */
#define LS_PMU (UINT64_C(1) << 6)                               /* counters per task; implies 0 */
#define LS_FLAGS_KNOWN ((UINT64_C(1) << 7) - 1)

#define LS_HIGHEST_LEVEL 4

/* ---- since 0.1.0 ----------------------------------------------------------------------------- */

/* The flags with everything that they imply. */
LS_FN uint64_t ls_flags_closed(uint64_t flags)
{
    if (flags & LS_CHIP_SWIMLANE_ORCHESTRATOR_PHASES)
        flags |= LS_CHIP_SWIMLANE_PHASE_BUFFERS;
    if (flags & LS_CHIP_SWIMLANE_PHASE_BUFFERS)
        flags |= LS_CHIP_SWIMLANE_TASK_LIFECYCLE;
    if (flags & (LS_CHIP_SWIMLANE_TASK_LIFECYCLE | LS_CORE_SWIMLANE | LS_PMU))
        flags |= LS_CHIP_SWIMLANE_CORE_TIMING;
    return flags;
}

/* Only bits that are known, and every implied one set. */
LS_FN int ls_flags_valid(uint64_t flags)
{
    return (flags & ~LS_FLAGS_KNOWN) == 0 && ls_flags_closed(flags) == flags;
}

/* The flags of a chip-swimlane level 0..4; of anything else, all bits, which is not valid. */
LS_FN uint64_t ls_level_flags(int32_t level)
{
    switch (level) {
    case 0: return 0;
    case 1: return LS_CHIP_SWIMLANE_CORE_TIMING;
    case 2: return ls_flags_closed(LS_CHIP_SWIMLANE_TASK_LIFECYCLE);
    case 3: return ls_flags_closed(LS_CHIP_SWIMLANE_PHASE_BUFFERS);
    case 4: return ls_flags_closed(LS_CHIP_SWIMLANE_ORCHESTRATOR_PHASES);
    default: return UINT64_MAX;
    }
}

#endif
