/* What everything takes besides the tasks themselves: the one table of costs.
 *
 * C has a struct of it, Python reads names and meanings from it, chip files have the costs of a
 * section as its keys (`submit_ns` in [orchestrator]), and a calibration finds them in records. All are
 * picoseconds. */
#ifndef LANESCOPE_MACHINE_COSTS_H
#define LANESCOPE_MACHINE_COSTS_H

#include <stdint.h>

/* COST(name, section, meaning) */
#define LS_MACHINE_COSTS(COST)                                                                    \
    COST(submit, orchestrator, "per task submitted")                                              \
    COST(submit_edge, orchestrator, "per edge of a submitted task")                               \
    COST(scope_end, orchestrator, "per task of a scope that ends")                                \
    COST(loop, scheduler, "a round that looks at no core")                                        \
    COST(poll_core, scheduler, "per core looked at")                                              \
    COST(complete_base, scheduler, "per phase that sees tasks end")                               \
    COST(complete, scheduler, "per finished task")                                                \
    COST(resolve_edge, scheduler, "per successor of a finished task")                             \
    COST(pop, scheduler, "per look into a ready queue")                                           \
    COST(dispatch, scheduler, "per task written to a core")                                       \
    COST(publish, scheduler, "per task prepared before, when many start together")                \
    COST(poll_engine, scheduler, "per task that an engine beside the cores still works on")       \
    COST(release, scheduler, "per task whose place is given back")                                \
    COST(resolve_bank, banks, "per bank of cores whose finished tasks have successors")           \
    COST(dispatch_base, banks, "per round that saw tasks end, before it gives out others")        \
    COST(dispatch_end, banks, "per round that gave out tasks, after the last of them")            \
    COST(dispatch_latency, link, "the controller's write until the core sees it")                 \
    COST(finish_latency, link, "the core's finish until the controller can see it")               \
    COST(engine_latency, link, "an engine's end until the controller can see it")                 \
    COST(setup, core, "a task received until it starts")                                          \
    COST(core_record, recording, "the core's stamps and the store of its record")                 \
    COST(task_record, recording, "scheduler, per finished task: all that is recorded of it")      \
    COST(staging_shared, recording, "orchestrator, per copy that a scheduler makes")              \
    COST(scheduler_phase, recording, "per phase record of a scheduler")                           \
    COST(orchestrator_phase, recording, "per phase record of an orchestrator")                    \
    COST(resolve_least, recording, "a resolve phase that is shorter is not recorded")             \
    COST(rotate, recording, "whoever switches a buffer, per switch")                              \
    COST(host_latency, recording, "a published buffer until the host has given it back")          \
    COST(counters_read, pmu, "controller, per task: reading the counters")                        \
    COST(counters_record, pmu, "controller, per task: storing the counters' record")              \
    COST(drain, perfmon, "controller, per task: reading a trace engine's registers")              \
    COST(burst, perfmon, "controller, per 32-byte burst that it takes")

#define LS_COST_FIELD(name, section, meaning) int64_t name;
typedef struct {
    LS_MACHINE_COSTS(LS_COST_FIELD)
} ls_machine_costs;
#undef LS_COST_FIELD

typedef struct {
    const char *name;
    const char *section;
    const char *meaning;
} ls_cost;

#endif
