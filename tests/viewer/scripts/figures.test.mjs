// Figures of an area over bars by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { measureArea } from "../../../viewer/figures.js";
import { makeTracks } from "../../../viewer/tracks.js";

/** A track over rows of a table whose columns are given; bars are [start, end, name]. */
function track(kind, lane, bars, columns = {}) {
  const values = new Map(Object.entries({ name: bars.map(([, , name]) => name), ...columns }).map(([name, column]) => [name, Float64Array.from(column)]));
  const table = { values, column: async (name) => values.get(name) ?? null };
  return { kind, lane, count: bars.length, start: Float64Array.from(bars, ([start]) => start), end: Float64Array.from(bars, ([, end]) => end), rows: null, firstRow: 0, table };
}

function modelOf(lanes, tracks, more = {}) {
  const byLane = new Map();
  for (const one of tracks) byLane.set(one.lane, [...(byLane.get(one.lane) ?? []), one]);
  const header = { functions: [{ name: "QK" }, { name: "PV" }], words: ["poll"], lanes, runs: [], ...more };
  return { traces: [{ number: 0, header, tiles: [{ byLane }] }] };
}

const cores = [{ kind: "core", kind_name: "aic", group: "aic" }, { kind: "core", kind_name: "aiv", group: "aiv" }];

async function measured(model, t0, t1) {
  return measureArea(model, { t0, t1, lanes: model.traces[0].header.lanes.map((_, lane) => ({ trace: model.traces[0], lane })) });
}

test("bars that touch the area count, with their time inside and their whole length", async () => {
  const model = modelOf(cores, [track("tasks", 0, [[0, 10, 0], [20, 30, 1], [30, 30, 1], [40, 60, 0]]), track("tasks", 1, [[5, 45, 0]]), track("critical", 1, [[5, 45, 0]])]);
  const { functions, lanes, cells, waits } = await measured(model, 10, 50);
  assert.deepEqual(functions, [
    { bars: "tasks", name: "PV", count: 2, over: 0, inside_ns: 10, whole_ns: 10, p50_ns: 0, p99_ns: 10, max_ns: 10 },
    { bars: "tasks", name: "QK", count: 2, over: 2, inside_ns: 45, whole_ns: 60, p50_ns: 20, p99_ns: 40, max_ns: 40 },
  ]);
  assert.deepEqual(lanes, [{ trace: 0, lane: 0, bars: "tasks", count: 3, inside_ns: 20 }, { trace: 0, lane: 1, bars: "tasks", count: 1, inside_ns: 35 }]);
  assert.deepEqual(cells.map((one) => [one.name, one.kind, one.part, one.count, one.inside_ns, one.whole_ns]), [["PV", "aic", "", 2, 10, 10], ["QK", "aic", "", 1, 10, 20], ["QK", "aiv", "", 1, 35, 40]]);
  assert.equal(waits, null);
  assert.equal((await measured(model, 30, 31)).functions.find((one) => one.name === "PV").count, 1);
});

test("a bar alone on its lane is cut at either border, and counts once where it reaches over both", async () => {
  const model = modelOf(cores.slice(0, 1), [track("tasks", 0, [[10, 50, 0]])]);
  for (const [t0, t1, inside, over] of [[0, 20, 10, 1], [40, 90, 10, 1], [20, 30, 10, 1], [10, 50, 40, 0]]) {
    const { functions: [one], lanes: [lane] } = await measured(model, t0, t1);
    assert.deepEqual([one.count, one.inside_ns, one.over, one.whole_ns, lane.inside_ns], [1, inside, over, 40, inside]);
  }
});

test("what every bar of a function has outside adds up, on one lane and on several of a kind", async () => {
  const two = [cores[0], { ...cores[0] }];
  const model = modelOf(two, [track("tasks", 0, [[0, 20, 0], [30, 35, 0], [40, 60, 0]]), track("tasks", 1, [[5, 15, 0]])]);
  const { functions: [one], lanes, cells } = await measured(model, 10, 50);
  assert.deepEqual([one.count, one.over, one.inside_ns, one.whole_ns], [4, 3, 30, 55]);
  assert.deepEqual(lanes.map((row) => [row.lane, row.count, row.inside_ns]), [[0, 3, 25], [1, 1, 5]]);
  assert.deepEqual(cells, [{ bars: "tasks", name: "QK", kind: "aic", part: "", count: 4, inside_ns: 30, whole_ns: 55 }]);
});

test("bars whose table has no names are called after their kind", async () => {
  const bare = ["tasks", "phases", "stalls", "lost"].map((kind) => track(kind, 0, [[0, 10, 0], [20, 40, 0]]));
  for (const { table } of bare) table.values.delete("name");
  const { functions } = await measured(modelOf(cores.slice(0, 1), bare), 5, 30);
  assert.deepEqual(functions.map((one) => [one.bars, one.name, one.count, one.over, one.inside_ns]), [["tasks", "task", 2, 2, 15], ["phases", "phase", 2, 2, 15], ["stalls", "blocked: recording", 2, 2, 15], ["lost", "records of this time were lost", 2, 2, 15]]);
});

test("percentiles are values at place ceil(p/100 × n) of the sorted ones, however many", async () => {
  for (const lengths of [[5], [7, 7, 7], Array.from({ length: 100 }, (_, k) => 100 - k), Array.from({ length: 999 }, (_, k) => (k * 7919) % 1009), Array.from({ length: 999 }, (_, k) => 2 ** 30 + ((k * 7919) % 1009) * 4099), [2 ** 31 - 1, 2 ** 31, 2 ** 52, 63, 64, 127, 128], [2 ** 40 + 1, 2 ** 40, 0, 1, 2 ** 40 + 2]]) {
    let time = 0;
    const bars = lengths.map((length) => [time, (time += length), 0]);
    const [one] = (await measured(modelOf(cores.slice(0, 1), [track("tasks", 0, bars)]), 0, time + 1)).functions;
    const sorted = [...lengths].sort((a, b) => a - b);
    const at = (percent) => sorted[Math.ceil((percent / 100) * lengths.length - 1e-9) - 1];
    assert.deepEqual([one.p50_ns, one.p99_ns, one.max_ns, one.count], [at(50), at(99), sorted.at(-1), lengths.length]);
  }
});

test("what was waited lies before its task, and is cut like a bar", async () => {
  const bars = [[100, 110, 0], [200, 210, 0]];
  const model = modelOf(cores.slice(0, 1), [track("tasks", 0, bars, { wait_data: [30, 60], wait_scheduler: [0, 20] })]);
  assert.deepEqual((await measured(model, 0, 1000)).waits, { data: 90, scheduler: 20 });
  assert.deepEqual((await measured(model, 80, 160)).waits, { data: 20 + 30, scheduler: 10 });
  assert.deepEqual((await measured(model, 300, 400)).waits, {});
});

test("runs of one trace have columns of their own, ranks instead where lanes have them", async () => {
  const bars = [[0, 10, 0], [20, 25, 0], [30, 31, 0]];
  const runs = [{ name: "run 0" }, { name: "run 1" }];
  const parts = async (lanes) => (await measured(modelOf(lanes, [track("tasks", 0, bars, { run: [0, 1, NaN] })], { runs }), 0, 100)).cells.map((one) => [one.part, one.count]);
  assert.deepEqual(await parts(cores.slice(0, 1)), [["run 0", 1], ["run 1", 1], ["no run", 1]]);
  assert.deepEqual(await parts([{ ...cores[0], group: "Rank 3" }]), [["Rank 3", 3]]);
});

test("bars of a lane that lie in two tiles, or above each other, are one row of its lane", async () => {
  const model = modelOf(cores.slice(0, 1), [track("tasks", 0, [[0, 10, 0]]), track("tasks", 0, [[2, 5, 0], [6, 9, 0]])]);
  assert.deepEqual((await measured(model, 0, 100)).lanes, [{ trace: 0, lane: 0, bars: "tasks", count: 3, inside_ns: 16 }]);
});

test("bars that lie in others are on tracks of their own, with the names of their rows", async () => {
  const [start, length, name] = [[0, 10, 50], [100, 20, 5], [0, 1, 1]].map((values) => Float64Array.from(values));
  const values = new Map(Object.entries({ start, length, name }));
  const tracks = await makeTracks("tasks", { rows: 3, lanes: [[0, 3]], values, column: async (one) => values.get(one) ?? null });
  assert.equal(tracks.length, 2);
  const { functions } = await measured(modelOf(cores.slice(0, 1), tracks), 5, 52);
  assert.deepEqual(functions.map((one) => [one.name, one.count, one.over, one.inside_ns, one.whole_ns]), [["QK", 1, 1, 47, 100], ["PV", 2, 1, 22, 25]]);
});

test("waits of tasks that lie above others are those of their rows", async () => {
  const columns = { start: [0, 10, 100, 110, 200, 210], length: [50, 20, 50, 20, 50, 20], name: Array(6).fill(0), wait_data: [0, 0, 10, 20, 40, 70] };
  const values = new Map(Object.entries(columns).map(([name, column]) => [name, Float64Array.from(column)]));
  const tracks = await makeTracks("tasks", { rows: 6, lanes: [[0, 6]], values, column: async (one) => values.get(one) ?? null });
  assert.deepEqual(tracks.map(({ rows }) => [...rows]), [[0, 2, 4], [1, 3, 5]]);
  const { waits } = await measured(modelOf(cores.slice(0, 1), tracks), 85, 150);
  assert.deepEqual(waits, { data: 10 + 20 + 10 });
});
