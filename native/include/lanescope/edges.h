/* Edges of the task graph, as whoever builds the graph knows them: from level 2 on.
 *
 * `w` is a lane of LS_TASK_EDGE, opened by an orchestrator's thread. The region has such lanes where
 * ls_config.buffer_count[LS_TASK_EDGE] is not 0. An edge may be recorded before or after its tasks ran.
 */
#ifndef LANESCOPE_EDGES_H
#define LANESCOPE_EDGES_H

#include "writer.h"

/* ---- since 0.2.0 ----------------------------------------------------------------------------- */

/* One edge, with the argument that causes it. */
LS_FN void ls_take_edge(ls_writer *w, const ls_edge *edge)
{
    if (!LS_ON(w))
        return;
    LS_GM void *record = ls_reserve(w);
    if (!record)
        return;
    ls_put_record(record, edge, sizeof *edge);
    ls_commit(w, sizeof(ls_edge));
}

/* `succ` waits for `pred`. */
LS_FN void ls_fan_out(ls_writer *w, uint64_t pred, uint64_t succ)
{
    ls_edge edge = LS_ZERO;
    edge.pred = pred;
    edge.succ = succ;
    edge.kind = LS_EDGE_FANOUT;
    edge.arg = -1;
    ls_take_edge(w, &edge);
}

#endif
