// The panel at the right: what it says, as text of elements.
import assert from "node:assert/strict";
import { test } from "node:test";
import { showFunctions, showShape } from "../../../viewer/functions.js";
import { showGroups, showHead, showLegend, showSelection } from "../../../viewer/panel.js";
import { makePage, told } from "./page.mjs";

const PAINTS = Array.from({ length: 112 }, (_, k) => `p${k}`);
const func = (name, more) => ({ name, count: 3, total_ns: 3000, p50_ns: 900, min_ns: 800, p99_ns: 1200, max_ns: 1300, ...more });

function headerOf(more = {}) {
  return {
    ...{ name: "run", chip: "a5", makespan_ns: 5000, functions: [func("QK")], lanes: [{ name: "c0", kind: "core" }, { name: "cube", kind: "pipe" }], task_ids: null },
    ...{ counts: { tasks: 1200, stalls: 0, lost: 0 }, losses: { lost: 0, stall_ns: 0, broken: false, unknown: false }, notes: [], reasons: [], words: [], flags: {} },
    ...more,
  };
}

function sceneOf(headers, more = {}) {
  const page = makePage();
  const traces = headers.map((header, number) => ({ number, rankNumber: 10 + number, header, rank: [0], tiles: [{ tracks: null }] }));
  const model = { traces, functions: [], mode: "function", job: null, start: 0, end: 7000, ...more };
  return { page, scene: { model, theme: { paints: PAINTS }, chosen: null, options: { closed: new Set(), pipes: true, controllers: false }, layout: { rows: [] } } };
}

const inside = (element) => element.children.map(told);

test("without a selection the panel says how to make one", () => {
  const { page, scene } = sceneOf([headerOf()]);
  showSelection(scene, () => {});
  assert.deepEqual(inside(page.element("selection")), ['p.hint("Click a bar, or press Enter in the timeline.")']);
});

const bar = (k) => ({ lane: 0, start: 1000 * k, length: 500, name: k ? 0 : 9, row: k, task: String(k) });

test("a selection has its facts, and its neighbours as buttons", async () => {
  const { page, scene } = sceneOf([headerOf({ functions: [func("QK"), func("PV")] })]);
  const values = { name: 0 };
  scene.selection = { trace: scene.model.traces[0], kind: "phases", text: "poll", paint: 5, lane: 0, start: 0, end: 10, merged: null, table: { forms: new Map() }, value: (name) => values[name] ?? null };
  showSelection(scene, () => {});
  assert.equal(told(page.element("selection").children[0]), 'div.name(span.swatch{background=p5}("") span("poll"))');
  assert.equal(page.element("selection").children.length, 2);
  const gone = [];
  Object.assign(scene.selection, { kind: "tasks", name: 0 });
  const asked = [];
  Object.assign(scene, { flow: { hops: 1, from: null, path: null }, onFlow: (change) => asked.push(change) });
  scene.neighbours = { before: { count: 1, bars: [bar(0)] }, after: { count: 1015, bars: Array.from({ length: 14 }, (_, k) => bar(k + 1)) } };
  showSelection(scene, (wanted) => gone.push([wanted.trace.number, wanted.start]));
  const [, , hops, before, one, after, many] = page.element("selection").children;
  assert.deepEqual([told(before), told(after)], ['p.tag before(b("predecessors") span("1"))', 'p.tag after(b("successors") span("1,015"))']);
  assert.equal(told(one), 'div.links(button{title=from 0 ns, 500 ns}(span.swatch{background=p29}("") span.what("task 0") span.when("c0")))');
  assert.deepEqual(inside(many).slice(0, 1), ['button{title=from 1 µs, 500 ns}(span.swatch{background=p0}("") span.what("QK 1") span.when("c0"))']);
  assert.deepEqual(inside(many).slice(12), ['span.hint("and 2 more, drawn as arrows")', 'span.hint("1,001 are not drawn")']);
  await many.children[2].fire("click");
  assert.deepEqual(gone, [[0, 3000]]);
  scene.neighbours.after = { count: 12, bars: Array.from({ length: 12 }, (_, k) => bar(k)) };
  showSelection(scene, () => {});
  assert.equal(page.element("selection").children[6].children.length, 12);
  assert.deepEqual([hops.textContent, hops.children.map((child) => child.disabled ?? null)], ["1 hop−+Path from here", [null, true, false, false]]);
  for (const button of hops.children.slice(2)) await button.fire("click");
  assert.deepEqual(asked, [{ hops: 2 }, { from: scene.selection }]);
});

test("the path to the selection says which it is, or that there is none", () => {
  const { page, scene } = sceneOf([headerOf({ functions: [func("QK"), func("PV")] })]);
  const trace = scene.model.traces[0];
  scene.selection = { trace, kind: "tasks", name: 0, text: "QK", paint: 5, lane: 0, start: 0, end: 10, merged: null, table: { forms: new Map() }, value: () => null };
  scene.neighbours = { before: { count: 0, fan: 0, bars: [] }, after: { count: 2, fan: 2, cut: true, bars: [{ ...bar(1), hop: 2 }] } };
  const said = (path, of = trace) => {
    scene.flow = { hops: 20, from: { trace: of, text: "<b>PV" }, path };
    showSelection(scene, () => {});
    return page.element("selection").children.slice(2).map((child) => child.textContent);
  };
  const rest = ["predecessors0", "", "successors2", "QK 12 hops · c01 are not drawnfan-out 2 tasksmore than 10,000 tasks are near; not all were followed"];
  assert.deepEqual(said({ count: 2, bars: [bar(1), bar(2)] }), ["20 hops−+Path from here", "path from <b>PV2 tasks", "QK 1c0QK 2c0", "At each step back: the predecessor that ended last.", ...rest]);
  assert.equal(said({ count: 0, bars: [] })[1], "path from <b>PVno path leads here");
  assert.equal(said({ count: null, bars: [] })[1], "path from <b>PVtoo far away: more than 2,000,000 edges lie between");
  assert.equal(said(null, {})[1], "path from <b>PVit is in another trace");
});

function functionsOf(...of) {
  return [{ name: "QK", total: 3000, of }, { name: "none", total: 0, of: [] }, { name: "PV", total: 10, of: [func("PV", { count: 2e6, total_ns: 10, p50_ns: 5 })] }];
}

const cells = (row) => row.children.map((cell) => cell.textContent);

test("the table of functions, and the one that is chosen", async () => {
  const { page, scene } = sceneOf([headerOf()], { functions: functionsOf(undefined, func("QK")) });
  scene.chosen = "PV";
  const chosen = [];
  showFunctions(scene, (name) => chosen.push(name));
  const [table] = page.element("functions").children;
  const [head, body] = table.children;
  assert.deepEqual(cells(head.children[0]), ["function", "count", "total", "share", "median", "p99"]);
  assert.deepEqual(body.children.map(cells), [["QK", "3", "3.00 µs", "99.7 %", "900 ns", "1.20 µs"], ["PV", "2.00 M", "10 ns", "0.3 %", "5 ns", "1.20 µs"]]);
  assert.equal(told(body.children[0].children[0]), 'td{title=QK}(button{aria-pressed=false, title=QK}(span.swatch{background=p0}("") span("QK")))');
  assert.equal(told(body.children[1].children[0]), 'td{title=PV}(button{aria-pressed=true, title=PV}(span.swatch{background=p2}("") span("PV")))');
  assert.deepEqual([body.children.map((row) => row.className), page.element("functionsTitle").textContent], [["", "chosen"], "Functions"]);
  await body.children[0].fire("click");
  assert.deepEqual(chosen, ["QK"]);
});

test("two traces are compared, ranks of a job are summed", () => {
  const compared = (a, b) => {
    const { page, scene } = sceneOf([headerOf({ vocabulary: { function: "kernel" } }), headerOf()], { functions: [{ name: "QK", total: 1, of: [a && func("QK", { total_ns: a }), b && func("QK", { total_ns: b })] }] });
    showFunctions(scene, () => {});
    const [head, body] = page.element("functions").children[0].children;
    assert.deepEqual([cells(head.children[0]), page.element("functionsTitle").textContent], [["kernel", "total A", "total B", "B − A"], "Kernels"]);
    return cells(body.children[0]).slice(1);
  };
  assert.deepEqual([compared(1000, 1500), compared(1500, 1000), compared(100, 200), compared(100, 100)], [["1.00 µs", "1.50 µs", "+50.0 %"], ["1.50 µs", "1.00 µs", "−33.3 %"], ["100 ns", "200 ns", "+100 %"], ["100 ns", "100 ns", "+0.0 %"]]);
  assert.deepEqual([compared(null, 10)[2], compared(10, null)[2]], ["new", "gone"]);
  const sorted = sceneOf([headerOf(), headerOf()], { functions: [["more", 10, 90], ["less", 80, 20], ["same", 50, 50]].map(([name, a, b]) => ({ name, total: a + b, of: [func(name, { total_ns: a }), func(name, { total_ns: b })] })) });
  showFunctions(sorted.scene, () => {});
  const [titles, lines] = sorted.page.element("functions").children[0].children;
  const orders = titles.children[0].children.map((cell) => {
    cell.children[0].fire("click");
    return lines.children.map((row) => cells(row)[0]).join(" ");
  });
  assert.deepEqual(orders, ["less more same", "less same more", "more same less", "more same less"]);
  const of = [func("QK", { p50_ns: 30 }), func("QK", { count: 0, p50_ns: 1 }), undefined, func("QK", { p50_ns: 10 }), func("QK", { p50_ns: 20 })];
  const { page, scene } = sceneOf([headerOf(), headerOf()], { job: {}, functions: [{ name: "QK", total: 77, of }] });
  showFunctions(scene, () => {});
  const [head, body] = page.element("functions").children[0].children;
  assert.deepEqual(cells(body.children[0]).slice(1), ["9", "77 ns", "100.0 %", "20 ns", "1.20 µs"]);
  assert.deepEqual(head.children[0].children.map((cell) => cell.children[0].title ?? null).slice(4), ["the middle of the ranks' medians", "the middle of the ranks' 99th percentiles"]);
});

test("the shape of a function is a histogram", () => {
  const histograms = [{ first: 40, counts: [1, 0, 4] }, { first: 42, counts: [2] }];
  const of = histograms.map((histogram) => func("QK", { histogram }));
  const { page, scene } = sceneOf([headerOf(), headerOf()], { functions: [{ name: "QK", total: 1, of: [...of, func("QK", { count: 0 }), undefined] }] });
  showShape(scene);
  assert.equal(page.element("shape").hidden, true);
  scene.chosen = "QK";
  showShape(scene);
  const svg = page.element("histogram");
  assert.deepEqual([page.element("shape").hidden, page.element("shapeTitle").textContent, svg.attributes], [false, "Durations of QK", { viewBox: "0 0 290 96" }]);
  assert.deepEqual(inside(svg), [
    'rect{x=58.5, y=62, width=57, height=16, opacity=0.9}(title("1 task from 1.024 µs to 1.218 µs"))',
    'rect{x=174.5, y=14, width=57, height=64, opacity=0.9}(title("4 tasks from 1.448 µs to 1.722 µs"))',
    'rect{x=174.5, y=46, width=57, height=32, opacity=0.45, class=other}(title("2 tasks from 1.448 µs to 1.722 µs"))',
    ...['line{x1=0, x2=290, y1=78, y2=78}("")', 'text{x=0, y=91}("861 ns")', 'text{x=290, y=91, text-anchor=end}("2.048 µs")', 'text{x=290, y=9, text-anchor=end}("most in a bin: 4")'],
  ]);
  const lines = page.element("spread").children[0].children.map((row) => row.children.map((cell) => cell.textContent));
  assert.deepEqual(lines, [["", "A", "B"], ["count", "3", "3"], ["total", "3.00 µs", "3.00 µs"], ["min", "800 ns", "800 ns"], ["median", "900 ns", "900 ns"], ["p99", "1.20 µs", "1.20 µs"], ["max", "1.30 µs", "1.30 µs"]]);
  scene.model.functions[0].of.length = 1;
  showShape(scene);
  assert.equal(svg.children.length, 6);
  assert.deepEqual(inside(page.element("spread")), ['p.hint("min 800 ns, median 900 ns, p99 1.20 µs, max 1.30 µs")']);
});

test("a bar of the histogram can be seen, however small", () => {
  const { page, scene } = sceneOf([headerOf()], { functions: [{ name: "QK", total: 1, of: [func("QK", { histogram: { first: 0, counts: [1, ...Array(400).fill(0), 1000] } })] }] });
  scene.chosen = "QK";
  showShape(scene);
  assert.match(told(page.element("histogram").children[0]), /y=76.5, width=1, height=1.5/);
});

const reason = (what, ns) => ({ what, label: `L ${what}`, ns });

test("the legend has what the colours stand for", () => {
  const plain = sceneOf([headerOf()]);
  plain.scene.model.traces[0].tiles = [{ tracks: null }, { tracks: [{ kind: "tasks" }] }];
  showLegend(plain.scene);
  assert.deepEqual([plain.page.element("legendBox").hidden, inside(plain.page.element("legend"))], [true, []]);
  const { page, scene } = sceneOf([headerOf({ counts: { stalls: 1, lost: 2 } })]);
  scene.model.traces[0].tiles = [{ tracks: null }, { tracks: [{ kind: "tasks" }, { kind: "critical" }] }];
  showLegend(scene);
  const item = (paint, name, ...figures) => `li(span.swatch{background=${paint}}("") span.what("${name}")${figures.map((one) => ` span.figure("${one}")`).join("")})`;
  const always = [item("p68", "blocked by recording, or records lost"), item("p86", "records of this time were lost"), item("p71", "critical path")];
  assert.deepEqual([page.element("legendBox").hidden, inside(page.element("legend"))], [false, always]);
  scene.model.mode = "deviation";
  showLegend(scene);
  assert.deepEqual([inside(page.element("legend")).length, inside(page.element("legend"))[6]], [10, item("p66", "over twice")]);
});

test("by waits, the legend has the share of every reason", () => {
  const item = (paint, name, ...figures) => `li(span.swatch{background=${paint}}("") span.what("${name}")${figures.map((one) => ` span.figure("${one}")`).join("")})`;
  const reasons = [[reason("running", 60), reason("scheduler", 40), reason("queued", 0)], [reason("running", 10)]];
  const { page, scene } = sceneOf(reasons.map((one) => headerOf({ reasons: one })), { mode: "wait" });
  showLegend(scene);
  assert.deepEqual(inside(page.element("legend")), [item("transparent", "", "A", "B"), item("transparent", "L running", "60.0 %", "100.0 %"), item("p81", "L scheduler", "40.0 %", "–"), item("p99", "task hardly waited")]);
  assert.deepEqual([...page.element("legend").classes], ["figures"]);
  scene.model.job = {};
  showLegend(scene);
  assert.deepEqual(inside(page.element("legend")), [item("transparent", "L running", "63.6 %"), item("p81", "L scheduler", "36.4 %"), item("p99", "task hardly waited")]);
  const idle = sceneOf([[reason("running", 0)], [reason("running", 10)]].map((one) => headerOf({ reasons: one })), { mode: "wait" });
  showLegend(idle.scene);
  assert.equal(inside(idle.page.element("legend"))[1], item("transparent", "L running", "0.0 %", "100.0 %"), "a trace without time has no share");
  const empty = sceneOf([headerOf({ reasons: [reason("running", 0)] })], { mode: "wait" });
  showLegend(empty.scene);
  assert.deepEqual(inside(empty.page.element("legend")), [item("p99", "task hardly waited")]);
});

test("buttons open groups and show sorts of lanes", async () => {
  const { page, scene } = sceneOf([headerOf(), headerOf()]);
  const [a, b] = scene.model.traces;
  scene.layout.rows = [{ type: "title" }, { type: "group", trace: a, name: "aic", key: "0:aic" }, { type: "lane" }, { type: "group", trace: b, name: "aiv", key: "1:aiv" }];
  scene.options.closed.add("1:aiv");
  const said = [];
  showGroups(scene, (key) => said.push(key), (what) => said.push(what));
  const groups = page.element("groups");
  assert.deepEqual(inside(groups), ['button{aria-pressed=true}("A aic")', 'button{aria-pressed=false}("B aiv")', 'button{aria-pressed=true}("Pipes")', 'button{aria-pressed=false}("Interleave traces")']);
  for (const button of groups.children) await button.fire("click");
  assert.deepEqual(said, ["0:aic", "1:aiv", "pipes", "interleaved"]);
  scene.model.job = {};
  for (const trace of scene.model.traces) trace.header.lanes = [{ kind: "core" }, { kind: "controller", kindOfGroup: "Controllers" }];
  showGroups(scene, () => {}, () => {});
  assert.deepEqual(inside(groups), ['button{aria-pressed=true}("aic")', 'button{aria-pressed=false}("aiv")', 'button{aria-pressed=false}("Controllers")', 'button{aria-pressed=false}("Interleave ranks")']);
  scene.model.traces.pop();
  scene.model.job = null;
  showGroups(scene, () => {}, () => {});
  assert.deepEqual(inside(groups).slice(0, 1), ['button{aria-pressed=true}("aic")']);
});

function head(headers, more = {}) {
  const { page, scene } = sceneOf(headers, more);
  showHead(scene);
  const [warning, notes] = [page.element("warning"), page.element("notesBox")];
  return [page.element("title").textContent, page.element("facts").textContent, warning.hidden ? null : warning.textContent, notes.hidden ? null : inside(page.element("notes"))];
}

test("the head names the run, its size and what went wrong", () => {
  assert.deepEqual(head([headerOf()]), ["run", "a5  ·  1,200 tasks  ·  5.000 µs", null, null]);
  assert.deepEqual(head([headerOf({ chip: "", ran: "3 instructions" })])[1], "3 instructions  ·  5.000 µs");
  const losses = { lost: 1500, stall_ns: 2000, broken: true, unknown: true };
  assert.deepEqual(head([headerOf({ losses, notes: ["one", "two"] })]).slice(2), ["1,500 records lost, the ledger does not close, not known how many records were lost, recording blocked 2.000 µs", ['p.hint("one")', 'p.hint("two")']]);
  const quiet = { lost: 0, stall_ns: 0, broken: false, unknown: false };
  assert.deepEqual(head([headerOf(), headerOf({ name: "b", losses: { ...quiet, lost: 2 } })]), ["A run  and  B b", "5.000 µs  ·  5.000 µs", "2 records lost", null]);
});

test("the head of a job names its ranks, and whose a note is", () => {
  const job = { name: "train", ranks: [1, 2, 3], notes: ["of the job"] };
  const headers = [headerOf({ notes: ["both", "mine"] }), headerOf({ notes: ["both"] })];
  assert.deepEqual(head(headers, { job, start: 500, end: 7500 }), ["train", "2 of 3 ranks  ·  7.000 µs", null, ['p.hint("of the job")', 'p.hint("both")', 'p.hint("Rank 10: mine")']]);
});

test("of tasks of one length the earliest are told, on whichever lane, as the server does", async () => {
  const lanes = [0, 1].map((k) => ({ name: `c${k}`, kind: "core" }));
  const { page, scene } = sceneOf([headerOf({ lanes })], { functions: [{ name: "QK", total: 1, of: [func("QK", { histogram: { first: 9, counts: [7] } })] }] });
  const track = (lane, start, lengths) => ({ kind: "tasks", lane, count: start.length, start, end: start.map((ns, k) => ns + lengths[k]), rowAt: (i) => i, table: { values: new Map([["name", start.map(() => 0)]]) } });
  scene.model.traces[0].tiles = [{ tracks: [track(0, [100, 200, 300, 400], [5, 5, 5, 5]), track(1, [0, 200, 500], [5, 5, 5])] }];
  scene.chosen = "QK";
  const gone = [];
  showShape(scene, ({ lane, start }) => gone.push([lane, start]));
  await new Promise(setImmediate);
  for (const button of page.element("outliers").children) await button.fire("click");
  const earliest = [[1, 0], [0, 100], [0, 200]];
  assert.deepEqual(gone, [...earliest, ...earliest]);
});
