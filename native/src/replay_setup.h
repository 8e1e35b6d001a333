/* A replay's state before its first event, and after its last. */
#ifndef LANESCOPE_REPLAY_SETUP_H
#define LANESCOPE_REPLAY_SETUP_H

#include "replay_state.h"

static int set_up_cores(replay *r)
{
    const ls_replay *in = r->in;
    size_t rows = (size_t)in->kinds * ((size_t)in->pre_dispatch + 1);
    r->submit.time = NEVER;
    for (int32_t s = 0; s < in->schedulers; s++) {
        r->turns[s].time = NEVER;
        r->schedulers[s].rooms = malloc((rows + 1) * sizeof(row));
        r->schedulers[s].free_cores = calloc((size_t)in->kinds + 1, sizeof(int32_t));
        if (r->schedulers[s].rooms == NULL || r->schedulers[s].free_cores == NULL)
            return 0;
        for (size_t k = 0; k < rows; k++)
            r->schedulers[s].rooms[k] = (row){-1, -1};
        r->schedulers[s].waiting = 1;
        r->schedulers[s].round = in->costs.loop > 0 ? in->costs.loop : 1;
    }
    for (int32_t c = 0; c < in->cores; c++) {
        r->cores[c].kind = in->core_kind[c];
        r->cores[c].scheduler = in->core_scheduler[c];
        r->cores[c].gated = -1;
        r->schedulers[in->core_scheduler[c]].free_cores[in->core_kind[c]]++;
        join(r, c);
    }
    return 1;
}

static int set_up_lanes(replay *r)
{
    const ls_replay *in = r->in;
    int32_t owners[] = {in->cores, in->cores, in->schedulers, 1};
    r->host_at = r->host_next = -1;
    for (int32_t k = 0; k < LS_REPLAY_LANES; k++) {
        r->lanes[k] = calloc((size_t)owners[k] + 1, sizeof(lane));
        if (r->lanes[k] == NULL)
            return 0;
    }
    return 1;
}

/* Only where there are early nodes. */
static int set_up_early(replay *r)
{
    const ls_replay *in = r->in;
    int64_t found = 0;
    for (int64_t n = 0; n < in->nodes; n++)
        found += in->manner[n] & LS_REPLAY_EARLY;
    if (found == 0)
        return 1;
    r->early = calloc((size_t)in->nodes, sizeof *r->early);
    if (r->early == NULL)
        return 0;
    for (int64_t n = 0; n < in->nodes; n++)
        r->early[n] = (early){in->manner[n] & LS_REPLAY_EARLY ? r->remaining[n] : 0, -1, 0};
    return 1;
}

static int set_up_nodes(replay *r)
{
    const ls_replay *in = r->in;
    for (int64_t n = 0; n < in->nodes; n++)
        r->remaining[n] = 1;
    for (int64_t n = 0; n < in->nodes; n++) {
        for (int64_t k = in->first[n]; k < in->first[n + 1]; k++)
            r->remaining[in->target[k]]++;
        r->parts[n] = (int32_t)(in->unit_first[n + 1] - in->unit_first[n]);
        for (int64_t u = in->unit_first[n]; u < in->unit_first[n + 1]; u++)
            r->node_of[u] = (int32_t)n;
    }
    return set_up_early(r);
}

static void free_all(replay *r)
{
    for (int32_t s = 0; r->schedulers != NULL && s < r->in->schedulers; s++) {
        free(r->schedulers[s].rooms);
        free(r->schedulers[s].free_cores);
        free(r->schedulers[s].finished.items);
        free(r->schedulers[s].engines.items);
        free(r->schedulers[s].done.items);
    }
    for (int32_t c = 0; r->cores != NULL && c < r->in->cores; c++)
        free(r->cores[c].waiting.items);
    for (int32_t k = 0; r->ready != NULL && k < r->in->kinds; k++)
        free(r->ready[k].items);
    for (int32_t k = 0; r->early_ready != NULL && k < r->in->kinds; k++)
        free(r->early_ready[k].items);
    free(r->mixed.items);
    free(r->silent.items);
    free(r->together.items);
    free(r->allocated.items);
    free(r->heap);
    free(r->seen);
    free(r->turns);
    free(r->schedulers);
    free(r->cores);
    free(r->ready);
    free(r->early_ready);
    free(r->early);
    for (int32_t k = 0; k < LS_REPLAY_LANES; k++)
        free(r->lanes[k]);
    free(r->remaining);
    free(r->parts);
    free(r->sent);
    free(r->node_of);
}

#endif
