// Rows of the verdict: what stays bright.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makePage } from "./page.mjs";

makePage();
const { keptOf } = await import("../../../viewer/kept.js");
const { traceName } = await import("../../../viewer/layout.js");
const { plainTable, whoseTitle } = await import("../../../viewer/verdict.js");

const trackOf = (kind, lane, values) => ({ kind, lane, rowAt: (i) => i, table: { values: new Map(Object.entries(values)) } });
const lanes = [{ kind: "controller", core: null }, { kind: "core", core: 7, name: "aic 7" }];
const functions = [{ name: "a:b", work: "copy" }, { name: "gemm" }];
const trace = { number: 0, header: { name: "run", label: "one/run", lanes, functions } };
const other = { ...trace, number: 1 };
const model = { traces: [trace, other], job: null };
const tasks = trackOf("tasks", 1, { name: [0, 1, 0], wait_data: [5, 0, 9], wait_switch: [0, 3, 0] });
const kept = (key, track = tasks, owner = trace) => {
  const keeps = keptOf(model, key).keeps(owner, track);
  return [0, 1, 2].map((i) => Boolean(keeps(i)));
};

test("a reason keeps the tasks before which it was waited", () => {
  assert.deepEqual([kept("wait:data:0"), kept("wait:data:0", tasks, other)], [[true, false, true], [true, false, true]]);
  assert.deepEqual(keptOf(model, "wait:data:0").columns, ["wait_data"]);
  assert.deepEqual(kept("wait:event:0"), [false, false, false]);
  const lost = trackOf("lost", 1, {});
  assert.deepEqual([kept("wait:lost:0", lost)[0], kept("wait:data:0", lost)[0], kept("wait:blocked:0", trackOf("stalls", 1, {}))[0]], [true, false, true]);
});

test("work, functions and running", () => {
  assert.deepEqual([kept("work:memory:0"), kept("work:compute:0")], [[true, false, true], [false, true, false]]);
  assert.deepEqual([kept("function:a:b:0"), kept("crowded:gemm:1")], [[true, false, true], [false, true, false]]);
  assert.deepEqual([kept("running::0"), kept("running::0", trackOf("phases", 0, {}))], [[true, true, true], [false, false, false]]);
});

test("a core keeps its own lane in its own trace", () => {
  assert.deepEqual([kept("slow core:7:0"), kept("slow core:7:0", tasks, other), kept("slow core:7:1", tasks, other)].map((one) => one[0]), [true, false, true]);
  assert.deepEqual([kept("late core:7:0"), kept("late core:7:0", { ...tasks, lane: 0 })], [[false, true, false], [false, false, false]]);
  assert.equal(keptOf(model, "slow core:7:0").lane, 1);
  const alone = { number: 0, header: { lanes: [{ kind: "core", core: 0, name: "aic 0" }, { kind: "pipe", core: 0 }], functions } };
  const { lane, says, mode } = keptOf({ traces: [alone] }, "slow core:0:0");
  assert.deepEqual([lane, says, mode], [0, "Bright: aic 0.", "deviation"]);
});

test("what a link makes up means nothing", () => {
  for (const key of ["wait:data:9", "wait:whim:0", "slow core:8:0", "lane:1:0", "", "data", "wait:data"]) assert.equal(keptOf(model, key), null);
});

test("traces are told apart by letter and label, ranks by number", () => {
  assert.deepEqual([traceName(model, other), traceName({ job: {} }, { rankNumber: 3 })], ["B one/run", "Rank 3"]);
  assert.deepEqual([whoseTitle({ traces: [trace] }, trace).tag, whoseTitle(model, other).textContent], ["div", "B one/run"]);
});

test("a time stands below the words of its row", () => {
  const box = plainTable({ head: ["core time", "time ns", "chip"], rows: [{ cells: ["running", "12", "40.0%"] }] });
  assert.equal(box.textContent, "core timechiprunning12 ns40.0%");
  assert.equal(plainTable({ head: ["lane", "records"], rows: [{ cells: ["c0", "9"] }] }).textContent, "lanerecordsc09");
});
