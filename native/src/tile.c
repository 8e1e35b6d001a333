/* What the cores of a chip did at every moment, added up in one sweep over sorted events. */
#include "moments.h"

#include <stdlib.h>
#include <string.h>

/* How many cores of a kind are in each state, and what waits for them. */
typedef struct {
    int64_t cores[LS_CORE_STATES + 1]; /* the last one: none of the states */
    int64_t held;                      /* tasks on their way to a core or queued there */
    int64_t ready;
    int64_t pending;
    int64_t unsure;
    int64_t since; /* up to when its time is added up */
    int to_spare;  /* there are cores that no state and no ready task claims */
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

/* Where the cores of a kind that are in no state go; every one of them to exactly one place. */
static void idle_places(const pool *p, int64_t behind, int64_t *cores)
{
    int64_t idle = p->cores[LS_CORE_STATES];
    int64_t queued = p->held - p->cores[LS_CORE_HELD];
    cores[LS_TILE_READY] = take(&idle, p->ready);
    cores[LS_TILE_QUEUED] = take(&idle, queued);
    cores[LS_TILE_BEHIND] = take(&idle, behind);
    cores[LS_TILE_DATA] = take(&idle, p->pending - p->ready - behind - p->unsure);
    cores[LS_TILE_UNSURE] = take(&idle, p->unsure);
    cores[LS_TILE_NOTHING] = idle;
}

/* What one core waited for since its last run; `mean` is what a core of its kind that was idle all
 * the time would have waited: idle cores of a kind share what all of them wait for. */
typedef struct {
    double waited[LS_TILES];
    double seen[LS_TILES]; /* `mean` when it became idle */
    int64_t since;
} waiting;

typedef struct {
    const ls_moments *parts;
    const int32_t *kind_of;
    int32_t kinds;
    int32_t *open;    /* per core and state: how often it is in it */
    pool *pools;      /* per kind */
    int64_t *behind;  /* per kind, and kind of the task that holds up */
    waiting *cores;   /* NULL: nobody asks what single runs waited for */
    double *mean;     /* per kind and tile */
    float *before;    /* per run and tile */
    int64_t *areas;   /* per kind and tile */
} sweep;

/* Tasks for kind k that wait for a submit; those held up by a task whose own kind of core has
 * nothing to spare would wait for that core if it were submitted. */
static int64_t behind_of(const sweep *s, int32_t k)
{
    const int64_t *behind = s->behind + (int64_t)k * (s->kinds + 1);
    int64_t sum = behind[s->kinds];
    for (int32_t other = 0; other < s->kinds; other++)
        sum += s->pools[other].to_spare ? behind[other] : 0;
    return sum;
}

/* Adds up the time of one kind until now; the areas tile cores x time. */
static void add_time(sweep *s, int32_t k, int64_t now)
{
    pool *p = &s->pools[k];
    int64_t length = now - p->since, cores[LS_TILES], *area = s->areas + (int64_t)k * LS_TILES;
    if (length <= 0)
        return;
    p->since = now;
    memcpy(cores, p->cores, LS_CORE_STATES * sizeof *cores);
    idle_places(p, behind_of(s, k), cores);
    for (int t = 0; t < LS_TILES; t++)
        area[t] += cores[t] * length;
    if (s->cores == NULL || p->cores[LS_CORE_STATES] == 0)
        return;
    double each = (double)length / (double)p->cores[LS_CORE_STATES];
    for (int t = LS_CORE_STATES; t < LS_TILES; t++)
        s->mean[(int64_t)k * LS_TILES + t] += (double)cores[t] * each;
}

/* A kind that begins or ceases to have cores to spare changes what tasks of all kinds wait for. */
static void look_for_spare(sweep *s, int32_t k, int64_t now)
{
    pool *p = &s->pools[k];
    int to_spare = p->cores[LS_CORE_STATES] - p->ready > 0;
    if (to_spare == p->to_spare)
        return;
    for (int32_t other = 0; other < s->kinds; other++)
        add_time(s, other, now);
    p->to_spare = to_spare;
}

/* Adds to what a core waited for the time since it last changed its state. */
static void settle(sweep *s, int32_t core, int64_t now)
{
    waiting *w = &s->cores[core];
    const double *mean = s->mean + (int64_t)s->kind_of[core] * LS_TILES;
    int32_t state = state_of(s->open + (int64_t)core * LS_CORE_STATES);
    if (state < LS_CORE_STATES)
        w->waited[state] += (double)(now - w->since);
    for (int t = LS_CORE_STATES; t < LS_TILES; t++) {
        if (state == LS_CORE_STATES)
            w->waited[t] += mean[t] - w->seen[t];
        w->seen[t] = mean[t];
    }
    w->since = now;
}

/* A run starts: what its core waited for is known. */
static void hand_over(sweep *s, int32_t core, float *before)
{
    double *waited = s->cores[core].waited;
    waited[LS_CORE_RUNNING] = 0;
    for (int t = 0; t < LS_TILES; t++)
        before[t] = (float)waited[t];
    memset(waited, 0, sizeof s->cores[core].waited);
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

static void apply_to_core(sweep *s, const ls_moment *e, int64_t now)
{
    int32_t *core = s->open + (int64_t)e->where * LS_CORE_STATES;
    pool *p = &s->pools[s->kind_of[e->where]];
    if (s->cores != NULL)
        settle(s, e->where, now);
    if (e->what == LS_CORE_GIVEN) {
        change_pool(p, LS_POOL_PENDING, -1);
        change_pool(p, e->by, -1);
        change_core(p, core, LS_CORE_HELD, 1);
    } else if (e->what == LS_CORE_STARTED) {
        if (s->cores != NULL)
            hand_over(s, e->where, s->before + e->row * LS_TILES);
        change_core(p, core, LS_CORE_HELD, -1);
        change_core(p, core, LS_CORE_RUNNING, 1);
    } else {
        change_core(p, core, e->what, e->change);
    }
}

static void apply(sweep *s, const ls_moment *e, int64_t now)
{
    int of_pool = e->what >= LS_CORE_STATES && e->what < LS_CORE_GIVEN;
    int32_t kind = of_pool ? e->where : s->kind_of[e->where];
    add_time(s, kind, now);
    if (e->what == LS_POOL_BEHIND)
        s->behind[(int64_t)kind * (s->kinds + 1) + e->by] += e->change;
    else if (of_pool)
        change_pool(&s->pools[kind], e->what, e->change);
    else
        apply_to_core(s, e, now);
    look_for_spare(s, kind, now);
}

static int32_t open_sweep(sweep *s, const ls_tiling *t)
{
    size_t kinds = (size_t)t->kinds, cores = (size_t)t->cores;
    *s = (sweep){.parts = t->parts, .kind_of = t->kind_of, .kinds = t->kinds, .before = t->before,
                 .areas = t->areas};
    s->open = calloc(cores * LS_CORE_STATES + 1, sizeof *s->open);
    s->pools = calloc(kinds + 1, sizeof *s->pools);
    s->behind = calloc(kinds * (kinds + 1) + 1, sizeof *s->behind);
    s->mean = calloc(kinds * LS_TILES + 1, sizeof *s->mean);
    s->cores = t->before == NULL ? NULL : calloc(cores + 1, sizeof *s->cores);
    if (s->open == NULL || s->pools == NULL || s->behind == NULL || s->mean == NULL ||
        (t->before != NULL && s->cores == NULL))
        return -2;
    for (int32_t c = 0; c < t->cores; c++) {
        s->pools[t->kind_of[c]].cores[LS_CORE_STATES]++;
        if (s->cores != NULL)
            s->cores[c].since = t->begin;
    }
    for (int32_t k = 0; k < t->kinds; k++) {
        s->pools[k].since = t->begin;
        s->pools[k].to_spare = s->pools[k].cores[LS_CORE_STATES] > 0;
    }
    return 0;
}

static void close_sweep(sweep *s)
{
    free(s->open);
    free(s->pools);
    free(s->behind);
    free(s->mean);
    free(s->cores);
}

/* The time up to the end, and what the cores waited for after their last runs. */
static void finish_sweep(sweep *s, const ls_tiling *t)
{
    for (int32_t k = 0; k < t->kinds; k++)
        add_time(s, k, t->end);
    for (int32_t c = 0; c < t->cores && s->cores != NULL; c++) {
        settle(s, c, t->end);
        hand_over(s, c, t->after + (int64_t)c * LS_TILES);
    }
}

int32_t ls_tile(const ls_tiling *t)
{
    sweep s;
    ls_merged m = {0};
    int32_t status = open_sweep(&s, t);
    if (status == 0)
        status = ls_merge(t->parts, t->count, &m);
    for (int64_t i = 0; i < m.count && status == 0; i++) {
        ls_moment e = ls_moment_at(t->parts, &m, i);
        int64_t now = e.time < t->begin ? t->begin : e.time < t->end ? e.time : t->end;
        apply(&s, &e, now);
    }
    if (status == 0)
        finish_sweep(&s, t);
    free(m.at);
    close_sweep(&s);
    return status;
}

/* How many of each kind run and wait. */
typedef struct {
    int64_t *busy;
    int64_t *work;
} tally;

static void add_overhead(const tally *n, const int64_t *cores, int32_t kinds, int64_t length,
                         int64_t *overhead)
{
    int all = 1, any = 0, starved = 1;
    for (int32_t k = 0; k < kinds; k++) {
        int idle = n->busy[k] < cores[k], wanted = n->work[k] > 0;
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

int32_t ls_overhead(const ls_moments *parts, int32_t count, const int64_t *cores, int32_t kinds,
                    int64_t *overhead)
{
    ls_merged m = {0};
    int64_t *busy = calloc(2 * (size_t)kinds + 1, sizeof *busy), now = 0;
    int32_t status = busy == NULL ? -2 : ls_merge(parts, count, &m);
    tally n = {busy, busy + kinds};
    for (int64_t i = 0; i < m.count && status == 0; i++) {
        ls_moment e = ls_moment_at(parts, &m, i);
        if (i > 0 && e.time > now)
            add_overhead(&n, cores, kinds, e.time - now, overhead);
        now = e.time;
        (e.what == LS_CORE_RUNNING ? n.busy : n.work)[e.where] += e.change;
    }
    free(m.at);
    free(busy);
    return status;
}
