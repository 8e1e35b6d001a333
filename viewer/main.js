// Puts the page together: what is shown, what the reader does, and when to draw.
import { drawLanes, fitCanvas, timeAt, xOf } from "./draw.js";
import { describeSlice, factList, factsOf, nameLine } from "./facts.js";
import { loadNodes, neighboursOf } from "./graph.js";
import { listenToKeys, listenToLanes, listenToMinimap } from "./input.js";
import { fittingHeight, makeLayout, rowAt, rowOfLane, trackBox } from "./layout.js";
import { readLink, savePicture, writeLink } from "./link.js";
import { loadColumns, loadWindow, makeModel, repaint, visibleTiles } from "./model.js";
import { drawAxis, drawMinimap } from "./overview.js";
import { showFunctions, showGroups, showHead, showLegend, showSelection, showShape } from "./panel.js";
import { findNext, matchers, parseQuery } from "./query.js";
import { readHeader } from "./source.js";
import { readTheme } from "./theme.js";
import { countText, counted, lengthText, momentText } from "./times.js";
import { sliceAt } from "./tracks.js";

const MODES = ["function", "wait", "deviation"];
const SHORTEST = 20;
const byId = (id) => document.getElementById(id);
const canvas = byId("lanes");
const scroller = byId("scroll");
const scene = { canvas, hover: null, selection: null, neighbours: null, chosen: null, search: "" };
let waiting = false;
let gliding = 0;
let linkTimer = 0;
let loading = 0;

function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    drawNow();
  });
}

function drawNow() {
  scene.view.top = scroller.scrollTop;
  drawLanes(scene);
  drawAxis(scene, byId("axis"));
  drawMinimap(scene, byId("minimap"));
  const { t0, t1 } = scene.view;
  byId("range").textContent = `${momentText(Math.round(t0))} to ${momentText(Math.round(t1))}  ·  ${lengthText(t1 - t0)}`;
  clearTimeout(linkTimer);
  linkTimer = setTimeout(() => writeLink(scene), 250);
}

/** Takes the size of the window and the rows anew. */
function relayout() {
  const { model, view, options } = scene;
  view.full = byId("minimap").clientWidth;
  view.width = canvas.clientWidth;
  view.height = scroller.clientHeight;
  view.ratio = fitCanvas(canvas, view.width, view.height);
  scene.layout = makeLayout(model, options);
  byId("spacer").style.height = `${Math.max(0, scene.layout.height - view.height)}px`;
  redraw();
}

function show(t0, t1) {
  const { model, view } = scene;
  const whole = model.end - model.start;
  const margin = whole * 0.02;
  const span = Math.min(Math.max(t1 - t0, SHORTEST), whole + 2 * margin);
  const middle = (t0 + t1) / 2;
  const start = Math.min(Math.max(middle - span / 2, model.start - margin), model.end + margin - span);
  [view.t0, view.t1] = [start, start + span];
  busyWith(loadWindow(model, view.t0, view.t1, loaded));
  redraw();
}

/** Says that tiles are on their way, until they are there. */
async function busyWith(work) {
  loading++;
  byId("lanes").setAttribute("aria-busy", "true");
  await work;
  if (--loading === 0) byId("lanes").setAttribute("aria-busy", "false");
}

function loaded() {
  relayout();
  showLegend(scene);
}

/** Moves there in a few frames. */
function glide(t0, t1) {
  cancelAnimationFrame(gliding);
  const { view } = scene;
  const from = [view.t0, view.t1];
  const began = performance.now();
  const length = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 130;
  view.target = [t0, t1];
  const step = (now) => {
    const share = length ? Math.min(1, Math.max(0, now - began) / length) : 1;
    const eased = 1 - (1 - share) ** 3;
    show(from[0] + (t0 - from[0]) * eased, from[1] + (t1 - from[1]) * eased);
    if (share < 1) gliding = requestAnimationFrame(step);
    else view.target = null;
  };
  step(began);
}

/** The slice at a point of the canvas. */
function pick(x, y) {
  const { layout, view } = scene;
  const row = rowAt(layout, y + view.top);
  if (x < view.left || row?.type !== "lane") return null;
  const time = timeAt(view, x);
  const perPixel = (view.t1 - view.t0) / (view.width - view.left);
  let found = null;
  for (const tile of visibleTiles(row.trace, view.t0, view.t1)) {
    for (const track of tile.byLane?.get(row.lane) ?? []) {
      const box = trackBox(row, track.depth);
      const inside = y + view.top >= box.top && y + view.top < box.top + box.height;
      const upper = y + view.top < box.top + Math.max(2, box.height * 0.25);
      if (!inside || track.kind === "critical") continue;
      const at = sliceAt(track, time, 1.5 * perPixel);
      if (at >= 0 && (!found || (track.kind === "stalls" && upper))) found = describeSlice(row.trace, track, at);
    }
  }
  return found;
}

function hover(x, y, event) {
  scene.hover = pick(x, y);
  byId("cursor").textContent = x >= scene.view.left ? momentText(Math.round(timeAt(scene.view, x))) : "";
  const tip = byId("tip");
  tip.hidden = !scene.hover;
  if (scene.hover) {
    const { theme } = scene;
    tip.replaceChildren(nameLine(scene.hover.text, theme.paints[scene.hover.paint]), factList(factsOf(scene.hover, scene.hover.trace.nodes)));
    const [width, height] = [tip.offsetWidth, tip.offsetHeight];
    tip.style.left = `${event.clientX + 16 + width > innerWidth ? event.clientX - width - 12 : event.clientX + 16}px`;
    tip.style.top = `${Math.max(4, Math.min(event.clientY + 14, innerHeight - height - 6))}px`;
  }
  redraw();
}

function leave() {
  scene.hover = null;
  byId("tip").hidden = true;
  redraw();
}

async function select(slice) {
  scene.selection = slice;
  scene.neighbours = null;
  if (slice?.kind === "tasks") {
    await slice.table.all();
    chooseShape(slice.text);
  }
  showSelection(scene, goTo);
  redraw();
  if (slice?.kind !== "tasks" || slice.merged > 1) return;
  const neighbours = await neighboursOf(slice);
  if (scene.selection !== slice) return;
  scene.neighbours = neighbours;
  showSelection(scene, goTo);
  byId("state").textContent = `${slice.text}, ${counted(neighbours.before.count, "predecessor")}, ${counted(neighbours.after.count, "successor")}`;
  redraw();
}

/** Selects the slice of a lane that starts at a moment, and moves so that it can be seen. */
async function goTo(wanted) {
  const { view, model } = scene;
  const { trace, lane, start } = wanted;
  if (start < view.t0 || start > view.t1) {
    const half = Math.min(view.t1 - view.t0, wanted.length ? wanted.length * 40 : Infinity) / 2;
    show(start - half, start + half);
  }
  await loadWindow(model, view.t0, view.t1, loaded);
  await Promise.all(trace.tiles.filter(({ info }) => info.start_ns <= view.t1 && info.end_ns >= view.t0).map((tile) => tile.loading));
  const closed = `${trace.number}:${trace.header.lanes[lane].group}`;
  if (scene.options.closed.delete(closed)) relayout();
  reveal(trace, lane);
  const found = locate(trace, lane, start, wanted.kind ?? "tasks");
  if (found) await select(found);
}

function locate(trace, lane, start, kind) {
  const { view } = scene;
  for (const tile of visibleTiles(trace, view.t0, view.t1)) {
    for (const track of tile.byLane?.get(lane) ?? []) {
      if (track.kind !== kind) continue;
      const at = track.start.indexOf(start);
      if (at >= 0) return describeSlice(trace, track, at);
    }
  }
  return null;
}

function reveal(trace, lane) {
  const row = rowOfLane(scene.layout, trace, lane);
  if (!row) return;
  const { height } = scene.view;
  if (row.y < scroller.scrollTop + 8 || row.y + row.height > scroller.scrollTop + height - 8) {
    scroller.scrollTop = row.y - height / 2;
  }
}

/** With the keyboard: the task nearest to the middle of what is visible. */
function selectMiddle() {
  const { view, layout } = scene;
  const middle = view.top + view.height / 2;
  const away = (row) => Math.abs(row.y - middle) + (row.about.kind === "core" ? 0 : layout.height);
  const rows = layout.rows.filter((row) => row.type === "lane").sort((a, b) => away(a) - away(b));
  for (const row of rows) {
    const slice = nearest(row.trace, row.lane, (view.t0 + view.t1) / 2);
    if (slice) return select(slice).then(() => reveal(row.trace, row.lane));
  }
}

function nearest(trace, lane, time) {
  const { view } = scene;
  for (const tile of visibleTiles(trace, view.t0, view.t1)) {
    for (const track of tile.byLane?.get(lane) ?? []) {
      if (track.kind === "critical" || track.kind === "stalls" || track.depth) continue;
      const at = sliceAt(track, time, Infinity);
      if (at >= 0) return describeSlice(trace, track, at);
    }
  }
  return null;
}

/** Moves the selection along its lane (`across`) or to another lane (`down`). */
function step(across, down) {
  const { selection, layout, view } = scene;
  if (!selection) return selectMiddle();
  if (across) {
    const outside = across > 0 ? selection.end + 0.5 : selection.start - 0.5;
    const found = beside(selection, outside, across);
    if (!found) return;
    if (found.start < view.t0 || found.end > view.t1) glide(found.start - (view.t1 - view.t0) / 2, found.start + (view.t1 - view.t0) / 2);
    return select(found);
  }
  const lanes = layout.rows.filter((row) => row.type === "lane");
  let at = lanes.findIndex((row) => row.trace === selection.trace && row.lane === selection.lane) + down;
  for (; at >= 0 && at < lanes.length; at += down) {
    const slice = nearest(lanes[at].trace, lanes[at].lane, (selection.start + selection.end) / 2);
    if (slice) return select(slice).then(() => reveal(slice.trace, slice.lane));
  }
}

function beside(selection, time, direction) {
  const { trace, lane, depth, kind } = selection;
  for (const tile of visibleTiles(trace, scene.view.t0, scene.view.t1)) {
    for (const track of tile.byLane?.get(lane) ?? []) {
      if (track.kind !== kind || track.depth !== depth) continue;
      let at = track.start.indexOf(selection.start) + direction;
      if (at < 0 || at >= track.count) return null;
      while (track.start[at] === selection.start && track.end[at] === selection.end && at + direction >= 0 && at + direction < track.count) at += direction;
      return describeSlice(trace, track, at);
    }
  }
  return null;
}

function click(x, y) {
  const row = rowAt(scene.layout, y + scene.view.top);
  if (row?.type === "group") return toggleGroup(row.key);
  select(pick(x, y));
}

function toggleGroup(key) {
  const { closed } = scene.options;
  if (!closed.delete(key)) closed.add(key);
  relayout();
  showGroups(scene, toggleGroup);
}

async function search(text) {
  scene.search = text;
  const { model } = scene;
  const query = parseQuery(text);
  model.matchColumns = query?.task ? ["node", "task_high", "task_low"] : [];
  model.match = matchers(model, query, model.traces.map((trace) => trace.nodes));
  scene.query = query;
  await repaint(model);
  redraw();
  const says = byId("matches");
  says.textContent = "";
  if (query?.wrong.length) says.textContent = "no such time";
  else if (query) {
    const { count } = await findNext(model, query, null, false);
    if (scene.query === query) says.textContent = `${countText(count)} found`;
  }
}

async function nextMatch(backwards) {
  if (!scene.query) return;
  const { slice } = await findNext(scene.model, scene.query, scene.selection, backwards);
  if (slice) await goTo(slice);
}

function chooseShape(name) {
  scene.chosen = name;
  showFunctions(scene, chooseFunction);
  showShape(scene);
}

function chooseFunction(name) {
  const again = scene.chosen === name && scene.search === exactly(name);
  byId("search").value = again ? "" : exactly(name);
  search(byId("search").value);
  chooseShape(again ? null : name);
}

function exactly(name) {
  return /[\s"]/.test(name) ? `="${name.replaceAll('"', "")}"` : `=${name}`;
}

async function setMode(mode) {
  scene.model.mode = mode;
  byId("colour").value = mode;
  await repaint(scene.model);
  showLegend(scene);
  redraw();
}

function setTheme(name) {
  if (name) document.documentElement.dataset.theme = name;
  scene.theme = readTheme();
  byId("theme").textContent = scene.theme.name === "dark" ? "Light" : "Dark";
  showFunctions(scene, chooseFunction);
  showLegend(scene);
  showSelection(scene, goTo);
  redraw();
}

function escape() {
  if (byId("help").open) return byId("help").close();
  if (byId("search").value) {
    byId("search").value = "";
    search("");
    scene.chosen = null;
    showFunctions(scene, chooseFunction);
    showShape(scene);
  } else if (document.activeElement === byId("search")) canvas.focus();
  else select(null);
}

const act = {
  show, glide, hover, leave, click, escape, step, selectMiddle,
  zoom(factor, about) {
    const { view } = scene;
    show(about - (about - view.t0) * factor, about + (view.t1 - about) * factor);
  },
  zoomKey(factor) {
    const { view, hover: under } = scene;
    const [t0, t1] = view.target ?? [view.t0, view.t1];
    const about = under ? (under.start + under.end) / 2 : scene.selection ? Math.min(Math.max(scene.selection.start, t0), t1) : (t0 + t1) / 2;
    const centre = Math.min(Math.max(about, t0), t1);
    glide(centre - (centre - t0) * factor, centre + (t1 - centre) * factor);
  },
  pan(step) {
    const [t0, t1] = scene.view.target ?? [scene.view.t0, scene.view.t1];
    glide(t0 + step, t1 + step);
  },
  band(band) {
    scene.view.band = band;
    redraw();
  },
  fitSelection() {
    if (!scene.selection) return;
    const { start, end } = scene.selection;
    const room = Math.max(end - start, 10) * 1.5;
    glide(start - room, end + room);
  },
  showAll: () => glide(scene.model.start, scene.model.end),
  laneHeight(change) {
    scene.options.laneHeight = Math.min(40, Math.max(5, scene.options.laneHeight + change));
    relayout();
  },
  pipes() {
    scene.options.pipes = !scene.options.pipes;
    relayout();
  },
  nextMode: () => setMode(MODES[(MODES.indexOf(scene.model.mode) + 1) % MODES.length]),
  help: () => byId("help").showModal(),
};

function listen() {
  listenToLanes(scene, canvas, scroller, act);
  listenToMinimap(scene, byId("minimap"), act);
  listenToKeys(scene, scroller, act);
  scroller.addEventListener("scroll", redraw);
  new ResizeObserver(relayout).observe(scroller);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme(null));
  let typing = 0;
  byId("search").addEventListener("input", (event) => {
    clearTimeout(typing);
    typing = setTimeout(() => search(event.target.value), 120);
  });
  byId("search").addEventListener("keydown", async (event) => {
    if (event.key !== "Enter") return;
    clearTimeout(typing);
    if (event.target.value !== scene.search) await search(event.target.value);
    nextMatch(event.shiftKey);
  });
  byId("colour").addEventListener("change", (event) => setMode(event.target.value));
  byId("theme").addEventListener("click", () => setTheme(scene.theme.name === "dark" ? "light" : "dark"));
  byId("png").addEventListener("click", () => savePicture(scene, byId("axis")));
  byId("helpButton").addEventListener("click", act.help);
  byId("panel").addEventListener("click", (event) => {
    const side = byId("side");
    side.hidden = !side.hidden;
    event.target.setAttribute("aria-pressed", String(!side.hidden));
    relayout();
  });
  addEventListener("hashchange", () => followLink());
}

async function followLink() {
  const { range, slice, search: text, mode } = readLink(scene.model);
  if (mode) await setMode(mode);
  if (text) {
    byId("search").value = text;
    await search(text);
  }
  if (range) show(...range);
  if (slice) await goTo(slice);
}

/** Once the first frame is there: the columns that the tooltip shows. */
async function loadRest() {
  for (const trace of scene.model.traces) {
    trace.nodes = await loadNodes(trace);
    for (const tile of [...trace.tiles, trace.overview]) await loadColumns(tile);
  }
}

async function begin() {
  const header = await readHeader();
  scene.model = makeModel(header);
  scene.options = { laneHeight: 16, closed: new Set(), pipes: false };
  scene.view = { t0: scene.model.start, t1: scene.model.end, left: 132, top: 0, width: 0, height: 0, ratio: 1, band: null };
  scene.theme = readTheme();
  await loadWindow(scene.model, scene.view.t0, scene.view.t1, () => {});
  const cores = scene.model.traces.flatMap((trace) => trace.header.lanes);
  scene.options.pipes = cores.length <= 40;
  scene.options.laneHeight = fittingHeight(scene.model, scroller.clientHeight);
  relayout();
  setTheme(null);
  showHead(scene);
  showGroups(scene, toggleGroup);
  listen();
  drawNow();
  performance.mark("first frame");
  document.body.dataset.drawn = "yes";
  await loadRest();
  await followLink();
  performance.mark("ready");
  document.body.dataset.ready = "yes";
}

globalThis.lanescope = { scene, drawNow, show, xOf, pick };
begin().catch((error) => {
  byId("state").textContent = `This page could not be shown: ${error.message}`;
  throw error;
});
