// What the page says of a bar, and ranks that meet at a collective.
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeBar, factList, factsOf, joined, nameLine, taskText } from "../../../viewer/facts.js";
import { meetingOf, showMeeting } from "../../../viewer/meeting.js";
import { barName } from "../../../viewer/model.js";
import { Element, makePage, told } from "./page.mjs";

const HEADER = {
  ...{ functions: [{ name: "QK", p50_ns: 100 }, { name: "PV" }], words: ["poll"], lanes: [{ name: "AIC0" }], task_ids: "ring", flags: { 1: "BACKWARDS", 4: "NO_CORE_RECORD" } },
  runs: [{ name: "run 0", completeness: "complete", slack_ns: 0 }, { name: "run 1", slack_ns: null }, { name: "run 2", slack_ns: 1500 }, { name: "run 3", slack_ns: 1 }],
};

/** A track of one kind with one bar from 1000 to 1150 in row 1 of its table. */
function trackOf(kind, columns) {
  const all = { name: 0, row: 12, ...columns };
  const values = new Map(Object.entries(all).map(([name, value]) => [name, [-5, value]]));
  return { kind, lane: 0, depth: 1, start: [0, 1000], end: [0, 1150], paint: [9, 3], rowAt: (i) => i, table: { values, forms: new Map(Object.keys(all).map((name) => [name, {}])) } };
}

function facts(kind, columns, { header = {}, nodes = null, ...more } = {}) {
  const trace = { header: { ...HEADER, ...header }, ...more };
  return factsOf(describeBar(trace, trackOf(kind, columns), 1), nodes).map((pair) => pair.join(": "));
}

test("a bar carries what its table says of it", () => {
  const trace = { header: HEADER };
  const track = trackOf("tasks", { merged: NaN });
  const { value, ...bar } = describeBar(trace, track, 1);
  assert.deepEqual(bar, { trace, kind: "tasks", lane: 0, depth: 1, start: 1000, end: 1150, name: 0, row: 12, paint: 3, at: 1, table: track.table, merged: null, text: "QK" });
  assert.deepEqual([value("row"), value("merged"), value("other")], [12, null, null]);
});

test("a task with everything that may be known", () => {
  const columns = { node: 1, run: 0, token: 7, block: 2, blocks: 4, dispatch: 300, receive: 50, finish: 25, wait_data: 40, wait_host_busy: 1, wait_queued: 0, flags: 4, "counter l2 hits": 1234, "counter none": NaN, critical: 1, bytes: 2048, pop_hit: 3 };
  assert.deepEqual(facts("tasks", columns, { nodes: { high: [0, 2], low: [0, 9] }, rankNumber: 0 }), [
    ...["rank: 0", "duration: 150 ns", "against median: +50.0 %", "core: AIC0", "task: r2t9", "run: run 0 (complete)", "token: 7", "block: 2 of 4"],
    ...["dispatch: 700 ns", "receive: 950 ns", "start: 1 µs", "end: 1.15 µs", "finish: 1.175 µs", "waited: data: 40 ns", "waited: host busy: 1 ns"],
    ...["flag: no core record", "l2 hits: 1,234", "critical path: yes", "pop hit: 3", "bytes: 2,048"],
  ]);
});

test("a task of which little is known says little", () => {
  const columns = { name: 1, task_high: 0, task_low: 5, blocks: 1, block: 0, critical: 0 };
  assert.deepEqual(facts("tasks", columns, { header: { task_ids: null, vocabulary: { lane: "stream" } } }), ["duration: 150 ns", "stream: AIC0", "task: 5", "start: 1 µs", "end: 1.15 µs"]);
});

test("the ratio to the median is a percentage, a factor from ten on", () => {
  const ratio = (p50_ns) => facts("tasks", {}, { header: { functions: [{ name: "QK", p50_ns }] } })[1];
  assert.deepEqual([300, 150, 100, 15.1, 15, 1].map(ratio), ["against median: −50.0 %", "against median: +0.0 %", "against median: +50.0 %", "against median: +893.4 %", "against median: 10×", "against median: 150×"]);
});

test("phases and marks have their lane and times", () => {
  assert.ok(facts("phases", { run: 3 }).includes("place: up to 1 ns later"));
  assert.deepEqual(facts("phases", { loop: 3, run: 2, task_high: NaN }), ["duration: 150 ns", "lane: AIC0", "run: run 2", "place: up to 1.500 µs later", "loop: 3", "start: 1 µs", "end: 1.15 µs"]);
  assert.deepEqual(facts("marks", { run: 1, task_high: 1, task_low: 2 }), ["duration: 150 ns", "lane: AIC0", "task: r1t2", "run: run 1", "place: not known", "start: 1 µs", "end: 1.15 µs"]);
});

test("merged bars say how many they are", () => {
  assert.deepEqual(facts("tasks", { merged: 1200 }, { rankNumber: 4 }), ["rank: 4", "bars here: 1,200", "lane: AIC0", "from: 1 µs", "to: 1.15 µs", ": Zoom in for single bars."]);
  assert.equal(facts("tasks", { merged: 1 })[0], "duration: 150 ns");
});

test("ids as runtimes print them", () => {
  assert.deepEqual([taskText(null, "5"), taskText("ring", null)], ["5", null]);
  assert.deepEqual(["5", String((3n << 32n) | 7n)].map((id) => taskText("ring", id)), ["r0t5", "r3t7"]);
  assert.deepEqual(["5", "-1", "-8", String((1n << 62n) | (6n << 32n) | 9n)].map((id) => taskText("graph", id)), ["t5", "p0", "p7", "g6t9"]);
  assert.deepEqual([joined(0, 5), joined(1, 0), joined(-1, 4294967295)], ["5", "4294967296", "-1"]);
});

test("names of bars", () => {
  const trace = { header: HEADER };
  const pairs = [["tasks", 1], ["tasks", -1], ["lost", 0], ["stalls", 0], ["stalls", 5], ["phases", 0], ["phases", 5], ["marks", 5]];
  assert.deepEqual(pairs.map(([kind, name]) => barName(trace, kind, name)), ["PV", "task", "records of this time were lost", "blocked: poll", "blocked: recording", "poll", "phase", "mark"]);
});

test("facts and names become text of elements", () => {
  makePage();
  assert.equal(told(factList([["a", "<b>"], ["", "wide"]])), 'dl.facts(dt("a") dd("<b>") dd.wide("wide"))');
  assert.equal(told(nameLine("<i>", "#fff")), 'div.name(span.swatch{background=#fff}("") span("<i>"))');
});

/** A rank whose collective 8 begins at a moment, in the second tile. */
function rankOf(number, start) {
  const tile = (meets, starts) => ({
    tables: { tasks: { column: async () => meets } },
    tracks: [
      { kind: "phases", count: 1, rowAt: () => 0 },
      { ...trackOf("tasks", {}), count: 2, start: starts, end: starts.map((one) => one + 10), rowAt: (i) => i },
    ],
  });
  return { number, rankNumber: 10 + number, header: HEADER, tiles: [{}, tile([NaN, 3], [0, 0]), tile([7, 8], [1, start])] };
}

test("ranks at the same collective, the last one first", async () => {
  makePage();
  const model = { job: { errors: [[0, 100, 50], [100, 0, null], [50, null, 0]] }, traces: [rankOf(0, 500), rankOf(1, 900), rankOf(2, 849)] };
  const selection = { trace: model.traces[1], value: (name) => (name === "meets" ? 8 : null) };
  const meeting = await meetingOf(model, selection);
  assert.deepEqual(meeting.map((bar) => [bar.trace.number, bar.start]), [[1, 900], [2, 849], [0, 500]]);
  assert.equal(await meetingOf(model, { value: () => null }), null);
  assert.equal(await meetingOf({ ...model, job: null }, selection), null);
  assert.equal(await meetingOf({ ...model, traces: [model.traces[0]] }, selection), null);
  assert.equal(await meetingOf(model, { value: () => 99 }), null);
  const [box, gone] = [new Element("div"), []];
  showMeeting({ model, meeting, selection }, box, (wanted) => gone.push([wanted.trace.number, wanted.start, wanted.length]));
  assert.deepEqual(box.children.map(told), [
    'p.tag meeting(b("same collective") span("3 ranks"))',
    'div.links(button{aria-pressed=true}(span.what("rank 11") span.when("last of those here")) button{aria-pressed=false}(span.what("rank 12") span.when("as late, within the clocks\' error")) button{aria-pressed=false}(span.what("rank 10") span.when("400 ns earlier")))',
  ]);
  await box.children[1].children[2].fire("click");
  assert.deepEqual(gone, [[0, 500, 10]]);
  model.job.errors[2][1] = 51;
  const within = new Element("div");
  showMeeting({ model, meeting, selection }, within, () => {});
  assert.match(within.textContent, /rank 12as late, within/);
  model.job.errors[2][1] = 50;
  const beyond = new Element("div");
  showMeeting({ model, meeting, selection }, beyond, () => {});
  assert.match(beyond.textContent, /rank 1251 ns earlier/);
});
