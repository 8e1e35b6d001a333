// Finding bars and selecting them: under the pointer, by key, by address.
import { timeAt } from "./canvas.js";
import { describeBar, factList, factsOf, nameLine } from "./facts.js";
import { neighboursOf, pathBetween } from "./graph.js";
import { rowAt, rowOfLane, trackBox } from "./layout.js";
import { meetingOf } from "./meeting.js";
import { loadWindow, visibleTiles } from "./model.js";
import { showSelection } from "./panel.js";
import { tracksOf } from "./shown.js";
import { byId, glide, loaded, redraw, scene, scroller, show } from "./stage.js";
import { counted, momentText } from "./times.js";
import { barAt, firstEndAfter } from "./tracks.js";
import { remember } from "./undo.js";

/** The bar at a point of the canvas. */
export function pick(x, y) {
  const { layout, view } = scene;
  const row = rowAt(layout, y + view.top);
  if (x < view.left || row?.type !== "lane") return null;
  const time = timeAt(view, x);
  const perPixel = (view.t1 - view.t0) / (view.width - view.left);
  let found = null;
  for (const track of tracksOf(row.trace, row.lane, view.t0, view.t1)) {
    const box = trackBox(row, track.depth);
    const inside = y + view.top >= box.top && y + view.top < box.top + box.height;
    const upper = y + view.top < box.top + Math.max(2, box.height * 0.25);
    if (!inside || track.kind === "critical" || track.kind === "gaps") continue;
    const at = barAt(track, time, 1.5 * perPixel);
    if (at >= 0 && (!found || (["stalls", "lost"].includes(track.kind) && upper))) found = describeBar(row.trace, track, at);
  }
  return found;
}

export function hover(x, y, event) {
  scene.hover = pick(x, y);
  scene.cursor = x >= scene.view.left ? timeAt(scene.view, x) : null;
  byId("cursor").textContent = scene.cursor === null ? "" : momentText(Math.round(scene.cursor));
  const tip = byId("tip");
  const about = scene.hover ? barAbout(scene.hover) : seriesAbout(x, y);
  tip.hidden = !about;
  if (about) {
    tip.replaceChildren(...about);
    const [width, height] = [tip.offsetWidth, tip.offsetHeight];
    tip.style.left = `${event.clientX + 16 + width > innerWidth ? event.clientX - width - 12 : event.clientX + 16}px`;
    tip.style.top = `${Math.max(4, Math.min(event.clientY + 14, innerHeight - height - 6))}px`;
  }
  redraw();
}

function barAbout(bar) {
  return [nameLine(bar.text, scene.theme.paints[bar.paint]), factList(factsOf(bar, bar.trace.nodes))];
}

/** Name and value of a series at a point of the canvas. */
function seriesAbout(x, y) {
  const { layout, view, theme } = scene;
  const row = rowAt(layout, y + view.top);
  if (x < view.left || row?.type !== "series") return null;
  const at = firstEndAfter(row.series.time, timeAt(view, x)) - 1;
  const pairs = [["value", at < 0 ? "–" : String(Number(row.series.value[at].toPrecision(6)))]];
  if (at >= 0) pairs.push(["since", momentText(row.series.time[at])]);
  return [nameLine(row.series.name, theme.accent), factList(pairs)];
}

/** The pointer is nowhere, or what lay below it has moved away: nothing is told of it. */
export function leave() {
  scene.hover = scene.cursor = null;
  byId("tip").hidden = true;
  byId("cursor").textContent = "";
  redraw();
}

/** Selects a bar, or nothing; what was selected before can be had back. */
export function select(bar) {
  if (bar || scene.selection) remember();
  return selectAgain(bar);
}

export async function selectAgain(bar) {
  scene.selection = bar;
  scene.neighbours = scene.meeting = scene.meanwhile = scene.flow.path = null;
  if (bar?.kind === "tasks") {
    await bar.table.all();
    scene.onSelect(bar);
    const meeting = await meetingOf(scene.model, bar);
    if (scene.selection !== bar) return;
    scene.meeting = meeting;
  }
  showSelection(scene, goTo);
  redraw();
  if (bar) byId("state").textContent = bar.text;
  if (bar?.kind !== "tasks" || bar.merged > 1) return;
  await follow(bar);
}

/** The neighbours of the selected task and the path to it, from the server where that keeps the trace. */
async function follow(bar) {
  const { flow } = scene;
  const { from } = flow;
  const asks = from && from !== bar && from.trace === bar.trace;
  const [neighbours, path] = await Promise.all([neighboursOf(bar, flow.hops), asks ? pathBetween(from, bar) : null]);
  if (scene.selection !== bar || scene.flow !== flow) return;
  scene.neighbours = neighbours;
  flow.path = path;
  showSelection(scene, goTo);
  byId("state").textContent = `${bar.text}, ${counted(neighbours.before.count, "predecessor")}, ${counted(neighbours.after.count, "successor")}`;
  redraw();
}

/** Another number of hops, or another task where paths begin. */
export async function changeFlow(change) {
  scene.flow = { ...scene.flow, ...change, path: null };
  if (scene.selection?.kind === "tasks") await follow(scene.selection);
}

/** Selects the bar of a lane that starts at a moment, and moves so that it can be seen. */
export async function goTo(wanted) {
  const { view, model } = scene;
  const { trace, lane, start } = wanted;
  leave();
  const coarse = visibleTiles(trace, view.t0, view.t1).includes(trace.overview);
  if (start < view.t0 || start > view.t1 || coarse) {
    const tile = coarse && trace.tiles.find(({ info }) => info.end_ns > start);
    const most = tile ? tile.info.end_ns - tile.info.start_ns : Infinity;
    const half = Math.min(view.t1 - view.t0, most, wanted.length ? wanted.length * 40 : Infinity) / 2;
    show(start - half, start + half);
  }
  await loadWindow(model, view.t0, view.t1, loaded);
  await Promise.all(trace.tiles.filter(({ info }) => info.start_ns <= view.t1 && info.end_ns >= view.t0).map((tile) => tile.loading));
  if (openLane(trace, trace.header.lanes[lane])) scene.onLanes();
  reveal(trace, lane);
  const found = locate(trace, lane, start, wanted);
  if (found) await select(found);
}

/** Makes a lane visible; whether that changes anything. */
function openLane(trace, { group, kindOfGroup, kind }) {
  const { options } = scene;
  const what = { controller: "controllers", pipe: "pipes" }[kind];
  const hidden = what !== undefined && !options[what];
  if (hidden) options[what] = true;
  const keys = [`${trace.number}:${group}`, `all:${kindOfGroup ?? group}`];
  return keys.filter((key) => options.closed.delete(key)).length > 0 || hidden;
}

/** The bar of a lane that starts at a moment; of several the one that is as long as wanted. */
function locate(trace, lane, start, { kind = "tasks", length }) {
  const { view } = scene;
  let found = null;
  for (const track of tracksOf(trace, lane, view.t0, view.t1)) {
    const at = track.kind === kind ? track.start.indexOf(start) : -1;
    if (at >= 0 && (!found || track.end[at] - start === length)) found = describeBar(trace, track, at);
  }
  return found;
}

function reveal(trace, lane) {
  const row = rowOfLane(scene.layout, trace, lane);
  if (!row || (row.pinned && scene.layout.pinned)) return;
  const { height } = scene.view;
  if (row.y < scroller.scrollTop + scene.layout.pinned + 8 || row.y + row.height > scroller.scrollTop + height - 8) {
    scroller.scrollTop = row.y - height / 2;
  }
}

/** With the keyboard: the task nearest to the middle of what is visible. */
export function selectMiddle() {
  const { view, layout } = scene;
  const middle = view.top + view.height / 2;
  const away = (row) => Math.abs(row.y - middle) + (row.about.kind === "core" ? 0 : layout.height);
  const rows = layout.rows.filter((row) => row.type === "lane").sort((a, b) => away(a) - away(b));
  for (const row of rows) {
    const bar = nearest(row.trace, row.lane, (view.t0 + view.t1) / 2);
    if (bar) return select(bar).then(() => reveal(row.trace, row.lane));
  }
}

function nearest(trace, lane, time) {
  const { view } = scene;
  for (const track of tracksOf(trace, lane, view.t0, view.t1)) {
    if (!["tasks", "phases", "marks", "path"].includes(track.kind) || track.depth) continue;
    const at = barAt(track, time, Infinity);
    if (at >= 0) return describeBar(trace, track, at);
  }
  return null;
}

/** Moves the selection along its lane (`across`) or to another lane (`down`). */
export function step(across, down) {
  const { selection, layout, view } = scene;
  if (!selection) return selectMiddle();
  if (across) {
    const found = beside(selection, across);
    if (!found) return;
    if (found.start < view.t0 || found.end > view.t1) glide(found.start - (view.t1 - view.t0) / 2, found.start + (view.t1 - view.t0) / 2);
    return select(found);
  }
  const lanes = layout.rows.filter((row) => row.type === "lane");
  let at = lanes.findIndex((row) => row.trace === selection.trace && row.lane === selection.lane) + down;
  for (; at >= 0 && at < lanes.length; at += down) {
    const bar = nearest(lanes[at].trace, lanes[at].lane, (selection.start + selection.end) / 2);
    if (bar) return select(bar).then(() => reveal(bar.trace, bar.lane));
  }
}

function beside(selection, direction) {
  const { trace, lane, depth, kind } = selection;
  for (const track of tracksOf(trace, lane, scene.view.t0, scene.view.t1)) {
    if (track.kind !== kind || track.depth !== depth) continue;
    let at = track.start.indexOf(selection.start) + direction;
    if (at < 0 || at >= track.count) return null;
    while (track.start[at] === selection.start && track.end[at] === selection.end && at + direction >= 0 && at + direction < track.count) at += direction;
    return describeBar(trace, track, at);
  }
  return null;
}
