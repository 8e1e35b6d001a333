/* Reads an ls_call_config from the environment, where lanescope.CallConfig.environment() put it.
 *
 *   LANESCOPE_CAPTURE, LANESCOPE_FLAGS             without these two nothing is recorded
 *   LANESCOPE_ON_FULL                              block or drop
 *   LANESCOPE_BUFFER_RECORDS, LANESCOPE_BUFFERS
 *   LANESCOPE_PMU_GROUP, LANESCOPE_PMU_EVENTS      a number; numbers with commas between them
 *   LANESCOPE_DUMP_SELECT, LANESCOPE_DUMP_LIMIT, LANESCOPE_DUMP_TOTAL
 *   LANESCOPE_TENSORS, LANESCOPE_DEPS              paths
 */
#ifndef LANESCOPE_CALL_ENVIRONMENT_H
#define LANESCOPE_CALL_ENVIRONMENT_H

#include "call_config.h"

#include <stdlib.h>
#include <string.h>

/* ---- inside ---------------------------------------------------------------------------------- */

/* 0: the text is there and does not fit. */
LS_SLOW int ls_environment_text(const char *name, char *target, size_t room)
{
    const char *text = getenv(name);
    if (!text)
        return 1;
    if (strlen(text) >= room)
        return 0;
    ls_copy_text(target, room, text);
    return 1;
}

LS_SLOW uint64_t ls_environment_number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

LS_SLOW void ls_environment_events(ls_call_config *call)
{
    const char *text = getenv("LANESCOPE_PMU_EVENTS");
    while (text && *text && call->pmu_count < LS_PMU_COUNTERS) {
        char *end = NULL;
        call->pmu_events[call->pmu_count++] = (uint32_t)strtoul(text, &end, 0);
        text = *end == ',' ? end + 1 : "";
    }
}

/* ---- since 0.2.0 ----------------------------------------------------------------------------- */

/* What the environment asks for. Where it asks for nothing, or for something that cannot be, the flags
 * are 0, and ls_call_check says why. */
LS_SLOW ls_call_config ls_call_from_environment(void)
{
    ls_call_config call = ls_default_call();
    const char *on_full = getenv("LANESCOPE_ON_FULL");
    int fits = ls_environment_text("LANESCOPE_CAPTURE", call.capture, LS_CALL_PATH)
               & ls_environment_text("LANESCOPE_TENSORS", call.tensors, LS_CALL_PATH)
               & ls_environment_text("LANESCOPE_DEPS", call.deps, LS_CALL_PATH)
               & ls_environment_text("LANESCOPE_DUMP_SELECT", call.dump_select, LS_CALL_SELECT);
    call.on_full = on_full && strcmp(on_full, "drop") == 0 ? LS_DROP : LS_BLOCK;
    call.buffer_records = (uint32_t)ls_environment_number("LANESCOPE_BUFFER_RECORDS", 0);
    call.buffer_count = (uint32_t)ls_environment_number("LANESCOPE_BUFFERS", 0);
    call.pmu_group = (uint32_t)ls_environment_number("LANESCOPE_PMU_GROUP", 0);
    ls_environment_events(&call);
    call.tensor_bytes = ls_environment_number("LANESCOPE_DUMP_LIMIT", call.tensor_bytes);
    call.total_bytes = ls_environment_number("LANESCOPE_DUMP_TOTAL", call.total_bytes);
    if (call.capture[0] && fits)
        call.flags = ls_environment_number("LANESCOPE_FLAGS", 0);
    call.level = ls_flags_level(call.flags);
    return call;
}

#endif
