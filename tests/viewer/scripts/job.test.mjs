// The page of a job: its panel of ranks, and the way from there to the lanes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { makePage, packedTables, settle, told } from "./page.mjs";

const page = makePage();
const { element } = page;
globalThis.setTimeout = (call) => void call();
globalThis.clearTimeout = () => {};

function traceOf(number) {
  const start = [0, 1000, 5000];
  const tables = packedTables(page, `${number}/t0`, {
    tasks: { lanes: [[1, 3]], start, length: [500, 500, 1000], name: [0, 0, 0], row: [0, 1, 2], node: [0, 1, 2], meets: [null, 4, null] },
    nodes: { high: [0, 0, 0], low: [0, 1, 2] },
  });
  return {
    ...{ name: `r${number}`, chip: "gpu", start_ns: 0, end_ns: 8000, makespan_ns: 8000, words: [], task_ids: null, flags: {}, notes: [], overview: null, levels: [], busy: [], utilisation: [], reasons: [] },
    functions: [{ name: "all", count: 3, total_ns: 2000, p50_ns: 500 }],
    lanes: [{ name: "host", kind: "controller", group: "Host" }, { name: "stream 7", kind: "core", core: 7, group: "Streams" }],
    ...{ counts: { tasks: 3, stalls: 0, lost: 0 }, losses: { lost: 0, stall_ns: 0, broken: false, unknown: false }, tiles: [{ name: "t0", start_ns: 0, end_ns: 8000, tables }] },
  };
}

const wait = (more) => ({ name: "all_reduce", last: 1, decided: true, ranks: 3, late_ns: 700, waited_ns: 1400, margin_ns: 20, start_ns: 1000, end_ns: 1500, window_ns: [600, 1000], since: "since step 5", causes: [["idle", 0], ["compute", 30], ["host", -500]], arrival: { core: 7, start_ns: 1000 }, ...more });
const job = {
  ...{ name: "train", sentence: "Rank 1 was late.", clock: "Clocks agree.", world: 5, ranks: [0, 1, 9], steps: [5, 6], shown: [0, 1], axes: [0, 0, 1], notes: [], told: ["", "late"] },
  heat: Buffer.from([100, 120, 80, 0, 255, 100]).toString("base64"),
  ...{ limits: [90, 110], colours: { light: ["low", "even", "high"], dark: ["LOW", "EVEN", "HIGH"] }, errors: [[0, 5], [5, 0]] },
  windows: [[[0, 1000], [2000, 4000]]],
  blame: [{ line: "rank 1: slow host", waited_ns: 1400, wait: wait() }],
  longest: [wait(), wait({ name: "gather", last: 9, decided: false, window_ns: null, arrival: null })],
};

element("header").textContent = gzipSync(JSON.stringify({ served: false, job, traces: [traceOf(0), traceOf(1)] })).toString("base64");
Object.assign(element("lanes"), { clientWidth: 912, width: 912, height: 100 });
element("scroll").clientHeight = 100;
Object.assign(element("heat"), { clientWidth: 62 + 120, width: 0, height: 0 });

await import("../../../viewer/main.js");
const { scene } = globalThis.lanescope;
const settled = () => settle(page);
await settled();
const range = () => [scene.view.t0, scene.view.t1].map(Math.round);
const chosen = () => scene.selection && [scene.selection.trace.number, scene.selection.lane, scene.selection.start];
const inside = (id) => element(id).children.map(told);

test("the panel says who was late", () => {
  assert.deepEqual([element("ranks").hidden, element("rankSentence").textContent], [false, "Rank 1 was late."]);
  assert.equal(element("ranksFacts").textContent, "Lanes of 2 of 3 ranks; --rank N,N-N shows others. 2 ranks of the job have no trace. Clocks agree.");
  assert.deepEqual(inside("blamed"), ['button(span.what("rank 1: slow host") span.when("1.400 µs"))']);
  assert.deepEqual(inside("longest"), ['button(span.what("all_reduce: rank 1 was last") span.when("1.400 µs"))', 'button(span.what("gather: the last rank is undecided") span.when("1.400 µs"))']);
  assert.deepEqual(inside("heatLegend"), ['li("work beside the median of the peers:")', 'li(span.swatch{background=low}("") span("up to 0.9"))', 'li(span.swatch{background=even}("") span("to 1.1"))', 'li(span.swatch{background=high}("") span("more"))']);
  assert.deepEqual(scene.layout.rows.map((row) => row.name ?? row.about.name), ["Rank 0", "stream 7", "Rank 1", "stream 7"]);
});

test("a wait shows its time, its rank and what that did before", async () => {
  element("scroll").scrollTop = 0;
  await element("blamed").children[0].fire("click");
  await settled();
  assert.deepEqual([range(), chosen()], [[573, 1527], [1, 1, 1000]]);
  const { trace, ...meanwhile } = scene.meanwhile;
  assert.deepEqual([trace.number, meanwhile], [1, { start: 600, end: 1000, text: "since step 5" }]);
  assert.equal(element("meanwhile").textContent, "all_reduce: rank 1 came 700 ns later than the median of the 2 others; since step 5: host −500 ns, compute +30 ns, idle +0 ns.");
  assert.deepEqual([element("meanwhile").hidden, element("state").textContent], [false, "all, 0 predecessors, 0 successors"]);
  assert.deepEqual(scene.meeting.map((bar) => bar.trace.number), [0, 1]);
});

test("a wait of a rank without lanes says so", async () => {
  await element("longest").children[1].fire("click");
  await settled();
  assert.deepEqual([range(), chosen(), scene.meanwhile], [[985, 1515], null, null]);
  assert.equal(element("state").textContent, "Rank 9 has no lanes in this page; --rank 9 shows them.");
  assert.equal(element("meanwhile").textContent, "gather: rank 9 came 700 ns later than the median of the 2 others; nothing before it can be compared. Another came 20 ns before it, so who was last is not sure.");
});

const heat = element("heat");
const over = (x, y) => ({ clientX: x + 10, clientY: y + 20 });

test("the pointer tells the cell below it", async () => {
  await heat.fire("pointermove", over(63, 15));
  assert.equal(element("heatCell").textContent, "rank 1, step 5: 0.80 of the median of its peers");
  assert.deepEqual([element("tip").textContent, element("tip").style.left, element("tip").style.top], ["rank 1, step 5: 0.80 of the median of its peersClick: this step, this rank.", "89px", "49px"]);
  for (const [x, step] of [[121, 5], [123, 6]]) {
    await heat.fire("pointermove", over(x, 1));
    assert.match(element("heatCell").textContent, new RegExp(`^rank 0, step ${step}: `));
  }
  await heat.fire("pointermove", over(63, 29));
  assert.match(element("tip").textContent, /Click: this step. The rank has no lanes here.$/);
  globalThis.innerWidth = 150;
  globalThis.innerHeight = 60;
  await heat.fire("pointermove", over(63, 29));
  assert.deepEqual([element("tip").style.left, element("tip").style.top], ["42px", "14px"]);
  await heat.fire("pointermove", over(10, 29));
  assert.deepEqual([element("tip").hidden, element("heatCell").textContent], [true, ""]);
  await heat.fire("pointermove", over(63, 15));
  await heat.fire("pointerleave");
  assert.deepEqual([element("tip").hidden, element("heatCell").textContent], [true, ""]);
});

test("a click on a cell shows its step and its rank", async () => {
  element("scroll").scrollTop = 5;
  await heat.fire("click", over(130, 15));
  await settled();
  assert.deepEqual([range(), scene.heat.cursor, element("state").textContent], [[1940, 4060], [1, 1], ""]);
  assert.equal(element("scroll").scrollTop, scene.layout.rows.find((row) => row.name === "Rank 1").y);
  await heat.fire("click", over(130, 29));
  await settled();
  assert.deepEqual([range(), element("state").textContent], [[1940, 4060], "Rank 9 has no lanes in this page; --rank 9 shows them."]);
  await heat.fire("click", over(5, 5));
  assert.deepEqual(scene.heat.cursor, [2, 1]);
});

test("keys move over the map and choose", async () => {
  const press = (key, more = {}) => heat.fire("keydown", { key, ...more });
  assert.deepEqual([await press("ArrowUp"), scene.heat.cursor, element("heatCell").textContent], ["prevented and stopped", [1, 1], "rank 1, step 6: not recorded"]);
  for (const key of ["ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowUp", "ArrowUp", "ArrowDown"]) await press(key);
  assert.deepEqual(scene.heat.cursor, [1, 0]);
  assert.deepEqual([await press("ArrowUp", { shiftKey: true }), await press("x")], ["left", "left"]);
  for (const key of ["Enter", " "]) {
    assert.equal(await press(key), "prevented and stopped");
    await settled();
    assert.deepEqual(range(), [-30, 1030]);
  }
});

test("the map shows where its keys are after every change, and not where they are elsewhere", async () => {
  const drawn = async (name, event) => {
    heat.context.taken();
    await heat.fire(name, event);
    return heat.context.taken().filter((call) => /^(clear|stroke)Rect/.test(call));
  };
  const cleared = "clearRect 0 0 182 43";
  document.activeElement = heat;
  const shown = [await drawn("focus"), await drawn("click", over(130, 15)), await drawn("keydown", { key: "ArrowUp" })];
  assert.deepEqual(shown, [[cleared, "strokeRect 61.5 13.5 60 14 #040404 1.5"], [cleared, "strokeRect 121.5 13.5 60 14 #040404 1.5"], [cleared, "strokeRect 121.5 0.5 60 14 #040404 1.5"]]);
  document.activeElement = null;
  assert.deepEqual(await drawn("blur"), [cleared]);
  await settled();
});

test("the panel folds", async () => {
  const state = async () => {
    await element("ranksFold").fire("click");
    return [element("ranksBody").hidden, element("ranksFold").attributes["aria-expanded"]];
  };
  assert.deepEqual([await state(), await state()], [[true, "false"], [false, "true"]]);
});

test("controllers are shown on request, and where they are gone to", async () => {
  const [, , button] = element("groups").children;
  assert.equal(told(button), 'button{aria-pressed=false}("Host")');
  await button.fire("click");
  assert.deepEqual([scene.options.controllers, scene.layout.rows.length], [true, 6]);
});
