/* What the cores of a chip did at every moment, added up in one sweep over sorted events. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t key;
    int64_t index;
} keyed;

enum { RADIX_BITS = 11, RADIX = 1 << RADIX_BITS };

/* One stable pass of a radix sort from `from` to `to`. */
static void pass(int64_t count, const keyed *from, keyed *to, unsigned shift)
{
    int64_t place[RADIX] = {0}, sum = 0;
    for (int64_t i = 0; i < count; i++)
        place[(from[i].key >> shift) & (RADIX - 1)]++;
    for (int k = 0; k < RADIX; k++) {
        int64_t here = place[k];
        place[k] = sum;
        sum += here;
    }
    for (int64_t i = 0; i < count; i++)
        to[place[(from[i].key >> shift) & (RADIX - 1)]++] = from[i];
}

int32_t ls_sort_order(int64_t count, const int64_t *key, int64_t *order)
{
    if (count == 0)
        return 0;
    keyed *a = malloc((size_t)count * sizeof *a), *b = malloc((size_t)count * sizeof *b);
    if (a == NULL || b == NULL) {
        free(a);
        free(b);
        return -2;
    }
    int64_t least = key[0];
    uint64_t widest = 0;
    for (int64_t i = 1; i < count; i++)
        if (key[i] < least)
            least = key[i];
    for (int64_t i = 0; i < count; i++) {
        a[i].key = (uint64_t)key[i] - (uint64_t)least;
        a[i].index = i;
        widest |= a[i].key;
    }
    for (unsigned shift = 0; shift < 64 && widest >> shift; shift += RADIX_BITS) {
        pass(count, a, b, shift);
        keyed *swap = a;
        a = b;
        b = swap;
    }
    for (int64_t i = 0; i < count; i++)
        order[i] = a[i].index;
    free(a);
    free(b);
    return 0;
}

/* How many cores of a kind are in each state, and what waits for them. */
typedef struct {
    int64_t cores[LS_CORE_STATES + 1]; /* the last one: none of the states */
    int64_t held;                      /* tasks on their way to a core or queued there */
    int64_t ready;
    int64_t pending;
    int64_t unsure;
} pool;

static int32_t state_of(const int32_t *open)
{
    int32_t s = 0;
    while (s < LS_CORE_STATES && open[s] <= 0)
        s++;
    return s;
}

static int64_t take(int64_t *idle, int64_t wanted)
{
    int64_t taken = wanted < 0 ? 0 : wanted < *idle ? wanted : *idle;
    *idle -= taken;
    return taken;
}

/* Cores of a kind that no state and no ready task claims. */
static int64_t spare(const pool *p)
{
    return p->cores[LS_CORE_STATES] - p->ready;
}

/* Tasks for kind k that wait for a submit; those held up by a task whose own kind of core has
 * nothing to spare would wait for that core if it were submitted. */
static int64_t behind_of(int32_t k, const pool *pools, int32_t kinds, const int64_t *behind)
{
    int64_t sum = behind[(int64_t)k * (kinds + 1) + kinds];
    for (int32_t other = 0; other < kinds; other++)
        if (spare(&pools[other]) > 0)
            sum += behind[(int64_t)k * (kinds + 1) + other];
    return sum;
}

/* Every core of the kind goes to exactly one place, so the areas tile cores x time. */
static void add_areas(const pool *p, int64_t behind, int64_t length, int64_t *area)
{
    int64_t idle = p->cores[LS_CORE_STATES];
    for (int s = 0; s < LS_CORE_STATES; s++)
        area[s] += p->cores[s] * length;
    int64_t queued = p->held - p->cores[LS_CORE_HELD];
    int64_t waiting = p->pending - p->ready - behind - p->unsure;
    area[LS_TILE_READY] += take(&idle, p->ready) * length;
    area[LS_TILE_QUEUED] += take(&idle, queued) * length;
    area[LS_TILE_BEHIND] += take(&idle, behind) * length;
    area[LS_TILE_DATA] += take(&idle, waiting) * length;
    area[LS_TILE_UNSURE] += take(&idle, p->unsure) * length;
    area[LS_TILE_NOTHING] += idle * length;
}

static void add_all(const pool *pools, int32_t kinds, const int64_t *behind, int64_t length,
                    int64_t *areas)
{
    for (int32_t k = 0; k < kinds; k++)
        add_areas(&pools[k], behind_of(k, pools, kinds, behind), length,
                  areas + (int64_t)k * LS_TILES);
}

static void apply(const ls_tile_event *e, const int32_t *kind_of, int32_t *open, pool *pools)
{
    if (e->what >= LS_CORE_STATES) {
        pool *p = &pools[e->where];
        if (e->what == LS_POOL_READY)
            p->ready += e->change;
        else if (e->what == LS_POOL_UNSURE)
            p->unsure += e->change;
        else
            p->pending += e->change;
        return;
    }
    int32_t *core = open + (int64_t)e->where * LS_CORE_STATES;
    pool *p = &pools[kind_of[e->where]];
    p->cores[state_of(core)]--;
    core[e->what] += (int32_t)e->change;
    p->cores[state_of(core)]++;
    if (e->what == LS_CORE_HELD)
        p->held += e->change;
}

int32_t ls_tile(const ls_tile_event *events, int64_t count, const int64_t *order,
                const int32_t *kind_of, int32_t cores, int32_t kinds, int64_t begin, int64_t end,
                int64_t *areas)
{
    int32_t *open = calloc((size_t)cores * LS_CORE_STATES + 1, sizeof *open);
    pool *pools = calloc((size_t)kinds + 1, sizeof *pools);
    int64_t *behind = calloc((size_t)kinds * ((size_t)kinds + 1) + 1, sizeof *behind);
    int32_t status = open == NULL || pools == NULL || behind == NULL ? -2 : 0;
    int64_t now = begin;
    for (int32_t c = 0; c < cores && status == 0; c++)
        pools[kind_of[c]].cores[LS_CORE_STATES]++;
    for (int64_t i = 0; i < count && status == 0; i++) {
        const ls_tile_event *e = &events[order[i]];
        int64_t time = e->time < end ? e->time : end;
        if (time > now) {
            add_all(pools, kinds, behind, time - now, areas);
            now = time;
        }
        if (e->what == LS_POOL_BEHIND)
            behind[(int64_t)e->where * (kinds + 1) + e->by] += e->change;
        else
            apply(e, kind_of, open, pools);
    }
    if (end > now && status == 0)
        add_all(pools, kinds, behind, end - now, areas);
    free(open);
    free(pools);
    free(behind);
    return status;
}

int32_t ls_overhead(const ls_tile_event *events, int64_t count, const int64_t *order,
                    const int64_t *cores, int32_t kinds, int64_t *overhead)
{
    int64_t *busy = calloc(2 * (size_t)kinds + 1, sizeof *busy);
    if (busy == NULL)
        return -2;
    int64_t *work = busy + kinds;
    for (int64_t i = 0; i + 1 < count; i++) {
        const ls_tile_event *e = &events[order[i]];
        (e->what == LS_CORE_RUNNING ? busy : work)[e->where] += e->change;
        int64_t length = events[order[i + 1]].time - e->time;
        if (length <= 0)
            continue;
        int all = 1, any = 0, starved = 1;
        for (int32_t k = 0; k < kinds; k++) {
            int idle = busy[k] < cores[k], wanted = work[k] > 0;
            if (cores[k] == 0)
                continue;
            overhead[k] += idle && wanted ? length : 0;
            all &= idle && wanted;
            any |= wanted;
            starved &= idle || !wanted;
        }
        overhead[kinds] += all ? length : 0;
        overhead[kinds + 1] += any && starved ? length : 0;
    }
    free(busy);
    return 0;
}
