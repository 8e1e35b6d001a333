// A whole session: the page opens, the reader moves, selects, searches and closes. One page for the file.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { makePage, packedTables, settle } from "./page.mjs";

const page = makePage();
const { element } = page;
globalThis.setTimeout = (call) => void call();
globalThis.clearTimeout = () => {};

/** Cores of 8 and 4 tasks and a controller; task k of core 0 is node k, each the next one's predecessor. */
const starts = [0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 500, 2500, 4500, 6500];
const lengths = [500, 600, 700, 800, 500, 500, 500, 500, 1500, 1500, 1500, 1000];
const tables = packedTables(page, "0/t0", {
  tasks: {
    ...{ lanes: [[1, 8], [2, 4]], start: starts, length: lengths, name: [0, 1, 0, 1, 0, 1, 0, 1, 2, 2, 2, 2] },
    ...{ row: [10, 11, 12, 13, 14, 15, 16, 17, 20, 21, 22, 23], node: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] },
    ...{ wait_data: [0, 500, 400, 300, 200, 500, 500, 500, 500, 500, 500, 500] },
  },
  phases: { lanes: [[0, 2]], start: [0, 4000], length: [100, 100], name: [0, 0] },
  stalls: { lanes: [[1, 1]], start: [1000], length: [100], name: [0] },
  nodes: { high: Array(12).fill(0), low: Array.from({ length: 12 }, (_, k) => k) },
  edges: { pred: [0, 1, 2], step: [1, 1, 1] },
  level0: { time: [0, 4000], value: [1, 3] },
});

const func = (name, count, total_ns, p50_ns) => ({ name, count, total_ns, p50_ns, min_ns: 1, p99_ns: 2, max_ns: 3, histogram: { first: 30, counts: [1] } });
const header = {
  served: false,
  traces: [
    {
      ...{ name: "small run", chip: "a5", start_ns: 0, end_ns: 8000, makespan_ns: 8000, words: ["poll"], task_ids: null, flags: {}, notes: [], overview: null },
      ...{ functions: [func("QK", 4, 2200, 500), func("PV", 4, 2400, 500), func("two words", 4, 5500, 1500)], levels: [{ name: "ready", scale: 1 }] },
      lanes: [{ name: "sched", kind: "controller", group: "Controllers" }, { name: "AIC0", kind: "core", core: 0, group: "aic cores" }, { name: "AIC1", kind: "core", core: 1, group: "aic cores" }],
      ...{ busy: [], utilisation: [], reasons: [{ what: "running", label: "running", ns: 10 }], counts: { tasks: 12, stalls: 1, lost: 0 }, losses: { lost: 0, stall_ns: 100, broken: false, unknown: false } },
      tiles: [{ name: "t0", start_ns: 0, end_ns: 8000, tables }],
    },
  ],
};

element("header").textContent = gzipSync(JSON.stringify(header)).toString("base64");
Object.assign(element("lanes"), { clientWidth: 912, width: 912, height: 400 });
Object.assign(element("scroll"), { clientHeight: 400, clientWidth: 912 });
element("minimap").clientWidth = 1000;
element("help").open = false;

await import("../../../viewer/main.js");
const { select } = await import("../../../viewer/choose.js");
const { scene, drawNow, show, xOf, pick } = globalThis.lanescope;
const settled = () => settle(page);
await settled();
const [lanes, view] = [element("lanes"), scene.view];
const key = async (name, more = {}) => {
  await page.window.fire("keydown", { key: name, target: element("body"), ...more });
  await settled();
};
const range = () => [view.t0, view.t1].map(Math.round);
const chosen = () => scene.selection && [scene.selection.lane, scene.selection.start, scene.selection.kind];

test("the page opens with everything in it", () => {
  assert.deepEqual([document.body.dataset.drawn, document.body.dataset.ready, element("state").textContent], ["yes", "yes", ""]);
  assert.deepEqual([range(), view.left, view.width, view.height, view.full, scene.options.laneHeight, scene.options.pipes], [[0, 8000], 112, 912, 400, 1000, 22, true]);
  assert.equal(element("range").textContent, "0 ns to 8 µs  ·  8.000 µs");
  assert.deepEqual(scene.layout.rows.map((row) => [row.type, row.y, row.height]), [["group", 0, 21], ["lane", 21, 23], ["group", 44, 21], ["lane", 65, 23], ["lane", 88, 23], ["group", 111, 21], ["series", 132, 34]]);
  assert.deepEqual([element("title").textContent, element("warning").textContent, element("theme").textContent, element("spacer").style.height], ["small run", "recording blocked 100 ns", "Dark", "0px"]);
  assert.deepEqual([element("groups").textContent, lanes.attributes["aria-busy"] ?? "false", location.hash], ["Controllersaic coresCounters", "false", "#t=0_8000"]);
  assert.equal(element("colour").querySelector("[value=wait]").disabled, false);
  assert.deepEqual([...scene.model.traces[0].nodes.low], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test("benchmarks are told when the first frame was drawn, and when all was there", () => {
  assert.deepEqual(["first frame", "ready"].map((name) => performance.getEntriesByName(name).length), [1, 1]);
});

test("paper is light and shows the panel, and the screen is as before", async () => {
  const root = document.documentElement;
  const print = async (matches) => {
    await page.media.fire("print", { matches });
    return [root.dataset.theme, element("side").hidden, lanes.style.width];
  };
  Object.assign(element("minimap"), { clientHeight: 60 });
  Object.assign(element("axis"), { clientHeight: 40 });
  for (const [theme, hidden] of [[undefined, true], ["dark", false]]) {
    if (theme) root.dataset.theme = theme;
    element("side").hidden = hidden;
    assert.deepEqual(await print(true), ["light", false, "91.2%"]);
    assert.deepEqual([root.style["--drawn"], root.style["--seen"], element("theme").textContent], ["91.2%", "2", "Dark"]);
    assert.deepEqual([await print(false), element("theme").textContent], [[theme, hidden, ""], theme ? "Light" : "Dark"]);
  }
  delete root.dataset.theme;
  await page.media.fire("(prefers-color-scheme: dark)");
});

test("an area is taken by key, changed, dragged on the axis, and cleared", async () => {
  const area = () => scene.area && [scene.area.t0, scene.area.t1, [...scene.area.lanes].join(" ")];
  await key("r");
  assert.deepEqual([area(), element("areaBox").hidden, element("areaLength").textContent], [[0, 8000, "0:0 0:1 0:2"], false, "area 8.000 µs × 3 lanes"]);
  assert.equal(performance.getEntriesByName("area").length, 1, "how long it took is for benchmarks");
  assert.match(element("area").textContent, /A bar counts when it touches the area.* 0 bars reach over the border/);
  await key("ArrowLeft", { altKey: true });
  await key("ArrowRight", { altKey: true, shiftKey: true });
  await key("ArrowDown", { altKey: true, shiftKey: true });
  assert.deepEqual(area(), [160, 7840, "0:1 0:2"]);
  assert.match(location.hash, /&a=160_7840_0%3A1-2$/);
  const axis = element("axis");
  await axis.fire("pointerdown", { clientX: xOf(view, 3000) + 10 });
  await axis.fire("pointermove", { clientX: xOf(view, 2000) + 10 });
  await axis.fire("pointerup", { clientX: xOf(view, 1000) + 10 });
  await settled();
  assert.deepEqual(area(), [1000, 3000, "0:0 0:1 0:2"]);
  await key("f");
  assert.deepEqual(range(), [940, 3060]);
  await key("0");
  await key("Escape");
  assert.deepEqual([area(), element("areaBox").hidden, element("areaLength").textContent, location.hash], [null, true, "", "#t=0_8000"]);
});

test("bars are picked by their place", () => {
  const at = (ns, y) => {
    const bar = pick(xOf(view, ns), y);
    return bar && [bar.kind, bar.lane, bar.start];
  };
  assert.deepEqual([at(200, 70), at(2100, 70), at(700, 95), at(50, 30)], [["tasks", 1, 0], ["tasks", 1, 2000], ["tasks", 2, 500], ["phases", 0, 0]]);
  assert.deepEqual([at(1050, 67), at(1050, 80), at(3900, 70), at(200, 10), at(200, 140)], [["stalls", 1, 1000], ["tasks", 1, 1000], null, null, null]);
  assert.deepEqual([pick(111, 70), at(509, 70), at(520, 70), at(200, 65), at(200, 86), at(200, 87)], [null, ["tasks", 1, 0], null, null, ["tasks", 1, 0], null]);
});

const tip = () => (element("tip").hidden ? null : [element("tip").textContent, element("tip").style.left, element("tip").style.top]);

test("the pointer shows what is below it", async () => {
  const hover = (ns, y, more = {}) => lanes.fire("pointermove", { clientX: xOf(view, ns) + 10, clientY: y + 20, ...more });
  await hover(200, 70);
  assert.deepEqual(tip(), ["QKduration500 nsagainst median+0.0 %coreAIC0task0start0 nsend500 ns", "158px", "104px"]);
  assert.equal(element("cursor").textContent, "200 ns");
  await hover(7990, 70);
  assert.deepEqual([tip(), element("cursor").textContent], [null, "7.99 µs"]);
  await hover(4100, 140);
  assert.equal(element("tip").textContent, "readyvalue3since4 µs");
  await hover(0, 140);
  assert.deepEqual([element("tip").textContent, element("cursor").textContent], ["readyvalue1since0 ns", "0 ns"], "from the first pixel on");
  await hover(3999, 140);
  assert.equal(element("tip").textContent, "readyvalue1since0 ns");
  await hover(7200, 70, { clientY: 590 });
  assert.equal(tip(), null);
  innerWidth = 900;
  await hover(7200, 70);
  assert.deepEqual(tip().slice(1), [`${xOf(view, 7200) + 10 - 112}px`, "104px"]);
  innerHeight = 100;
  await hover(7200, 70);
  assert.equal(tip()[2], "54px");
  [innerWidth, innerHeight] = [1000, 600];
  await lanes.fire("pointermove", { clientX: 20, clientY: 90 });
  assert.deepEqual([element("cursor").textContent, tip()], ["", null]);
  await hover(200, 70);
  await lanes.fire("pointerleave");
  assert.deepEqual([scene.hover, tip()], [null, null]);
});

const click = async (ns, y) => {
  const place = { clientX: xOf(view, ns) + 10, clientY: y + 20 };
  await lanes.fire("pointerdown", place);
  await lanes.fire("pointerup", place);
  await settled();
};

test("a click selects a task with its neighbours, and shows its function", async () => {
  await click(1300, 75);
  assert.deepEqual(chosen(), [1, 1000, "tasks"]);
  assert.equal(element("state").textContent, "PV, 1 predecessor, 1 successor");
  assert.deepEqual([scene.neighbours.before.bars[0].start, scene.neighbours.after.bars[0].start], [0, 2000]);
  assert.deepEqual([scene.chosen, element("shapeTitle").textContent, element("shape").hidden], ["PV", "Durations of PV", false]);
  assert.match(element("selection").textContent, /^PVduration600 ns.*1 hop−\+Path from herepredecessors1QK 0AIC0fan-in 1 tasksuccessors1QK 2AIC0fan-out 1 task$/);
  assert.doesNotMatch(element("selection").textContent, /Align/, "there is no other trace");
  assert.equal(location.hash, "#t=0_8000&s=0_1_1000_tasks");
  await click(50, 30);
  assert.deepEqual([chosen(), scene.neighbours, scene.chosen], [[0, 0, "phases"], null, "PV"]);
  await key("Escape");
  assert.deepEqual([chosen(), element("selection").textContent], [null, "Click a bar, or press Enter in the timeline."]);
});

test("what is told of a task that is selected no more is not told", async () => {
  element("state").textContent = "";
  select(pick(xOf(view, 1300), 75));
  select(null);
  await settled();
  assert.deepEqual([chosen(), scene.meeting, scene.neighbours, element("state").textContent], [null, null, null, ""]);
});

test("a click on a group closes it, and again opens it", async () => {
  await click(200, 50);
  assert.deepEqual([[...scene.options.closed], scene.layout.rows.length], [["0:aic cores"], 5]);
  await click(200, 50);
  assert.deepEqual([[...scene.options.closed], scene.layout.rows.length], [[], 7]);
});

test("keys zoom and pan, within the run and a margin", async () => {
  const seen = [];
  for (const name of ["w", "d", "a", "s", "s", "s", "Home"]) {
    await key(name);
    seen.push(range());
  }
  assert.deepEqual(seen, [[1600, 6400], [2464, 7264], [1600, 6400], [0, 8000], [-160, 8160], [-160, 8160], [0, 8000]]);
  await key("ArrowRight");
  assert.deepEqual(range(), [160, 8160]);
  show(4000, 4001);
  assert.deepEqual(range(), [3991, 4011]);
  show(-5000, -4000);
  assert.deepEqual(range(), [-160, 840]);
  show(9000, 9500);
  assert.deepEqual(range(), [7660, 8160]);
  await key("0");
});

test("the buttons zoom as the keys do", async () => {
  const seen = [];
  for (const id of ["zoomIn", "zoomOut"]) {
    await element(id).fire("click");
    await settled();
    seen.push(range());
  }
  assert.deepEqual(seen, [[1600, 6400], [0, 8000]]);
});

test("the wheel zooms about the pointer", async () => {
  await lanes.fire("wheel", { clientX: xOf(view, 2000) + 10, deltaY: -400 * Math.LN2, ctrlKey: true });
  assert.deepEqual(range(), [1000, 5000]);
  await lanes.fire("wheel", { clientX: 0, deltaY: 400 * Math.LN2, ctrlKey: true });
  assert.deepEqual(range(), [160, 8160]);
  await key("0");
});

test("zooming by key stays at the selection, or at what is under the pointer", async () => {
  await click(6100, 75);
  await key("w");
  assert.deepEqual([chosen(), range()], [[1, 6000, "tasks"], [2400, 7200]]);
  await key("0");
  const here = { trace: scene.model.traces[0], lane: 1 };
  scene.hover = { ...here, start: 1000, end: 3000 };
  await key("w");
  assert.deepEqual(range(), [800, 5600]);
  scene.hover = { ...here, start: -9000, end: -8000 };
  await key("w");
  assert.deepEqual(range(), [800, 3680]);
  scene.hover = null;
  await key("f");
  assert.deepEqual(range(), [5250, 7250]);
  await key("Escape");
  await key("f");
  assert.deepEqual(range(), [5250, 7250]);
  await key("0");
});

test("the selection moves along its lane and across lanes", async () => {
  const path = [];
  await key("Enter");
  path.push(chosen());
  for (const name of ["ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowUp"]) {
    await key(name, { shiftKey: true });
    path.push(chosen());
  }
  assert.deepEqual(path, [[2, 2500, "tasks"], [2, 4500, "tasks"], [2, 2500, "tasks"], [2, 500, "tasks"], [2, 500, "tasks"], [2, 500, "tasks"], [1, 1000, "tasks"], [0, 0, "phases"], [0, 0, "phases"]]);
  await key("Escape");
  await key("ArrowRight", { shiftKey: true });
  assert.deepEqual(chosen(), [2, 2500, "tasks"]);
  show(2400, 4100);
  await key("ArrowRight", { shiftKey: true });
  assert.deepEqual([chosen(), range()], [[2, 4500, "tasks"], [3650, 5350]]);
  await key("ArrowLeft", { shiftKey: true });
  assert.deepEqual([chosen(), range()], [[2, 2500, "tasks"], [1650, 3350]]);
  await key("0");
  await key("Escape");
  await click(200, 75);
  await key("ArrowLeft", { shiftKey: true });
  assert.deepEqual(chosen(), [1, 0, "tasks"]);
  await key("Escape");
});

const type = async (text) => {
  element("search").value = text;
  await element("search").fire("input");
  await settled();
};
const paints = () => scene.model.traces[0].tiles[0].byLane.get(1).find((track) => track.kind === "tasks").paint;

test("a search dims what does not match, and Enter goes from match to match", async () => {
  await type("pv dur>600");
  assert.deepEqual([element("matches").textContent, [...paints()], location.hash], ["2 found", [69, 1, 69, 1, 69, 69, 69, 69], "#t=0_8000&q=pv+dur%3E600"]);
  const enter = async (shiftKey = false) => {
    await element("search").fire("keydown", { key: "Enter", shiftKey });
    await settled();
    return chosen();
  };
  assert.deepEqual([await enter(), await enter(), await enter(), await enter(true)], [[1, 1000, "tasks"], [1, 3000, "tasks"], [1, 1000, "tasks"], [1, 3000, "tasks"]]);
  await element("search").fire("keydown", { key: "x" });
  assert.deepEqual(chosen(), [1, 3000, "tasks"]);
  await type("dur>x");
  assert.equal(element("matches").textContent, "no such time: dur>x");
  await type("task:2");
  assert.deepEqual([element("matches").textContent, scene.model.matchColumns], ["1 found", ["node", "task_high", "task_low"]]);
  await key("Escape", { target: element("search") });
  assert.deepEqual([element("search").value, element("matches").textContent, [...paints()], scene.chosen], ["", "", [2, 1, 2, 1, 2, 1, 2, 1], null]);
  await key("Escape");
});

test("a click on a function searches for it, and again no more", async () => {
  const button = (k) => element("functions").children[0].children[1].children[k];
  await button(0).fire("click");
  await settled();
  assert.deepEqual([element("search").value, element("matches").textContent, scene.chosen], ['="two words"', "4 found", "two words"]);
  await button(1).fire("click");
  await settled();
  assert.deepEqual([element("search").value, scene.chosen], ["=PV", "PV"]);
  await button(0).fire("click", { shiftKey: true });
  await settled();
  assert.deepEqual([scene.chosen, scene.compared, element("shapeTitle").textContent, element("search").value], ["PV", "two words", "Durations of PV and two words", "=PV"]);
  const outliers = element("outliers").children.map((one) => one.textContent);
  assert.deepEqual(outliers, ["longest on AIC0 (PV)800 ns", "longest on AIC0 (PV)600 ns", "longest on AIC0 (PV)500 ns", ...Array(2).fill("shortest on AIC0 (PV)500 ns"), "shortest on AIC0 (PV)600 ns", ...Array(3).fill("longest on AIC1 (two words)1.50 µs"), "shortest on AIC1 (two words)1.00 µs", ...Array(2).fill("shortest on AIC1 (two words)1.50 µs")]);
  await element("outliers").children[0].fire("click");
  await settled();
  assert.deepEqual(chosen(), [1, 3000, "tasks"]);
  await key("Escape");
  await button(1).fire("click");
  await button(1).fire("click");
  await settled();
  assert.deepEqual([element("search").value, scene.chosen, scene.compared, element("matches").textContent], ["", null, null, ""]);
  assert.deepEqual([element("shape").hidden, element("shapeTitle").textContent], [true, "Durations of PV"], "nothing is drawn that is not seen");
});

test("going to a bar shows its time, its lane and its group", async () => {
  scene.options.closed.add("0:aic cores");
  show(0, 1000);
  Object.assign(element("scroll"), { scrollTop: 0, clientHeight: 60 });
  location.hash = "#s=0_2_6500_tasks&c=wait";
  await page.window.fire("hashchange");
  await settled();
  assert.deepEqual([chosen(), range(), [...scene.options.closed], element("colour").value], [[2, 6500, "tasks"], [6000, 7000], [], "wait"]);
  assert.equal(element("scroll").scrollTop, 58);
  assert.deepEqual([...paints()], [99, 80, 80, 80, 80, 80, 80, 80]);
  element("scroll").scrollTop = 0;
  location.hash = "#t=100_900&q=qk";
  await page.window.fire("hashchange");
  await settled();
  assert.deepEqual([range(), element("search").value, scene.search], [[100, 900], "qk", "qk"]);
  element("scroll").clientHeight = 400;
  for (const _ of [1, 2]) await key("Escape");
  await key("0");
});

test("keys change the colouring, the height and the pipes", async () => {
  const modes = [];
  for (let k = 0; k < 3; k++) {
    await key("c");
    modes.push(scene.model.mode);
  }
  assert.deepEqual(modes, ["deviation", "function", "wait"]);
  await key("c");
  await key("c");
  const heights = [];
  for (const name of ["+", "-", "-"]) {
    await key(name);
    heights.push(scene.options.laneHeight);
  }
  scene.options.laneHeight = 39;
  await key("+");
  heights.push(scene.options.laneHeight);
  scene.options.laneHeight = 6;
  await key("-");
  heights.push(scene.options.laneHeight);
  assert.deepEqual(heights, [24, 22, 20, 40, 5]);
  await key("p");
  assert.equal(scene.options.pipes, false);
  await element("colour").fire("change", { target: { value: "no such" } });
  assert.equal(scene.model.mode, "function");
});

test("buttons switch the theme, the panel and the help", async () => {
  await element("theme").fire("click");
  assert.deepEqual([scene.theme.name, element("theme").textContent], ["dark", "Light"]);
  await element("theme").fire("click");
  assert.deepEqual([scene.theme.name, element("theme").textContent], ["light", "Dark"]);
  await element("panel").fire("click");
  assert.deepEqual([element("side").hidden, element("panel").attributes["aria-pressed"]], [true, "false"]);
  await element("panel").fire("click");
  assert.deepEqual([element("side").hidden, element("panel").attributes["aria-pressed"]], [false, "true"]);
  await element("helpButton").fire("click");
  assert.equal(element("help").open, true);
  await key("Escape");
  assert.equal(element("help").open, false);
  document.activeElement = element("search");
  await key("Escape");
  assert.equal(document.activeElement, lanes);
});

test("a drag with Shift shows its band until it ends", async () => {
  await key("0");
  await lanes.fire("pointerdown", { clientX: xOf(view, 2000) + 10, clientY: 90, shiftKey: true });
  await lanes.fire("pointermove", { clientX: xOf(view, 6000) + 10, clientY: 90 });
  assert.deepEqual([view.band, page.frames.length], [[xOf(view, 2000), xOf(view, 6000)], 1]);
  await lanes.fire("pointerup", { clientX: xOf(view, 6000) + 10, clientY: 90 });
  assert.deepEqual([view.band, range()], [null, [2000, 6000]]);
  await key("0");
});

test("a frame is drawn once, however often it is asked for", () => {
  page.frame();
  element("axis").context.taken();
  for (let k = 0; k < 3; k++) scene.onLanes();
  assert.equal(page.frames.length, 1);
  page.frame();
  assert.equal(element("axis").context.taken().filter((call) => call.startsWith("clearRect")).length, 1);
  drawNow();
  assert.equal(element("axis").context.taken().filter((call) => call.startsWith("clearRect")).length, 1);
});

test("moving takes a few frames where the reader allows it", () => {
  globalThis.matchMedia = () => ({ matches: false });
  const clock = performance.now;
  performance.now = () => 1000;
  page.window.fire("keydown", { key: "w", target: element("body") });
  assert.deepEqual([range(), view.target.map(Math.round)], [[0, 8000], [1600, 6400]]);
  const step = (now) => page.frames.splice(0).forEach((call) => call(now));
  step(1065);
  assert.deepEqual(range(), [1400, 6600]);
  step(1130);
  assert.deepEqual([range(), view.target], [[1600, 6400], null]);
  performance.now = clock;
});
