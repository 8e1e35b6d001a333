// What the reader makes: as text for links and page files, pinned rows, and the history of ranges.
import assert from "node:assert/strict";
import { test } from "node:test";
import { laneTitle, makeLayout, rowAt } from "../../../viewer/layout.js";
import { fitsLink, madeText, noteOf, readMade } from "../../../viewer/saved.js";
import { leaveRange, makeZooms, rangeBefore } from "../../../viewer/zooms.js";

const LANES = [
  { name: "sched", kind: "controller", group: "Controllers" },
  { name: "c0", kind: "core", group: "cores" },
  { name: "cube", kind: "pipe", group: "cores" },
];
const traceOf = (number) => ({ number, rankNumber: 7, header: { name: "t", lanes: LANES }, tiles: [], overview: null, series: [] });
const MODEL = { traces: [traceOf(0), traceOf(1)], job: null };

const MADE = {
  pins: [{ trace: 1, lane: 2 }, { trace: 0, lane: 0 }],
  notes: [
    { start: 5, end: 9, text: "<script>alert(1)</script>", bar: { trace: 0, lane: 1, kind: "phases" } },
    { start: 10, end: null, text: "é 🏁\n\"&\u2028", bar: null },
    { start: -3, end: 4, text: "", bar: null },
  ],
};

test("what was made comes back from its text", () => {
  assert.deepEqual(readMade(MODEL, madeText(MADE)), MADE);
  assert.ok(!madeText(MADE).n.includes("\n") && !madeText(MADE).g.includes("\n"));
  assert.equal(readMade(MODEL, { n: null, g: null }), null);
  assert.deepEqual(readMade(MODEL, { n: null, g: "[]" }), { pins: [], notes: [] });
});

test("of a link that is wrong what makes sense is kept", () => {
  const read = (n, g = null) => readMade(MODEL, { n, g });
  const none = { pins: [], notes: [] };
  for (const wrong of ["", "x", "7", "null", "{}", "[]", "[1]", "[1,2]", '[{"0":1},[]]', "[[7],[[]]]", '[[[9,9],["0","1x"],[0]],[[0,9,0,1,2,"x"]]]']) assert.deepEqual(read(wrong), none, wrong);
  for (const wrong of ["{", "7", '[["a",null,"x"]]', "[[1,0]]", '[[1,"2","x"]]', "[[null]]"]) assert.deepEqual(read(null, wrong), none, wrong);
  assert.deepEqual(read("[[[0,1],[0,1],[5,1]],[]]").pins, [{ trace: 0, lane: 1 }]);
  assert.deepEqual(read('[[["__proto__","constructor"]],[]]'), none);
  const many = JSON.stringify(Array.from({ length: 900 }, () => [1, null, "y".repeat(900)]));
  assert.deepEqual([read(null, many).notes.length, read(null, many).notes[0].text.length], [500, 200]);
  assert.equal(noteOf(1, null, null, null).text, "");
  assert.deepEqual([noteOf(5, 5, "x", null), noteOf(5, 4, "x", null), noteOf(NaN, null, "x", null), noteOf(5, Infinity, "x", null)], [{ start: 5, end: 5, text: "x", bar: null }, null, null, null]);
});

test("a link has room for 2,000 characters", () => {
  assert.equal(fitsLink({ n: "a".repeat(1000), g: "b".repeat(1000) }), true);
  assert.equal(fitsLink({ n: "a".repeat(1000), g: "b".repeat(1001) }), false);
  assert.equal(fitsLink({ n: "é".repeat(400), g: "" }), false);
});

const OPTIONS = { laneHeight: 20, closed: new Set(["0:cores"]), pipes: false, controllers: true };

test("pinned lanes come first, stay at the top and are nowhere else", () => {
  const view = { top: 0, height: 400 };
  const layout = makeLayout(MODEL, { ...OPTIONS, pins: [{ trace: 0, lane: 2 }, { trace: 1, lane: 0 }] }, view);
  const told = () => layout.rows.filter((row) => row.type === "lane").map((row) => [row.trace.number, row.lane, row.y, row.pinned ?? false]);
  assert.deepEqual(told(), [[0, 2, 0, true], [1, 0, 15, true], [0, 0, 104, false], [1, 1, 172, false]]);
  assert.equal(layout.pinned, 36);
  view.top = 30;
  assert.deepEqual(told().map(([, , y]) => y), [30, 45, 104, 172]);
  assert.deepEqual([30, 44, 45, 65, 66, 110].map((y) => [rowAt(layout, y).trace.number, rowAt(layout, y).lane]), [[0, 2], [0, 2], [1, 0], [1, 0], [0, undefined], [0, 0]]);
  assert.deepEqual([laneTitle(MODEL, MODEL.traces[1], 2), laneTitle({ ...MODEL, job: {} }, MODEL.traces[0], 1)], ["B c0 cube", "rank 7 c0"]);
});

test("a pinned core takes its pipes with it where they are shown", () => {
  const layout = makeLayout(MODEL, { ...OPTIONS, pipes: true, pins: [{ trace: 0, lane: 1 }] }, { top: 0, height: 400 });
  assert.deepEqual(layout.rows.filter((row) => row.pinned).map((row) => row.lane), [1, 2]);
});

test("pins that leave no room for other lanes scroll with them", () => {
  const view = { top: 50, height: 30 };
  const layout = makeLayout(MODEL, { ...OPTIONS, pins: [{ trace: 0, lane: 1 }] }, view);
  assert.deepEqual([layout.pinned, layout.rows[0].y], [0, 0]);
});

test("ranges come back one movement at a time, the last one first", () => {
  const zooms = makeZooms();
  leaveRange(zooms, [0, 100], 1000);
  leaveRange(zooms, [10, 90], 1100);
  leaveRange(zooms, [20, 80], 1450);
  leaveRange(zooms, [30, 70], 2000);
  assert.deepEqual(zooms.past, [[0, 100], [30, 70]]);
  assert.deepEqual(rangeBefore(zooms, [40, 60], 3000), [30, 70]);
  leaveRange(zooms, [35, 65], 3100);
  assert.deepEqual(rangeBefore(zooms, [30, 70], 5000), [0, 100]);
  assert.equal(rangeBefore(zooms, [0, 100], 6000), null);
  zooms.past = [[1, 2], [3, 4]];
  assert.deepEqual(rangeBefore(zooms, [3, 4], 7000), [1, 2]);
  for (let k = 0; k < 300; k++) leaveRange(zooms, [k, k + 1], 10_000 + 1000 * k);
  assert.equal(zooms.past.length, 200);
});
