// One track as one line of pixels: every pixel is as full as what lies in it, so a dense lane looks as
// busy as it is. Where bars were merged, the colour is that of the one that stands for them.
import { copyFor, firstEndAfter } from "./tracks.js";

// A lone short bar must be seen; inside a dense lane the mean tells the truth.
const FAINTEST_ALONE = 0.55;
const FAINTEST = 0.12;

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

/** Adds the bars of a track that lie in [t0, t1] to the strip. `scale` is pixels per ns; no bar is
    narrower than `least` pixels. */
export function addTrack(strip, track, { t0, t1, scale, rgb, least }) {
  const copy = copyFor(track, 1 / scale);
  const { start, end } = copy ?? track;
  const busy = copy ? copy.busy : track.busy;
  const total = start.length;
  for (let i = firstEndAfter(end, t0 - 1 / scale); i < total && start[i] <= t1; i++) {
    const length = end[i] - start[i];
    const density = busy && length > 0 ? Math.min(1, busy[i] / length) : 1;
    const paint = copy ? track.paint[copy.pick[i]] : track.paint[i];
    const from = (start[i] - t0) * scale;
    addBar(strip, from, Math.max((end[i] - t0) * scale, from + least), density, rgb[paint]);
  }
}

function addBar(strip, from, to, density, colour) {
  const x0 = Math.max(from, 0);
  const x1 = Math.min(to, strip.width - 0.001);
  if (x1 <= x0) return;
  const first = Math.floor(x0);
  const last = Math.floor(x1);
  if (first === last) {
    addPixel(strip, first, (x1 - x0) * density, colour);
    return;
  }
  // A bar of some width keeps its first pixel half empty, so that neighbours can be told apart.
  const edge = to - from > 3 && from >= 0 ? 0.35 : 1;
  addPixel(strip, first, (first + 1 - x0) * density * edge, colour);
  for (let x = first + 1; x < last; x++) addPixel(strip, x, density, colour);
  addPixel(strip, last, (x1 - last) * density, colour);
}

function addPixel(strip, x, share, colour) {
  strip.red[x] += share * colour[0];
  strip.green[x] += share * colour[1];
  strip.blue[x] += share * colour[2];
  strip.cover[x] += share;
}

/** Writes the strip over rows top..bottom of a picture of 32-bit pixels, from column `left` on. What is
    not full shows `back`, or without it what is there already in the first of these rows. */
export function writeStrip(strip, picture, { top, bottom, left, back }) {
  const { pixels, width } = picture;
  const y0 = Math.max(0, top);
  const y1 = Math.min(picture.height, bottom);
  if (y1 <= y0) return;
  const line = y0 * width + left;
  for (let x = 0; x < strip.width; x++) {
    const cover = strip.cover[x];
    if (cover <= 0) continue;
    const alone = !(strip.cover[x - 1] > 0 && strip.cover[x + 1] > 0);
    const alpha = Math.min(1, Math.max(cover, alone ? FAINTEST_ALONE : FAINTEST));
    const rest = 1 - alpha;
    const part = alpha / cover;
    const under = back ? (back[2] << 16) | (back[1] << 8) | back[0] : pixels[line + x];
    const red = strip.red[x] * part + (under & 255) * rest;
    const green = strip.green[x] * part + ((under >> 8) & 255) * rest;
    const blue = strip.blue[x] * part + ((under >> 16) & 255) * rest;
    pixels[line + x] = (255 << 24) | (blue << 16) | (green << 8) | red;
  }
  for (let y = y0 + 1; y < y1; y++) pixels.copyWithin(y * width + left, line, line + strip.width);
}
