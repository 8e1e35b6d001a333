// Three traces on one page: the way round them from match to match, their letters, and what only one of them has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { below, func, openPage, tableTexts } from "./opened.mjs";

const lanes = [{ name: "AIC0", kind: "core", core: 0, group: "aic cores" }];
/** Tasks of 100 ns at these starts, named by code. */
function traceOf(starts, names, functions, more = {}) {
  const tables = {
    tasks: { lanes: [[0, starts.length]], start: starts, length: starts.map(() => 100), name: names, row: starts.map((_, k) => k), node: starts.map((_, k) => k) },
    nodes: { high: starts.map(() => 0), low: starts.map((_, k) => k) },
    edges: { pred: [0], step: [1] },
    ...more,
  };
  return { tables, lanes: more.marks ? [...lanes, { name: "cube", kind: "pipe", core: 0, group: "aic cores" }] : lanes, functions };
}
const { page, element, scene, show, settled, key, point, click, press, range, chosen } = await openPage([
  traceOf([0, 1000], [0, 0], [func("QK", 2, 200, 100)], { marks: { lanes: [[1, 5]], start: [10, 10, 400, 400, 600], length: [50, 20, 0, 0, 0], name: [0, 0, 0, 0, 0] } }),
  traceOf([0, 500, 1000], [0, 1, 1], [func("QK", 1, 100, 100), func("PV", 2, 200, 100)]),
  traceOf([0, 2000], [1, 0], [func("QK", 1, 100, 100), func("PV", 1, 100, 100)]),
]);
const type = async (text) => {
  element("search").value = text;
  await element("search").fire("input");
  await settled();
};
const enter = async (shiftKey = false) => {
  await element("search").fire("keydown", { key: "Enter", shiftKey });
  await settled();
  return chosen()?.slice(0, 3).join(" ");
};
const pager = () => {
  const [line, list] = element("found").children;
  return [line.children[0].textContent, line.children.slice(1).map((one) => one.disabled), list.children.map((one) => one.children[0].textContent)];
};
const turn = async (label) => {
  await press(below(element("found")).find((one) => one.attributes["aria-label"] === label));
  return pager();
};

test("the list begins with the first trace that has a match, and turns to the next one", async () => {
  await type("=PV");
  assert.equal(element("matches").textContent, "3 found");
  assert.deepEqual(pager(), ["1 to 2 of 3", [true, false], ["PV · B AIC0", "PV · B AIC0"]]);
  assert.deepEqual(await turn("Later matches"), ["3 to 3 of 3", [false, true], ["PV · C AIC0"]]);
  assert.deepEqual(await turn("Earlier matches"), ["1 to 2 of 3", [true, false], ["PV · B AIC0", "PV · B AIC0"]]);
});

test("Enter goes round the traces forwards, and backwards with Shift, past those without a match", async () => {
  const forwards = [];
  for (let k = 0; k < 4; k++) forwards.push(await enter());
  assert.deepEqual(forwards, ["1 0 500", "1 0 1000", "2 0 0", "1 0 500"]);
  const backwards = [];
  for (let k = 0; k < 4; k++) backwards.push(await enter(true));
  assert.deepEqual(backwards, ["2 0 0", "1 0 1000", "1 0 500", "2 0 0"]);
  assert.deepEqual(below(element("found")).filter((one) => one.attributes["aria-current"]).map((one) => one.title), ["PV · C AIC0, 100 ns"]);
  await key("Escape");
  await key("Escape");
});

test("matches of every trace follow each other", async () => {
  await type("=QK");
  const seen = [];
  for (let k = 0; k < 5; k++) seen.push(await enter());
  assert.deepEqual(seen, ["0 0 0", "0 0 1000", "1 0 0", "2 0 2000", "0 0 0"]);
  assert.equal(await enter(true), "2 0 2000");
  await key("Escape");
  await key("Escape");
});

test("functions of three traces are summed, and those that are chosen stand side by side", async () => {
  const table = (id) => tableTexts(below(element(id)).find((one) => one.tag === "table"));
  assert.deepEqual(table("functions"), [["function", "count", "total", "share", "median", "p99"], ["QK", "4", "400 ns", "57.1 %", "100 ns", "2 ns"], ["PV", "3", "300 ns", "42.9 %", "100 ns", "2 ns"]]);
  const row = (k) => below(element("functions")).filter((one) => one.tag === "tr")[k];
  await press(row(2));
  assert.deepEqual(table("spread").slice(0, 2), [["", "B", "C"], ["count", "2", "1"]]);
  assert.deepEqual(element("outliers").children.map((one) => one.textContent), ["longest on AIC0 (B)100 ns", "longest on AIC0 (B)100 ns", "shortest on AIC0 (B)100 ns", "shortest on AIC0 (B)100 ns", "longest on AIC0 (C)100 ns", "shortest on AIC0 (C)100 ns"]);
  await press(row(2));
});

test("traces are moved by a link, each by its own length, and back", async () => {
  location.hash = "#o=0_300_-200";
  await page.window.fire("hashchange");
  await settled();
  const { model } = scene;
  assert.deepEqual(model.traces.map((trace) => [trace.moved, trace.header.start_ns, trace.tiles[0].tracks[0].start[0]]), [[0, 0, 0], [300, 300, 300], [-200, -200, -200]]);
  assert.deepEqual([model.start, model.end, element("moved").textContent], [-200, 8300, "B run 1 moved by +300 ns, C run 2 moved by −200 ns · reset"]);
  assert.deepEqual(scene.layout.rows.filter((row) => row.type === "title").map((row) => row.name), ["A  ·  run 0  ·  a5  ·  8.000 µs", "B  ·  run 1  ·  a5  ·  8.000 µs  ·  moved by +300 ns", "C  ·  run 2  ·  a5  ·  8.000 µs  ·  moved by −200 ns"]);
  show(-9999, 99_999);
  assert.deepEqual(range(), [-370, 8470], "the margin is a fiftieth of what there is");
  show(-9999, -9000);
  assert.deepEqual(range(), [-370, 629]);
  show(9000, 9999);
  assert.deepEqual(range(), [7471, 8470]);
  await press(element("moved"));
  assert.deepEqual([model.traces.map(({ moved }) => moved), model.start, model.end, element("moved").hidden, location.hash.includes("o=")], [[0, 0, 0], 0, 8000, true, false]);
});

test("going to a mark shows the pipes, and of two that begin together that of the same length", async () => {
  scene.options.pipes = false;
  scene.onLanes();
  await type("=poll dur<20 dur>1");
  assert.equal(element("matches").textContent, "1 found");
  assert.equal(await enter(), "0 1 10");
  assert.deepEqual([scene.selection.end - scene.selection.start, scene.selection.depth, scene.options.pipes], [20, 1, true]);
  await type("=poll dur>21");
  await enter();
  assert.deepEqual([scene.selection.end - scene.selection.start, scene.selection.depth], [50, 0]);
  await key("Escape");
});

test("a step along a lane passes marks of the same moment, and ends at the last one", async () => {
  const steps = [];
  for (const name of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowLeft"]) {
    await key(name, { shiftKey: true });
    steps.push(chosen()[2]);
  }
  assert.deepEqual(steps, [400, 600, 600, 400, 10, 10]);
  await key("Escape");
});

test("arrow keys move over the list of what was found", async () => {
  await type("=QK");
  const [, list] = element("found").children;
  const buttons = list.children;
  const press = (target, name, more = {}) => list.fire("keydown", { key: name, target, currentTarget: list, ...more });
  document.activeElement = buttons[0];
  assert.deepEqual([await press(buttons[0], "ArrowDown"), document.activeElement === buttons[1]], ["prevented and stopped", true]);
  assert.deepEqual([await press(buttons[1], "ArrowUp"), document.activeElement === buttons[0]], ["prevented and stopped", true]);
  assert.deepEqual([await press(buttons[0], "ArrowUp"), document.activeElement === buttons[0]], ["prevented and stopped", true]);
  assert.deepEqual([await press(buttons[0], "ArrowDown", { shiftKey: true }), await press(buttons[0], "x")], ["left", "left"]);
  document.activeElement = element("lanes");
  await key("Escape");
});

test("what is under the pointer is that of the lanes as they are scrolled", async () => {
  const row = scene.layout.rows.find((one) => one.type === "lane" && one.trace.number === 2);
  element("scroll").scrollTop = row.y - 30;
  globalThis.lanescope.drawNow();
  const at = (y) => globalThis.lanescope.pick(globalThis.lanescope.xOf(scene.view, 50), y)?.trace.number ?? null;
  assert.deepEqual([at(30), at(31), at(30 + row.base - 1), at(30 + row.base)], [null, 2, 2, null]);
  await point(["pointermove", 50, 35]);
  assert.match(element("tip").textContent, /^PVtraceC run 2duration100 ns/);
  await click(50, 35);
  assert.deepEqual(chosen(), [2, 0, 0, "tasks"]);
  element("scroll").scrollTop = 0;
  await element("scroll").fire("scroll");
  assert.deepEqual([scene.hover, element("tip").hidden], [null, true], "what it lay on has moved away");
  await key("Escape");
});

test("a pattern that takes too long is said beside the search", async () => {
  const clock = performance.now;
  let now = 0;
  performance.now = () => (now += 2000);
  await type("/Q/");
  performance.now = clock;
  assert.deepEqual([element("matches").textContent, element("foundBox").hidden, scene.model.match], ["the pattern takes too long", true, null]);
  await key("Escape");
});
