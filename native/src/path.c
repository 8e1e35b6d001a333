/* Paths through a graph of tasks: order, readiness, longest paths, the walk back from the end. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

int64_t ls_graph_order(int64_t nodes, int64_t edges, const int64_t *pred, const int64_t *succ,
                       int64_t *first, int64_t *target, int64_t *order)
{
    int64_t head = 0, tail = 0;
    int32_t *degree = calloc((size_t)nodes + 1, sizeof *degree);
    if (degree == NULL)
        return -2;
    memset(first, 0, (size_t)(nodes + 1) * sizeof *first);
    for (int64_t e = 0; e < edges; e++) {
        first[pred[e] + 1]++;
        degree[succ[e]]++;
    }
    for (int64_t n = 0; n < nodes; n++)
        first[n + 1] += first[n];
    for (int64_t e = 0; e < edges; e++)
        target[first[pred[e]]++] = succ[e];
    for (int64_t n = nodes; n > 0; n--)
        first[n] = first[n - 1];
    first[0] = 0;
    for (int64_t n = 0; n < nodes; n++)
        if (degree[n] == 0)
            order[tail++] = n;
    for (; head < tail; head++)
        for (int64_t k = first[order[head]]; k < first[order[head] + 1]; k++)
            if (--degree[target[k]] == 0)
                order[tail++] = target[k];
    free(degree);
    return tail;
}

void ls_graph_ready(int64_t nodes, const int64_t *first, const int64_t *target,
                    const int64_t *order, const int64_t *done, int64_t *ready, int64_t *gate)
{
    for (int64_t n = 0; n < nodes; n++) {
        ready[n] = LS_NO_TIME;
        gate[n] = -1;
    }
    for (int64_t i = 0; i < nodes; i++) {
        int64_t n = order[i];
        /* A node without a time of its own hands on what it waited for. */
        int64_t time = done[n] != LS_NO_TIME ? done[n] : ready[n];
        int64_t from = done[n] != LS_NO_TIME ? n : gate[n];
        if (from < 0)
            continue;
        for (int64_t k = first[n]; k < first[n + 1]; k++)
            if (time > ready[target[k]]) {
                ready[target[k]] = time;
                gate[target[k]] = from;
            }
    }
}

void ls_graph_longest(int64_t nodes, const int64_t *first, const int64_t *target,
                      const int64_t *order, const int64_t *weight, int64_t *head, int64_t *tail,
                      int64_t *via)
{
    memset(head, 0, (size_t)nodes * sizeof *head);
    memset(tail, 0, (size_t)nodes * sizeof *tail);
    for (int64_t n = 0; n < nodes; n++)
        via[n] = -1;
    for (int64_t i = 0; i < nodes; i++) {
        int64_t n = order[i], reach = head[n] + weight[n];
        for (int64_t k = first[n]; k < first[n + 1]; k++)
            if (reach > head[target[k]] || via[target[k]] < 0) {
                head[target[k]] = reach;
                via[target[k]] = n;
            }
    }
    for (int64_t i = nodes - 1; i >= 0; i--) {
        int64_t n = order[i];
        for (int64_t k = first[n]; k < first[n + 1]; k++)
            if (weight[target[k]] + tail[target[k]] > tail[n])
                tail[n] = weight[target[k]] + tail[target[k]];
    }
}

void ls_sum_followers(int64_t nodes, const int64_t *order, const int64_t *gate, int64_t *sum)
{
    for (int64_t i = nodes - 1; i >= 0; i--)
        if (gate[order[i]] >= 0)
            sum[gate[order[i]]] += sum[order[i]];
}

int64_t ls_walk_back(const ls_walk *w, int64_t from, int64_t *path, int8_t *cause)
{
    int64_t length = 0;
    while (from >= 0) {
        int64_t node = w->node[from], start = w->start[from];
        int64_t core = w->before[from], data = w->gate[node] >= 0 ? w->last[w->gate[node]] : -1;
        int64_t best = LS_NO_TIME, next = -1;
        int8_t why = LS_CAUSE_NONE;
        if (core >= 0 && w->end[core] <= start && w->start[core] < start) {
            best = w->end[core];
            next = core;
            why = LS_CAUSE_CORE;
        }
        if (w->submit[node] > best && w->submit[node] <= start) {
            best = w->submit[node];
            next = -1;
            why = LS_CAUSE_SUBMIT;
        }
        if (data >= 0 && w->end[data] <= start && w->start[data] < start && w->end[data] >= best) {
            next = data;
            why = LS_CAUSE_DATA;
        }
        path[length] = from;
        cause[length++] = why;
        from = next;
    }
    return length;
}

int64_t ls_follow(int64_t count, const int64_t *next, int64_t from, int64_t *path)
{
    int64_t length = 0;
    for (; from >= 0 && length < count; from = next[from])
        path[length++] = from;
    return length;
}
