/* Recording inside a replay: lanes of buffers that fill, a host that comes some time after one was
 * published and gives all back, and producers that wait for it.
 *
 * Who publishes after the host's next visit has begun waits for the visit after that. */
#ifndef LANESCOPE_REPLAY_LANES_H
#define LANESCOPE_REPLAY_LANES_H

#include "replay_state.h"

static int64_t visit_time(const replay *r, int64_t visit)
{
    return visit < r->visit ? 0 : visit == r->visit ? r->host_at : r->host_next;
}

/* What visits until then have given back. */
static void give_back(const replay *r, lane *l, int64_t time)
{
    while (l->taken + l->later > 0 && visit_time(r, l->visit) <= time) {
        l->taken = l->later;
        l->later = 0;
        l->visit++;
    }
}

static void publish(replay *r, lane *l, int64_t time)
{
    int64_t visit = r->visit;
    if (r->host_at < 0) {
        r->host_at = time + r->in->costs.host;
        at(r, r->host_at, HOST, 0, 0);
    } else if (time >= r->host_at) {
        visit++;
        if (r->host_next < 0)
            r->host_next = time + r->in->costs.host;
    }
    if (l->taken + l->later == 0)
        l->visit = visit;
    *(l->visit == visit ? &l->taken : &l->later) += 1;
}

/* One record more at that time; when the producer can go on. */
static int64_t record(replay *r, int32_t kind, int32_t owner, int64_t time)
{
    int32_t records = r->in->buffer_records[kind], count = r->in->buffer_count[kind];
    if (records == 0)
        return time;
    lane *l = &r->lanes[kind][owner];
    if (l->records == 0) {
        give_back(r, l, time);
        if (l->taken + l->later >= count) {
            int64_t visit = visit_time(r, l->visit);
            r->stalled += visit - time;
            time = visit;
            give_back(r, l, time);
        }
    }
    if (++l->records == records) {
        l->records = 0;
        publish(r, l, time);
        if (kind != LS_ORCHESTRATOR_PHASE) /* in the time to the next submit already */
            time += r->in->costs.rotate;
    }
    return time;
}

static void scheduler_records(replay *r, int32_t number, int32_t kind, int32_t owner)
{
    scheduler *s = &r->schedulers[number];
    int64_t before = r->stalled;
    s->time = record(r, kind, owner, s->time);
    s->stuck |= r->stalled > before;
}

/* A phase of a scheduler is over and recorded. */
static void note_phase(replay *r, int32_t number)
{
    scheduler *s = &r->schedulers[number];
    scheduler_records(r, number, LS_SCHEDULER_PHASE, number);
    s->time += r->in->costs.phase;
}

static void next_visit(replay *r)
{
    r->visit++;
    r->host_at = r->host_next;
    r->host_next = -1;
    if (r->host_at >= 0)
        at(r, r->host_at > r->now ? r->host_at : r->now, HOST, 0, 0);
}

#endif
