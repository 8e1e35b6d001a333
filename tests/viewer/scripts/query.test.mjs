// The search box: what is typed, the plan that it becomes, which bars it means and in which order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answerHere, columnsOf, matcherOf } from "../../../viewer/matching.js";
import { parseQuery, planOf, seriesFound } from "../../../viewer/query.js";

const LANES = [
  { name: "AIC0", kind: "core", core: 0, group: "Rank 3" },
  { name: "cube", kind: "pipe", core: 0, group: "Rank 3" },
  { name: "AIC10", kind: "core", core: 10, group: "Rank 4" },
  { name: "scheduler", kind: "controller", core: null, group: "Controllers" },
];
const RUNS = [{ name: "rank 3 run 5" }, { name: "rank 4 run 5" }, { name: "rank 4 run 6" }];

/** Two lanes of tasks, marks on a pipe, two tracks of phases, a stall; task ids are 5, 6, 7 by node. */
function traceOf(more = {}) {
  const table = (columns) => ({ values: new Map(Object.entries(columns)) });
  const trackOf = (kind, lane, start, end, columns) => ({ kind, lane, start, end, count: start.length, table: table(columns), rowAt: (i) => i });
  const tracks = [
    trackOf("tasks", 0, [0, 100, 300], [50, 250, 310], { name: [0, 1, 0], node: [0, 1, 2], run: [0, 0, 0], wait_data: [0, 9, 20], wait_switch: [0, 2, NaN] }),
    trackOf("tasks", 2, [100, 400], [120, 500], { name: [1, 0], node: [1, 2], run: [1, 2], wait_data: [5, 0] }),
    trackOf("phases", 3, [10], [20], { name: [1], task_high: [NaN], task_low: [NaN], run: [2] }),
    trackOf("phases", 3, [10], [20], { name: [0], task_high: [0], task_low: [6], run: [0] }),
    trackOf("marks", 1, [10, 110], [40, 110], { name: [2, 0] }),
    trackOf("stalls", 0, [60], [70], { name: [0] }),
  ];
  const header = { functions: [{ name: "QK" }, { name: "SoftMax" }], words: ["poll", "Soft", "load|x"], lanes: LANES, runs: RUNS, task_ids: null };
  const nodes = { high: [0, 0, 0], low: [5, 6, 7] };
  return { number: 0, header, nodes, series: [{ name: "ready soft" }, { name: "queue" }], tiles: [{ tracks }, { tracks: null }], ...more };
}

/** For each track the bars that match. */
function found(text, trace = traceOf()) {
  const match = matcherOf(trace, planOf(trace, parseQuery(text)));
  return trace.tiles[0].tracks.map((track) => Array.from({ length: track.count }, (_, i) => i).filter(match(track)).join(",")).join(" ");
}

test("an empty text is no query", () => assert.equal(parseQuery("  "), null));

test("names match by parts, as a whole, by alternatives and by patterns", () => {
  assert.equal(found("soft"), "1 0 0   ");
  assert.equal(found("soft max"), "1 0    ");
  assert.equal(found("=Soft"), "  0   ");
  assert.equal(found("=softmax"), "     ");
  assert.equal(found("=SoftMax =QK"), "     ");
  assert.equal(found("=SoftMax|=poll"), "1 0  0 1 ");
  assert.equal(found("soft|poll"), "1 0 0 0 1 0");
  assert.equal(found("/^s.*x$|^p/"), "1 0  0 1 ");
  assert.equal(found('"load|x"'), "    0 ");
  assert.equal(found("=load|x"), "    0 ");
  assert.equal(found('="load|x"'), "    0 ");
  assert.equal(found("/soft max/"), "     ");
  assert.equal(found("blocked: poll"), "     0");
});

test("a pipe's name finds all marks on it, also beside another word", () => {
  assert.equal(found("cube"), "    0,1 ");
  assert.equal(found("cube poll"), "    1 ");
});

test("a quote inside quotes is written twice", () => {
  const trace = traceOf();
  trace.header.functions[0].name = 'a "b" c';
  assert.equal(found('="a ""b"" c"', trace), "0,2 1    ");
});

test("lengths match within their limits, these included", () => {
  assert.equal(found("dur>50"), "0,1 1    ");
  assert.equal(found("dur<50 dur>10"), "0,2 0 0 0 0 0");
  assert.equal(found("dur<49"), "2 0 0 0 0,1 0");
  assert.equal(found("qk dur>51"), " 1    ");
  assert.equal(found("dur>20 dur>60 dur<1us dur<120"), " 1    ");
});

test("waits match tasks, by one reason, by several or by all of them", () => {
  assert.equal(found("wait:data>9"), "1,2     ");
  assert.equal(found("wait:data"), "1,2 0    ");
  assert.equal(found("wait:data<5"), "0 0,1    ");
  assert.equal(found("WAIT>11ns"), "1,2     ");
  assert.equal(found("wait:data|switch>11 wait:data<10"), "1     ");
  assert.deepEqual(columnsOf(planOf(traceOf(), parseQuery("wait:data task:5 run:5"))), ["wait_data", "node", "task_high", "task_low", "run"]);
});

test("cores match by name, its beginning, a star or their number, with their pipes", () => {
  assert.equal(found("core:aic10"), " 0,1    ");
  assert.equal(found("core:aic"), "0,1,2 0,1   0,1 0");
  assert.equal(found("core:aic*"), "0,1,2 0,1   0,1 0");
  assert.equal(found("core:*10"), " 0,1    ");
  assert.equal(found("core:a*c*0 qk"), "0,2 1    ");
  assert.equal(found("core:a*00"), "     ");
  assert.equal(found("core:0"), "0,1,2    0,1 0");
  assert.equal(found("core:10 core:sched"), " 0,1 0 0  ");
  assert.equal(found("core:10|sched qk|poll"), " 1  0  ");
});

test("ranks match by group or by run, runs by the source's number", () => {
  assert.equal(found("rank:3"), "0,1,2   0 0,1 0");
  assert.equal(found("rank:4"), " 0,1 0   ");
  assert.equal(found("rank:4 run:6"), " 1 0   ");
  assert.equal(found("run:5"), "0,1,2 0  0  ");
  assert.equal(found("run:5|6"), "0,1,2 0,1 0 0  ");
  assert.equal(found("run:x"), "     ");
  assert.equal(found("rank:3", traceOf({ rankNumber: 7 })), "     ");
  assert.equal(found("rank:7", traceOf({ rankNumber: 7 })), "0,1,2 0,1 0 0 0,1 0");
});

test("a task matches by its id or as the runtime prints it", () => {
  assert.equal(found("task:6"), "1 0  0  ");
  const ring = traceOf();
  ring.header.task_ids = "ring";
  assert.equal(found("task:r0t7", ring), "2 1    ");
  assert.equal(found("task:7 qk dur>50", ring), " 1    ");
  assert.equal(found("task:a-b", ring), "     ");
});

test("what makes no sense is said", () => {
  assert.deepEqual(parseQuery("dur>x").wrong, ["no such time: dur>x"]);
  assert.deepEqual(parseQuery("/(a/ ok").wrong, ["/(a/: a ( has no )"]);
  assert.match(parseQuery("wait:nobody>5").wrong[0], /^no such reason: nobody; known: data, scheduler/);
  assert.throws(() => planOf(traceOf(), parseQuery("/x/"), 0), /takes too long/);
  const clock = performance.now;
  performance.now = () => 1000;
  assert.equal(planOf(traceOf(), parseQuery("/x/"), 1000).least, 0, "it ends when the time is over");
  performance.now = clock;
  assert.deepEqual(parseQuery("/a").wrong, []);
});

test("counters are found by name, where nothing but names is asked for", () => {
  const names = (text) => seriesFound(traceOf(), parseQuery(text)).map(({ name }) => name);
  assert.deepEqual([names("ready"), names("/q|x/"), names("soft dur>5"), names("dur>5"), names("soft core:0")], [["ready soft"], ["queue"], [], [], []]);
  for (const more of ["rank:3", "run:5", "wait:data", "task:5", "dur<5", "lane:aic"]) assert.deepEqual(names(`soft ${more}`), [], more);
});

const listed = ({ bars }) => bars.map(({ kind, lane, start }) => `${kind[0]}${lane}@${start}`).join(" ");

test("matches are in order of time, lane and kind, a page at a time", () => {
  const trace = traceOf();
  const plan = planOf(trace, parseQuery("dur>0"));
  const all = "t0@0 m1@10 p3@10 p3@10 s0@60 t0@100 t2@100 m1@110 t0@300 t2@400";
  assert.equal(listed(answerHere(trace, plan, { limit: 100 })), all);
  const pages = [0, 3, 6, 9].map((offset) => listed(answerHere(trace, plan, { limit: 3, offset })));
  assert.equal(pages.join(" "), all);
  assert.deepEqual(answerHere(trace, plan, { limit: 3, offset: 7 }).offset, 6);
  assert.deepEqual([-4, 9, 10, 99].map((offset) => answerHere(trace, plan, { limit: 3, offset }).offset), [0, 9, 9, 9]);
  const lone = planOf(trace, parseQuery("dur>101"));
  const only = { kind: "tasks", lane: 0, start: 100, length: 150, name: 1, at: 1 };
  assert.deepEqual(answerHere(trace, lone, { limit: 1, from: only }), { count: 1, at: 1, offset: 0, bars: [only] });
  const none = planOf(trace, parseQuery("nothing"));
  assert.deepEqual(answerHere(trace, none, { limit: 3 }), { count: 0, at: 0, offset: 0, bars: [] });
});

test("of bars that are alike the first of the table is first", () => {
  const trace = traceOf();
  const [track] = trace.tiles[0].tracks;
  const alike = (row) => ({ ...track, start: [10], end: [20], count: 1, table: { values: new Map([["name", { [row]: 0 }]]) }, rowAt: () => row });
  trace.tiles = [{ tracks: [alike(7), alike(3)] }];
  const { bars } = answerHere(trace, planOf(trace, parseQuery("QK")), { limit: 9 });
  assert.deepEqual(bars.map((bar) => bar.at), [3, 7]);
});

test("the next match is after a bar, the last one before it", () => {
  const trace = traceOf();
  const plan = planOf(trace, parseQuery("dur>0"));
  const { bars } = answerHere(trace, plan, { limit: 100 });
  const beside = (from, backwards) => answerHere(trace, plan, { limit: 100, from, backwards }).at;
  assert.deepEqual(bars.map((bar) => beside(bar, false)), [1, 2, 4, 4, 5, 6, 7, 8, 9, 10]);
  assert.deepEqual(bars.map((bar) => beside(bar, true)), [-1, 0, 1, 1, 3, 4, 5, 6, 7, 8]);
  assert.equal(beside({ kind: "tasks", lane: 0, start: 70, length: 1 }, false), 5);
  assert.equal(beside({ kind: "tasks", lane: 0, start: 0, length: 51 }, false), 0);
});

test("a plan has the names of every kind of bar as codes", () => {
  const trace = traceOf();
  const lanes = [0, 1, 2, 3];
  const part = (kind, names) => ({ kind, lanes, names, runs: null });
  const limits = { waits: [], task: null, least: 0, most: null };
  assert.deepEqual(planOf(trace, parseQuery("o")), { parts: [part("tasks", [1]), part("phases", [0, 1, 2]), part("marks", [0, 1, 2]), part("stalls", [0, 1, 2]), part("lost", [0])], ...limits });
  assert.deepEqual(planOf(trace, parseQuery("records|qk")), { parts: [part("tasks", [0]), part("lost", [0])], ...limits });
});
