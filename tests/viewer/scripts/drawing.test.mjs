// What is drawn on the canvases: every call with its colour. A letter is 6 pixels wide here.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawSelection } from "../../../viewer/arrows.js";
import { drawLanes, drawVector } from "../../../viewer/draw.js";
import { drawLabels, drawSeries, labelWidth } from "../../../viewer/labels.js";
import { drawMade } from "../../../viewer/overlay.js";
import { drawAxis, drawMinimap, minimapTime } from "../../../viewer/overview.js";
import { COLOURS, Context, Element, makePage } from "./page.mjs";

const THEME = Object.fromEntries(Object.keys(COLOURS).map((name) => [name, name]));

test("the column of names is as wide as its longest, within limits", () => {
  const width = (lanes, levels = []) => labelWidth({ traces: [{ header: { lanes, levels } }] }, new Context());
  assert.deepEqual([width([{ name: "AIC0" }]), width([{ name: "x".repeat(20) }]), width([{ name: "x".repeat(50) }])], [112, 144, 200]);
  assert.equal(width([{ name: "x".repeat(20), lost: 12 }]), 144 + 18 + 10);
  assert.equal(width([{ name: "a" }], [{ name: "x".repeat(16) }]), 120);
});

const ROWS = { lane: (y, about, more = {}) => ({ type: "lane", y, height: 17, base: 16, inner: 11, about, ...more }) };

function labels(rows, more = {}) {
  const context = new Context();
  const view = { left: 112, top: 5, width: 300, height: 200 };
  drawLabels({ view, theme: THEME, rows, options: { closed: new Set(["closed"]) }, model: { job: null }, ...more }, context);
  return context.taken();
}

test("names of lanes, indented for pipes, with what was lost", () => {
  assert.deepEqual(labels([ROWS.lane(25, { name: "AIC0", kind: "core" }), ROWS.lane(42, { name: "cube", kind: "pipe" }), ROWS.lane(59, { name: "x".repeat(20), kind: "core", lost: 7 })]), [
    ...['text "AIC0" 12 28.5 soft left 400 11.5px', 'text "cube" 24 45.5 soft left 400 11.5px', 'text "xxxxxxxxxxx…" 12 62.5 soft left 400 11.5px', 'text "−7" 106 62.5 blocked right 400 11.5px'],
    ...["fillRect 111 20 1 17 line", "fillRect 111 37 1 17 line", "fillRect 111 54 1 17 line"],
  ]);
});

test("lanes that are too low for a name share one", () => {
  const low = (y, name) => ROWS.lane(y, { name, kind: "core" }, { height: 6, base: 5 });
  const texts = labels([low(5, "a"), low(11, "b"), low(17, "c"), { type: "series", y: 23, height: 34, series: { name: "ready" } }]).filter((call) => call.startsWith("text"));
  assert.deepEqual(texts, ['text "a" 12 6.5 soft left 400 10px', 'text "c" 12 18.5 soft left 400 10px', 'text "ready" 12 35.5 soft left 400 11.5px']);
});

test("a name is as large as its lane allows", () => {
  const size = (base) => labels([ROWS.lane(5, { name: "a", kind: "core" }, { height: base + 1, base })])[0].split(" ").at(-1);
  assert.deepEqual([11, 12, 13, 14].map(size), ["10.5px", "10.5px", "11.5px", "11.5px"]);
});

test("titles of traces, and groups with what their cores did", () => {
  const trace = { number: 1, rankNumber: undefined, header: { utilisation: [["aiv", 0.1], ["aic", null], ["aic", 0.256]] } };
  const group = (key, name) => ({ type: "group", y: 31, height: 21, key, name, count: 4, trace });
  assert.deepEqual(labels([{ type: "title", y: 5, height: 26, name: "A" }, group("closed", "aic cores")]), [
    ...['text "A" 10 14 text left 650 13px', "fillRect 0 26 196 20 group"],
    ...["moveTo 8 33", "lineTo 13 37", "lineTo 8 41", "fill soft", 'text "aic cores" 19 37 text left 650 11.5px', 'text "4  ·  25.6 % busy" 81 37 soft left 400 11.5px'],
  ]);
  const rank = { ...group("open", "Rank 3"), trace: { ...trace, rankNumber: 3 } };
  assert.deepEqual(labels([rank], { model: { job: { told: ["", "late"] } } }), [
    ...["fillRect 0 26 136 20 group", "moveTo 6 34.5", "lineTo 14 34.5", "lineTo 10 39.5", "fill soft"],
    ...['text "Rank 3" 19 37 text left 650 11.5px', 'text "4  ·  late" 63 37 soft left 400 11.5px'],
  ]);
});

test("a series is drawn as steps, the largest of a pixel", () => {
  const context = new Context();
  const view = { left: 10, width: 14, top: 0, t0: 10, t1: 50 };
  const row = { y: 0, height: 30, series: { name: "ready", time: [0, 20, 22, 40], value: [2, 8, 4, 0] } };
  drawSeries({ view, theme: THEME }, context, row);
  assert.deepEqual(context.taken(), [
    ...["fillRect 10 20 1 5 accent@0.28", "fillRect 11 5 1 20 accent@0.28", "fillRect 12 15 1 10 accent@0.28", "fillRect 13 15 1 10 accent@0.28"],
    ...["fillRect 10 20 1 1.2 accent@0.9", "fillRect 11 5 1 1.2 accent@0.9", "fillRect 12 15 1 1.2 accent@0.9", "fillRect 13 15 1 1.2 accent@0.9"],
    ...["fillRect -26 1 38 14 back@0.8", 'text "max 8" 8 8 soft right 400 10px'],
  ]);
  drawSeries({ view: { ...view, t0: -10, t1: 30 }, theme: THEME }, context, { ...row, series: { time: [0, 20], value: [0, 0], bin_ns: 100 } });
  assert.deepEqual(context.taken(), ["fillRect -146 1 158 14 back@0.8", 'text "largest per 100 ns, max 0" 8 8 soft right 400 10px']);
});

/** Two traces of 1,000 ns, the second from 500 ns on. */
function minimapScene(job = null) {
  const trace = (number, start_ns) => ({ number, rankNumber: 4 + number, header: { start_ns, end_ns: start_ns + 1000, busy: [{ kind: "aic", share: [0.5, 0, 1, 0.25] }] } });
  const view = { full: 320, left: 100, width: 250, t0: 300, t1: 600 };
  return { model: { traces: [trace(0, 0), trace(1, 500)], start: 0, end: 1500, job }, view, theme: THEME };
}

test("the minimap has every trace's utilisation and the visible range", () => {
  makePage();
  const canvas = new Element("canvas");
  drawMinimap(minimapScene(), canvas);
  assert.deepEqual(canvas.context.taken(), [
    ...["setTransform 1 0 0 1 0 0", "clearRect 0 0 320 58"],
    ...["fillRect 100 17 25.3 12 accent@0.55", "fillRect 150 5 25.3 24 accent@0.55", "fillRect 175 23 25.3 6 accent@0.55", 'text "A aic busy" 12 16.5 soft left 400 11px'],
    ...["fillRect 150 43 25.3 12 accent@0.55", "fillRect 200 31 25.3 24 accent@0.55", "fillRect 225 49 25.3 6 accent@0.55", 'text "B aic busy" 12 42.5 soft left 400 11px'],
    ...["fillRect 100 0 30 58 soft@0.18", "fillRect 160 0 160 58 soft@0.18", "strokeRect 130 1 30 56 accent 1.5"],
  ]);
  const scene = minimapScene({});
  scene.model.traces.pop();
  Object.assign(scene.view, { t0: -200, t1: 9000 });
  drawMinimap(scene, canvas);
  assert.deepEqual(canvas.context.taken().slice(5), ['text "aic busy" 12 29.5 soft left 400 11px', "fillRect 100 0 0 58 soft@0.18", "fillRect 250 0 70 58 soft@0.18", "strokeRect 100 1 150 56 accent 1.5"]);
  Object.assign(scene.view, { t0: 750, t1: 751 });
  drawMinimap({ ...scene, model: { ...scene.model, traces: minimapScene().model.traces } }, canvas);
  const calls = canvas.context.taken();
  assert.deepEqual([calls.at(-1), calls.filter((call) => call.startsWith("text"))], ["strokeRect 175 1 2 56 accent 1.5", ['text "rank 4 aic busy" 12 16.5 soft left 400 11px', 'text "rank 5 aic busy" 12 42.5 soft left 400 11px']]);
  assert.deepEqual([100, 175, 250].map((x) => minimapTime(scene, x)), [0, 750, 1500]);
});

test("the axis has a mark and a text where there is room", () => {
  makePage();
  const canvas = new Element("canvas");
  drawAxis({ view: { full: 420, left: 100, width: 400, t0: 0, t1: 1000 }, theme: THEME }, canvas);
  assert.deepEqual(canvas.context.taken(), [
    ...["setTransform 1 0 0 1 0 0", "clearRect 0 0 420 24", "fillRect 100 16 1 8 line", "fillRect 250 16 1 8 line", 'text "0.5 µs" 232 9 soft left 400 11px'],
    ...["fillRect 400 16 1 8 line", 'text "1.0 µs" 382 9 soft left 400 11px', "fillRect 99 0 1 24 line"],
  ]);
  drawAxis({ view: { full: 417, left: 100, width: 400, t0: 0, t1: 1000 }, theme: THEME }, canvas);
  assert.equal(canvas.context.taken().filter((call) => call.startsWith("text")).length, 1);
});

/** Lanes 0 and 1 of a trace, 100 pixels for 1,000 ns. */
function selectionFrame(more = {}) {
  const trace = { header: { lanes: [{ group: "g" }, { group: "g" }] } };
  const row = (lane, y) => ({ type: "lane", trace, lane, y, base: 16, inner: 10, height: 27 });
  const view = { left: 100, width: 200, height: 300, top: 10, t0: 0, t1: 1000, band: null };
  return { trace, frame: { view, theme: THEME, layout: { rows: [row(0, 20), row(1, 50)] }, ...more } };
}

function selected(make) {
  const { trace, frame } = selectionFrame();
  const context = new Context();
  makePage();
  drawSelection({ ...frame, ...make(trace) }, context);
  return context.taken().slice(1);
}

test("the selection has a frame and arrows to its neighbours", () => {
  assert.equal(selected(() => ({})).length, 0);
  const calls = selected((trace) => ({
    hover: { trace, lane: 1, depth: 1, start: 500, end: 505 },
    selection: { trace, lane: 0, depth: 0, start: 400, end: 600 },
    neighbours: { before: { bars: [{ lane: 1, start: 100, length: 100 }] }, after: { bars: [{ lane: 1, start: 900, length: 50 }, { lane: 9, start: 0, length: 1 }] } },
  }));
  assert.deepEqual(calls, [
    "strokeRect 149.5 56.5 3 10 soft 1.5",
    ...["stroke 120 48.5 134 48.5 126 18.5 135 18.5 back@0.75 3.5", "stroke 120 48.5 134 48.5 126 18.5 135 18.5 before 1.5", "moveTo 140 18.5", "lineTo 133 15", "lineTo 133 22", "fill before"],
    ...["stroke 160 18.5 175 18.5 175 48.5 185 48.5 back@0.75 3.5", "stroke 160 18.5 175 18.5 175 48.5 185 48.5 after 1.5", "moveTo 190 48.5", "lineTo 183 45", "lineTo 183 52", "fill after"],
    "strokeRect 139.5 10.5 21 16 text 1.5",
  ]);
});

test("arrows bend no more than 90 pixels", () => {
  const wide = selected((trace) => ({ selection: { trace, lane: 0, start: 9000, end: 9001 }, neighbours: { before: { bars: [{ lane: 0, start: 0, length: 0 }] }, after: { bars: [] } } }));
  assert.equal(wide[0], "stroke 100 18.5 190 18.5 910 18.5 995 18.5 back@0.75 3.5");
});

test("the text of a late arrival stands in the middle of its rank's first lane, pinned ones left out", () => {
  const context = new Context();
  const { trace, frame } = selectionFrame();
  const other = { header: { lanes: [] } };
  const row = (trace, y, height, more = {}) => ({ type: "lane", trace, lane: 0, y, base: 16, inner: 10, height, ...more });
  frame.layout.rows = [row(trace, 10, 12, { pinned: true }), row(other, 22, 8), row(trace, 30, 30), row(trace, 60, 50), row(other, 110, 20)];
  drawSelection({ ...frame, meanwhile: { trace, start: 100, end: 900, text: "since" } }, context);
  const calls = context.taken();
  assert.deepEqual([calls[1], calls.at(-1)], ["fillRect 110 20 80 80 accent@0.14", 'text "since" 184 35 accent right 400 11px']);
});

test("a text stands in the time before a late arrival where it leaves twelve pixels", () => {
  const texts = (end) => selected((trace) => ({ meanwhile: { trace, start: 0, end, text: "x".repeat(8) } })).filter((call) => call.startsWith("text"));
  assert.deepEqual([texts(600), texts(601).length], [[], 1]);
});

test("a lane in a closed group is drawn on its group", () => {
  const calls = selected((trace) => ({ layout: { rows: [{ type: "group", trace, name: "g", y: 40, height: 21 }] }, selection: { trace, lane: 1, start: 0, end: 100 } }));
  assert.deepEqual(calls, ["strokeRect 99.5 33.5 11 14 text 1.5"]);
});

test("arrows go from the last rank of a collective to those before it", () => {
  const calls = selected((trace) => ({ meeting: [{ trace, lane: 0, start: 500, end: 600 }, { trace, lane: 1, start: 100, end: 300 }, { trace, lane: 1, start: 100, end: 800 }] }));
  assert.deepEqual(calls.filter((call) => !/lineTo|fill/.test(call)), [
    ...["strokeRect 109.5 40.5 21 16 accent 1.5", "stroke 150 18.5 164 18.5 116 48.5 125 48.5 back@0.75 3.5", "stroke 150 18.5 164 18.5 116 48.5 125 48.5 accent 1.5", "moveTo 130 48.5"],
    ...["strokeRect 109.5 40.5 71 16 accent 1.5", "stroke 150 18.5 164 18.5 136 48.5 145 48.5 back@0.75 3.5", "stroke 150 18.5 164 18.5 136 48.5 145 48.5 accent 1.5", "moveTo 150 48.5"],
  ]);
});

test("the time before a late arrival, and the band of a drag", () => {
  const calls = selected((trace) => ({ meanwhile: { trace, start: 100, end: 900, text: "since then" } }));
  assert.deepEqual(calls, [
    ...["fillRect 110 10 80 57 accent@0.14", "setLineDash 4/3", "moveTo 110 10", "lineTo 110 67", "stroke accent 1", "moveTo 190 10", "lineTo 190 67", "stroke accent 1"],
    ...["setLineDash ", 'text "since then" 184 23.5 accent right 400 11px'],
  ]);
  const narrow = selected((trace) => ({ meanwhile: { trace, start: 100, end: 820, text: "since then" } }));
  assert.equal(narrow.some((call) => call.startsWith("text")), false);
  assert.deepEqual(selected(() => ({ meanwhile: { trace: {}, start: 0, end: 1, text: "" } })), []);
  const band = selectionFrame();
  band.frame.view.band = [180, 150];
  const context = new Context();
  drawSelection(band.frame, context);
  assert.equal(context.taken()[1], "fillRect 150 0 30 300 accent@0.18");
});

/** A scene of one lane of two depths below a group. */
function lanesScene(tracks, more = {}) {
  makePage();
  const trace = { number: 0, header: { functions: [{ name: "QuiteLong" }, { name: "PV" }], words: ["poll"], utilisation: [], lanes: [{ group: "g" }] }, overview: null };
  const made = tracks.map(([kind, depth, start, end, name = [], paint = []]) => ({
    ...{ kind, depth, lane: 0, start, end, count: start.length, busy: null, copies: [], rowAt: (i) => i },
    ...{ paint: start.map((_, i) => paint[i] ?? 1), table: { values: new Map([["name", name]]) } },
  }));
  trace.tiles = [{ info: { start_ns: 0, end_ns: 1000 }, tracks: made, byLane: new Map([[0, made]]) }];
  const rows = [
    { type: "group", trace, y: 0, height: 4, key: "g", name: "g", count: 1 },
    { type: "lane", trace, lane: 0, y: 4, base: 16, inner: 11, depth: 2, height: 28, about: { name: "c", kind: "core" } },
  ];
  const view = { left: 2, width: 12, height: 34, top: 0, ratio: 1, t0: 0, t1: 100, band: null };
  const canvas = Object.assign(new Element("canvas"), { width: 12, height: 34 });
  const theme = { ...COLOURS, rgb: [[0, 0, 0], [255, 255, 255], [200, 0, 0]], ink: ["ink0", "ink1", "ink2"] };
  return { model: { traces: [trace], job: null }, view, canvas, theme, layout: { rows, height: 32, pinned: 0 }, made: { pins: [], notes: [] }, options: { closed: new Set() }, ...more };
}

/** The picture, a letter per pixel. */
function pixels(scene) {
  const words = { 1: ".", 10: "g", 2: " ", 3: "_", 255: "#", 200: "r" };
  const { width, height, pixels: all } = scene.picture;
  const letter = (pixel) => words[pixel & 255] ?? "~";
  return Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => letter(all[y * width + x])).join(""));
}

test("ground, bars, and thin lines for what lies above and below them", () => {
  const scene = lanesScene([["tasks", 0, [20], [60]], ["tasks", 1, [70], [90]], ["critical", 0, [20], [60], [], [2]], ["stalls", 0, [70], [71], [], [2]], ["gaps", 0, [0], [20], [], [2]]]);
  drawLanes(scene);
  assert.deepEqual(scene.canvas.context.images.map(({ place }) => place), [[0, 0]]);
  const bar = "    ####    ";
  assert.deepEqual(pixels(scene), [
    ...["gggggggggggg", "gggggggggggg", "gggggggggggg", "____________", "            "],
    ...Array(4).fill("    #### rr "), bar, ...Array(5).fill("  rr####    "), bar, ...Array(4).fill("    rrrr    "),
    ...["            "], ...Array(10).fill("         ## "), "____________", "............", "............",
  ]);
});

test("names stand in bars that are wide enough", () => {
  const scene = lanesScene([["tasks", 0, [0, 300, 600, 950], [290, 600, 621, 990], [0, 0, 1, 1], [0, 1, 2, 1]]]);
  Object.assign(scene.view, { left: 100, width: 200, t0: 0, t1: 1000 });
  Object.assign(scene.canvas, { width: 200 });
  Object.assign(scene.view, { t1: 400, width: 300 });
  drawLanes(scene);
  const written = () => scene.canvas.context.taken().filter((call) => call.includes("ink"));
  assert.deepEqual(written(), ['text "QuiteLong" 104 13 ink0 left 400 11px', 'text "Quite…" 254 13 ink1 left 400 11px']);
  Object.assign(scene.view, { t0: 600, t1: 1000 });
  drawLanes(scene);
  assert.deepEqual(written(), []);
  Object.assign(scene.view, { t0: 250, t1: 610 });
  drawLanes(scene);
  assert.deepEqual(written(), ['text "QuiteLong" 131.78 13 ink1 left 400 11px']);
  scene.view.top = 6;
  Object.assign(scene.layout.rows[1], { base: 11 });
  drawLanes(scene);
  assert.deepEqual(written(), []);
});

/** A frame of one lane 100 pixels below the top, 1 ns a pixel, with what the reader made. */
function madeFrame(notes, more = {}) {
  const trace = { number: 0, header: { lanes: [{ name: "c0", kind: "core", group: "g" }] } };
  const layout = { pinned: 0, rows: [{ type: "lane", trace, lane: 0, y: 100, base: 16, inner: 10, height: 17, about: { name: "c0" } }] };
  return { made: { pins: [], notes }, measure: null, layout, view: { left: 100, width: 1100, height: 300, top: 0, t0: 0, t1: 1000 }, theme: THEME, model: { job: null, traces: [trace] }, ...more };
}

function made(notes, more) {
  const context = new Context();
  drawMade(madeFrame(notes, more), context);
  return context.taken().slice(1);
}

test("flags and marks stand at their time, their texts below each other where they would overlap", () => {
  const calls = made([{ start: 200, end: null, text: "here", bar: null }, { start: 220, end: 320, text: "", bar: null }, { start: 600, end: 650, text: "b", bar: null }, { start: -50, end: null, text: "before", bar: null }, { start: 1001, end: null, text: "after", bar: null }]);
  assert.deepEqual(calls, [
    ...["fillRect 300 0 1 300 accent", "fillRect 300 1 44 15 back", "strokeRect 300.5 1.5 43 14 accent 1", 'text "⚑ here" 304 9 text left 400 11px'],
    ...["fillRect 320 0 100 300 accent@0.12", "fillRect 420 0 1 300 accent", "fillRect 320 0 1 300 accent", "fillRect 320 17 56 15 back", "strokeRect 320.5 17.5 55 14 accent 1", 'text "⚑ 100 ns" 324 25 text left 400 11px'],
    ...["fillRect 700 0 50 300 accent@0.12", "fillRect 750 0 1 300 accent", "fillRect 700 0 1 300 accent", "fillRect 700 1 86 15 back", "strokeRect 700.5 1.5 85 14 accent 1", 'text "⚑ b  ·  50 ns" 704 9 text left 400 11px'],
  ]);
});

test("a long text is cut off, and a note stands above its bar or below the flags", () => {
  const note = { start: 200, end: 300, text: "x".repeat(60), bar: { trace: 0, lane: 0, kind: "tasks" } };
  const flag = { start: 200, end: null, text: "f", bar: null };
  const boxes = (calls) => calls.filter((call) => call.endsWith(" back") || call.includes("text"));
  assert.deepEqual(boxes(made([note])), ["fillRect 300 89 260 15 back", `text "✎ ${"x".repeat(39)}…" 304 97 text left 400 11px`]);
  const scrolled = (top) => ({ view: { ...madeFrame([]).view, top } });
  assert.equal(boxes(made([note, flag], scrolled(74)))[2], "fillRect 300 44 260 15 back", "below its lane, where the flag is in the way");
  assert.equal(boxes(made([note], scrolled(95)))[0], "fillRect 300 23 260 15 back", "below its lane at the top");
  assert.deepEqual([made([note], scrolled(0)).length, made([{ ...note, start: 2000, end: 2100 }]).length, made([{ ...note, start: -9, end: -1 }]).length], [3, 0, 0]);
});

test("what is measured has a line at each end and its length between", () => {
  const measure = { from: { time: 300 }, to: null, at: { time: 100 } };
  assert.deepEqual(made([], { measure }), ["fillRect 400 0 1.5 300 after", "fillRect 200 0 1.5 300 after", "fillRect 200 278 200 1.5 after", "fillRect 270 260 56 15 back", "strokeRect 270.5 260.5 55 14 accent 1", 'text "↔ 200 ns" 274 268 text left 400 11px']);
  assert.deepEqual(made([], { measure: { from: null, to: null, at: { time: 100 } } }), ["fillRect 200 0 1.5 300 after"]);
  assert.deepEqual(made([], { layout: { pinned: 40, rows: [] } }), ["fillRect 0 39 1100 2 accent"]);
});

/** One lane of 4,000 short bars and one of 400 ns, at 1 ns a pixel. */
function denseScene() {
  const starts = [...Array.from({ length: 4000 }, (_, k) => k / 10), 500];
  const track = { kind: "tasks", lane: 0, depth: 0, count: 4001, start: starts, end: starts.map((start, k) => (k < 4000 ? start + 0.05 : 900)), paint: new Uint8Array(4001), rowAt: (i) => i, busy: null, copies: [], sums: null };
  track.table = { values: new Map([["name", [...Array(4000).fill(0), 1]]]) };
  const header = { functions: [{ name: "short" }, { name: "long one" }], lanes: [{ name: "c0", kind: "core", group: "g" }] };
  const trace = { number: 0, header, overview: null, tiles: [{ info: { start_ns: 0, end_ns: 1000 }, tracks: [track], byLane: new Map([[0, [track]]]) }] };
  const scene = { ...madeFrame([]), options: { closed: new Set() }, area: null, selection: null, hover: null, neighbours: null, strip: null };
  scene.model = { job: null, traces: [trace] };
  scene.layout.rows = [{ ...scene.layout.rows[0], trace, depth: 1, y: 100 }];
  scene.theme = { ...THEME, paints: ["#123456"], ink: ["ink"], rgb: [[1, 2, 3]], edges: [[1, 2, 3]] };
  return { scene, track };
}

test("a wide bar has its name, also among thousands on its lane", () => {
  const { scene, track } = denseScene();
  const names = () => {
    const context = new Context();
    drawVector(scene, context);
    return context.taken().filter((call) => call.startsWith('text "long'));
  };
  assert.deepEqual(names(), ['text "long one" 604 109 ink left 400 11px']);
  assert.deepEqual(track.long.places, [4000]);
  Object.assign(scene.view, { t0: 0, t1: 30000 });
  assert.deepEqual(names(), [], "13 pixels have no room");
  Object.assign(scene.view, { t0: 0, t1: 500 });
  assert.deepEqual(names(), [], "it begins where the view ends");
});

test("a drawing of vectors has each bar in its lane", () => {
  const { scene, track } = denseScene();
  Object.assign(scene.view, { top: 30, t0: 450, t1: 950 });
  const context = new Context();
  drawVector(scene, context);
  const [ground, bar] = context.taken();
  assert.deepEqual([ground, bar], ["fillRect 0 70 1100 17 lane", "fillRect 200 71 800 15 #123456"]);
  assert.equal(track.kind, "tasks");
});

/** The names that are drawn on lanes of so many bars, a pixel per ns. */
function namesOn(counts, { columns = { name: Array(1300).fill(0) }, step = 25 } = {}) {
  const { scene } = denseScene();
  const [trace] = scene.model.traces;
  const start = Array.from({ length: 40 }, (_, k) => step * k);
  const tracks = counts.map((count, lane) => ({ kind: "tasks", lane, depth: 0, count, start: start.slice(0, count), end: start.slice(0, count).map((ns) => ns + step), paint: new Uint8Array(count), rowAt: (i) => i, busy: null, copies: [], sums: null, table: { values: new Map(Object.entries(columns)) } }));
  trace.tiles = [{ info: { start_ns: 0, end_ns: 1000 }, tracks, byLane: new Map(tracks.map((track) => [track.lane, [track]])) }];
  trace.header.functions[0].name = "QK";
  trace.header.lanes = tracks.map(() => ({ name: "c", kind: "core", group: "g" }));
  scene.layout.rows = tracks.map((_, lane) => ({ ...scene.layout.rows[0], lane, y: lane }));
  const context = new Context();
  drawVector(scene, context);
  return context.taken().filter((call) => call.includes(" ink ")).map((call) => call.split('"')[1]);
}

test("after 1,200 names no further lane has any", () => {
  const full = Array(30).fill(40);
  assert.deepEqual([namesOn([...full, 5]).length, namesOn([...full.slice(1), 39, 5, 5]).length], [1200, 1204]);
});

test("bars whose table has no names are called after their kind", () => {
  assert.deepEqual(namesOn([2], { columns: {}, step: 40 }), ["task", "task"]);
});

test("a narrow bar without a name keeps none from those behind it", () => {
  const scene = lanesScene([["tasks", 0, [0, 10, 200], [5, 190, 210], [0, 1, 0]]]);
  Object.assign(scene.view, { left: 100, width: 300, t0: 0, t1: 400 });
  Object.assign(scene.canvas, { width: 300 });
  drawLanes(scene);
  assert.deepEqual(scene.canvas.context.taken().filter((call) => call.includes("ink")), ['text "PV" 109 13 ink1 left 400 11px']);
});

test("a series begins with the value that held before what is seen", () => {
  const row = { y: 0, height: 30, series: { name: "ready", time: [0, 20, 30, 40], value: [2, 8, 4, 6] } };
  const steps = (t0) => {
    const context = new Context();
    drawSeries({ view: { left: 10, width: 13, top: 0, t0, t1: t0 + 3 }, theme: THEME }, context, row);
    return context.taken().slice(0, 3).map((call) => call.split(" ").slice(0, 5).join(" "));
  };
  assert.deepEqual(steps(34), ["fillRect 10 15 1 10", "fillRect 11 15 1 10", "fillRect 12 15 1 10"]);
  assert.deepEqual(steps(39), ["fillRect 10 15 1 10", "fillRect 11 10 1 15", "fillRect 12 10 1 15"]);
});

test("a series that begins later is empty before", () => {
  const context = new Context();
  drawSeries({ view: { left: 10, width: 13, top: 0, t0: -2, t1: 1 }, theme: THEME }, context, { y: 0, height: 30, series: { name: "ready", time: [0], value: [2] } });
  assert.deepEqual(context.taken().filter((call) => call.includes("accent")), ["fillRect 12 5 1 20 accent@0.28", "fillRect 12 5 1 1.2 accent@0.9"]);
});

test("what scrolls is drawn below the pinned lanes, and these above it", () => {
  const { scene } = denseScene();
  const [row] = scene.layout.rows;
  scene.layout = { pinned: 30, rows: [{ ...row, y: 0, pinned: true }, row, { ...row, y: 13 }] };
  const context = new Context();
  drawVector(scene, context);
  const calls = context.taken();
  assert.deepEqual(calls.filter((call) => call.startsWith("rect ")).slice(0, 2), ["rect 0 30 1100 300", "rect 0 0 1100 30"]);
  assert.deepEqual(calls.filter((call) => call.endsWith(" lane")), ["fillRect 0 100 1100 17 lane", "fillRect 0 0 1100 17 lane"], "a row behind the pinned ones is not drawn");
});

test("blocked and lost times are two pixels wide at least, the critical path one", () => {
  const scene = lanesScene([["tasks", 0, [0], [100]], ["critical", 0, [20], [20.1], [], [2]], ["stalls", 0, [40], [40.1], [], [2]], ["lost", 0, [70], [70.1], [], [2]]]);
  drawLanes(scene);
  const rows = pixels(scene);
  assert.deepEqual([rows[5], rows[10], rows[18]], ["  ####rr#rr#", "  ##########", "  ##r#######"]);
});

test("a lane that is lower than nine pixels has no line below it", () => {
  const last = (height) => {
    const scene = lanesScene([]);
    Object.assign(scene.layout.rows[1], { height, base: height - 1, depth: 1 });
    drawLanes(scene);
    return pixels(scene)[4 + height - 1][0];
  };
  assert.deepEqual([last(9), last(8)], ["_", " "]);
});
