/* Moments of several parts put into one order of time. */
#ifndef LS_MOMENTS_H
#define LS_MOMENTS_H

#include "native.h"

/* In order of time; those of one moment part by part, and in a part as they come. */
typedef struct {
    uint64_t *at; /* part and row of each in one word */
    unsigned row_bits;
    int64_t count;
} ls_merged;

/* Returns 0, -2 for lack of memory; `at` is to be freed in any case. */
int32_t ls_merge(const ls_moments *parts, int32_t count, ls_merged *merged);

typedef struct {
    int64_t time;
    int64_t row;
    int32_t change;
    int32_t where;
    int32_t what;
    int32_t by;
} ls_moment;

static inline ls_moment ls_moment_at(const ls_moments *parts, const ls_merged *m, int64_t i)
{
    uint64_t at = m->at[i];
    const ls_moments *part = &parts[at >> m->row_bits];
    int64_t row = (int64_t)(at & (((uint64_t)1 << m->row_bits) - 1));
    return (ls_moment){
        part->time[row],
        row,
        part->change == NULL ? part->each : part->change[row],
        part->where[row],
        part->what,
        part->by == NULL ? 0 : part->by[row],
    };
}

#endif
