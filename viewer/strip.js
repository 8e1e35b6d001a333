// One track as one line of pixels. How far a pixel is from the ground to a bar's colour is the share of its
// time that is busy, at every zoom: few bars are drawn one by one, of many the sums of time up to a moment
// are subtracted. A pixel that holds many bars has the colour of the longest.
import { copyFor, firstEndAfter, sumsOf, weightOf } from "./tracks.js";

// What is there but fills less of a pixel than this looks as if it filled so much.
export const FAINTEST = 1 / 64;
const WALKED = 2;
const NEAR = 32;
const EDGED = 6;

/** Room for one line of pixels. */
export function makeStrip(width) {
  return { width, red: new Float32Array(width), green: new Float32Array(width), blue: new Float32Array(width), cover: new Float32Array(width) };
}

export function clearStrip(strip) {
  strip.red.fill(0);
  strip.green.fill(0);
  strip.blue.fill(0);
  strip.cover.fill(0);
}

/** Adds the bars of a track in [t0, t1], and of those what lies in [from, to], to the strip. `scale` is pixels
    per ns; no bar is narrower than `least` pixels, and where that is one or more, every pixel it touches is full. */
export function addTrack(strip, track, options) {
  const { t0, t1, scale } = options;
  const first = firstEndAfter(track.end, t0 - 1 / scale);
  const last = firstEndAfter(track.start, t1);
  const perPixel = (last - first) / strip.width;
  if (perPixel > WALKED) addMany(strip, track, { near: perPixel < NEAR, ...options });
  else addEach(strip, track, { first, last, ...options });
}

function addEach(strip, track, { first, last, t0, scale, rgb, edges, least, from = -Infinity, to = Infinity }) {
  const { start, end, busy, paint } = track;
  const [low, high] = [Math.max(0, (from - t0) * scale), Math.min(strip.width, (to - t0) * scale)];
  for (let i = first; i < last; i++) {
    const length = end[i] - start[i];
    const density = busy && length > 0 ? Math.min(1, busy[i] / length) : 1;
    const left = (start[i] - t0) * scale;
    const right = Math.max((end[i] - t0) * scale, left + least);
    const x0 = Math.max(left, low);
    const x1 = Math.min(right, high);
    if (x1 <= x0) continue;
    const colour = rgb[paint[i]];
    const head = Math.floor(x0);
    const tail = Math.min(Math.floor(x1), strip.width - 1);
    if (head === tail) {
      addPixel(strip, head, (x1 - x0) * density, colour);
      continue;
    }
    addPixel(strip, head, (head + 1 - x0) * density, colour);
    // The first full pixel of a wide bar has a stronger colour, so that neighbours can be told apart.
    const edge = edges && right - left > EDGED && left >= 0 ? head + 1 : -1;
    for (let x = head + 1; x < tail; x++) addPixel(strip, x, density, x === edge ? edges[paint[i]] : colour);
    addPixel(strip, tail, (x1 - tail) * density, colour);
  }
}

function addPixel(strip, x, share, colour) {
  strip.red[x] += share * colour[0];
  strip.green[x] += share * colour[1];
  strip.blue[x] += share * colour[2];
  strip.cover[x] += share;
}

function addMany(strip, track, { near, t0, scale, rgb, least, from = -Infinity, to = Infinity }) {
  const { start, end, busy, paint, count } = track;
  const sums = sumsOf(track);
  const copy = copyFor(track, 1 / scale);
  const { start: starts, end: ends } = copy ?? track;
  const groups = ends.length;
  const last = Math.min(strip.width, Math.ceil((to - t0) * scale));
  const first = Math.max(0, Math.floor((from - t0) * scale));
  let left = Math.max(from, t0 + first / scale);
  let at = firstEndAfter(end, left);
  let group = firstEndAfter(ends, left);
  const until = (time) => sums[at] + (at < count && start[at] < time ? (time - start[at]) * (busy ? Math.min(1, busy[at] / (end[at] - start[at])) : 1) : 0);
  let before = until(left);
  for (let x = first; x < last; x++) {
    let right = t0 + (x + 1) / scale;
    if (right > to) right = to;
    // The first bar that ends after this pixel: one by one where it is near, in growing steps where it is far.
    let high = at;
    if (near) while (high < count && end[high] <= right) at = ++high;
    for (let step = 1; high < count && end[high] <= right; step *= 2) {
      at = high + 1;
      high += step;
    }
    if (high > count) high = count;
    while (at < high) {
      const middle = (at + high) >> 1;
      if (end[middle] > right) high = middle;
      else at = middle + 1;
    }
    const sum = until(right);
    let best = -1;
    let most = -1;
    for (; group < groups && starts[group] < right; group++) {
      const weight = copy ? copy.weight[group] : weightOf(track, group);
      if (weight > most) {
        best = group;
        most = weight;
      }
      if (ends[group] > right) break; // it reaches into the next pixel
    }
    if (best >= 0) addPixel(strip, x, least >= 1 ? 1 : Math.max((sum - before) * scale, 1e-3), rgb[paint[copy ? copy.pick[best] : best]]);
    before = sum;
  }
}

/** Writes the strip over rows top..bottom of a picture of 32-bit pixels, from column `left` on. What is
    not full shows `back`, or without it what is there already in the first of these rows. */
export function writeStrip(strip, picture, { top, bottom, left, back }) {
  const { pixels, width } = picture;
  const y0 = Math.max(0, top);
  const y1 = Math.min(picture.height, bottom);
  if (y1 <= y0) return;
  const line = y0 * width + left;
  const ground = back ? (back[2] << 16) | (back[1] << 8) | back[0] : 0;
  for (let x = 0; x < strip.width; x++) {
    const cover = strip.cover[x];
    if (cover <= 0) continue;
    const alpha = Math.min(1, Math.max(cover, FAINTEST));
    const rest = 1 - alpha;
    const part = alpha / cover;
    const under = back ? ground : pixels[line + x];
    const red = strip.red[x] * part + (under & 255) * rest + 0.5;
    const green = strip.green[x] * part + ((under >> 8) & 255) * rest + 0.5;
    const blue = strip.blue[x] * part + ((under >> 16) & 255) * rest + 0.5;
    pixels[line + x] = (255 << 24) | (blue << 16) | (green << 8) | red;
  }
  for (let y = y0 + 1; y < y1; y++) pixels.copyWithin(y * width + left, line, line + strip.width);
}
