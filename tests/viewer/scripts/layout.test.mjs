// Rows of the canvas, and the address of the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fittingHeight, makeLayout, rowAt, rowOfLane, trackBox, traceLetter } from "../../../viewer/layout.js";
import { readLink, savePicture, writeLink } from "../../../viewer/link.js";
import { makePage } from "./page.mjs";

const LANES = [
  { name: "sched", kind: "controller", group: "Controllers" },
  { name: "c0", kind: "core", group: "aic cores" },
  { name: "cube", kind: "pipe", group: "aic cores" },
  { name: "c1", kind: "core", group: "aic cores" },
];
const OPTIONS = { laneHeight: 10, closed: new Set(), pipes: true, controllers: true };

function traceOf(number = 0, more = {}) {
  const tracks = [{ lane: 1, depth: 0 }, { lane: 1, depth: 2 }, { lane: 3, depth: 0 }];
  return { number, header: { name: `t${number}`, chip: "a5", makespan_ns: 1500, lanes: LANES }, tiles: [{ tracks }, {}], overview: null, series: [], ...more };
}

const told = (layout) => layout.rows.map(({ type, y, height, name, count, lane, depth, base, inner, series }) => [type, y, height, name ?? lane ?? series, count ?? depth, base, inner].filter((one) => one !== undefined).join(" "));

test("groups, then their lanes with their depths", () => {
  const layout = makeLayout({ traces: [traceOf()], job: null }, OPTIONS);
  assert.deepEqual(told(layout), ["group 0 21 Controllers 1", "lane 21 11 0 1 10 7", "group 32 21 aic cores 2", "lane 53 25 1 3 10 7", "lane 78 8 2 1 7 7", "lane 86 11 3 1 10 7"]);
  assert.equal(layout.height, 97);
});

test("what is closed or hidden has no rows", () => {
  const model = { traces: [traceOf()], job: null };
  assert.deepEqual(told(makeLayout(model, { ...OPTIONS, closed: new Set(["0:aic cores"]) })), ["group 0 21 Controllers 1", "lane 21 11 0 1 10 7", "group 32 21 aic cores 2"]);
  assert.deepEqual(told(makeLayout(model, { ...OPTIONS, pipes: false, controllers: false })), ["group 0 21 Controllers 0", "group 21 21 aic cores 2", "lane 42 25 1 3 10 7", "lane 67 11 3 1 10 7"]);
  assert.deepEqual(told(makeLayout(model, { ...OPTIONS, laneHeight: 5 }))[1], "lane 21 6 0 1 5 4");
});

test("pipes of lanes that have names are high enough for theirs", () => {
  const pipe = (laneHeight) => told(makeLayout({ traces: [traceOf()], job: null }, { ...OPTIONS, laneHeight }))[4].split(" ").slice(2).join(" ");
  assert.deepEqual([pipe(12), pipe(13), pipe(20)], ["9 2 1 8 8", "13 2 1 12 9", "15 2 1 14 14"]);
});

test("two traces have titles, a job has none and puts devices first", () => {
  const two = makeLayout({ traces: [traceOf(), traceOf(27)], job: null }, { ...OPTIONS, closed: new Set(["0:aic cores", "27:Controllers", "27:aic cores"]) });
  assert.deepEqual(told(two), [
    ...["title 0 26 A  ·  t0  ·  a5  ·  1.500 µs", "group 26 21 Controllers 1", "lane 47 11 0 1 10 7", "group 58 21 aic cores 2"],
    ...["title 79 26 B  ·  t27  ·  a5  ·  1.500 µs", "group 105 21 Controllers 1", "group 126 21 aic cores 2"],
  ]);
  const rank = (number) => traceOf(number, { rankNumber: number, header: { ...traceOf().header, lanes: LANES.map((lane) => ({ ...lane, group: `Rank ${number}` })) } });
  const job = makeLayout({ traces: [rank(0), rank(1)], job: {} }, { ...OPTIONS, pipes: false });
  assert.deepEqual(told(job), ["group 0 21 Rank 0 3", "lane 21 25 1 3 10 7", "lane 46 11 3 1 10 7", "lane 57 11 0 1 10 7", "group 68 21 Rank 1 3", "lane 89 25 1 3 10 7", "lane 114 11 3 1 10 7", "lane 125 11 0 1 10 7"]);
});

test("interleaved lanes of one name lie together", () => {
  const options = { ...OPTIONS, interleaved: true, laneHeight: 5 };
  const two = makeLayout({ traces: [traceOf(0), traceOf(1)], job: null }, options);
  const lanes = two.rows.map((row) => (row.type === "lane" ? `${row.about.name} ${row.base}` : `${row.name} ${row.count}`));
  assert.deepEqual(lanes, ["Controllers 2", "A sched 12", "B sched 12", "aic cores 4", "A c0 12", "B c0 12", "A cube 8", "B cube 8", "A c1 12", "B c1 12"]);
  const closed = makeLayout({ traces: [traceOf(0), traceOf(1)], job: null }, { ...options, closed: new Set(["all:aic cores"]) });
  assert.equal(closed.rows.length, 4);
  assert.equal(rowOfLane(closed, traceOf(1), 3).key, "all:aic cores");
  const one = makeLayout({ traces: [traceOf(0)], job: null }, options);
  assert.equal(one.rows[1].about.name, "sched");
});

test("a trace that was moved says so in its title", () => {
  const titles = makeLayout({ traces: [traceOf(0, { moved: -1500 }), traceOf(1)], job: null }, OPTIONS).rows.filter((row) => row.type === "title");
  assert.deepEqual(titles.map((row) => row.name), ["A  ·  t0  ·  a5  ·  1.500 µs  ·  moved by −1.500 µs", "B  ·  t1  ·  a5  ·  1.500 µs"]);
});

test("the lane of the critical path has room for names, however low the others are", () => {
  const lanes = [{ name: "critical path", kind: "path", group: "Critical path" }];
  const of = (laneHeight) => makeLayout({ traces: [traceOf(0, { header: { lanes, path: { waiting: "5 % waiting" } }, tiles: [] })], job: null }, { ...OPTIONS, laneHeight }).rows;
  assert.deepEqual([of(5)[1].base, of(13)[1].base, of(20)[1].base, of(5)[0].count], [14, 14, 20, "5 % waiting"]);
});

test("series stand in a group of their own", () => {
  const model = { traces: [traceOf(0, { header: { lanes: [] }, series: ["one", "two"] })], job: null };
  assert.deepEqual(told(makeLayout(model, OPTIONS)), ["group 0 21 Counters 2", "series 21 34 one", "series 55 34 two"]);
  assert.deepEqual(told(makeLayout(model, { ...OPTIONS, closed: new Set(["0:series"]) })), ["group 0 21 Counters 2"]);
});

test("letters of traces go round", () => assert.deepEqual([0, 1, 25, 26].map(traceLetter), ["A", "B", "Z", "A"]));

test("lanes are as high as fits; where they do not fit, names can be read", () => {
  const model = (count, traces = 1, job = null) => {
    const lanes = Array.from({ length: count }, (_, k) => ({ name: `c${k}`, kind: "core", group: "cores" }));
    const one = (number) => traceOf(number, { header: { name: "t", lanes, chip: "", makespan_ns: 1 }, tiles: [{ tracks: [{ lane: 0, depth: 1 }] }] });
    return { traces: Array.from({ length: traces }, (_, k) => one(k)), job };
  };
  const options = { ...OPTIONS, laneHeight: null };
  for (const [of, least, heights] of [[model(15), 13, [1000, 400, 300]], [model(15, 2), 5, [1000, 500, 300]], [model(15, 1, {}), 10, [1000, 300, 220]]]) {
    for (const height of heights) {
      const found = fittingHeight(of, options, height);
      const needs = (laneHeight) => makeLayout(of, { ...options, laneHeight }).height;
      assert.ok(found >= least && found <= 22 && needs(found) <= height, `${found} in ${height}`);
      assert.ok(found === 22 || needs(found + 1) > height, `no more than ${found} in ${height}`);
    }
    assert.equal(fittingHeight(of, options, 100), 13);
  }
});

test("a depth of a lane has its place", () => {
  const row = { y: 50, base: 10, inner: 7 };
  assert.deepEqual([0, 1, 2].map((depth) => trackBox(row, depth)), [{ top: 51, height: 9 }, { top: 61, height: 6 }, { top: 68, height: 6 }]);
});

test("the row at a height, and the row of a lane", () => {
  const trace = traceOf();
  const layout = makeLayout({ traces: [trace], job: null }, OPTIONS);
  assert.deepEqual([-1, 0, 20, 21, 31, 32, 96, 97].map((y) => rowAt(layout, y)?.y ?? null), [null, 0, 0, 21, 21, 32, 86, null]);
  assert.equal(rowOfLane(layout, trace, 3).y, 86);
  const closed = makeLayout({ traces: [trace, traceOf(1)], job: null }, { ...OPTIONS, closed: new Set(["0:aic cores"]) });
  assert.deepEqual([rowOfLane(closed, trace, 3).key, rowOfLane(closed, trace, 0).type, rowOfLane(closed, traceOf(2), 3)], ["0:aic cores", "lane", null]);
  assert.equal(rowOfLane(layout, trace, 99), null);
});

const scene = (more = {}) => ({ view: { t0: 1.4, t1: 9.6 }, selection: null, model: { mode: "function" }, search: "", made: { pins: [], notes: [] }, ...more });

test("the address says what is shown", () => {
  makePage();
  writeLink(scene());
  assert.equal(location.hash, "#t=1_10");
  const selection = { trace: { number: 1 }, lane: 4, start: 77, kind: "tasks" };
  writeLink(scene({ selection, model: { mode: "wait" }, search: "a b" }));
  assert.equal(location.hash, "#t=1_10&s=1_4_77_tasks&q=a+b&c=wait");
  location.protocol = "about:";
  writeLink(scene());
  assert.equal(location.hash, "#t=1_10&s=1_4_77_tasks&q=a+b&c=wait");
});

test("the address is not written where it says so already", () => {
  makePage();
  location.hash = "#t=1_10";
  history.replaceState = () => assert.fail("written");
  writeLink(scene());
});

test("what the address does not say is null", () => {
  makePage();
  const traces = ["first", "second"];
  const read = (hash) => {
    location.hash = hash;
    return readLink({ traces });
  };
  assert.deepEqual(read(""), { range: null, bar: null, search: null, verdict: null, interleaved: false, moves: [0, 0], mode: null, area: null, made: null });
  assert.deepEqual([read("#i=1").interleaved, read("#i=2").interleaved, readLink({ traces: [{ header: { lanes: [] } }] }).interleaved], [true, false, false]);
  location.hash = "#i=1";
  assert.equal(readLink({ traces: [{ header: { lanes: [] } }] }).interleaved, false, "one trace has nothing to stand beside");
  assert.deepEqual(read("#t=1_10&s=1_4_77_tasks&q=a+b&c=wait"), { range: [1, 10], bar: { trace: "second", lane: 4, start: 77, kind: "tasks" }, search: "a b", verdict: null, interleaved: false, moves: [0, 0], mode: "wait", area: null, made: null });
  for (const wrong of ["#t=10_10", "#t=10_1", "#t=1", "#t=1_2_3", "#t=a_b"]) assert.equal(read(wrong).range, null, wrong);
  for (const wrong of ["#s=2_4_77_tasks", "#s=0_4_x_tasks"]) assert.equal(read(wrong).bar, null, wrong);
  assert.deepEqual([read("#c=deviation").mode, read("#c=other").mode], ["deviation", null]);
});

test("a picture has title, axis and lanes", () => {
  makePage();
  const [canvas, axis] = [{ tag: "lanes", width: 300, height: 200 }, { tag: "axis", height: 20 }];
  const made = [];
  const create = document.createElement;
  document.createElement = (tag) => {
    const element = create(tag);
    made.push(element);
    return element;
  };
  URL.createObjectURL = (blob) => `url of ${blob}`;
  globalThis.setTimeout = () => {};
  const traces = [{ header: { name: "run 1" } }, { header: { name: "b" } }];
  savePicture({ model: { traces }, view: { ratio: 2 }, theme: { back: "white", text: "black" } }, axis, canvas);
  const [picture, anchor] = made;
  assert.deepEqual([picture.width, picture.height, anchor.href, anchor.download], [300, 280, "url of blob", "run_1_and_b.png"]);
  assert.deepEqual(picture.context.taken(), ["fillRect 0 0 300 280 white", 'text "run 1 and b" 24 30 black left 600 26px', "drawImage axis 0 60", "drawImage lanes 0 80"]);
  savePicture({ model: { traces, job: { name: "é" } }, view: { ratio: 1 }, theme: {} }, axis, canvas);
  assert.equal(made[3].download, "_.png");
});
