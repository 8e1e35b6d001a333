// Neighbours of a task in the graph: found in the page, or asked for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadNodes, neighboursOf, pathBetween } from "../../../viewer/graph.js";

const tableOf = (columns, more = {}) => ({
  rows: Object.values(columns)[0].length,
  column: async (name) => Float64Array.from(columns[name]),
  ...more,
});

/** Nodes 0 → 1 → 2 and 0 → 3; node 1 never ran, node 2 ran twice. Ends stand in `length`. */
function traceOf() {
  const tables = {
    nodes: tableOf({ high: [0, 0, 0, 1], low: [10, 11, 12, 13] }),
    edges: tableOf({ pred: [0, 1, 0], step: [1, 1, 3] }),
    tasks: tableOf({ node: [0, 2, 3, 2], start: [0, 20, 30, 40], length: [5, 28, 31, 44], name: [0, 1, 2, 1], row: [7, 8, 9, 6] }, { lanes: [[4, 2], [5, 2]] }),
  };
  return { number: 0, tiles: [{ tables }], overview: null };
}

const bar = (lane, start, length, name, row, task) => ({ lane, start, length, name, row, task });
const near = (...bars) => ({ count: bars.length, fan: new Set(bars.map((one) => one.task)).size, cut: false, bars: bars.map((one) => ({ ...one, hop: 1, via: -1 })) });

test("nodes that did not run are passed through, every run of a task is a neighbour", async () => {
  const trace = traceOf();
  const [second, third, again] = [bar(4, 20, 8, 1, 8, "12"), bar(5, 30, 1, 2, 9, "4294967309"), bar(5, 40, 4, 1, 6, "12")];
  const first = bar(4, 0, 5, 0, 7, "10");
  assert.deepEqual(await neighboursOf({ trace, at: 0 }, 1), { before: near(), after: near(second, third, again) });
  assert.deepEqual(await neighboursOf({ trace, at: 1 }, 1), { before: near(first), after: near() });
  assert.deepEqual(await neighboursOf({ trace, at: 2 }, 5), { before: near(first), after: near() });
});

test("a task that many others wait for shows the first 400", async () => {
  const trace = traceOf();
  const count = 401;
  const numbers = Array.from({ length: count + 1 }, (_, i) => i);
  trace.tiles[0].tables = {
    nodes: tableOf({ high: numbers.map(() => 0), low: numbers }),
    edges: tableOf({ pred: numbers.slice(1).map(() => 0), step: numbers.slice(1) }),
    tasks: tableOf({ node: numbers, start: numbers, length: numbers, name: numbers, row: numbers }, { lanes: [[0, count + 1]] }),
  };
  const { after } = await neighboursOf({ trace, at: 0 }, 1);
  assert.deepEqual([after.count, after.bars.length, after.bars[399].row], [401, 400, 400]);
});

test("without edges or tasks there are no neighbours", async () => {
  const none = { before: near(), after: near() };
  for (const name of ["edges", "tasks"]) {
    const trace = traceOf();
    trace.tiles[0].tables[name].rows = 0;
    assert.deepEqual(await neighboursOf({ trace, at: 0 }, 1), none);
    assert.deepEqual(await pathBetween({ trace, at: 0 }, { trace, at: 1 }), { count: 0, bars: [] });
  }
});

test("the server is asked where it holds the trace", async () => {
  globalThis.fetch = async (path, { body }) => ({ json: async () => [path, body] });
  const trace = { overview: {}, number: 2 };
  assert.deepEqual(await neighboursOf({ trace, row: 5 }, 3), ["data/2/neighbours", '{"row":5,"hops":3}']);
  assert.deepEqual(await pathBetween({ trace, row: 5 }, { trace, row: 9 }), ["data/2/path", '{"from":5,"to":9}']);
});

test("ids of the nodes are the page's own", async () => {
  const { high, low } = await loadNodes(traceOf());
  assert.deepEqual([[...high], [...low]], [[0, 0, 0, 1], [10, 11, 12, 13]]);
  assert.equal(await loadNodes({ tiles: [] }), null);
});

/** 0 → 1 → 4, 0 → 2 → (3 did not run) → 4 → 5; 2 ends after 1. 6 stands alone and began after all. Edges as pred, step. */
function chainOf() {
  const numbers = [0, 1, 2, 3, 4, 5, 6];
  const tables = {
    nodes: tableOf({ high: numbers.map(() => 0), low: numbers }),
    edges: tableOf({ pred: [0, 0, 1, 2, 3, 4, 0], step: [1, 2, 3, 1, 1, 1, 6] }),
    tasks: tableOf({ node: [0, 1, 2, 4, 5, 6], start: [0, 10, 10, 30, 40, 90], length: [5, 15, 20, 35, 45, 95], name: [0, 0, 0, 0, 0, 0], row: [0, 1, 2, 3, 4, 5] }, { lanes: [[0, 6]] }),
  };
  return { number: 0, tiles: [{ tables }], overview: null };
}

test("neighbours over several hops say how far they are and what led there", async () => {
  const trace = chainOf();
  const told = ({ bars }) => bars.map(({ row, hop, via }) => `${row} ${hop} ${via}`);
  const { before, after } = await neighboursOf({ trace, at: 0 }, 2);
  assert.deepEqual([told(before), told(after), after.fan, after.count], [[], ["1 1 -1", "2 1 -1", "5 1 -1", "3 2 0"], 3, 4]);
  const back = (await neighboursOf({ trace, at: 4 }, 9)).before;
  assert.deepEqual([told(back), back.fan], [["3 1 -1", "1 2 0", "2 2 0", "0 3 1"], 1]);
});

test("a path goes back over what ended last, through nodes that did not run", async () => {
  const trace = chainOf();
  const path = async (from, to) => (await pathBetween({ trace, at: from }, { trace, at: to })).bars.map(({ row }) => row);
  assert.deepEqual([await path(0, 4), await path(1, 4), await path(2, 3), await path(3, 3)], [[0, 2, 3, 4], [1, 3, 4], [2, 3], [3]]);
  assert.deepEqual([await path(4, 0), await path(1, 2), await path(5, 4), await path(0, 5)], [[], [], [], [0, 5]]);
});

test("what touches the time between two tasks is looked at, what ran before or behind it is not", async () => {
  const numbers = [0, 1, 2, 3, 4];
  const path = async (middle) => {
    const spans = [[10, 20], [40, 50], [60, 70], ...middle];
    const tables = {
      nodes: tableOf({ high: numbers.map(() => 0), low: numbers }),
      edges: tableOf({ pred: [0, 0, 1, 3], step: [1, 3, 1, -1] }),
      tasks: tableOf({ node: numbers.slice(0, spans.length), start: spans.map(([from]) => from), length: spans.map(([, to]) => to), name: spans.map(() => 0), row: numbers.slice(0, spans.length) }, { lanes: [[0, spans.length]] }),
    };
    const trace = { number: 0, tiles: [{ tables }], overview: null };
    return (await pathBetween({ trace, at: 0 }, { trace, at: 2 })).bars.map(({ row }) => row);
  };
  assert.deepEqual(await path([[70, 80]]), [0, 3, 2], "it begins as the other ends");
  assert.deepEqual(await path([[71, 80]]), [0, 1, 2]);
  assert.deepEqual(await path([[5, 10]]), [0, 1, 2], "it ended earlier than the other one before");
});

test("what ends as the first task begins lies between", async () => {
  const numbers = [0, 1, 2];
  const ended = async (end) => {
    const tables = {
      nodes: tableOf({ high: [0, 0, 0], low: numbers }),
      edges: tableOf({ pred: [0, 1], step: [1, 1] }),
      tasks: tableOf({ node: numbers, start: [10, 0, 30], length: [20, end, 40], name: [0, 0, 0], row: numbers }, { lanes: [[0, 3]] }),
    };
    const trace = { number: 0, tiles: [{ tables }], overview: null };
    return (await pathBetween({ trace, at: 0 }, { trace, at: 2 })).count;
  };
  assert.deepEqual([await ended(10), await ended(9)], [3, 0]);
});

test("edges in a circle end", async () => {
  const trace = chainOf();
  trace.tiles[0].tables.edges = tableOf({ pred: [0, 1, 4], step: [1, 3, -3] });
  const { bars } = await pathBetween({ trace, at: 0 }, { trace, at: 3 });
  assert.deepEqual(bars.map(({ row }) => row), [0, 1, 3]);
});
