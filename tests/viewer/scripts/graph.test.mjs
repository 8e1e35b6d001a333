// Neighbours of a task in the graph: found in the page, or asked for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadNodes, neighboursOf } from "../../../viewer/graph.js";

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

test("nodes that did not run are passed through, every run of a task is a neighbour", async () => {
  const trace = traceOf();
  const [second, third, again] = [bar(4, 20, 8, 1, 8, "12"), bar(5, 30, 1, 2, 9, "4294967309"), bar(5, 40, 4, 1, 6, "12")];
  const first = bar(4, 0, 5, 0, 7, "10");
  assert.deepEqual(await neighboursOf({ trace, at: 0 }), { before: { count: 0, bars: [] }, after: { count: 3, bars: [third, second, again] } });
  assert.deepEqual(await neighboursOf({ trace, at: 1 }), { before: { count: 1, bars: [first] }, after: { count: 0, bars: [] } });
  assert.deepEqual(await neighboursOf({ trace, at: 2 }), { before: { count: 1, bars: [first] }, after: { count: 0, bars: [] } });
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
  const { after } = await neighboursOf({ trace, at: 0 });
  assert.deepEqual([after.count, after.bars.length, after.bars[399].row], [401, 400, 400]);
});

test("without edges or tasks there are no neighbours", async () => {
  const none = { before: { count: 0, bars: [] }, after: { count: 0, bars: [] } };
  for (const name of ["edges", "tasks"]) {
    const trace = traceOf();
    trace.tiles[0].tables[name].rows = 0;
    assert.deepEqual(await neighboursOf({ trace, at: 0 }), none);
  }
});

test("the server is asked where it holds the trace", async () => {
  globalThis.fetch = async (path, { body }) => ({ json: async () => [path, body] });
  assert.deepEqual(await neighboursOf({ trace: { overview: {}, number: 2 }, row: 5 }), ["data/2/neighbours", '{"row":5}']);
});

test("ids of the nodes are the page's own", async () => {
  const { high, low } = await loadNodes(traceOf());
  assert.deepEqual([[...high], [...low]], [[0, 0, 0, 1], [10, 11, 12, 13]]);
  assert.equal(await loadNodes({ tiles: [] }), null);
});
