/* Dumps of tensors: the values of selected arguments, as records of a fixed size in a controller's lane.
 *
 * A dump is bounded three times: ls_dump.tensor_bytes is the most of one tensor, total_bytes the most of
 * all, and a controller that finds no free buffer waits no longer than wait_cycles for each tensor. What
 * was cut is known: the lane counts tensors that were selected and those that are in records (source_made,
 * source_taken), a tensor's facts say how long it is, and records that found no buffer are `dropped`.
 */
#ifndef LANESCOPE_TENSORS_H
#define LANESCOPE_TENSORS_H

#include "controller.h"
#include "selection.h"

typedef struct {
    ls_writer out;         /* the lane */
    ls_selection selected; /* which tensors */
    uint64_t tensor_bytes;
    uint64_t total_bytes;
    uint64_t wait_cycles;
    uint64_t asked; /* selected tensors so far */
    uint64_t taken; /* those of them of which there are records */
    uint64_t used;  /* bytes that count against total_bytes */
} ls_dump;

/* ---- since 0.2.0 ----------------------------------------------------------------------------- */

/* Bytes of an element; 0: there is no such type. */
LS_FN uint32_t ls_dtype_bytes(uint32_t dtype)
{
    switch (dtype) {
    case LS_DTYPE_BOOL:
    case LS_DTYPE_INT8:
    case LS_DTYPE_UINT8: return 1;
    case LS_DTYPE_INT16:
    case LS_DTYPE_UINT16:
    case LS_DTYPE_FLOAT16:
    case LS_DTYPE_BFLOAT16: return 2;
    case LS_DTYPE_INT32:
    case LS_DTYPE_UINT32:
    case LS_DTYPE_FLOAT32: return 4;
    case LS_DTYPE_INT64:
    case LS_DTYPE_UINT64:
    case LS_DTYPE_FLOAT64: return 8;
    default: return 0;
    }
}

/* Opens the dump of a controller: everything, 1 MiB of a tensor, 1 GiB in all, and a wait of no more than
 * the time after which a host is lost. The caller may then choose less. */
LS_SLOW void ls_dump_open(ls_dump *dump, LS_GM uint8_t *region, uint32_t scheduler)
{
    ls_dump fresh = LS_ZERO;
    ls_writer_open(&fresh.out, region, LS_TENSOR_PART, scheduler);
    fresh.tensor_bytes = UINT64_C(1) << 20;
    fresh.total_bytes = UINT64_C(1) << 30;
    fresh.wait_cycles = fresh.out.host_lost_cycles;
    if (fresh.out.lane) { /* an earlier handle counted so far */
        fresh.asked = ls_load_relaxed(&fresh.out.lane->source_made);
        fresh.taken = ls_load_relaxed(&fresh.out.lane->source_taken);
    }
    ls_select_all(&fresh.selected);
    *dump = fresh;
}

/* ---- inside ---------------------------------------------------------------------------------- */

/* Waits for a free buffer until `until` cycles after `begun`. 0: none came; the record is dropped. */
LS_SLOW int ls_dump_room(ls_writer *w, uint64_t begun, uint64_t most)
{
    uint32_t spins = 0;
    while (w->cursor == w->limit && ls_owns_lane(w) && ls_wait_step(w) < 0) {
        if (ls_not_before(begun, LS_CLOCK()) - begun >= most)
            return 0;
        ls_wait_a_little(&spins);
    }
    return 1;
}

/* Writes one record of a tensor. 0: it was dropped and counted. */
LS_SLOW int ls_dump_record(ls_dump *dump, const ls_tensor *fresh, uint64_t begun)
{
    ls_writer *w = &dump->out;
    if (!ls_dump_room(w, begun, dump->wait_cycles)) {
        ls_count_dropped(w);
        return 0;
    }
    LS_GM void *record = ls_reserve(w);
    if (!record)
        return 0;
    ls_put_record(record, fresh, sizeof *fresh);
    ls_commit(w, sizeof(ls_tensor));
    return 1;
}

/* Reads the elements of a view in logical order, byte by byte. */
typedef struct {
    LS_GM const uint8_t *data; /* of the buffer */
    const ls_tensor_facts *facts;
    uint64_t element; /* of the buffer, that is read now */
    uint32_t at[LS_TENSOR_DIMENSIONS];
    uint32_t byte;
    uint32_t size; /* of an element */
} ls_view;

LS_FN uint8_t ls_view_next(ls_view *view)
{
    const ls_tensor_facts *facts = view->facts;
    uint8_t value = view->data[view->element * view->size + view->byte];
    if (++view->byte < view->size)
        return value;
    view->byte = 0;
    for (uint32_t axis = facts->dimensions; axis-- > 0;) { /* the last index runs fastest */
        view->element += facts->strides[axis];
        if (++view->at[axis] < facts->shape[axis])
            break;
        view->element -= (uint64_t)facts->strides[axis] * facts->shape[axis];
        view->at[axis] = 0;
    }
    return value;
}

/* Bytes of all elements; 0 where there are none, where a number makes no sense, and beyond 2^62. */
LS_SLOW uint64_t ls_tensor_size(const ls_tensor_facts *facts)
{
    uint64_t bytes = ls_dtype_bytes(facts->dtype);
    if (facts->dimensions > LS_TENSOR_DIMENSIONS)
        return 0;
    for (uint32_t axis = 0; axis < facts->dimensions; axis++) {
        if (facts->shape[axis] != 0 && bytes > (UINT64_C(1) << 62) / facts->shape[axis])
            return 0;
        bytes *= facts->shape[axis];
    }
    return bytes;
}

/* How much of a tensor may be kept: whole elements, within both limits. */
LS_FN uint64_t ls_dump_kept(const ls_dump *dump, uint64_t bytes, uint32_t size)
{
    uint64_t most = dump->tensor_bytes < bytes ? dump->tensor_bytes / size * size : bytes;
    return dump->used + most > dump->total_bytes ? 0 : most;
}

LS_SLOW void ls_dump_values(ls_dump *dump, ls_view *view, uint64_t kept, uint64_t begun)
{
    uint32_t part = 1;
    int room = 1;
    for (uint64_t done = 0; done < kept; part++) {
        ls_tensor record = LS_ZERO;
        record.number = (uint32_t)dump->asked;
        record.part = part;
        uint64_t count = kept - done < sizeof record.words ? kept - done : sizeof record.words;
        done += count;
        if (!room) { /* after the first loss the rest is no use */
            ls_count_dropped(&dump->out);
            continue;
        }
        uint8_t *bytes = (uint8_t *)record.words;
        for (uint64_t i = 0; i < count; i++)
            bytes[i] = ls_view_next(view);
        room = ls_dump_record(dump, &record, begun);
    }
}

/* ---- since 0.2.0 ----------------------------------------------------------------------------- */

/* Dumps an argument if it is selected. The caller fills in all of `facts` but `bytes` and `kept`; `data`
 * is the buffer that the view lies in. 1: it is in records, maybe cut; 0: it is not selected, or off;
 * -1: it was given up and counted. */
LS_SLOW int ls_dump_tensor(ls_dump *dump, ls_tensor_facts *facts, LS_GM const void *data)
{
    ls_writer *w = &dump->out;
    if (!LS_ON(w) || !ls_is_selected(&dump->selected, facts))
        return 0;
    uint64_t begun = LS_CLOCK(), bytes = ls_tensor_size(facts), before = w->dropped;
    ls_view view = LS_ZERO;
    view.data = (LS_GM const uint8_t *)data;
    view.facts = facts;
    view.element = facts->start_offset;
    view.size = ls_dtype_bytes(facts->dtype);
    facts->bytes = bytes;
    facts->kept = bytes ? ls_dump_kept(dump, bytes, view.size) : 0;
    dump->used += facts->kept;
    int whole = facts->kept != 0 || bytes == 0;
    if (!whole)
        dump->total_bytes = dump->used; /* from the first one that does not fit on, none does */
    if (whole) {
        ls_tensor record = LS_ZERO;
        record.number = (uint32_t)dump->asked;
        for (uint32_t i = 0; i < LS_TENSOR_WORDS; i++)
            record.words[i] = ((const ls_word *)facts)[i];
        whole = ls_dump_record(dump, &record, begun);
        if (whole)
            ls_dump_values(dump, &view, facts->kept, begun);
    }
    dump->taken += whole ? 1 : 0;
    ls_source_counts(w, ++dump->asked, dump->taken);
    return whole && w->dropped == before ? 1 : -1;
}

/* After the controller's last tensor. */
LS_FN void ls_dump_close(ls_dump *dump)
{
    ls_writer_flush(&dump->out);
}

#endif
