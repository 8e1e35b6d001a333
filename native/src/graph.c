/* Finds the nodes of a graph that a topological order cannot reach from either end. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

/* Removes, again and again, nodes that no remaining edge enters; `first` and `next` index the
 * outgoing edges of a node, `to` their ends. */
static void peel(int64_t nodes, int64_t edges, const int64_t *from, const int64_t *to,
                 int64_t *first, int64_t *target, int64_t *degree, int64_t *queue, uint8_t *alive)
{
    int64_t head = 0, tail = 0;
    memset(first, 0, (size_t)(nodes + 1) * sizeof *first);
    memset(degree, 0, (size_t)nodes * sizeof *degree);
    for (int64_t e = 0; e < edges; e++) {
        if (!alive[from[e]] || !alive[to[e]])
            continue;
        first[from[e] + 1]++;
        degree[to[e]]++;
    }
    for (int64_t n = 0; n < nodes; n++)
        first[n + 1] += first[n];
    for (int64_t e = edges - 1; e >= 0; e--)
        if (alive[from[e]] && alive[to[e]])
            target[--first[from[e] + 1]] = to[e];
    /* first[n + 1] now is where n's edges begin; they end where those of n + 1 begin. */
    for (int64_t n = 0; n < nodes; n++)
        if (alive[n] && degree[n] == 0)
            queue[tail++] = n;
    int64_t total = 0;
    for (int64_t e = 0; e < edges; e++)
        total += alive[from[e]] && alive[to[e]];
    while (head < tail) {
        int64_t n = queue[head++];
        int64_t end = n + 2 <= nodes ? first[n + 2] : total;
        alive[n] = 0;
        for (int64_t k = first[n + 1]; k < end; k++)
            if (--degree[target[k]] == 0)
                queue[tail++] = target[k];
    }
}

int64_t ls_cyclic_nodes(int64_t nodes, int64_t edges, const int64_t *pred, const int64_t *succ,
                        uint8_t *cyclic)
{
    int64_t left = 0;
    int64_t *scratch = malloc((size_t)(3 * nodes + 2 + edges) * sizeof *scratch);
    if (scratch == NULL)
        return -2;
    int64_t *first = scratch, *degree = first + nodes + 2, *queue = degree + nodes;
    int64_t *target = queue + nodes;
    memset(cyclic, 1, (size_t)nodes);
    peel(nodes, edges, pred, succ, first, target, degree, queue, cyclic);
    peel(nodes, edges, succ, pred, first, target, degree, queue, cyclic);
    for (int64_t n = 0; n < nodes; n++)
        left += cyclic[n];
    free(scratch);
    return left;
}
