/* Kernels that share the chip's memory: their operations start when all that they wait for have ended,
 * and transfers of all cores pass through one queue, first come, first served.
 *
 * The memory's time is kept in units of 1 / memory_bytes_per_s ps, in which a byte takes exactly 10^12 of
 * them. So nothing is rounded inside; only the end that a core sees is rounded up. */
#ifndef LANESCOPE_MACHINE_KERNELS_H
#define LANESCOPE_MACHINE_KERNELS_H

#include "machine/news.h"
#include "machine/steps.h"

typedef struct {
    int64_t start, op;
} ready_op;

/* The kernel that a core runs. */
typedef struct kernel_run {
    int32_t at_run;
    int64_t begin, length;
    int64_t ready_count, span_count, room;
    ready_op now;
    ready_op *ready; /* a heap by start, then by number */
    int64_t *left, *starts;
    ls_machine_span *spans;
} kernel_run;

static void free_kernel(kernel_run *k)
{
    if (k == NULL)
        return;
    free(k->ready);
    free(k->left);
    free(k->starts);
    free(k->spans);
    free(k);
}

/* When the last of these bytes has passed, if they are queued now. */
static int64_t take_memory(machine *m, int64_t bytes)
{
    __extension__ typedef __int128 wide;
    wide rate = m->in->memory_bytes_per_s, now = (wide)m->now * rate;
    if (m->memory_free < now)
        m->memory_free = now;
    m->memory_free += (wide)bytes * INT64_C(1000000000000);
    return (int64_t)((m->memory_free + rate - 1) / rate);
}

static int comes_before(ready_op a, ready_op b)
{
    return a.start < b.start || (a.start == b.start && a.op < b.op);
}

static void push_op(kernel_run *k, ready_op op)
{
    int64_t place = k->ready_count++;
    while (place > 0 && comes_before(op, k->ready[(place - 1) / 2])) {
        k->ready[place] = k->ready[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    k->ready[place] = op;
}

static ready_op pop_op(kernel_run *k)
{
    ready_op top = k->ready[0], last = k->ready[--k->ready_count];
    int64_t place = 0;
    for (;;) {
        int64_t child = 2 * place + 1;
        if (child >= k->ready_count)
            break;
        if (child + 1 < k->ready_count && comes_before(k->ready[child + 1], k->ready[child]))
            child++;
        if (!comes_before(k->ready[child], last))
            break;
        k->ready[place] = k->ready[child];
        place = child;
    }
    k->ready[place] = last;
    return top;
}

/* The core's room for a kernel of so many operations; 0 for lack of memory. */
static int make_room(core *c, int64_t ops)
{
    if (c->kernel == NULL)
        c->kernel = calloc(1, sizeof *c->kernel);
    kernel_run *k = c->kernel;
    if (k == NULL || k->room >= ops)
        return k != NULL;
    size_t count = (size_t)ops;
    free(k->ready);
    free(k->left);
    free(k->starts);
    free(k->spans);
    k->ready = calloc(count, sizeof *k->ready);
    k->left = calloc(count, sizeof *k->left);
    k->starts = calloc(count, sizeof *k->starts);
    k->spans = calloc(count, sizeof *k->spans);
    k->room = k->ready && k->left && k->starts && k->spans ? ops : 0;
    return k->room > 0;
}

static void start_ops(const machine *m, kernel_run *k, int64_t first, int64_t ops)
{
    k->begin = m->now;
    k->length = k->ready_count = k->span_count = 0;
    for (int64_t op = 0; op < ops; op++) {
        k->left[op] = m->in->op_before[first + op];
        k->starts[op] = 0;
        if (k->left[op] == 0)
            push_op(k, (ready_op){0, op});
    }
}

/* The operation `now` runs; what waited for it may be ready. */
static void run_op(machine *m, kernel_run *k, int64_t first)
{
    const ls_machine *in = m->in;
    int64_t op = k->now.op, end = k->now.start + in->op_length[first + op];
    if (in->op_bytes[first + op]) {
        int64_t passed = take_memory(m, in->op_bytes[first + op]) - k->begin;
        end = end > passed ? end : passed;
    }
    k->spans[k->span_count++] = (ls_machine_span){op, k->now.start, end};
    k->length = k->length > end ? k->length : end;
    for (int64_t a = in->op_after_first[first + op]; a < in->op_after_first[first + op + 1]; a++) {
        int64_t other = in->op_after[a];
        k->starts[other] = k->starts[other] > end ? k->starts[other] : end;
        if (--k->left[other] == 0)
            push_op(k, (ready_op){k->starts[other], other});
    }
}

/* The steps of a core that runs a kernel; 1: it has ended. */
static int run_kernel(machine *m, int32_t number)
{
    core *c = &m->cores[number];
    const run *r = run_of(m, number, c->begun - 1);
    int32_t kernel = m->in->kernel[r->task];
    int64_t first = m->in->kernel_first[kernel], ops = m->in->kernel_first[kernel + 1] - first;
    if (!make_room(c, ops)) {
        m->failed = LS_MACHINE_MEMORY;
        return 0;
    }
    kernel_run *k = c->kernel;
    STEPS(k->at_run)
        at(m, r->start, KERNEL, number, 0);
        PAUSE(k->at_run);
        start_ops(m, k, first, ops);
        while (k->ready_count > 0) {
            k->now = pop_op(k);
            if (m->in->op_bytes[first + k->now.op] && k->begin + k->now.start > m->now) {
                at(m, k->begin + k->now.start, KERNEL, number, 0);
                PAUSE(k->at_run);
            }
            run_op(m, k, first);
        }
        if (k->begin + k->length > m->now) {
            at(m, k->begin + k->length, KERNEL, number, 0);
            PAUSE(k->at_run);
        }
    OVER(k->at_run);
}

#endif
