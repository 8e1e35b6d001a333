/* The thread platform: an NPU of ordinary threads that runs one task graph, as Python asks for it.
 *
 *   orchestrator ──submits──► ready queues ──pop──► schedulers ──mailbox──► cores
 *   (1 thread)                (1 per kind)  ◄─push─ (M threads)  ◄─status── (N threads)
 *
 * Core c is served by scheduler c % M. The threads record through the same headers as any other
 * device. threads_platform.h says how they talk to each other.
 */
#ifndef LANESCOPE_THREADS_H
#define LANESCOPE_THREADS_H

#include "native.h"

/* What a task does; `amount` is in the unit named here. */
enum ls_work {
    LS_WORK_NONE = 0,
    LS_WORK_SPIN = 1,    /* busy for this many ns                                          */
    LS_WORK_COPY = 2,    /* memcpy of this many bytes inside the core's own memory         */
    LS_WORK_MATMUL = 3,  /* product of two square float matrices with this many rows       */
    LS_WORK_CALLBACK = 4 /* the job's callback, on the core's thread; amount is not used   */
};

#define LS_MOST_MATMUL_ROWS 1024

enum ls_threads_problem {
    LS_THREADS_OK = 0,
    LS_THREADS_BAD_JOB = -1,    /* a field or an array makes no sense                        */
    LS_THREADS_BAD_REGION = -2, /* no region, or for other cores, schedulers or pre_dispatch */
    LS_THREADS_NO_MEMORY = -3,
    LS_THREADS_NO_THREAD = -4, /* one could not be started; the others were stopped         */
    LS_THREADS_STUCK = -5      /* the graph has a cycle: the tasks left can never be ready  */
};

typedef void (*ls_work_callback)(uint64_t task, uint32_t func, uint32_t core, void *user);

/* Addresses are words, so that the layout table can describe the struct; arrays have one entry per
 * task unless it says otherwise. Nothing is kept after the call. */
typedef struct {
    uint64_t region;     /* 0: nothing is recorded */
    uint64_t core_kinds; /* int32_t per core, 0 .. kind_count-1 */
    uint64_t task_count;
    uint64_t func;              /* uint32_t */
    uint64_t kind;              /* int32_t: the kind of core it needs */
    uint64_t work;              /* uint32_t, enum ls_work */
    uint64_t amount;            /* uint64_t */
    uint64_t successor_offsets; /* int64_t, task_count + 1: those of task t are */
    uint64_t successors;        /* int64_t: successors[offsets[t]] .. [offsets[t + 1] - 1] */
    uint64_t predecessors;      /* int32_t: how many; agrees with the successors */
    uint64_t callback;          /* ls_work_callback */
    uint64_t user;
    uint64_t cancel; /* address of a uint64_t, or 0; once it is 1, nothing more is dispatched */
    uint64_t clock_hz; /* rate of LS_CLOCK() */
    uint32_t core_count;
    uint32_t kind_count;
    uint32_t scheduler_count;
    uint32_t pre_dispatch;
    uint32_t pin;          /* 1: one CPU per thread, round robin over those allowed */
    uint32_t func_in_task; /* 1: cores record ls_task_word(func, task) */

    /* Outputs. */
    uint64_t start_cycles; /* before the first submission */
    uint64_t end_cycles;   /* after the last completion was seen */
    uint64_t tasks_done;
    uint64_t core_tasks_done;       /* uint64_t per core, or 0 */
    uint64_t scheduler_busy_cycles; /* uint64_t per scheduler, or 0: time in rounds that did work */
} ls_threads_job;

/* Runs the graph and returns when every thread has ended; enum ls_threads_problem. Sets
 * header.state to LS_RUNNING and leaves LS_STOPPED to the caller. */
LS_EXPORT int32_t ls_threads_run(ls_threads_job *job);

#endif
