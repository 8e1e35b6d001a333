/* The host's end of the lanes: copies published buffers out, gives them back, takes them apart.
 *
 * The lanes' constants come from the host's own checked copy (`constants`), never from the shared
 * memory, so that a device gone wild cannot make the host read outside the region.
 */
#include "native.h"

#include "lanescope/lanescope.h"

#include <string.h>

static void note_problem(ls_drained *result, uint32_t problem, uint32_t lane, uint64_t sequence)
{
    if (result->problem)
        return; /* the next round finds this one again */
    result->problem = problem;
    result->lane = lane;
    result->sequence = sequence;
}

/* 1: taken, 0: it does not fit into `out` any more, -1: it is none. */
static int take_buffer(const uint8_t *image, const ls_lane *constant, uint32_t lane,
                       uint64_t sequence, uint8_t *out, uint64_t room, ls_drained *result)
{
    const uint8_t *buffer =
        image + constant->buffers + sequence % constant->buffer_count * constant->buffer_stride;
    ls_buffer header;
    memcpy(&header, buffer, sizeof header);
    if (header.sequence != sequence || header.lane != lane || header.count > constant->buffer_records) {
        note_problem(result, 1, lane, sequence);
        return -1;
    }
    uint64_t bytes = sizeof header + (uint64_t)header.count * constant->record_bytes;
    if (result->bytes + bytes > room)
        return 0;
    /* The checked header, not what the device may have made of it since. */
    memcpy(out + result->bytes, &header, sizeof header);
    memcpy(out + result->bytes + sizeof header, buffer + sizeof header, bytes - sizeof header);
    result->bytes += bytes;
    result->buffers++;
    result->records += header.count - (header.moments < header.count ? header.moments : header.count);
    return 1;
}

void ls_drain(const uint8_t *image, const ls_lane *lanes, const ls_lane *constants,
              uint32_t lane_count, uint64_t *taken, uint8_t *out, uint64_t room,
              ls_drained *result)
{
    ls_drain_some(image, lanes, constants, 0, lane_count, taken, out, room, result);
}

void ls_drain_some(const uint8_t *image, const ls_lane *lanes, const ls_lane *constants,
                   uint32_t first, uint32_t after, uint64_t *taken, uint8_t *out, uint64_t room,
                   ls_drained *result)
{
    memset(result, 0, sizeof *result);
    for (uint32_t i = first; i < after; i++) {
        if (constants[i].refused)
            continue;
        uint64_t published = ls_load_acquire(&lanes[i].published);
        if (published - taken[i] > constants[i].buffer_count) {
            note_problem(result, 2, i, published);
            continue;
        }
        uint64_t waiting = (published - taken[i]) * 100 / constants[i].buffer_count;
        if (waiting > result->fullest)
            result->fullest = waiting;
        while (taken[i] < published) {
            int found = take_buffer(image, &constants[i], i, taken[i], out, room, result);
            if (found == 0)
                return;
            if (found < 0)
                break;
            taken[i]++;
        }
    }
}

void ls_release(ls_lane *lanes, uint32_t lane_count, const uint64_t *taken)
{
    for (uint32_t i = 0; i < lane_count; i++)
        if (ls_load_relaxed(&lanes[i].released) != taken[i])
            ls_store_release(&lanes[i].released, taken[i]);
}

void ls_host_beats(uint8_t *region)
{
    uint64_t *beat = &((ls_header *)region)->host_beat;
    ls_store_relaxed(beat, ls_load_relaxed(beat) + 1);
}

void ls_host_leaves(uint8_t *region)
{
    ls_store_relaxed(&((ls_header *)region)->host_gone, 1);
}

/* Reads the next buffer's header of a payload; 0 at the end, -1 where the bytes are none. */
static int next_buffer(const uint8_t *bytes, uint64_t length, uint64_t at, const ls_lane *constants,
                       uint32_t lane_count, ls_buffer *header)
{
    if (at == length)
        return 0;
    if (length - at < sizeof *header)
        return -1;
    memcpy(header, bytes + at, sizeof *header);
    if (header->lane >= lane_count)
        return -1;
    const ls_lane *lane = &constants[header->lane];
    if (header->count > lane->buffer_records
        || (uint64_t)header->count * lane->record_bytes > length - at - sizeof *header)
        return -1;
    return 1;
}

int64_t ls_count_buffers(const uint8_t *bytes, uint64_t length, const ls_lane *constants,
                         uint32_t lane_count, uint64_t *records, uint64_t *next)
{
    ls_buffer header;
    int64_t buffers = 0;
    uint64_t at = 0;
    int found;
    while ((found = next_buffer(bytes, length, at, constants, lane_count, &header)) > 0) {
        records[header.lane] += header.count;
        next[header.lane] = header.sequence + 1;
        at += sizeof header + (uint64_t)header.count * constants[header.lane].record_bytes;
        buffers++;
    }
    return found < 0 ? -1 - (int64_t)at : buffers;
}

void ls_list_buffers(const uint8_t *bytes, uint64_t length, const ls_lane *constants,
                     uint32_t lane_count, ls_buffer *headers, uint64_t *records_at)
{
    ls_buffer header;
    uint64_t at = 0;
    while (next_buffer(bytes, length, at, constants, lane_count, &header) > 0) {
        *headers++ = header;
        *records_at++ = at + sizeof header;
        at += sizeof header + (uint64_t)header.count * constants[header.lane].record_bytes;
    }
}
