/* Finds the edges of a graph that a longer way implies: what its transitive reduction leaves out.
 *
 * An edge u -> v is implied when another successor of u leads to v. The longest way to v then has at
 * least two edges more than the one to u, so only such edges are asked about.
 *  1. A search from each node, given up after SEARCH steps. A step is one edge that is looked at.
 *  2. Sweeps for what is left: 512 nodes get a bit each, and one pass over the order hands the bits
 *     on from node to node. A step is one edge that hands on its 512 bits. An edge is swept from its
 *     first node, or backwards from its second where that one has MANY times as many left.
 * How many steps the sweeps take is known before the first. Where they are more than the budget,
 * the searches go on with what is left of it. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

enum { SEARCH = 256, MANY = 8, WORDS = 8, BLOCK = 64 * WORDS, CLASSES = 32 };
enum { FORWARD = 1, BACKWARD = 2 };

typedef struct {
    int64_t nodes;
    const int64_t *first;
    const int64_t *target;
    const int64_t *order;
    int32_t *place;   /* of each node in the order */
    int64_t *seen;    /* the node whose search saw it last */
    int64_t *stack;   /* a node is on it at most once as a successor and once as seen */
    uint8_t *ask;     /* of each edge: 0, FORWARD or BACKWARD while it is not known */
    uint8_t *implied; /* of each edge */
} graph;

/* The edges as a sweep meets them: nodes are places in the order of its direction. */
typedef struct {
    int32_t *first;  /* edges first[x] .. first[x + 1] - 1 come to place x */
    int32_t *from;   /* the smaller place that an edge comes from */
    int32_t *edge;   /* its number in `target` */
    int32_t *far;    /* of a place: the last one that an edge of it which is asked about goes to; 0 */
    int32_t *items;  /* places with such edges, in blocks of one class of length each */
    int32_t *bit;    /* of a place: its number in the block + 1; 0: not in the block */
    int64_t of_class[CLASSES + 1]; /* where the items of each class begin */
    int64_t widest;  /* places of the longest block */
    int64_t steps;   /* that all blocks take */
} way;

static void ask_for_edges(graph *g)
{
    int64_t *depth = g->stack;
    memset(depth, 0, (size_t)g->nodes * sizeof *depth);
    for (int64_t i = 0; i < g->nodes; i++) {
        int64_t n = g->order[i];
        g->place[n] = (int32_t)i;
        for (int64_t k = g->first[n]; k < g->first[n + 1]; k++)
            if (depth[g->target[k]] <= depth[n])
                depth[g->target[k]] = depth[n] + 1;
    }
    for (int64_t n = 0; n < g->nodes; n++)
        for (int64_t k = g->first[n]; k < g->first[n + 1]; k++)
            g->ask[k] = depth[g->target[k]] > depth[n] + 1 ? FORWARD : 0;
}

/* Sees what can be reached from n in two steps or more, no further than what is asked about.
 * Returns the steps it took: more than `limit` where it was given up. */
static int64_t search(graph *g, int64_t n, int64_t limit)
{
    int64_t top = 0, steps = 0, last = -1;
    for (int64_t k = g->first[n]; k < g->first[n + 1]; k++) {
        if (g->ask[k] && g->place[g->target[k]] > last)
            last = g->place[g->target[k]];
        g->stack[top++] = g->target[k];
    }
    if (last < 0)
        return 0;
    while (top > 0) {
        int64_t from = g->stack[--top];
        for (int64_t k = g->first[from]; k < g->first[from + 1]; k++) {
            int64_t to = g->target[k];
            if (++steps > limit)
                return steps;
            if (g->place[to] > last || g->seen[to] == n)
                continue;
            g->seen[to] = n;
            g->stack[top++] = to;
        }
    }
    return steps;
}

/* Searches from every node with edges that are asked about. Returns the budget left; below 0 when
 * that is used up. */
static int64_t search_all(graph *g, int64_t each, int64_t budget)
{
    for (int64_t n = 0; n < g->nodes; n++)
        g->seen[n] = -1;
    for (int64_t n = 0; n < g->nodes && budget >= 0; n++) {
        int64_t limit = each < budget ? each : budget;
        int64_t steps = search(g, n, limit);
        for (int64_t k = g->first[n]; k < g->first[n + 1]; k++) {
            if (!g->ask[k])
                continue;
            g->implied[k] = g->seen[g->target[k]] == n;
            if (g->implied[k] || steps <= limit)
                g->ask[k] = 0;
        }
        budget -= steps;
    }
    return budget;
}

/* Decides from which of its nodes each edge is swept. */
static void choose_ways(graph *g)
{
    int64_t *into = g->stack;
    memset(into, 0, (size_t)g->nodes * sizeof *into);
    for (int64_t k = 0; k < g->first[g->nodes]; k++)
        into[g->target[k]] += g->ask[k] != 0;
    for (int64_t n = 0; n < g->nodes; n++) {
        int64_t out = 0;
        for (int64_t k = g->first[n]; k < g->first[n + 1]; k++)
            out += g->ask[k] != 0;
        for (int64_t k = g->first[n]; k < g->first[n + 1]; k++)
            if (g->ask[k] && into[g->target[k]] > MANY * out)
                g->ask[k] = BACKWARD;
    }
}

/* Fills first, from, edge and far of a direction. */
static void lay_edges(const graph *g, way *w, uint8_t direction)
{
    int32_t end = (int32_t)g->nodes - 1;
    memset(w->first, 0, (size_t)(g->nodes + 2) * sizeof *w->first);
    for (int64_t pass = 0; pass < 2; pass++) {
        for (int64_t n = 0; n < g->nodes; n++)
            for (int64_t k = g->first[n]; k < g->first[n + 1]; k++) {
                int32_t a = g->place[n], b = g->place[g->target[k]];
                int32_t from = direction == FORWARD ? a : end - b;
                int32_t to = direction == FORWARD ? b : end - a;
                if (pass == 0) {
                    w->first[to + 2]++;
                    if (g->ask[k] == direction && to > w->far[from])
                        w->far[from] = to;
                    continue;
                }
                int32_t at = w->first[to + 1]++;
                w->from[at] = from;
                w->edge[at] = (int32_t)k;
            }
        for (int64_t x = 1; pass == 0 && x <= g->nodes; x++)
            w->first[x + 1] += w->first[x];
    }
}

static int class_of(int32_t length)
{
    int class = 0;
    while (length > 1) {
        length >>= 1;
        class++;
    }
    return class;
}

/* Puts places whose edges are about as long together, and counts the steps of all blocks. */
static void plan(const graph *g, way *w)
{
    int64_t at[CLASSES + 1] = { 0 };
    for (int64_t x = 0; x < g->nodes; x++)
        if (w->far[x])
            at[class_of(w->far[x] - (int32_t)x) + 1]++;
    for (int c = 0; c < CLASSES; c++)
        at[c + 1] += at[c];
    memcpy(w->of_class, at, sizeof at);
    for (int64_t x = 0; x < g->nodes; x++)
        if (w->far[x])
            w->items[at[class_of(w->far[x] - (int32_t)x)]++] = (int32_t)x;
    for (int c = 0; c < CLASSES; c++)
        for (int64_t i = w->of_class[c]; i < w->of_class[c + 1]; i += BLOCK) {
            int32_t low = w->items[i], high = 0;
            for (int64_t j = i; j < w->of_class[c + 1] && j < i + BLOCK; j++)
                if (w->far[w->items[j]] > high)
                    high = w->far[w->items[j]];
            w->steps += w->first[high + 1] - w->first[low + 1] + high - low;
            if (high - low + 1 > w->widest)
                w->widest = high - low + 1;
        }
}

/* Hands the bits of one block on, from its first place to the last that is asked about. */
static void sweep_block(const graph *g, const way *w, const int32_t *items, int64_t count,
                        uint8_t direction, uint64_t *bits)
{
    int32_t low = items[0], high = 0;
    for (int64_t j = 0; j < count; j++) {
        w->bit[items[j]] = (int32_t)j + 1;
        if (w->far[items[j]] > high)
            high = w->far[items[j]];
    }
    memset(bits, 0, WORDS * sizeof *bits);
    for (int32_t x = low + 1; x <= high; x++) {
        uint64_t reached[WORDS] = { 0 };
        for (int32_t k = w->first[x]; k < w->first[x + 1]; k++) {
            if (w->from[k] < low)
                continue;
            const uint64_t *row = bits + (int64_t)(w->from[k] - low) * WORDS;
            for (int i = 0; i < WORDS; i++)
                reached[i] |= row[i];
        }
        /* Here `reached` has ways of two edges or more; the direct ones come now. */
        for (int32_t k = w->first[x]; k < w->first[x + 1]; k++) {
            int32_t bit = w->bit[w->from[k]] - 1;
            if (bit < 0)
                continue;
            if (g->ask[w->edge[k]] == direction && reached[bit / 64] >> (bit % 64) & 1)
                g->implied[w->edge[k]] = 1;
            reached[bit / 64] |= UINT64_C(1) << (bit % 64);
        }
        memcpy(bits + (int64_t)(x - low) * WORDS, reached, sizeof reached);
    }
    for (int64_t j = 0; j < count; j++)
        w->bit[items[j]] = 0;
}

static void sweep(const graph *g, const way *w, uint8_t direction, uint64_t *bits)
{
    for (int c = 0; c < CLASSES; c++)
        for (int64_t i = w->of_class[c]; i < w->of_class[c + 1]; i += BLOCK) {
            int64_t left = w->of_class[c + 1] - i;
            sweep_block(g, w, w->items + i, left < BLOCK ? left : BLOCK, direction, bits);
        }
}

/* Sweeps for the edges that are still asked about. Returns the budget left, -1 where they take more
 * than that and nothing was done, -2 for lack of memory. */
static int64_t sweep_all(graph *g, int64_t budget)
{
    int64_t edges = g->first[g->nodes], size = 4 * g->nodes + 2 + 2 * edges;
    int32_t *scratch = calloc(2 * (size_t)size, sizeof *scratch);
    uint64_t *bits = NULL;
    way ways[2];
    if (scratch == NULL)
        return -2;
    choose_ways(g);
    for (int d = 0; d < 2; d++) {
        int32_t *at = scratch + d * size;
        ways[d] = (way){ .first = at, .far = at + g->nodes + 2, .items = at + 2 * g->nodes + 2,
                         .bit = at + 3 * g->nodes + 2, .from = at + 4 * g->nodes + 2 };
        ways[d].edge = ways[d].from + edges;
        lay_edges(g, &ways[d], d == 0 ? FORWARD : BACKWARD);
        plan(g, &ways[d]);
        budget -= ways[d].steps;
    }
    if (budget >= 0) {
        int64_t widest = ways[0].widest > ways[1].widest ? ways[0].widest : ways[1].widest;
        bits = malloc((size_t)(widest + 1) * WORDS * sizeof *bits);
        budget = bits == NULL ? -2 : budget;
    } else {
        budget = -1;
    }
    if (budget >= 0) {
        sweep(g, &ways[0], FORWARD, bits);
        sweep(g, &ways[1], BACKWARD, bits);
    }
    free(bits);
    free(scratch);
    return budget;
}

int64_t ls_graph_reduce(int64_t nodes, const int64_t *first, const int64_t *target,
                        const int64_t *order, int64_t budget, uint8_t *implied)
{
    int64_t found = 0, left, edges = first[nodes];
    if (nodes > INT32_MAX / 2 || edges > INT32_MAX / 2)
        return -1;
    graph g = { nodes, first, target, order, .implied = implied };
    g.place = malloc((size_t)(nodes + 1) * sizeof *g.place);
    g.seen = malloc((size_t)(3 * nodes + 1) * sizeof *g.seen);
    g.ask = malloc((size_t)edges + 1);
    left = g.place && g.seen && g.ask ? budget : -2;
    if (left >= 0) {
        g.stack = g.seen + nodes;
        ask_for_edges(&g);
        left = search_all(&g, SEARCH, left);
    }
    if (left >= 0 && memchr(g.ask, FORWARD, (size_t)edges) != NULL) {
        int64_t swept = sweep_all(&g, left);
        left = swept == -1 ? search_all(&g, left, left) : swept;
    }
    for (int64_t k = 0; k < edges; k++)
        found += implied[k];
    free(g.place);
    free(g.seen);
    free(g.ask);
    return left >= 0 ? found : left == -2 ? -2 : -1;
}
