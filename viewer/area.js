// The area that the reader selects: by dragging or by keys, kept in the link, its figures in the panel.
import { timeAt } from "./canvas.js";
import { leave } from "./choose.js";
import { lanesBetween, lanesOfArea, laneKey, makeArea } from "./extent.js";
import { showArea } from "./areapanel.js";
import { measureArea } from "./figures.js";
import { askServer } from "./source.js";
import { byId, redraw, scene } from "./stage.js";
import { counted, lengthText } from "./times.js";

const NUDGE = 0.02;

/** Selects an area, or none; figures follow at once, or when the server has told them. */
export async function selectArea(area) {
  scene.area = area;
  byId("areaLength").textContent = area ? `area ${lengthText(area.t1 - area.t0)} × ${counted(area.lanes.size, "lane")}` : "";
  byId("areaBox").hidden = !area;
  redraw();
  if (!area) return;
  const start = performance.now();
  const figures = await figuresOf(area);
  if (scene.area !== area) return;
  showArea(scene, area, figures);
  performance.measure("area", { start }); // for benchmarks/viewer.py
}

async function figuresOf(area) {
  const { model } = scene;
  const lanes = lanesOfArea(model, area);
  if (!model.traces.some((trace) => trace.overview)) return measureArea(model, { ...area, lanes });
  const byTrace = {};
  for (const { trace, lane } of lanes) (byTrace[trace.number] ??= []).push(lane);
  return askServer(0, "area", { t0: area.t0, t1: area.t1, lanes: byTrace });
}

/** While the pointer drags over the lanes, or with no heights over the axis. */
export function dragArea({ x0, x1, y0, y1 }, done) {
  const { view, layout } = scene;
  const [low, high] = y0 === undefined ? [0, layout.height] : [y0 + view.top, y1 + view.top];
  const times = [x0, x1].map((x) => timeAt(view, Math.min(Math.max(x, view.left), view.width)));
  const area = makeArea(...times, lanesBetween(scene, low, high));
  leave();
  if (done) return selectArea(area.lanes.size ? area : null);
  scene.area = area;
  byId("areaLength").textContent = `area ${lengthText(area.t1 - area.t0)}`;
  redraw();
}

/** The visible time on the visible lanes. */
export function visibleArea() {
  const { view } = scene;
  const lanes = lanesBetween(scene, view.top, view.top + view.height);
  return lanes.length ? selectArea(makeArea(view.t0, view.t1, lanes)) : undefined;
}

/** Moves the end and the last lane of the area, or (`first`) the start and the first lane; whether there is one. */
export function changeArea(across, down, first) {
  const { area, view, layout, model } = scene;
  if (!area) return false;
  const step = across * NUDGE * (view.t1 - view.t0);
  let [t0, t1] = first ? [area.t0 + step, area.t1] : [area.t0, area.t1 + step];
  if (t0 >= t1) [t0, t1] = [area.t0, area.t1];
  [t0, t1] = [Math.max(t0, model.start), Math.min(t1, model.end)];
  const keys = layout.rows.filter((row) => row.type === "lane" && row.about.kind !== "path").map(laneKey);
  const places = keys.flatMap((key, place) => (area.lanes.has(key) ? [place] : []));
  let lanes = area.lanes;
  if (down && places.length) {
    const from = Math.max(0, places[0] + (first ? down : 0));
    const to = Math.min(keys.length - 1, places.at(-1) + (first ? 0 : down));
    if (from <= to) lanes = keys.slice(from, to + 1);
  }
  selectArea(makeArea(t0, t1, lanes));
  return true;
}

/** Dragging on the axis selects time over all lanes. */
export function listenToAxis(axis) {
  let from = null;
  const at = (event) => event.clientX - axis.getBoundingClientRect().left;
  axis.addEventListener("pointerdown", (event) => {
    from = { x: at(event), moved: false };
    axis.setPointerCapture(event.pointerId);
  });
  const move = (event, done) => {
    if (from !== null && Math.abs(at(event) - from.x) > 4) from.moved = true;
    if (from?.moved) dragArea({ x0: from.x, x1: at(event) }, done);
    if (done) from = null;
  };
  axis.addEventListener("pointermove", (event) => move(event, false));
  for (const name of ["pointerup", "pointercancel"]) axis.addEventListener(name, (event) => move(event, true));
}

/** The button that makes a plain drag select. */
export function toggleSelecting() {
  scene.selecting = !scene.selecting;
  byId("areaButton").setAttribute("aria-pressed", String(scene.selecting));
}
