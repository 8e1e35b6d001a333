/* Where a machine's records go: into a region, through the recording headers; or into buffers that are
 * only counted; or nowhere.
 *
 * Nothing waits in here. A call that would have to wait for the host writes nothing and answers
 * LS_WAIT; the machine lets time pass and calls again. Times are ps; records have ticks. */
#ifndef LANESCOPE_MACHINE_RECORDER_H
#define LANESCOPE_MACHINE_RECORDER_H

#include "native.h"

#include "lanescope/kinds.h"

typedef struct recorder recorder;

enum recorder_answer {
    LS_WAIT = -1,     /* nothing: there is no buffer                 */
    LS_WRITTEN = 0,   /* written, or dropped and counted             */
    LS_PUBLISHED = 1  /* and a buffer now waits for the host         */
};

/* NULL for lack of memory. */
recorder *recorder_open(const ls_machine *in);
/* Publishes what is open. After the last task. */
void recorder_close(recorder *r);
void recorder_free(recorder *r);
/* Counted buffers come back; those of a region the host gives back itself. */
void recorder_visit(recorder *r);

/* May the next task go to this core, and: it goes. Where cores switch their buffers, it always may. */
int recorder_admits(recorder *r, int32_t core, int64_t now);
void recorder_sends(recorder *r, int32_t core, int64_t dispatch);

/* A core's own record of a task. */
int recorder_task(recorder *r, int32_t core, int64_t now, const int64_t times[3], int64_t task,
                  uint32_t token);
/* What its controller saw of it. */
int recorder_finish(recorder *r, int32_t core, int64_t now, const int64_t times[2], int64_t task,
                    uint32_t token, uint32_t func);
/* Phases, with their times in ps. */
int recorder_phase(recorder *r, int32_t scheduler, int64_t now, const ls_scheduler_phase *phase);
int recorder_submit(recorder *r, int32_t orchestrator, int64_t now,
                    const ls_orchestrator_phase *phase);
int recorder_sample(recorder *r, int32_t core, int64_t now, const ls_pmu *sample);
/* How many bursts were written or dropped before the next would have to wait. */
int64_t recorder_bursts(recorder *r, int32_t core, int64_t now, const uint64_t counts[2],
                        const uint8_t *bursts, int64_t count, int64_t *published);

#endif
