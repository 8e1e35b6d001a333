/* A simulated device's side of a region (sim_device.c); native.h includes this. */
#ifndef LANESCOPE_SIM_DEVICE_H
#define LANESCOPE_SIM_DEVICE_H

typedef struct ls_sim_device ls_sim_device;

/* What a recording call did. */
enum ls_sim_outcome {
    LS_SIM_WAIT = -1,     /* nothing: there is no buffer; call again when the host gave one back */
    LS_SIM_DONE = 0,      /* written, or dropped and counted */
    LS_SIM_PUBLISHED = 1  /* and a buffer now waits for the host */
};

/* The handles of all cores and controllers of a region; NULL for lack of memory. */
LS_EXPORT ls_sim_device *ls_sim_open(uint8_t *region);
/* Publishes what is open. After the last task. */
LS_EXPORT void ls_sim_close(ls_sim_device *sim);
LS_EXPORT void ls_sim_free(ls_sim_device *sim);

/* In front of the record in the one argument of a recording call: through ctypes an argument costs
 * as much as the call. */
typedef struct {
    uint64_t sim;    /* address of the ls_sim_device */
    uint64_t now_ps; /* when the call is made; records get cycles of the device's counter */
    uint64_t owner;  /* core, scheduler or orchestrator */
} ls_sim_call;

/* What a core did with one task. */
typedef struct {
    uint64_t receive_ps, start_ps, end_ps;
    uint64_t task, token;
} ls_sim_task;

/* What its controller saw of it, where cores record by themselves. */
typedef struct {
    uint64_t dispatch_ps, finish_ps;
    uint64_t task, token, func;
} ls_sim_finished;

/* ls_channel_admit, ls_channel_dispatch, then ls_channel_finish and ls_sample: an ls_sim_call and
 * right behind it an ls_controller_task, whose dispatch time is known already, or an ls_pmu. All
 * times of these calls are in ps. */
LS_EXPORT int32_t ls_sim_admit(ls_sim_device *sim, uint32_t core, uint64_t now_ps);
LS_EXPORT void ls_sim_dispatch(ls_sim_device *sim, uint32_t core, uint64_t dispatch_ps);
/* Both in one call: admits at `now_ps` and, where that may be, dispatches. */
LS_EXPORT int32_t ls_sim_give(ls_sim_device *sim, uint32_t core, uint64_t now_ps,
                              uint64_t dispatch_ps);
LS_EXPORT int32_t ls_sim_finish(const uint8_t *call);
LS_EXPORT int32_t ls_sim_sample(const uint8_t *call);
/* An ls_sim_call, what ls_source_counts wants (two uint64_t), and `count` ls_burst. The result is how
 * many were written or dropped before the next would have to wait + 2^32 × buffers published. */
LS_EXPORT int64_t ls_sim_bursts(const uint8_t *call, uint32_t count);
/* An ls_sim_call and `count` ls_sim_task or ls_sim_finished of one core, or phases of one controller.
 * ls_sim_finished stands for ls_sim_give and ls_sim_finish of a producer-rotated run. The result is
 * LS_SIM_WAIT, or the outcome + 2 × how many more records the open buffer takes. A simulation may
 * keep back all but the last of these: nobody looks into an open buffer. */
LS_EXPORT int32_t ls_sim_tasks(const uint8_t *call, uint32_t count);
LS_EXPORT int32_t ls_sim_finishes(const uint8_t *call, uint32_t count);
LS_EXPORT int32_t ls_sim_scheduler_phases(const uint8_t *call, uint32_t count);
LS_EXPORT int32_t ls_sim_orchestrator_phases(const uint8_t *call, uint32_t count);

#endif
