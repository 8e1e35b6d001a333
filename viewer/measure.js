// Measuring between two edges: by two clicks, by a drag or by keys. Points snap to the edges of bars.
import { timeAt } from "./canvas.js";
import { rowAt } from "./layout.js";
import { visibleTiles } from "./model.js";
import { byId, canvas, redraw, scene, scroller, show } from "./stage.js";
import { lengthText, momentText } from "./times.js";

const SNAP_PIXELS = 8;
const MEASURED_KINDS = new Set(["tasks", "phases", "marks"]);

/** Begins to measure, or ends it; the cursor begins at the selection. */
export function toggleMeasure() {
  const { selection, layout, view, measure } = scene;
  scene.measure = null;
  if (!measure) {
    const row = layout.rows.find((one) => one.type === "lane" && (!selection || (one.trace === selection.trace && one.lane === selection.lane)));
    const time = selection?.start ?? (view.t0 + view.t1) / 2;
    scene.measure = { from: null, to: null, at: row ? nearestEdge(row, time, Infinity) : null };
    canvas.focus();
  }
  tell();
}

/** Ends measuring; whether there was anything to end. */
export function endMeasure() {
  if (!scene.measure) return false;
  toggleMeasure();
  return true;
}

/** The range that was measured; null where none was. */
export function measured() {
  const { from, to } = scene.measure ?? {};
  if (!from || !to) return null;
  return { start: Math.min(from.time, to.time), end: Math.max(from.time, to.time), text: "measured" };
}

function tell() {
  const { measure } = scene;
  byId("measureButton").setAttribute("aria-pressed", String(Boolean(measure)));
  canvas.classList.toggle("measuring", Boolean(measure));
  const named = (point) => `${point.edge} at ${momentText(point.time)}`;
  const { from, to, at } = measure ?? {};
  const other = to ?? at;
  if (!measure) byId("state").textContent = "";
  else if (!from) byId("state").textContent = `Measure from: ${at ? named(at) : "click an edge"}`;
  else byId("state").textContent = `From ${named(from)} to ${named(other)}: ${lengthText(Math.abs(other.time - from.time))}`;
  redraw();
}

/** Edges of the bars of a lane on both sides of a moment: `[before, after]`, each `[times]`. */
function edgesAround(row, time) {
  const [before, after] = [[], []];
  for (const tile of visibleTiles(row.trace, scene.view.t0, scene.view.t1)) {
    for (const { kind, start, end } of tile.byLane?.get(row.lane) ?? []) {
      if (!MEASURED_KINDS.has(kind)) continue;
      for (const [values, edge] of [[start, "start"], [end, "end"]]) {
        let [low, high] = [0, values.length];
        while (low < high) {
          const middle = (low + high) >> 1;
          if (values[middle] < time) low = middle + 1;
          else high = middle;
        }
        if (low > 0) before.push({ time: values[low - 1], edge });
        for (const k of [low, low + 1]) if (k < values.length) after.push({ time: values[k], edge });
      }
    }
  }
  return [before.sort((a, b) => b.time - a.time), after.sort((a, b) => a.time - b.time)];
}

/** The edge of a lane that is nearest to a moment, or the moment itself where none is within `most` ns. */
function nearestEdge(row, time, most) {
  const [before, after] = edgesAround(row, time);
  const near = [before[0], after[0]].filter(Boolean).sort((a, b) => Math.abs(a.time - time) - Math.abs(b.time - time))[0];
  const { name } = row.about;
  if (!near || Math.abs(near.time - time) > most) return { time: Math.round(time), edge: name, row };
  return { time: near.time, edge: `${near.edge} of a bar of ${name}`, row };
}

function pointAt(x, y) {
  const { view, layout } = scene;
  const row = rowAt(layout, y + view.top);
  const time = timeAt(view, Math.max(x, view.left));
  if (row?.type !== "lane") return { time: Math.round(time), edge: "the moment", row: null };
  return nearestEdge(row, time, (SNAP_PIXELS * (view.t1 - view.t0)) / (view.width - view.left));
}

function setPoint(point) {
  const { measure } = scene;
  if (!measure.from || measure.to) [measure.from, measure.to] = [point, null];
  else measure.to = point;
  measure.at = point;
  tell();
}

/** Arrow keys move the cursor from edge to edge and from lane to lane, Enter sets a point. Whether the key was used. */
export function measureKey({ key, shiftKey }) {
  const { measure } = scene;
  const point = measure?.at;
  const [across, down] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key] ?? [0, 0];
  if (!point || shiftKey) return false;
  if (key === "Enter") setPoint(point);
  else if (across && point.row) {
    const sides = edgesAround(point.row, point.time);
    const next = sides[across > 0 ? 1 : 0].find(({ time }) => time !== point.time);
    if (next) measure.at = nearestEdge(point.row, next.time, 0);
  } else if (down) moveToLane(measure, down);
  else return false;
  const { t0, t1 } = scene.view;
  if (measure.at.time < t0 || measure.at.time > t1) show(measure.at.time - (t1 - t0) / 2, measure.at.time + (t1 - t0) / 2);
  tell();
  return true;
}

function moveToLane(measure, down) {
  const rows = scene.layout.rows.filter((row) => row.type === "lane");
  const { row, time } = measure.at;
  const at = rows.findIndex((one) => one.trace === row?.trace && one.lane === row?.lane);
  const next = rows[Math.min(Math.max(at + down, 0), rows.length - 1)];
  if (!next) return;
  measure.at = nearestEdge(next, time, Infinity);
  if (next.y < scroller.scrollTop || next.y + next.height > scroller.scrollTop + scene.view.height) scroller.scrollTop = next.y - scene.view.height / 2;
}

/** The pointer measures while measuring is on, and does nothing else. */
export function listenToMeasure() {
  let pressed = null;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return pointAt(event.clientX - box.left, event.clientY - box.top);
  };
  const taken = (act) => (event) => {
    if (!scene.measure) return;
    event.stopImmediatePropagation();
    act(event);
  };
  const options = { capture: true };
  canvas.addEventListener("pointerdown", taken((event) => {
    pressed = event.clientX;
    setPoint(place(event));
  }), options);
  canvas.addEventListener("pointermove", taken((event) => {
    scene.measure.at = place(event);
    tell();
  }), options);
  canvas.addEventListener("pointerup", taken((event) => {
    const { measure } = scene;
    if (measure.from && !measure.to && Math.abs(event.clientX - pressed) > SNAP_PIXELS) setPoint(place(event));
    pressed = null;
  }), options);
}
