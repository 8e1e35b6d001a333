// The search box: what is typed, which bars it means, and going from match to match.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findNext, matchers, parseQuery } from "../../../viewer/query.js";

const NOTHING = { words: [], exact: [], lanes: [], task: null, least: 0, most: Infinity, wrong: [] };

test("a text becomes words, cores, a task and limits", () => {
  assert.equal(parseQuery("  "), null);
  assert.deepEqual(parseQuery('QK ="Soft Max" =PV "two words" core:AIC3 task:R1T2'), {
    ...NOTHING, words: ["qk", "two words"], exact: ["Soft Max", "PV"], lanes: ["aic3"], task: "r1t2",
  });
  assert.deepEqual(parseQuery("dur>2us dur>=1us dur<5ms DUR<=3ms"), { ...NOTHING, least: 2000, most: 3e6 });
  assert.deepEqual(parseQuery("dur<3ms dur<5ms dur>1us dur>2us"), { ...NOTHING, least: 2000, most: 3e6 });
  assert.deepEqual(parseQuery("dur>x task:a-b task:-7"), { ...NOTHING, wrong: ["dur>x"], words: ["task:a-b"], task: "-7" });
});

const LANES = [
  { name: "AIC0", kind: "core", core: 0 },
  { name: "cube", kind: "pipe", core: 0 },
  { name: "AIC10", kind: "core", core: 10 },
  { name: "scheduler", kind: "controller", core: 3 },
];

/** Two lanes of tasks, one of phases; task ids are 5, 6, 7 by node. */
function traceOf(more = {}) {
  const table = (columns) => ({ values: new Map(Object.entries(columns)) });
  const trackOf = (kind, lane, start, end, columns) => ({ kind, lane, start, end, count: start.length, table: table(columns), rowAt: (i) => i });
  const tracks = [
    trackOf("tasks", 0, [0, 100, 300], [50, 250, 310], { name: [0, 1, 0], node: [0, 1, 2] }),
    trackOf("tasks", 2, [100, 400], [120, 500], { name: [1, 0], node: [1, 2] }),
    trackOf("phases", 3, [10], [20], { name: [1], task_high: [NaN], task_low: [NaN] }),
    trackOf("phases", 3, [10], [20], { name: [0], task_high: [0], task_low: [6] }),
  ];
  const header = { functions: [{ name: "QK" }, { name: "SoftMax" }], words: ["poll", "Soft"], lanes: LANES, task_ids: null };
  return { number: 0, header, tiles: [{ tracks }, { tracks: null }], ...more };
}

const GRAPH = { high: [0, 0, 0], low: [5, 6, 7] };

/** For each track the bars that match. */
function found(text, trace = traceOf()) {
  const [match] = matchers({ traces: [trace] }, parseQuery(text), [GRAPH]);
  return trace.tiles[0].tracks.map((track) => Array.from({ length: track.count }, (_, i) => i).filter(match(track)));
}

test("no query matches nothing in particular", () => assert.equal(matchers({ traces: [traceOf()] }, null, []), null));

test("names match by parts, or as a whole", () => {
  assert.deepEqual(found("soft"), [[1], [0], [0], []]);
  assert.deepEqual(found("soft max"), [[1], [0], [], []]);
  assert.deepEqual(found("=Soft"), [[], [], [0], []]);
  assert.deepEqual(found("=softmax"), [[], [], [], []]);
  assert.deepEqual(found("=SoftMax =QK"), [[], [], [], []]);
});

test("lengths match within their limits, these included", () => {
  assert.deepEqual(found("dur>50"), [[0, 1], [1], [], []]);
  assert.deepEqual(found("dur<50 dur>10"), [[0, 2], [0], [0], [0]]);
  assert.deepEqual(found("dur<49"), [[2], [0], [0], [0]]);
  assert.deepEqual(found("qk dur>51"), [[], [1], [], []]);
});

test("cores match by name, its beginning or their number, with their pipes", () => {
  assert.deepEqual(found("core:aic10"), [[], [0, 1], [], []]);
  assert.deepEqual(found("core:aic"), [[0, 1, 2], [0, 1], [], []]);
  assert.deepEqual(found("core:0"), [[0, 1, 2], [], [], []]);
  assert.deepEqual(found("core:sched"), [[], [], [0], [0]]);
  const inside = traceOf();
  inside.tiles[0].tracks[1].lane = 1;
  assert.deepEqual(found("core:aic0", inside), [[0, 1, 2], [0, 1], [], []]);
  assert.deepEqual(found("core:aic10", inside), [[], [], [], []]);
});

test("a task matches by its id or as the runtime prints it", () => {
  assert.deepEqual(found("task:6"), [[1], [0], [], [0]]);
  const ring = traceOf();
  ring.header.task_ids = "ring";
  assert.deepEqual(found("task:r0t7", ring), [[2], [1], [], []]);
  assert.deepEqual(found("task:7 qk dur>50", ring), [[], [1], [], []]);
});

const place = ({ count, bar }) => [count, bar && [bar.trace.number, bar.lane, bar.start]];

test("the next match is later, or in a later lane; after the last comes the first", async () => {
  const trace = traceOf();
  const model = { traces: [trace], match: matchers({ traces: [trace] }, parseQuery("soft"), [GRAPH]) };
  const next = async (here, backwards = false) => place(await findNext(model, parseQuery("soft"), here, backwards));
  assert.deepEqual(await next(null), [2, [0, 0, 100]]);
  assert.deepEqual(await next({ trace, lane: 0, start: 100 }), [2, [0, 2, 100]]);
  assert.deepEqual(await next({ trace, lane: 2, start: 100 }), [2, [0, 0, 100]]);
  assert.deepEqual(await next({ trace, lane: 2, start: 100 }, true), [2, [0, 0, 100]]);
  assert.deepEqual(await next({ trace, lane: 0, start: 100 }, true), [2, [0, 2, 100]]);
  assert.deepEqual(await next(null, true), [2, [0, 2, 100]]);
});

test("without a match function every task counts, in order of time", async () => {
  const trace = traceOf();
  const model = { traces: [trace], match: null };
  const steps = [];
  let here = null;
  for (let k = 0; k < 6; k++) {
    const answer = await findNext(model, parseQuery("x"), here, false);
    here = answer.bar;
    steps.push([answer.count, here.lane, here.start]);
  }
  assert.deepEqual(steps, [[5, 0, 0], [5, 0, 100], [5, 2, 100], [5, 0, 300], [5, 2, 400], [5, 0, 0]]);
});

test("of several traces the one that is looked at goes first", async () => {
  const [one, other] = [traceOf(), traceOf({ number: 1 })];
  const model = { traces: [one, other], match: null };
  assert.deepEqual(place(await findNext(model, parseQuery("x"), null, false)), [10, [0, 0, 0]]);
  assert.deepEqual(place(await findNext(model, parseQuery("x"), { trace: other, lane: 2, start: 100 }, false)), [10, [1, 0, 300]]);
  assert.deepEqual(place(await findNext({ ...model, match: [() => () => false, () => () => false] }, parseQuery("x"), null, false)), [0, null]);
});

test("a trace that the server holds is asked for there", async () => {
  const trace = traceOf({ overview: {}, number: 3 });
  const asked = [];
  globalThis.fetch = async (path, { method, body }) => {
    asked.push([path, method, JSON.parse(body)]);
    return { json: async () => ({ count: 4, bar: { lane: 2, start: 9 } }) };
  };
  const answer = await findNext({ traces: [trace] }, parseQuery("soft core:aic0 dur<1us task:5"), { trace, start: 7, row: 2 }, true);
  assert.deepEqual(answer, { count: 4, bar: { lane: 2, start: 9, trace } });
  await findNext({ traces: [trace] }, parseQuery("dur>5"), null, false);
  assert.deepEqual(asked, [
    ["data/3/match", "POST", { names: [1], lanes: [0, 1], task: "5", least: 0, most: 1000, start: 7, row: 2, backwards: true }],
    ["data/3/match", "POST", { names: null, lanes: null, task: null, least: 5, backwards: false }],
  ]);
});
