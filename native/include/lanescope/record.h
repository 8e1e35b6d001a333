/* The recording functions: what a core and a controller call.
 *
 *   core                                        controller
 *   ----                                        ----------
 *   ls_core core;                               ls_channel channel;           one per core served
 *   ls_core_open(&core, region, 3);             ls_channel_open(&channel, region, 3);
 *   loop:                                       loop:
 *     wait for a task                             if (ls_channel_admit(&channel)) {
 *     ls_core_receive(&core);                       ls_channel_dispatch(&channel);
 *     ls_core_begin(&core);                         give the task to the core
 *     run it                                      }
 *     ls_core_end(&core, task, token);            when the core has finished one:
 *     tell the controller                           ls_channel_finish(&channel, token, task, func);
 *   ls_core_close(&core);                       ls_channel_close(&channel);
 *
 * A region of NULL, or one whose flags leave a feature out, opens a handle that does nothing: each
 * call is then one test of one word, with no clock read and no store. With -DLS_RECORDING=0 all
 * calls but those that open handles vanish from the program.
 *
 * Every handle belongs to one thread, and of the handles on one lane only the newest records. What comes
 * through another one, or for a number that the region does not have, is lost; the region counts it, and
 * a build with -DLS_DEBUG stops there and says where the handle was opened (debug.h). A record is
 * written once, by the core, and copied by nobody on the device but in the staging protocol.
 *
 * Four protocols move a core's records:
 *
 * staging            The core writes slot token % slots of a tiny ring. The controller copies the
 *                    slot into the core's lane when the task has finished. Costs the controller a
 *                    barrier, a cache line from another core and a copy per task.
 *
 * controller-rotated The core writes into the lane's buffer. The controller opens buffers when it
 *                    dispatches and publishes them when it sees tasks finish.
 *                    The task decides the buffer: tasks of a core are numbered k = 0, 1, 2, … in
 *                    dispatch order (the token is k modulo 2^32), and buffer j holds the tasks
 *                    segment[j % 4] - 1 … + N - 1. The controller writes segment[] before it
 *                    dispatches the first task of j, so the core sees it with the task, and reads
 *                    it only when k leaves the buffer it has. Buffer j is published when its last
 *                    task has finished, so nobody writes into a published buffer, however many
 *                    tasks the core holds in advance. (Rotating by dispatch count publishes a
 *                    buffer that a running task still writes; rotating by completion count lets a
 *                    task already dispatched write into the old one. The model in
 *                    tests/protocols/ finds both.)
 *
 * producer-rotated   The core fills its buffer, publishes it and opens the next one itself. The
 *                    controller has nothing to do with it.
 *
 * after-finish       Controller-rotated, but the core tells the controller of the end (FIN) first, and
 *                    writes the record then, before it acknowledges its next task (ACK):
 *
 *                      core        … ACK(k)  begin  run  stop  FIN(k)  ls_core_write(k)  ACK(k+1) …
 *                      controller  the record of k is there when ACK(k+1), FIN(k+1) or the end of the
 *                                  core was seen: ls_channel_acknowledged, _finish, _close
 *
 *                    The task decides the buffer here, too, so no slot is reserved before the ACK. A core
 *                    needs two buffers: a full one waits for a task of the next one.
 *
 * With staging and controller-rotated ls_core_end must come before the controller is told; with
 * producer-rotated it may come after, and with after-finish it must (ls_core_stop before, ls_core_write
 * after), which takes the writing out of the task's latency.
 */
#ifndef LANESCOPE_RECORD_H
#define LANESCOPE_RECORD_H

#include "controller.h"
#include "core.h"
#include "writer.h"

/* The call that opens a handle has a name in a debug build. */
#if defined(LS_DEBUG_CALLER)
#define ls_writer_open(...) (ls_debug_call(__FILE__, __LINE__), ls_writer_open(__VA_ARGS__))
#define ls_core_open(...) (ls_debug_call(__FILE__, __LINE__), ls_core_open(__VA_ARGS__))
#define ls_channel_open(...) (ls_debug_call(__FILE__, __LINE__), ls_channel_open(__VA_ARGS__))
#endif

#endif
