/* A ready queue: tasks whose predecessors are done. Many push, many pop, nobody waits.
 *
 *   slots  │ 7+1 │ 3+1 │ 9+1 │  0  │  0  │ …    a slot holds task + 1; 0: not written yet
 *                   ▲           ▲
 *                  head        tail
 *
 * A task becomes ready once, so there is a slot for every push, none is used twice, and there is
 * no wrapping around.
 *
 *   word    writer     reader     order
 *   tail    pushers    poppers    relaxed: it only reserves a slot
 *   slot    its pusher poppers    release / acquire: who pops sees what the predecessors wrote
 *   head    poppers    poppers    relaxed: it only reserves a slot, the slot carries the data
 */
#ifndef LANESCOPE_READY_QUEUE_H
#define LANESCOPE_READY_QUEUE_H

#include "lanescope/layout.h"

typedef struct {
    _Alignas(LS_LINE) uint64_t head;
    _Alignas(LS_LINE) uint64_t tail;
    _Alignas(LS_LINE) uint64_t *slots;
} ls_ready_queue;

static inline void ls_ready_push(ls_ready_queue *queue, uint64_t task)
{
    uint64_t at = __atomic_fetch_add(&queue->tail, 1, __ATOMIC_RELAXED);
    ls_store_release(&queue->slots[at], task + 1);
}

/* Tasks waiting; others may change it at once. */
static inline uint64_t ls_ready_depth(const ls_ready_queue *queue)
{
    uint64_t head = ls_load_relaxed(&queue->head), tail = ls_load_relaxed(&queue->tail);
    return tail > head ? tail - head : 0;
}

/* 0: there is none, or the one who pushes it is not done yet. */
static inline int ls_ready_pop(ls_ready_queue *queue, uint64_t *task)
{
    uint64_t head = ls_load_relaxed(&queue->head);
    while (head < ls_load_relaxed(&queue->tail)) {
        uint64_t slot = ls_load_acquire(&queue->slots[head]);
        if (slot == 0)
            return 0;
        if (__atomic_compare_exchange_n(&queue->head, &head, head + 1, 1, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            *task = slot - 1;
            return 1;
        }
    }
    return 0;
}

#endif
