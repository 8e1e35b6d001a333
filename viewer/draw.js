// Draws the lanes: slices as strips of pixels, then text, levels and marks above them.
import { rowOfLane, trackBox } from "./layout.js";
import { visibleTiles } from "./model.js";
import { addTrack, clearStrip, makeStrip, writeStrip } from "./strip.js";
import { toRgb } from "./theme.js";
import { ticks } from "./times.js";
import { firstEndAfter } from "./tracks.js";

const FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";
const LABELLED = 22;
const MOST_LABELS = 1200;
const MOST_LOOKED_AT = 3000;

/** A canvas of the size it is shown at, in device pixels. */
export function fitCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.height = `${height}px`;
  }
  return ratio;
}

export function textFont(size, weight = 400) {
  return `${weight} ${size}px ${FONT}`;
}

/** One frame of the lanes. `scene` holds model, view, layout, theme, canvas and selection. */
export function drawLanes(scene) {
  const { canvas, view } = scene;
  const context = canvas.getContext("2d", { alpha: false });
  const picture = pictureOf(scene, context);
  const frame = frameOf(scene, picture);
  paintGround(frame);
  for (const row of frame.rows) if (row.type === "lane") paintLane(frame, row);
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.putImageData(picture.image, 0, 0);
  context.scale(view.ratio, view.ratio);
  context.textBaseline = "middle";
  drawGrid(frame, context);
  for (const row of frame.rows) if (row.type === "level") drawLevel(frame, context, row);
  drawNames(frame, context);
  drawLabels(frame, context);
  drawSelection(frame, context);
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
  const rows = layout.rows.filter((row) => row.y < view.top + view.height && row.y + row.height > view.top);
  const scale = strip.width / (view.t1 - view.t0);
  return { ...scene, picture, left, strip, rows, scale, theme };
}

function paintGround({ picture, theme, rows, view }) {
  const colour = (hex) => {
    const [red, green, blue] = toRgb(hex);
    return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  };
  picture.pixels.fill(colour(theme.back));
  for (const row of rows) {
    const top = Math.max(0, Math.round((row.y - view.top) * view.ratio));
    const bottom = Math.min(picture.height, Math.round((row.y + row.height - view.top) * view.ratio));
    const fill = { group: theme.group, title: theme.back, lane: theme.lane, level: theme.back }[row.type];
    picture.pixels.fill(colour(fill), top * picture.width, bottom * picture.width);
    const parted = row.type !== "lane" || row.height >= 9;
    if (bottom > 0 && parted) picture.pixels.fill(colour(theme.line), (bottom - 1) * picture.width, bottom * picture.width);
  }
}

/** Slices, then the critical path below them and blocked times above, thinner. */
function paintLane(frame, row) {
  const { view, theme } = frame;
  const back = toRgb(theme.lane);
  for (let depth = 0; depth < row.depth; depth++) {
    const box = trackBox(row, depth);
    const top = (box.top - view.top) * view.ratio;
    const bottom = (box.top + box.height - view.top) * view.ratio;
    const thin = Math.max(2, (bottom - top) * 0.25);
    paintTracks(frame, row, { kinds: ["tasks", "phases", "marks"], depth, top, bottom, back });
    if (depth === 0) paintTracks(frame, row, { kinds: ["stalls"], depth, top, bottom: top + thin, back });
    paintTracks(frame, row, { kinds: ["critical"], depth, top: bottom - thin, bottom, back });
  }
}

function paintTracks(frame, row, { kinds, depth, top, bottom, back }) {
  const { strip, view, scale, theme, picture, left } = frame;
  let any = false;
  for (const tile of visibleTiles(row.trace, view.t0, view.t1)) {
    for (const track of tile.byLane?.get(row.lane) ?? []) {
      const wanted = track.depth === depth || track.kind === "stalls";
      if (!wanted || !kinds.includes(track.kind)) continue;
      if (!any) clearStrip(strip);
      any = true;
      addTrack(strip, track, { t0: view.t0, t1: view.t1, scale, rgb: theme.rgb });
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

export function xOf(view, ns) {
  return view.left + ((ns - view.t0) / (view.t1 - view.t0)) * (view.width - view.left);
}

export function timeAt(view, x) {
  return view.t0 + ((x - view.left) / (view.width - view.left)) * (view.t1 - view.t0);
}

/** Names inside slices that are wide enough for them. */
function drawNames(frame, context) {
  const { view, theme } = frame;
  const perPixel = (view.t1 - view.t0) / (view.width - view.left);
  let room = MOST_LABELS;
  for (const row of frame.rows) {
    if (row.type !== "lane") continue;
    for (const tile of visibleTiles(row.trace, view.t0, view.t1)) {
      for (const track of tile.byLane?.get(row.lane) ?? []) {
        const box = trackBox(row, track.depth);
        if (box.height < 11 || room <= 0 || track.kind === "stalls" || track.kind === "critical") continue;
        context.font = textFont(Math.min(11, box.height - 1));
        room -= namesOf(frame, context, { row, track, box, perPixel, theme });
      }
    }
  }
}

function namesOf({ view }, context, { row, track, box, perPixel, theme }) {
  let drawn = 0;
  const names = track.table.values.get("name");
  const y = box.top - view.top + box.height / 2 + 0.5;
  const first = firstEndAfter(track.end, view.t0);
  if (firstEndAfter(track.end, view.t1) - first > MOST_LOOKED_AT) return 0;
  for (let i = first; i < track.count && track.start[i] < view.t1; i++) {
    if ((track.end[i] - track.start[i]) / perPixel < LABELLED) continue;
    const from = Math.max(xOf(view, track.start[i]), view.left);
    const to = Math.min(xOf(view, track.end[i]), view.width);
    const text = sliceName(row.trace, track.kind, names ? names[track.rowAt(i)] : -1);
    const shown = shortened(context, text, to - from - 8);
    if (!shown) continue;
    context.fillStyle = theme.ink[track.paint[i]];
    context.fillText(shown, from + 4, y);
    drawn++;
  }
  return drawn;
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

export function sliceName(trace, kind, name) {
  if (kind === "tasks") return trace.header.functions[name]?.name ?? "task";
  if (kind === "stalls") return `blocked: ${trace.header.words[name] ?? "recording"}`;
  return trace.header.words[name] ?? (kind === "marks" ? "mark" : "phase");
}

/** The column of names at the left, and the rows of groups and titles. */
function drawLabels(frame, context) {
  const { view, theme, rows } = frame;
  let free = -Infinity;
  for (const row of rows) {
    const top = row.y - view.top;
    if (row.type !== "lane") free = row.y + row.height;
    if (row.type === "group") drawGroup(frame, context, row);
    else if (row.type === "title") {
      context.fillStyle = theme.text;
      context.font = textFont(13, 650);
      context.fillText(row.name, 10, top + row.height / 2 + 1);
    } else {
      const height = row.type === "level" ? row.height : Math.max(row.base, Math.min(12, row.height));
      if (row.type === "lane" && row.y < free) continue;
      free = row.y + Math.max(12, row.base);
      const size = Math.min(11.5, Math.max(10, height - 1.5));
      context.font = textFont(size);
      context.fillStyle = theme.soft;
      const pipe = row.about?.kind === "pipe";
      const lost = row.about?.lost ? "  " : "";
      const name = row.type === "level" ? row.level.name : row.about.name;
      context.fillText(clipped(context, name + lost, view.left - (pipe ? 30 : 18)), pipe ? 24 : 12, top + height / 2 + 0.5);
      if (row.about?.lost) drawLost(context, { row, top, height, view, theme });
    }
  }
  context.fillStyle = theme.line;
  for (const row of rows) {
    if (row.type === "lane" || row.type === "level") context.fillRect(view.left - 1, row.y - view.top, 1, row.height);
  }
}

function drawLost(context, { row, top, height, view, theme }) {
  context.fillStyle = theme.blocked;
  context.textAlign = "right";
  context.fillText(`−${row.about.lost}`, view.left - 6, top + height / 2 + 0.5);
  context.textAlign = "left";
}

function drawGroup({ view, theme, options }, context, row) {
  const y = row.y - view.top + row.height / 2 + 0.5;
  const closed = options.closed.has(row.key);
  context.fillStyle = theme.soft;
  context.beginPath();
  if (closed) context.moveTo(8, y - 4), context.lineTo(13, y), context.lineTo(8, y + 4);
  else context.moveTo(6, y - 2.5), context.lineTo(14, y - 2.5), context.lineTo(10, y + 2.5);
  context.fill();
  context.font = textFont(11.5, 650);
  context.fillStyle = theme.text;
  context.fillText(row.name, 19, y);
  const width = context.measureText(row.name).width;
  context.font = textFont(11.5);
  context.fillStyle = theme.soft;
  const kind = row.name.replace(/ cores$/, "");
  const use = row.trace.header.utilisation.find(([name, share]) => name === kind && share !== null);
  context.fillText(`${row.count}${use ? `  ·  ${(100 * use[1]).toFixed(1)} % busy` : ""}`, 27 + width, y);
}

function clipped(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let length = text.length;
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > width) length--;
  return `${text.slice(0, length)}…`;
}

/** A level as steps; where several points fall on a pixel the largest counts. */
function drawLevel({ view, theme }, context, row) {
  const { time, value } = row.level;
  const top = row.y - view.top + 5;
  const height = row.height - 10;
  let most = 0;
  for (const one of value) most = Math.max(most, one);
  if (!most) most = 1;
  const width = view.width - view.left;
  const peaks = new Float32Array(Math.ceil(width)).fill(-1);
  let at = Math.max(0, firstEndAfter(time, view.t0) - 1);
  let last = time[at] <= view.t0 ? value[at] : 0;
  for (let x = 0; x < peaks.length; x++) {
    const until = timeAt(view, view.left + x + 1);
    let peak = last;
    while (at < time.length && time[at] < until) {
      peak = Math.max(peak, value[at]);
      last = value[at++];
    }
    peaks[x] = peak;
  }
  context.fillStyle = theme.accent;
  for (const [alpha, line] of [[0.28, false], [0.9, true]]) {
    context.globalAlpha = alpha;
    for (let x = 0; x < peaks.length; x++) {
      const tall = (peaks[x] / most) * height;
      if (tall > 0) context.fillRect(view.left + x, top + height - tall, 1, line ? 1.2 : tall);
    }
  }
  context.globalAlpha = 1;
  context.font = textFont(10);
  context.fillStyle = theme.soft;
  context.textAlign = "right";
  context.fillText(`max ${Number(most.toPrecision(4))}`, view.width - 6, top + 3);
  context.textAlign = "left";
}

/** A frame around the selected slice, and arrows from what came before and to what came after. */
function drawSelection(frame, context) {
  const { selection, hover, neighbours, view, theme } = frame;
  context.save();
  context.beginPath();
  context.rect(view.left, 0, view.width - view.left, view.height);
  context.clip();
  if (hover) outline(frame, context, hover, theme.soft);
  if (selection) {
    if (neighbours) {
      for (const slice of neighbours.before.slices) arrow(frame, context, { ...slice, trace: selection.trace }, selection, theme.before);
      for (const slice of neighbours.after.slices) arrow(frame, context, selection, { ...slice, trace: selection.trace }, theme.after);
    }
    outline(frame, context, selection, theme.text);
  }
  if (view.band) drawBand(context, view, theme);
  context.restore();
}

function boxOf({ layout, view }, slice) {
  const row = rowOfLane(layout, slice.trace, slice.lane);
  if (!row) return null;
  const box = row.type === "lane" ? trackBox(row, slice.depth ?? 0) : { top: row.y + 4, height: row.height - 8 };
  const from = xOf(view, slice.start);
  const to = xOf(view, slice.end ?? slice.start + slice.length);
  return { from, to, top: box.top - view.top, height: box.height };
}

function outline(frame, context, slice, colour) {
  const box = boxOf(frame, slice);
  if (!box) return;
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.strokeRect(box.from - 0.5, box.top - 0.5, Math.max(box.to - box.from, 2) + 1, box.height + 1);
}

function arrow(frame, context, source, target, colour) {
  const [one, other] = [boxOf(frame, source), boxOf(frame, target)];
  if (!one || !other) return;
  const [x0, y0, x1, y1] = [one.to, one.top + one.height / 2, other.from, other.top + other.height / 2];
  const bend = Math.max(14, Math.min(90, Math.abs(x1 - x0) / 2));
  const line = new Path2D();
  line.moveTo(x0, y0);
  line.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 5, y1);
  context.strokeStyle = frame.theme.back;
  context.globalAlpha = 0.75;
  context.lineWidth = 3.5;
  context.stroke(line);
  context.strokeStyle = context.fillStyle = colour;
  context.globalAlpha = 1;
  context.lineWidth = 1.5;
  context.stroke(line);
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 - 7, y1 - 3.5);
  context.lineTo(x1 - 7, y1 + 3.5);
  context.fill();
  context.globalAlpha = 1;
}

function drawBand(context, view, theme) {
  const [from, to] = view.band;
  context.fillStyle = theme.accent;
  context.globalAlpha = 0.18;
  context.fillRect(Math.min(from, to), 0, Math.abs(to - from), view.height);
  context.globalAlpha = 1;
}
