// Bars laid on tracks: on one track no two overlap. Tracks carry coarser copies of themselves and sums of
// time, so that a frame touches a few bars per pixel however many there are.

const FEW = 256;
const STEP = 4;

/** Tracks of one table: `{kind, lane, depth, start, end, row, busy, table}`. */
export async function makeTracks(kind, table) {
  const [start, length, busy] = await Promise.all(["start", "length", "busy"].map((name) => table.column(name)));
  if (!start) return [];
  const end = length;
  for (let i = 0; i < table.rows; i++) end[i] += start[i];
  const found = [];
  let first = 0;
  for (const [lane, count] of table.lanes) {
    const last = first + count;
    const depths = depthsOf(start, end, first, last);
    for (const [depth, rows] of depths.entries()) {
      found.push(makeTrack({ kind, lane, depth, table }, { start, end, busy }, { rows, first, last }));
    }
    first = last;
  }
  return found;
}

/** Rows of each depth; null when all are at depth 0. */
function depthsOf(start, end, first, last) {
  const free = [-Infinity];
  let flat = true;
  for (let i = first; i < last && flat; i++) {
    flat = start[i] >= free[0];
    free[0] = end[i];
  }
  if (flat) return [null];
  const until = [];
  const rows = [];
  for (let i = first; i < last; i++) {
    let depth = 0;
    while (depth < until.length && until[depth] > start[i]) depth++;
    if (depth === until.length) {
      until.push(0);
      rows.push([]);
    }
    until[depth] = end[i];
    rows[depth].push(i);
  }
  return rows.map((found) => Int32Array.from(found));
}

function makeTrack(about, columns, { rows, first, last }) {
  const take = (values) => {
    if (!values) return null;
    if (rows === null) return values.subarray(first, last);
    const taken = new Float64Array(rows.length); // Float64Array.from would call a function per value
    for (let i = 0; i < rows.length; i++) taken[i] = values[rows[i]];
    return taken;
  };
  const track = { ...about, start: take(columns.start), end: take(columns.end), busy: take(columns.busy) };
  track.count = track.start.length;
  Object.assign(track, { rows, firstRow: first }); // rows: null where they follow each other from firstRow on
  track.rowAt = rows === null ? (i) => first + i : (i) => rows[i];
  track.paint = new Uint8Array(track.count);
  track.copies = [];
  track.sums = null;
  return track;
}

/** Makes the coarser copies anew; a bar painted `dim` stands for others only where there is nothing else. */
export function makeCopies(track, span, dim) {
  track.copies = [];
  track.dim = dim;
  if (track.count < FEW) return;
  let width = (STEP * span) / track.count;
  let from = null;
  while (width < span / 64) {
    const copy = coarser(track, from, width);
    if (copy.start.length < (from ?? track).start.length * 0.7) {
      track.copies.push(copy);
      from = copy;
    }
    width *= STEP;
  }
}

/** How much a bar counts among those that share a pixel with it. */
export function weightOf({ start, end, paint, dim }, i) {
  const length = end[i] - start[i];
  return paint[i] === dim ? length * 1e-9 : length + 1e-3;
}

/** Neighbours that start in the same bin of time become one, with the place of the weightiest; `finer` is a copy
    that is coarsened further, or null. */
function coarser(track, finer, width) {
  const from = finer ?? track;
  const total = from.start.length;
  let groups = 0;
  let bin = NaN;
  for (let i = 0; i < total; i++) {
    const place = Math.floor(from.start[i] / width);
    if (place !== bin) groups++;
    bin = place;
  }
  const copy = { width, start: new Float64Array(groups), end: new Float64Array(groups), weight: new Float64Array(groups), pick: new Int32Array(groups) };
  let at = -1;
  bin = NaN;
  for (let i = 0; i < total; i++) {
    const place = Math.floor(from.start[i] / width);
    if (place !== bin) {
      at++;
      bin = place;
      copy.start[at] = from.start[i];
      copy.weight[at] = -1;
    }
    copy.end[at] = from.end[i];
    const weight = finer ? finer.weight[i] : weightOf(track, i);
    if (weight > copy.weight[at]) {
      copy.weight[at] = weight;
      copy.pick[at] = finer ? finer.pick[i] : i;
    }
  }
  return copy;
}

/** Per bar the time that all bars before it are busy; made when it is first needed. */
export function sumsOf(track) {
  if (!track.sums) {
    const { count, start, end, busy } = track;
    track.sums = new Float64Array(count + 1);
    for (let i = 0; i < count; i++) track.sums[i + 1] = track.sums[i] + (busy ? Math.min(busy[i], end[i] - start[i]) : end[i] - start[i]);
  }
  return track.sums;
}

/** The coarsest copy whose bins are no wider than a pixel; null means the bars themselves. */
export function copyFor(track, nsPerPixel) {
  let found = null;
  for (const copy of track.copies) if (copy.width <= nsPerPixel) found = copy;
  return found;
}

/** First place whose end is after `time`. */
export function firstEndAfter(ends, time) {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The bar at a moment, or the nearest one within `tolerance`; -1 when there is none. */
export function barAt(track, time, tolerance) {
  const at = firstEndAfter(track.end, time);
  if (at < track.count && track.start[at] <= time) return at;
  let [best, gap] = [-1, tolerance];
  for (const i of [at - 1, at]) {
    if (i < 0 || i >= track.count) continue;
    const away = Math.max(track.start[i] - time, time - track.end[i]);
    if (away <= gap) [best, gap] = [i, away];
  }
  return best;
}
