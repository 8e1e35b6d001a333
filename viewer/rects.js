// One track as rectangles: bars of a pixel and more one by one, what is narrower pixel by pixel, as full as it is.
import { copyFor, firstEndAfter } from "./tracks.js";

/** Adds the bars of a track in [t0, t1] between `top` and `bottom`; no bar is narrower than `least` pixels. */
export function addRects(context, track, { t0, t1, left, width, top, bottom, least, theme }) {
  const scale = (width - left) / (t1 - t0);
  const copy = copyFor(track, 1 / scale);
  const { start, end } = copy ?? track;
  const busy = copy ? copy.busy : track.busy;
  const pixels = new Map();
  const put = (from, to, share, paint) => {
    context.fillStyle = theme.paints[paint];
    context.globalAlpha = Math.min(1, share);
    context.fillRect(from, top, to - from, bottom - top);
  };
  for (let i = firstEndAfter(end, t0); i < start.length && start[i] <= t1; i++) {
    const length = end[i] - start[i];
    const share = busy && length > 0 ? Math.min(1, busy[i] / length) : 1;
    const paint = track.paint[copy ? copy.pick[i] : i];
    const from = Math.max(left, left + (start[i] - t0) * scale);
    const to = Math.min(width, Math.max(left + (end[i] - t0) * scale, from + least));
    if (to - from >= 1) put(from, to, share, paint);
    else if (to > from) {
      const place = Math.floor(from);
      const [most, sum] = [pixels.get(place)?.most ?? 0, pixels.get(place)?.sum ?? 0];
      const mine = (to - from) * share;
      pixels.set(place, { sum: sum + mine, most: Math.max(most, mine), paint: mine > most ? paint : pixels.get(place).paint });
    }
  }
  for (const [place, { sum, paint }] of pixels) put(place, place + 1, sum, paint);
  context.globalAlpha = 1;
}
