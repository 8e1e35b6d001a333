// The ranges that were looked at. Movements that follow each other at once are one step.

const PAUSE_MS = 400;
const MOST_ZOOMS = 200;

export function makeZooms() {
  return { past: [], moved: -Infinity };
}

/** Keeps the range that is left now, where a new movement begins. */
export function leaveRange(zooms, range, now) {
  if (now - zooms.moved > PAUSE_MS) zooms.past.push(range);
  if (zooms.past.length > MOST_ZOOMS) zooms.past.shift();
  zooms.moved = Math.max(zooms.moved, now);
}

/** The range before the last movement; going there is no movement of its own. Null where there is none. */
export function rangeBefore(zooms, [t0, t1], now) {
  let range = null;
  do range = zooms.past.pop() ?? null;
  while (range && range[0] === t0 && range[1] === t1);
  if (range) zooms.moved = now + PAUSE_MS / 2;
  return range;
}
