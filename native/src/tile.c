/* What the cores of a chip did at every moment, added up in one sweep over sorted events. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t key;
    int64_t index;
} keyed;

enum { RADIX_BITS = 11, RADIX = 1 << RADIX_BITS };

/* Where each digit's elements begin, from how often it occurs. */
static void begins(int64_t *place)
{
    int64_t sum = 0;
    for (int k = 0; k < RADIX; k++) {
        int64_t here = place[k];
        place[k] = sum;
        sum += here;
    }
}

/* One stable pass of a radix sort from `from` to `to`. */
static void pass(int64_t count, const keyed *from, keyed *to, unsigned shift)
{
    int64_t place[RADIX] = {0};
    for (int64_t i = 0; i < count; i++)
        place[(from[i].key >> shift) & (RADIX - 1)]++;
    begins(place);
    for (int64_t i = 0; i < count; i++)
        to[place[(from[i].key >> shift) & (RADIX - 1)]++] = from[i];
}

/* The same where key and index share one word. */
static void packed_pass(int64_t count, const uint64_t *from, uint64_t *to, unsigned shift)
{
    int64_t place[RADIX] = {0};
    for (int64_t i = 0; i < count; i++)
        place[(from[i] >> shift) & (RADIX - 1)]++;
    begins(place);
    for (int64_t i = 0; i < count; i++)
        to[place[(from[i] >> shift) & (RADIX - 1)]++] = from[i];
}

static unsigned bits_of(uint64_t value)
{
    unsigned bits = 0;
    while (bits < 64 && value >> bits)
        bits++;
    return bits;
}

/* `order` is one of the two buffers. */
static int32_t sort_packed(int64_t count, const int64_t *key, uint64_t least, unsigned width,
                           unsigned low, int64_t *order)
{
    uint64_t *spare = malloc((size_t)count * sizeof *spare), *a = (uint64_t *)order, *b = spare;
    if (spare == NULL)
        return -2;
    for (int64_t i = 0; i < count; i++)
        a[i] = ((uint64_t)key[i] - least) << low | (uint64_t)i;
    for (unsigned shift = low; shift < low + width; shift += RADIX_BITS) {
        packed_pass(count, a, b, shift);
        uint64_t *swap = a;
        a = b;
        b = swap;
    }
    for (int64_t i = 0; i < count; i++)
        order[i] = (int64_t)(a[i] & (((uint64_t)1 << low) - 1));
    free(spare);
    return 0;
}

static int32_t sort_wide(int64_t count, const int64_t *key, uint64_t least, unsigned width,
                         int64_t *order)
{
    keyed *a = malloc((size_t)count * sizeof *a), *b = malloc((size_t)count * sizeof *b);
    int32_t status = a == NULL || b == NULL ? -2 : 0;
    for (int64_t i = 0; i < count && status == 0; i++)
        a[i] = (keyed){(uint64_t)key[i] - least, i};
    for (unsigned shift = 0; shift < width && status == 0; shift += RADIX_BITS) {
        pass(count, a, b, shift);
        keyed *swap = a;
        a = b;
        b = swap;
    }
    for (int64_t i = 0; i < count && status == 0; i++)
        order[i] = a[i].index;
    free(a);
    free(b);
    return status;
}

int32_t ls_sort_order(int64_t count, const int64_t *key, int64_t *order)
{
    if (count == 0)
        return 0;
    int64_t least = key[0], most = key[0];
    for (int64_t i = 1; i < count; i++) {
        least = key[i] < least ? key[i] : least;
        most = key[i] > most ? key[i] : most;
    }
    unsigned width = bits_of((uint64_t)most - (uint64_t)least), low = bits_of((uint64_t)count);
    if (width + low <= 64)
        return sort_packed(count, key, (uint64_t)least, width, low, order);
    return sort_wide(count, key, (uint64_t)least, width, order);
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

static void change_pool(pool *p, int32_t what, int64_t change)
{
    if (what == LS_POOL_READY)
        p->ready += change;
    else if (what == LS_POOL_UNSURE)
        p->unsure += change;
    else if (what == LS_POOL_PENDING)
        p->pending += change;
}

static void change_core(pool *p, int32_t *open, int32_t what, int32_t change)
{
    p->cores[state_of(open)]--;
    open[what] += change;
    p->cores[state_of(open)]++;
    if (what == LS_CORE_HELD)
        p->held += change;
}

static void apply(const ls_tile_event *e, const int32_t *kind_of, int32_t *open, pool *pools)
{
    if (e->what >= LS_CORE_STATES && e->what < LS_CORE_GIVEN) {
        change_pool(&pools[e->where], e->what, e->change);
        return;
    }
    int32_t *core = open + (int64_t)e->where * LS_CORE_STATES;
    pool *p = &pools[kind_of[e->where]];
    if (e->what == LS_CORE_GIVEN) {
        change_pool(p, LS_POOL_PENDING, -1);
        change_pool(p, e->by, -1);
        change_core(p, core, LS_CORE_HELD, 1);
    } else if (e->what == LS_CORE_STARTED) {
        change_core(p, core, LS_CORE_HELD, -1);
        change_core(p, core, LS_CORE_RUNNING, 1);
    } else {
        change_core(p, core, e->what, e->change);
    }
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
