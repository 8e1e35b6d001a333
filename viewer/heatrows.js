// Rows of the heat map of all cores: which cores share one, how busy they are, and the colours for that.
import { tracksOf } from "./shown.js";
import { addTrack, clearStrip } from "./strip.js";

const LEAST_ROW = 3;

/** Cores of all traces in order, cut into as many rows as have room: `[[{trace, lane}]]`. */
export function heatRows(model, height) {
  const cores = model.traces.flatMap((trace) => trace.header.lanes.flatMap(({ kind }, lane) => (kind === "core" ? [{ trace, lane }] : [])));
  const count = Math.min(cores.length, Math.max(1, Math.floor(height / LEAST_ROW)));
  const edge = (k) => Math.floor((k * cores.length) / count);
  return Array.from({ length: count }, (_, k) => cores.slice(edge(k), edge(k + 1)));
}

/** Per pixel the mean share of time that the cores of a row are busy. */
export function heatShares(row, strip, { t0, t1, rgb }) {
  clearStrip(strip);
  for (const { trace, lane } of row) {
    for (const track of tracksOf(trace, lane, t0, t1)) {
      if (track.kind === "tasks" && track.depth === 0) addTrack(strip, track, { t0, t1, scale: strip.width / (t1 - t0), rgb, edges: null, least: 0 });
    }
  }
  return strip.cover.map((cover) => Math.min(1, cover / row.length));
}

/** Pixels from the ground to full, in 256 steps. */
export function rampOf(low, full) {
  return Uint32Array.from({ length: 256 }, (_, k) => {
    const [red, green, blue] = low.map((value, c) => Math.round(value + ((full[c] - value) * k) / 255));
    return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  });
}
