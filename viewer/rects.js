// One track as rectangles: few bars one by one, narrow ones pixel by pixel; many as the line of pixels that the
// page shows. A pixel is as full as what lies in it.
import { FAINTEST, addTrack, makeStrip } from "./strip.js";
import { copyFor, firstEndAfter } from "./tracks.js";

/** Adds the bars of a track in [t0, t1] between `top` and `bottom`; no bar is narrower than `least` pixels. */
export function addRects(context, track, box) {
  const { t0, t1, left, width } = box;
  if (copyFor(track, (t1 - t0) / (width - left))) addLine(context, track, box);
  else addBars(context, track, box);
  context.globalAlpha = 1;
}

function addBars(context, track, { t0, t1, left, width, top, bottom, least, theme }) {
  const { start, end, busy } = track;
  const scale = (width - left) / (t1 - t0);
  const pixels = new Map();
  const put = (from, to, share, paint) => {
    context.fillStyle = theme.paints[paint];
    context.globalAlpha = Math.min(1, share);
    context.fillRect(from, top, to - from, bottom - top);
  };
  for (let i = firstEndAfter(end, t0); i < start.length && start[i] <= t1; i++) {
    const length = end[i] - start[i];
    const share = busy && length > 0 ? Math.min(1, busy[i] / length) : 1;
    const from = Math.max(left, left + (start[i] - t0) * scale);
    const to = Math.min(width, Math.max(left + (end[i] - t0) * scale, from + least));
    if (to - from >= 1) put(from, to, share, track.paint[i]);
    else if (to > from) {
      const place = Math.floor(from);
      const [most, sum] = [pixels.get(place)?.most ?? 0, pixels.get(place)?.sum ?? 0];
      const mine = (to - from) * share;
      pixels.set(place, { sum: sum + mine, most: Math.max(most, mine), paint: mine > most ? track.paint[i] : pixels.get(place).paint });
    }
  }
  for (const [place, { sum, paint }] of pixels) put(place, place + 1, sum, paint);
}

/** The line of pixels; neighbours that look the same are one rectangle. */
function addLine(context, track, { t0, t1, left, width, top, bottom, least, theme }) {
  const strip = makeStrip(Math.round(width - left));
  addTrack(strip, track, { t0, t1, scale: strip.width / (t1 - t0), rgb: theme.rgb, edges: null, least });
  let [from, before] = [0, null];
  for (let x = 0; x <= strip.width; x++) {
    const look = x < strip.width && strip.cover[x] > 0 ? lookOf(strip, x) : null;
    if (look?.colour === before?.colour && look?.share === before?.share) continue;
    if (before) {
      context.fillStyle = before.colour;
      context.globalAlpha = before.share;
      context.fillRect(left + from, top, x - from, bottom - top);
    }
    [from, before] = [x, look];
  }
}

function lookOf(strip, x) {
  const cover = strip.cover[x];
  const parts = [strip.red, strip.green, strip.blue].map((of) => Math.round(of[x] / cover));
  return { colour: `rgb(${parts.join(",")})`, share: Math.round(100 * Math.min(1, Math.max(cover, FAINTEST))) / 100 };
}
