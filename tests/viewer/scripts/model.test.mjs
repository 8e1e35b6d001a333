// The traces of the page: merged functions, tiles that come and go, and the colour of every bar.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadColumns, loadWindow, makeModel, repaint, visibleTiles } from "../../../viewer/model.js";
import { tracksOf } from "../../../viewer/shown.js";
import { makePage, packedTables } from "./page.mjs";

const FUNCTIONS = [
  { name: "QK", count: 2, total_ns: 30, p50_ns: 10 },
  { name: "PV", count: 1, total_ns: 50, p50_ns: 100 },
  { name: "(unknown)", count: 0, total_ns: 0 },
];

const headerOf = (more = {}) => ({ name: "t", start_ns: 10, end_ns: 110, functions: FUNCTIONS, words: ["poll", "idle"], lanes: [{ group: "aic cores" }], levels: [], tiles: [], ...more });

test("functions are merged by name, the costliest first", () => {
  const other = headerOf({ start_ns: 5, end_ns: 90, functions: [{ name: "QK", count: 1, total_ns: 25 }, { name: "(unknown)", count: 3, total_ns: 1 }] });
  const model = makeModel({ traces: [headerOf(), other] });
  const told = ({ name, total, of }) => [name, total, Array.from(of, (one) => one?.total_ns ?? null)];
  assert.deepEqual(model.functions.map(told), [["QK", 55, [30, 25]], ["PV", 50, [50]], ["(unknown)", 1, [null, 1]]]);
  assert.deepEqual([model.start, model.end, model.mode, model.job, model.traces[1].rank], [5, 110, "function", null, [0, 2]]);
  assert.deepEqual(model.traces[0].rank, [0, 1, 2]);
});

test("lanes of a rank are one group", () => {
  const [trace] = makeModel({ traces: [headerOf()], job: { shown: [7] } }).traces;
  assert.deepEqual([trace.rankNumber, trace.header.lanes], [7, [{ group: "Rank 7", kindOfGroup: "aic cores" }]]);
});

const tilesOf = (count) => Array.from({ length: count }, (_, k) => ({ info: { name: `t${k}`, start_ns: 10 * k, end_ns: 10 * k + 10 }, tracks: [] }));

test("few tiles are drawn, or the overview of many", () => {
  const trace = { tiles: tilesOf(6), overview: null };
  const names = (t0, t1) => visibleTiles(trace, t0, t1).map((tile) => tile.info?.name ?? tile);
  assert.deepEqual([names(20, 29), names(21, 29), names(0, 100).length], [["t1", "t2"], ["t2"], 6]);
  trace.overview = "overview";
  assert.deepEqual([names(11, 39), names(11, 40)], [["t1", "t2", "t3"], ["overview"]]);
  trace.tiles[2].tracks = null;
  assert.deepEqual(names(11, 39), ["overview"]);
});

test("a lane shows the tracks of the tiles in the window; the path is whole", () => {
  const byLane = (name) => new Map([[3, [name]]]);
  const trace = { tiles: tilesOf(3).map((tile, k) => ({ ...tile, byLane: byLane(k) })), overview: null, path: { lane: 9 } };
  assert.deepEqual([tracksOf(trace, 3, 5, 15), tracksOf(trace, 4, 5, 15), tracksOf(trace, 9, 0, 1)], [[0, 1], [], [trace.path]]);
});

/** A page with one trace of one tile. */
function opened({ tables, mode = "function", match = null, more = {} }) {
  const page = makePage();
  const described = packedTables(page, "0/t0", tables);
  const header = headerOf({ tiles: [{ name: "t0", start_ns: 0, end_ns: 200, tables: described }], ...more });
  const model = makeModel({ served: false, traces: [header] });
  return { page, model: Object.assign(model, { mode, match }) };
}

const bars = (tile) => tile.tracks.map((track) => [track.kind, track.lane, [...track.start], [...track.end], [...track.paint]]);
const TASKS = { lanes: [[0, 3]], start: [10, 40, 80], length: [10, 20, 30], name: [0, 1, 0] };

test("every kind of bar has its own paint", async () => {
  const { model } = opened({
    tables: {
      tasks: { ...TASKS, critical: [0, 1, 1] },
      phases: { lanes: [[1, 2]], start: [5, 6], length: [1, 2], name: [0, 1] },
      marks: { lanes: [[2, 1]], start: [5], length: [1], name: [1] },
      stalls: { lanes: [[0, 1]], start: [3], length: [4], name: [0] },
      lost: { lanes: [[0, 1]], start: [90], length: [9] },
    },
  });
  let done = 0;
  await loadWindow(model, 0, 100, () => done++);
  const [tile] = model.traces[0].tiles;
  assert.deepEqual(bars(tile), [
    ["tasks", 0, [10, 40, 80], [20, 60, 110], [1, 0, 1]],
    ["phases", 1, [5, 6], [6, 8], [32, 33]],
    ["marks", 2, [5], [6], [33]],
    ["stalls", 0, [3], [7], [68]],
    ["lost", 0, [90], [99], [86]],
    ["critical", 0, [40, 80], [60, 110], [71, 71]],
  ]);
  assert.deepEqual([done, [...tile.byLane.keys()], tile.byLane.get(0).map((track) => track.kind)], [1, [0, 1, 2], ["tasks", "stalls", "lost", "critical"]]);
  await loadWindow(model, 0, 100, () => done++);
  assert.equal(done, 1);
  model.mode = "deviation";
  await repaint(model);
  assert.deepEqual(bars(tile).map(([, , , , paint]) => paint), [[63, 60, 66], [70, 70], [70], [68], [86], [71, 71]]);
});

test("the critical path may begin with the first bar of a lane, or pass it by", async () => {
  for (const [critical, starts] of [[[1, 0, 1], [[10, 80]]], [[0, 0, 0], []], [[null, 1, null], [[40]]]]) {
    const { model } = opened({ tables: { tasks: { ...TASKS, critical } } });
    await loadWindow(model, 0, 100, () => {});
    const tracks = model.traces[0].tiles[0].tracks.filter((track) => track.kind === "critical");
    assert.deepEqual(tracks.map((track) => [...track.start]), starts);
  }
});

test("a function without a name in the page has the last paint", async () => {
  const { model } = opened({ tables: { tasks: { ...TASKS, name: [-1, 1, 0] } } });
  await loadWindow(model, 0, 100, () => {});
  assert.deepEqual(bars(model.traces[0].tiles[0])[0][4], [29, 0, 1]);
});

test("by waits, a task has the paint of what it waited for most, and its wait is a bar before it", async () => {
  const { model } = opened({ mode: "wait", tables: { tasks: { ...TASKS, wait_data: [5, 30, 1], wait_scheduler: [6, 2, null] } } });
  await loadWindow(model, 0, 100, () => {});
  const [tile] = model.traces[0].tiles;
  assert.deepEqual(bars(tile), [
    ["tasks", 0, [10, 40, 80], [20, 60, 110], [81, 80, 99]],
    ["gaps", 0, [-1, 20, 79], [10, 40, 80], [81, 80, 80]],
  ]);
  model.match = [() => (i) => i === 0];
  await repaint(model);
  assert.deepEqual(bars(tile).map(([, , , , paint]) => paint), [[81, 69, 69], [81, 69, 69]]);
  Object.assign(model, { mode: "function", match: null });
  await repaint(model);
  assert.deepEqual(bars(tile).map(([kind]) => kind), ["tasks"]);
});

test("where one reason is kept, its waits alone are drawn, and tasks have its paint", async () => {
  const { model } = opened({ mode: "wait", tables: { tasks: { ...TASKS, wait_data: [5, 30, 1], wait_scheduler: [6, 2, null] } } });
  model.kept = { columns: ["wait_scheduler"], reason: 1, keeps: (_, track) => (i) => track.start[i] < 80 };
  await loadWindow(model, 0, 100, () => {});
  assert.deepEqual(bars(model.traces[0].tiles[0]), [
    ["tasks", 0, [10, 40, 80], [20, 60, 110], [81, 81, 69]],
    ["gaps", 0, [4, 38, 80], [10, 40, 80], [81, 81, 69]],
  ]);
});

test("a wait of a nanosecond has its paint where the task is as short", async () => {
  const { model } = opened({ mode: "wait", tables: { tasks: { lanes: [[0, 1]], start: [100], length: [10], name: [0], wait_data: [0], wait_scheduler: [1] } } });
  await loadWindow(model, 0, 100, () => {});
  assert.deepEqual(bars(model.traces[0].tiles[0])[0][4], [81]);
});

test("5 % of a task is hardly a wait", async () => {
  const { model } = opened({ mode: "wait", tables: { tasks: { lanes: [[0, 2]], start: [100, 400], length: [100, 100], name: [0, 0], wait_data: [5, 6] } } });
  await loadWindow(model, 0, 100, () => {});
  assert.deepEqual(bars(model.traces[0].tiles[0])[0][4], [99, 80]);
});

test("of two waits of one length the task has the paint of the first", async () => {
  const { model } = opened({ mode: "wait", tables: { tasks: { lanes: [[0, 1]], start: [100], length: [100], name: [0], wait_data: [30], wait_scheduler: [30] } } });
  await loadWindow(model, 0, 100, () => {});
  assert.deepEqual(bars(model.traces[0].tiles[0])[0][4], [80]);
});

test("what lies inside a bar that matches is as bright: pipes, blocked and lost times, on their lane alone", async () => {
  const lanes = [{ group: "aic", kind: "core" }, { group: "aic", kind: "pipe" }, { group: "aic", kind: "core" }];
  const { model } = opened({
    more: { lanes },
    tables: {
      tasks: { lanes: [[2, 1], [0, 3]], start: [0, 0, 100, 110], length: [300, 50, 100, 50], name: [0, 0, 1, 0] },
      marks: { lanes: [[1, 4]], start: [100, 150, 190, 205], length: [10, 50, 11, 5], name: [0, 0, 0, 0] },
      stalls: { lanes: [[0, 3]], start: [20, 115, 165], length: [5, 5, 5], name: [0, 0, 0] },
      lost: { lanes: [[2, 1]], start: [120], length: [5] },
    },
  });
  model.match = [(track) => (i) => track.kind === "tasks" && track.lane === 0 && track.start[i] === 100];
  await loadWindow(model, 0, 100, () => {});
  const told = bars(model.traces[0].tiles[0]).map(([kind, lane, start, , paint]) => [kind, lane, start.map((ns, i) => `${ns}:${paint[i]}`).join(" ")]);
  assert.deepEqual(told, [
    ["tasks", 2, "0:69"],
    ["tasks", 0, "0:69 100:0"],
    ["tasks", 0, "110:1"],
    ["marks", 1, "100:32 150:32 205:69"],
    ["marks", 1, "190:69"],
    ["stalls", 0, "20:69 115:68 165:68"],
    ["lost", 2, "120:69"],
  ]);
  model.match = [(track) => (i) => track.kind === "tasks" && track.start[i] === 110];
  await repaint(model);
  assert.deepEqual(bars(model.traces[0].tiles[0]).filter(([kind]) => kind === "stalls").map(([, , , , paint]) => paint), [[69, 68, 69]]);
});

test("a pipe is as bright as its core, in whichever order the table has them", async () => {
  const lanes = [{ group: "aic", kind: "core" }, { group: "aic", kind: "pipe" }];
  const { model } = opened({ more: { lanes }, tables: { marks: { lanes: [[1, 1], [0, 1]], start: [20, 0], length: [10, 100], name: [0, 1] } } });
  model.match = [(track) => () => track.lane === 0];
  await loadWindow(model, 0, 100, () => {});
  assert.deepEqual(bars(model.traces[0].tiles[0]).map(([, lane, , , paint]) => [lane, paint]), [[1, [32]], [0, [33]]]);
});

test("without waits in the trace there are no gaps", async () => {
  const { model } = opened({ mode: "wait", tables: { tasks: TASKS } });
  await loadWindow(model, 0, 100, () => {});
  assert.deepEqual(bars(model.traces[0].tiles[0]).map(([kind, , , , paint]) => [kind, paint]), [["tasks", [99, 99, 99]]]);
});

test("series have their scale, and are read once", async () => {
  const levels = [{ name: "ready", scale: 0.5 }];
  const { model } = opened({ tables: { tasks: TASKS, level0: { time: [1, 2], value: [4, 6] } }, more: { levels } });
  await loadWindow(model, 0, 100, () => {});
  const [{ time, value, ...about }] = model.traces[0].series;
  assert.deepEqual([about, [...time], [...value], model.traces[0].series.length], [{ name: "ready", scale: 0.5 }, [1, 2], [2, 3], 1]);
});

test("a tile without the series of its trace leaves it without", async () => {
  const { model } = opened({ tables: { tasks: TASKS }, more: { levels: [{ name: "ready", scale: 1 }] } });
  await loadWindow(model, 0, 100, () => {});
  assert.deepEqual(model.traces[0].series, []);
});

test("all columns are read when they are asked for", async () => {
  const { model } = opened({ tables: { tasks: { ...TASKS, token: [7, 8, 9] } } });
  await loadWindow(model, 0, 100, () => {});
  const [tile] = model.traces[0].tiles;
  assert.equal(tile.tables.tasks.values.has("token"), false);
  await loadColumns(tile);
  assert.deepEqual([...tile.tables.tasks.values.get("token")], [7, 8, 9]);
  await loadColumns(null);
});

/** A served trace of ten tiles without rows; what was asked for. */
function served() {
  makePage();
  const asked = [];
  globalThis.fetch = async (path) => {
    asked.push(path);
    return { json: async () => ({ tables: {} }) };
  };
  const tiles = Array.from({ length: 10 }, (_, k) => ({ name: `t${k}`, start_ns: 10 * k, end_ns: 10 * k + 9 }));
  const model = makeModel({ served: true, traces: [headerOf({ tiles, overview: { name: "all" } })] });
  return { model, asked };
}

test("a window loads its tiles and the overview, many tiles only the overview", async () => {
  const { model, asked } = served();
  await loadWindow(model, 0, 99, () => {});
  assert.deepEqual(asked, ["data/0/all"]);
  await loadWindow(model, 0, 29, () => {});
  assert.deepEqual(asked.slice(1), ["data/0/t0", "data/0/t1", "data/0/t2"]);
  await loadWindow(model, 9, 30, () => {});
  assert.deepEqual(asked.slice(4), []);
  await loadWindow(model, 20, 39, () => {});
  assert.deepEqual(asked.slice(4), ["data/0/t3"]);
  await loadWindow(model, 49, 50, () => {});
  assert.deepEqual(asked.slice(5), ["data/0/t4", "data/0/t5"], "up to both borders");
});

test("of the tiles outside the window six are kept", async () => {
  const { model } = served();
  for (let k = 0; k < 10; k++) await loadWindow(model, 10 * k, 10 * k + 9, () => {});
  await loadWindow(model, 90, 99, () => {});
  const [trace] = model.traces;
  assert.deepEqual(trace.tiles.map((tile) => Boolean(tile.tracks)), [false, false, false, true, true, true, true, true, true, true]);
  assert.deepEqual([trace.tiles[0].loading, trace.tiles[0].tables], [null, null]);
});
