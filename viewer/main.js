// Puts the page together: what the reader does, and what follows from it.
import { alignBox, moveAll, resetMoves } from "./align.js";
import { changeArea, dragArea, listenToAxis, selectArea, toggleSelecting, visibleArea } from "./area.js";
import { xOf } from "./canvas.js";
import { drawChipHeat, listenToChipHeat, toggleHeat } from "./chipheat.js";
import { changeFlow, goTo, hover, leave, pick, select, selectMiddle, step } from "./choose.js";
import { chooseFunction, chooseShape, nextMatch, search } from "./finding.js";
import { listenToFolds } from "./fold.js";
import { showFunctions } from "./functions.js";
import { loadNodes } from "./graph.js";
import { listenToKeys, listenToLanes, listenToMinimap } from "./input.js";
import { labelWidth } from "./labels.js";
import { fittingHeight, rowAt, traceName } from "./layout.js";
import { readLink, savePicture } from "./link.js";
import { watchLive } from "./live.js";
import { endMeasure, listenToMeasure, measureKey, toggleMeasure } from "./measure.js";
import { loadColumns, loadWindow, makeModel, repaint } from "./model.js";
import { addFlag, addNote, listenToMade, markSelection, showMade, togglePin, undo } from "./notes.js";
import { showGroups, showHead, showLegend, showSelection } from "./panel.js";
import { pathLink, showPathPanel, stepPath } from "./path.js";
import { paintRanks, showRanks } from "./ranks.js";
import { keepPage, madeInPage, saveFile } from "./savefile.js";
import { readHeader, serveFrom } from "./source.js";
import { listenToEdge } from "./resize.js";
import { offerSql } from "./sql.js";
import { byId, canvas, drawNow, glide, redraw, relayout, scene, scroller, show } from "./stage.js";
import { svgText } from "./svg.js";
import { readTheme } from "./theme.js";
import { listenToPinch } from "./touch.js";
import { remember } from "./undo.js";
import { keepBright, showVerdict } from "./verdict.js";
import { rangeBefore } from "./zooms.js";

const NARROW_LABELS = 84;
const isNarrow = () => matchMedia("(max-width: 640px)").matches;
const MODES = ["function", "wait", "deviation", "difference"];

function click(x, y) {
  const row = rowAt(scene.layout, y + scene.view.top);
  if (row?.type === "group") return toggleGroup(row.key);
  select(pick(x, y));
}

function toggleGroup(key) {
  const { closed } = scene.options;
  remember();
  if (!closed.delete(key)) closed.add(key);
  lanesChanged();
}

/** Shows or hides all pipes, or in a job all controllers. */
function toggleLanes(what) {
  scene.options[what] = !scene.options[what];
  lanesChanged();
}

function lanesChanged() {
  relayout();
  showGroups(scene, toggleGroup, toggleLanes);
}

/** Wait reasons need the whole task graph; a very large trace comes without. */
function modes() {
  const explained = scene.model.traces.some((trace) => trace.header.reasons.length);
  const several = scene.model.traces.length > 1;
  return MODES.filter((mode) => (mode !== "wait" || explained) && (mode !== "difference" || several));
}

function head() {
  const { model } = scene;
  if (model.traces.length > 1) for (const trace of model.traces) trace.told = traceName(model, trace);
  showHead(scene);
  showVerdict();
  showPathPanel();
  for (const mode of ["wait", "difference"]) byId("colour").querySelector(`[value=${mode}]`).disabled = !modes().includes(mode);
}

async function setMode(mode) {
  if (!modes().includes(mode)) return;
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
  paintRanks();
  redraw();
}

/** The panel; on a narrow window it is a drawer over the lanes. */
function showPanel(open) {
  byId("side").hidden = byId("edge").hidden = !open;
  byId("panel").setAttribute("aria-pressed", String(open));
  relayout();
}

/** Paper is light, and shows the panel's tables below the lanes. */
function setPrinting(on) {
  const { documentElement } = document;
  if (on) scene.printed = { theme: documentElement.dataset.theme, hidden: byId("side").hidden };
  const { theme, hidden } = scene.printed;
  byId("side").hidden = on ? false : hidden;
  const { width, full, height } = scene.view;
  canvas.style.width = on ? `${(100 * width) / full}%` : "";
  documentElement.style.setProperty("--drawn", `${(100 * width) / full}%`);
  documentElement.style.setProperty("--seen", String(full / (height + byId("minimap").clientHeight + byId("axis").clientHeight)));
  if (!on && theme === undefined) delete documentElement.dataset.theme;
  setTheme(on ? "light" : theme ?? null);
  drawNow();
}

function escape() {
  if (byId("help").open) return byId("help").close();
  leave();
  if (scene.heatOn) return toggleHeat();
  if (endMeasure()) return;
  byId("state").textContent = "";
  if (byId("search").value) {
    byId("search").value = "";
    search("");
    chooseShape(null);
  } else if (document.activeElement === byId("search")) canvas.focus();
  else if (scene.area) selectArea(null);
  else if (isNarrow() && !byId("side").hidden) showPanel(false);
  else if (scene.verdict) keepBright(null);
  else select(null);
}

function zoomBack() {
  const { zooms, view } = scene;
  const range = rangeBefore(zooms, [view.t0, view.t1], performance.now());
  if (range) glide(...range);
  else byId("state").textContent = "This is the first range.";
}

const act = {
  show, glide, toggleHeat, hover, leave, click, escape, step, selectMiddle, stepPath, togglePin, addNote, addFlag, markSelection, toggleMeasure, measureKey, undo, zoomBack, dragArea, visibleArea, changeArea,
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
    if (!scene.selection && !scene.area) return;
    const { start, end } = scene.selection ?? { start: scene.area.t0, end: scene.area.t1 };
    const room = Math.max(end - start, 10) * (scene.selection ? 1.5 : 0.03);
    glide(start - room, end + room);
  },
  showAll: () => glide(scene.model.start, scene.model.end),
  laneHeight(change) {
    scene.options.laneHeight = Math.min(40, Math.max(5, scene.options.laneHeight + change));
    relayout();
  },
  pipes: () => toggleLanes("pipes"),
  nextMode: () => setMode(modes()[(modes().indexOf(scene.model.mode) + 1) % modes().length]),
  help: () => byId("help").showModal(),
};

function listen() {
  listenToMeasure();
  listenToMade({ pinButton: togglePin, noteButton: addNote, flagButton: addFlag, markButton: markSelection, measureButton: toggleMeasure, undoButton: undo });
  listenToLanes(scene, canvas, scroller, act);
  listenToMinimap(scene, byId("minimap"), act);
  listenToKeys(scene, scroller, act);
  listenToAxis(byId("axis"));
  listenToEdge(byId("edge"), byId("side"), relayout);
  byId("areaButton").addEventListener("click", toggleSelecting);
  byId("heatButton").addEventListener("click", toggleHeat);
  listenToChipHeat(byId("chipHeat"));
  listenToFolds(byId("side"));
  scroller.addEventListener("scroll", () => {
    if (scene.hover && scroller.scrollTop !== scene.view.top) leave();
    redraw();
  });
  new ResizeObserver(relayout).observe(scroller);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme(null));
  let typing = null;
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
  byId("png").addEventListener("click", () => savePicture(scene, byId("axis"), scene.heatOn ? byId("chipHeat") : canvas));
  byId("svg").addEventListener("click", () => saveFile(scene.model, new Blob([svgText(scene)], { type: "image/svg+xml" }), "svg"));
  byId("zoomIn").addEventListener("click", () => act.zoomKey(0.6));
  byId("zoomOut").addEventListener("click", () => act.zoomKey(1 / 0.6));
  listenToPinch(scene, canvas, act);
  matchMedia("print").addEventListener("change", ({ matches }) => setPrinting(matches));
  byId("moved").addEventListener("click", resetMoves);
  byId("helpButton").addEventListener("click", act.help);
  byId("panel").addEventListener("click", () => showPanel(byId("side").hidden));
  addEventListener("hashchange", () => followLink());
}

async function followLink() {
  const { range, bar, search: text, mode, area, made, verdict, interleaved, moves } = readLink(scene.model);
  if (made) {
    scene.made = made;
    showMade();
    relayout();
  }
  if (interleaved !== Boolean(scene.options.interleaved)) toggleLanes("interleaved");
  if (moves.some(Boolean)) await moveAll(moves.map((by, k) => by - scene.model.traces[k].moved));
  if (verdict) await keepBright(verdict);
  if (mode) await setMode(mode);
  if (text) {
    byId("search").value = text;
    await search(text);
  }
  if (range) show(...range);
  if (area) await selectArea(area);
  if (bar) await goTo(bar);
}

/** Once the first frame is there: the columns that the tooltip shows. */
async function loadRest() {
  for (const trace of scene.model.traces) {
    trace.nodes = await loadNodes(trace);
    for (const tile of [...trace.tiles, trace.overview]) await loadColumns(tile);
  }
}

/** Shows the newest version of a recording that still runs, in the colours and with the search as they are. */
async function renew(header, wanted) {
  const before = serveFrom(header.live.first);
  const model = makeModel(header);
  model.mode = scene.model.mode;
  await loadWindow(model, model.start, model.end, () => {});
  for (const trace of model.traces) trace.nodes = await loadNodes(trace);
  if (!wanted()) {
    serveFrom(before);
    return false;
  }
  const lanes = ({ traces }) => traces.reduce((sum, trace) => sum + trace.header.lanes.length, 0);
  const grew = lanes(model) !== lanes(scene.model);
  scene.model = model;
  scene.hover = null;
  if (grew) fitLanes();
  if (scene.search) await search(scene.search);
  if (scene.verdict) await keepBright(scene.verdict);
  lanesChanged();
  setTheme(null);
  head();
  return true;
}

/** Room for the names of the lanes, and lanes as tall as the window allows. */
function fitLanes() {
  scene.view.left = labelWidth(scene.model, document.createElement("canvas").getContext("2d"));
  if (isNarrow()) scene.view.left = Math.min(scene.view.left, NARROW_LABELS);
  scene.options.laneHeight = fittingHeight(scene.model, scene.options, scroller.clientHeight);
}

async function begin() {
  keepPage();
  const header = await readHeader();
  serveFrom(header.live?.first ?? 0);
  scene.model = makeModel(header);
  scene.options = { laneHeight: 16, closed: new Set(), pipes: true, controllers: !scene.model.job };
  scene.view = { t0: scene.model.start, t1: scene.model.end, band: null };
  if (isNarrow()) {
    byId("side").hidden = true;
    byId("panel").setAttribute("aria-pressed", "false");
    byId("ranksBody").hidden = true;
    byId("ranksFold").setAttribute("aria-expanded", "false");
  }
  scene.theme = readTheme();
  scene.onLanes = lanesChanged;
  scene.afterDraw = drawChipHeat;
  scene.onFlow = changeFlow;
  scene.onMode = setMode;
  scene.below = { path: pathLink, tasks: alignBox };
  scene.onSelect = (bar) => chooseShape(bar.text);
  showRanks();
  await loadWindow(scene.model, scene.view.t0, scene.view.t1, () => {});
  fitLanes();
  relayout();
  setTheme(null);
  head();
  offerSql(header);
  showGroups(scene, toggleGroup, toggleLanes);
  scene.made = madeInPage(scene.model) ?? scene.made;
  showMade();
  relayout();
  listen();
  drawNow();
  performance.mark("first frame");
  document.body.dataset.drawn = "yes";
  await loadRest();
  await followLink();
  watchLive(header, renew);
  performance.mark("ready");
  document.body.dataset.ready = "yes";
}

globalThis.lanescope = { scene, drawNow, show, xOf, pick };
begin().catch((error) => {
  byId("state").textContent = `This page could not be shown: ${error.message}`;
  throw error;
});
