// Values at given places of sorted lengths, without sorting them: lengths are counted in bins, and the bin that
// holds a place is counted again in finer ones, down to single nanoseconds. src/lanescope/viewer/places.py does the same.

// 64 bins per factor of two: a length below 64 has a bin of its own, one of e bits behind its first seven one of 2^e.
const STEPS = 64;
const FINER = 4096;
const WIDE = 2 ** 22; // a length of more than 31 bits is divided by this first
const WIDE_BITS = 22;
export const BINS = 64 * STEPS;

/** The bin of a length in whole nanoseconds. */
export function binOf(length) {
  if (length < 0x80000000) {
    const bits = Math.max(25 - Math.clz32(length), 0);
    return (bits << 6) + (length >>> bits);
  }
  const wide = Math.floor(length / WIDE);
  const bits = 25 - Math.clz32(wide);
  return ((bits + WIDE_BITS) << 6) + (wide >>> bits);
}

/** The search for the value at `place` of the sorted lengths that `counts` counts by bin; `low` is the value once `width` is 1. */
export function searchFor(place, counts) {
  let [bin, left] = [0, place];
  while (left >= counts[bin]) left -= counts[bin++];
  const bits = Math.max((bin >> 6) - 1, 0);
  return narrowed({ bin }, left, { low: (bin - bits * STEPS) * 2 ** bits, width: 2 ** bits });
}

/** Counts a length of the search's bin. */
export function note(search, length) {
  const offset = length - search.low;
  if (offset >= 0 && offset < search.width) search.counts[(offset * search.perStep) | 0]++;
}

/** Goes on with the finer bin that holds the place, when all lengths were noted. */
export function narrow(search) {
  let [bin, left] = [0, search.place];
  while (left >= search.counts[bin]) left -= search.counts[bin++];
  narrowed(search, left, { low: search.low + bin * search.step, width: search.step });
}

function narrowed(search, place, { low, width }) {
  const step = Math.max(width / FINER, 1); // a power of two, as the width is: dividing by it and multiplying by 1/step are the same
  return Object.assign(search, { place, low, width, step, perStep: 1 / step, counts: width > 1 ? new Int32Array(width / step) : null });
}
