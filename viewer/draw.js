// Draws the lanes: bars as strips of pixels, then text, series and marks above them.
import { drawSelection } from "./arrows.js";
import { textFont, xOf } from "./canvas.js";
import { drawArea } from "./extent.js";
import { drawLabels, drawSeries } from "./labels.js";
import { trackBox } from "./layout.js";
import { barName } from "./model.js";
import { drawMade } from "./overlay.js";
import { addRects } from "./rects.js";
import { tilesOf, tracksOf } from "./shown.js";
import { addTrack, clearStrip, makeStrip, writeStrip } from "./strip.js";
import { toRgb } from "./theme.js";
import { ticks } from "./times.js";
import { firstEndAfter } from "./tracks.js";

const LABELLED = 22;
const MOST_LABELS = 1200;
const BAR_PIXELS = 0.02;
// Stripes are marks, not densities: they are seen however short they are.
const STRIPE_PIXELS = { stalls: 2, lost: 2, critical: 1 };
const MOST_LOOKED_AT = 3000;
const ABOVE = new Set(["stalls", "lost"]);
const NAMED = new Set(["tasks", "phases", "marks", "path"]);

/** One frame of the lanes. `scene` holds model, view, layout, theme, canvas and selection. */
export function drawLanes(scene) {
  const { canvas, view } = scene;
  const context = canvas.getContext("2d", { alpha: false });
  const picture = pictureOf(scene, context);
  const frame = frameOf(scene, picture);
  const parts = drawnParts(frame);
  picture.pixels.fill(pixelOf(frame.theme.back));
  for (const part of parts) {
    paintGround(part);
    for (const row of part.rows) if (row.type === "lane") paintLane(part, row);
  }
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.putImageData(picture.image, 0, 0);
  context.scale(view.ratio, view.ratio);
  drawAbove(frame, parts, context);
}

/** What scrolls, and the pinned lanes above it. */
function drawnParts(frame) {
  return [frame, { ...frame, rows: frame.pins }];
}

/** What is seen, by calls that a context of vectors knows: bars as rectangles, no pixels. */
export function drawVector(scene, context) {
  const view = { ...scene.view, ratio: 1 };
  const frame = frameOf({ ...scene, view, strip: null }, { width: view.width, height: view.height });
  const parts = drawnParts(frame);
  for (const row of parts.flatMap((part) => part.rows)) {
    context.fillStyle = { group: scene.theme.group, lane: scene.theme.lane }[row.type] ?? scene.theme.back;
    context.fillRect(0, row.y - view.top, view.width, row.height);
    if (row.type === "lane") paintLane({ ...frame, put: (track, box) => addRects(context, track, { ...frame, ...view, ...box }) }, row);
  }
  drawAbove(frame, parts, context);
}

function drawAbove(frame, parts, context) {
  const { view } = frame;
  context.textBaseline = "middle";
  drawGrid(frame, context);
  parts.forEach((part, k) => {
    context.save();
    context.beginPath();
    if (k === 0) context.rect(0, frame.layout.pinned, view.width, view.height);
    else context.rect(0, 0, view.width, frame.layout.pinned);
    context.clip();
    for (const row of part.rows) if (row.type === "series") drawSeries(part, context, row);
    drawNames(part, context);
    drawLabels(part, context);
    drawArea(part, context);
    context.restore();
  });
  drawSelection(frame, context);
  drawMade(frame, context);
}

function pictureOf(scene, context) {
  const { width, height } = scene.canvas;
  if (scene.picture?.width !== width || scene.picture?.height !== height) {
    const image = context.createImageData(width, height);
    scene.picture = { image, width, height, pixels: new Uint32Array(image.data.buffer) };
  }
  return scene.picture;
}

function frameOf(scene, picture) {
  const { view, layout, theme } = scene;
  const left = Math.round(view.left * view.ratio);
  const strip = scene.strip?.width === picture.width - left ? scene.strip : (scene.strip = makeStrip(picture.width - left));
  const seen = layout.rows.filter((row) => row.y < view.top + view.height && row.y + row.height > view.top);
  const kept = (row) => Boolean(row.pinned && layout.pinned);
  const rows = seen.filter((row) => !kept(row) && row.y + row.height > view.top + layout.pinned);
  const pins = seen.filter(kept);
  const scale = strip.width / (view.t1 - view.t0);
  return { ...scene, picture, left, strip, rows, pins, scale, theme };
}

function pixelOf(hex) {
  const [red, green, blue] = toRgb(hex);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

function paintGround({ picture, theme, rows, view }) {
  for (const row of rows) {
    const top = Math.max(0, Math.round((row.y - view.top) * view.ratio));
    const bottom = Math.min(picture.height, Math.round((row.y + row.height - view.top) * view.ratio));
    const fill = { group: theme.group, title: theme.back, lane: theme.lane, series: theme.back }[row.type];
    picture.pixels.fill(pixelOf(fill), top * picture.width, bottom * picture.width);
    const parted = row.type !== "lane" || row.height >= 9;
    if (bottom > 0 && parted) picture.pixels.fill(pixelOf(theme.line), (bottom - 1) * picture.width, bottom * picture.width);
  }
}

/** Bars, what was waited before them as a thin line between, then the critical path below them and
    blocked or lost times above. A strip is copied down from its first row, so the thinner come later. */
function paintLane(frame, row) {
  const { view, theme } = frame;
  const back = toRgb(theme.lane);
  for (let depth = 0; depth < row.depth; depth++) {
    const box = trackBox(row, depth);
    const top = (box.top - view.top) * view.ratio;
    const bottom = (box.top + box.height - view.top) * view.ratio;
    const thin = Math.max(2, (bottom - top) * 0.25);
    const middle = [top + (bottom - top) * 0.36, bottom - (bottom - top) * 0.36];
    paintTracks(frame, row, { kinds: ["tasks", "phases", "marks", "path"], depth, top, bottom, back });
    paintTracks(frame, row, { kinds: ["gaps"], depth, top: middle[0], bottom: Math.max(middle[1], middle[0] + 2), back: null });
    if (depth === 0) paintTracks(frame, row, { kinds: ["stalls", "lost"], depth, top, bottom: top + thin, back });
    paintTracks(frame, row, { kinds: ["critical"], depth, top: bottom - thin, bottom, back });
  }
}

function paintTracks(frame, row, { kinds, depth, top, bottom, back }) {
  const { strip, view, scale, theme, picture, left } = frame;
  let any = false;
  for (const tile of tilesOf(row.trace, row.lane, view.t0, view.t1)) {
    for (const track of tile.byLane?.get(row.lane) ?? []) {
      const wanted = track.depth === depth || ABOVE.has(track.kind);
      if (!wanted || !kinds.includes(track.kind)) continue;
      if (frame.put) {
        frame.put(track, { top, bottom, least: STRIPE_PIXELS[track.kind] ?? 0 });
        continue;
      }
      if (!any) clearStrip(strip);
      any = true;
      const least = STRIPE_PIXELS[track.kind] ?? BAR_PIXELS;
      const edges = least < 1 && track.kind !== "gaps" ? theme.edges : null;
      addTrack(strip, track, { t0: view.t0, t1: view.t1, scale, rgb: theme.rgb, edges, least, ...tile.limits });
    }
  }
  if (any) writeStrip(strip, picture, { top: Math.round(top), bottom: Math.round(bottom), left, back });
}

function drawGrid({ view, theme, rows }, context) {
  context.fillStyle = theme.soft;
  context.globalAlpha = 0.16;
  const width = view.width - view.left;
  for (const { ns } of ticks(view.t0, view.t1, width, 110)) {
    context.fillRect(Math.round(xOf(view, ns)), 0, 1, rows.length ? view.height : 0);
  }
  context.globalAlpha = 1;
}

/** Names inside bars that are wide enough for them. */
function drawNames(frame, context) {
  const { view, theme } = frame;
  const perPixel = (view.t1 - view.t0) / (view.width - view.left);
  let room = MOST_LABELS;
  for (const row of frame.rows) {
    if (row.type !== "lane") continue;
    for (const track of tracksOf(row.trace, row.lane, view.t0, view.t1)) {
      const box = trackBox(row, track.depth);
      if (box.height < 11 || room <= 0 || !NAMED.has(track.kind)) continue;
      context.font = textFont(Math.min(11, box.height - 1));
      room -= namesOf(frame, context, { row, track, box, perPixel, theme });
    }
  }
}

function namesOf({ view }, context, { row, track, box, perPixel, theme }) {
  let drawn = 0;
  const names = track.table.values.get("name");
  const y = box.top - view.top + box.height / 2 + 0.5;
  const first = firstEndAfter(track.end, view.t0);
  const long = firstEndAfter(track.end, view.t1) - first > MOST_LOOKED_AT ? longBars(track, LABELLED * perPixel) : null;
  const count = long ? long.length : track.count;
  for (let k = long ? 0 : first; k < count; k++) {
    const i = long ? long[k] : k;
    if (track.start[i] >= view.t1) break;
    if (i < first || (track.end[i] - track.start[i]) / perPixel < LABELLED) continue;
    const from = Math.max(xOf(view, track.start[i]), view.left);
    const to = Math.min(xOf(view, track.end[i]), view.width);
    const text = barName(row.trace, track.kind, names ? names[track.rowAt(i)] : -1);
    const shown = shortened(context, text, to - from - 8);
    if (!shown) continue;
    context.fillStyle = theme.ink[track.paint[i]];
    context.fillText(shown, from + 4, y);
    drawn++;
  }
  return drawn;
}

/** Places of the bars that may be long enough for a name; looked for once per doubling of the zoom. */
function longBars(track, least) {
  const size = Math.floor(Math.log2(least));
  if (track.long?.size !== size) {
    const places = [];
    for (let i = 0; i < track.count; i++) if (track.end[i] - track.start[i] >= 2 ** size) places.push(i);
    track.long = { size, places };
  }
  return track.long.places;
}

const widths = new Map();

/** As much of a text as there is room for; nothing where that is less than two letters. */
function shortened(context, text, room) {
  const key = context.font + text;
  if (!widths.has(key)) widths.set(key, context.measureText(text).width);
  const width = widths.get(key);
  if (width <= room) return text;
  const fitting = Math.floor((room / width) * text.length) - 2;
  return fitting < 2 ? "" : `${text.slice(0, fitting)}…`;
}
