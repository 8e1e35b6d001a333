/* Records that a warp writes together.
 *
 * Lane 0 notes what happened in shared memory, with readings of the SM's counter where the stamps will
 * be, and goes on. Later all lanes together turn the readings into times and copy the records, 16 bytes
 * each, so that neighbours cross the bus in one write:
 *
 *   lane      0       1       2       3      …
 *   copies    record 0, its   record 1, its  …     where a record has 32 bytes
 *             halves          halves
 *
 * So who notes waits for no clock, no lane and no bus. A batch is written before the clock's line is
 * laid anew, because its readings are times on that line.
 */
#ifndef LANESCOPE_MEGA_BATCH_CUH
#define LANESCOPE_MEGA_BATCH_CUH

#include "shared_state.cuh"

#define CHUNK 16u /* bytes that a lane copies at once */

/* What the open buffer has room for: so many records, at `address`. 0: that many were dropped. */
struct Room {
    uint64_t address, records;
};

/* Lane 0 asks, and may wait for the host; the answer is for all. */
MEGA_FN Room make_room(ls_writer *w, uint32_t wanted, uint32_t size)
{
    Room room = {0, 1};
    if (own_lane() == 0) {
        uint8_t *next = (uint8_t *)ls_reserve(w);
        uint64_t fits = next ? (uint64_t)(w->limit - next) / size : 1;
        room = {(uint64_t)next, fits < wanted ? fits : wanted};
    }
    return {of_lane(room.address, 0), of_lane(room.records, 0)};
}

/* So many records are written, by all lanes. */
MEGA_FN void commit(ls_writer *w, uint64_t records, uint32_t size)
{
    sync_warp(); /* before the host is told of a full buffer */
    if (own_lane() == 0) {
        w->cursor += (records - 1) * size;
        w->recorded += records - 1;
        ls_commit(w, size);
    }
}

/* Copies records in their order, over as many buffers as they need; those without one are dropped and
 * counted. Afterwards the records can be noted anew. */
MEGA_FN void copy_batch(ls_writer *w, const uint64_t *records, uint32_t count, uint32_t size)
{
    for (uint32_t done = 0; done < count;) {
        Room room = make_room(w, count - done, size);
        const uint64_t *from = records + done * (size / sizeof(uint64_t));
        for (uint32_t at = own_lane() * CHUNK; room.address && at < room.records * size;
             at += MEGA_LANES * CHUNK)
            ls_put_record((uint8_t *)room.address + at, from + at / sizeof(uint64_t), CHUNK);
        if (room.address)
            commit(w, room.records, size);
        done += (uint32_t)room.records;
    }
    sync_warp();
}

/* The readings in noted records become times, none before the newest stamp of a thread that is alone. */
template <class Record> MEGA_FN void stamp_batch(Record *records, uint32_t count)
{
    const Clock &clock = own_clock();
    uint64_t last = clock.last;
    for (uint32_t i = own_lane(); i < count; i += MEGA_LANES) {
        uint64_t start = on_line(clock, records[i].start), end = on_line(clock, records[i].end);
        records[i].start = start > last ? start : last;
        records[i].end = end > last ? end : last;
    }
}

/* All lanes; lane 0 has noted the records. */
template <class Record> MEGA_FN void write_batch(ls_writer *w, Record *records, uint32_t count)
{
    static_assert(sizeof(Record) % CHUNK == 0, "lanes copy whole chunks");
    Clock &clock = own_clock();
    if (count == 0)
        return;
    sync_warp();
    stamp_batch(records, count);
    sync_warp();
    if (own_lane() == 0 && clock.alone)
        clock.last = records[count - 1].end;
    copy_batch(w, (const uint64_t *)records, count, sizeof(Record));
}

#endif
