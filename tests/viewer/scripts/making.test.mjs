// What a reader makes on one trace: areas and their tables, measures, notes, pins, the way along the critical path,
// the heat map and a page saved with notes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { below, func, openPage, tableTexts } from "./opened.mjs";

const starts = [0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 500, 2500, 4500, 6500];
const lengths = [500, 600, 700, 800, 500, 500, 500, 500, 1500, 1500, 1500, 1000];
const tables = {
  tasks: {
    ...{ lanes: [[1, 8], [2, 4]], start: starts, length: lengths, name: [0, 1, 0, 1, 0, 1, 0, 1, 2, 2, 2, 2] },
    ...{ row: starts.map((_, k) => k), node: starts.map((_, k) => k), run: [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1] },
    wait_data: [0, 500, 400, 300, 200, 500, 500, 500, 500, 500, 500, 500],
  },
  phases: { lanes: [[0, 2]], start: [0, 4000], length: [100, 100], name: [0, 0], run: [0, 1] },
  stalls: { lanes: [[1, 1]], start: [1000], length: [100], name: [0], run: [0] },
  path: { lanes: [[3, 5]], start: [0, 500, 1000, 1600, 7500], length: [500, 500, 600, 5900, 40], name: [0, 4, 1, 4, 1], what: [0, 0, 0, 0, 0], cause: [null, 0, null, null, null], on: [1, 1, 1, null, null], from: [0, 1000, 1000, null, null], function: [0, 1, 1, null, null], row: [0, 1, 1, null, null] },
  nodes: { high: Array(12).fill(0), low: starts.map((_, k) => k) },
  edges: { pred: [0, 1, 2], step: [1, 1, 1] },
};
const lanesOfChip = [
  { name: "sched", kind: "controller", kind_name: "controller", group: "Controllers" },
  { name: "AIC0", kind: "core", core: 0, group: "aic cores", kind_name: "aic" },
  { name: "AIC1", kind: "core", core: 1, group: "aic cores", kind_name: "aic" },
  { name: "critical path", kind: "path", group: "Critical path", core: null, lost: 0 },
];
const path = { waiting: "85 % waiting", length_ns: 7500, words: [{ label: "waiting on data", reason: "data" }], causes: ["the run before it"], lines: ["observed: 2 runs"], head: ["on the path", "share"], rows: [{ cells: ["running", "15 %"] }] };
const row = (action, ...cells) => ({ cells, action });
const verdict = [
  { title: "Verdict", lines: ["Cores ran for 63 % of their time."], head: ["core time", "time ns", "chip"], rows: [row(["running", ""], "running", "10", "67 %"), row(["wait", "data"], "waiting on data", "5", "33 %"), row(null, "in all", "15", "100 %")], notes: ["a note"] },
  { title: "Kinds", lines: ["one kind"], head: ["kind"], rows: [], notes: [] },
];
const suspects = [{ line: "AIC1 is slow", action: ["slow core", 1] }, { line: "QK is crowded", action: ["function", "QK"] }, { line: "nothing to show", action: null }];
const account = { lines: ["1 record was lost"], head: ["lane", "lost"], rows: [row(["lane", "1"], "AIC0", "1"), row(["lane", "0"], "sched", "0"), row(null, "elsewhere", "2")], notes: ["of all"] };
const trace = {
  ...{ tables, path, verdict, suspects, account, lanes: lanesOfChip, functions: [func("QK", 4, 2200, 500), func("PV", 4, 2400, 500), func("two words", 4, 5500, 1500), func("(unknown)", 0, 0, 0)] },
  ...{ reasons: [{ what: "running", label: "running", ns: 10 }, { what: "data", label: "waiting on data", ns: 5 }], runs: [{ name: "run 1" }, { name: "run 2" }], counts: { tasks: 12, stalls: 1, lost: 0 } },
};
const { page, element, scene, show, settled, key, point, click, press, range, chosen, state } = await openPage([trace]);
const rowY = (lane) => scene.layout.rows.find((row) => row.type === "lane" && row.lane === lane).y + 10;

const areaTable = () => tableTexts(below(element("area")).find((one) => one.tag === "table"));
const pick = async (label, value) => {
  const select = below(element("area")).find((one) => one.attributes["aria-label"] === label);
  select.value = value;
  await select.fire("change");
};

test("the tables of an area have every figure, by function, lane, kind and run", async () => {
  await key("r");
  assert.deepEqual(areaTable(), [
    ["function", "count", "total", "share", "mean", "p50", "p99", "max", "bars"],
    ["two words", "4", "5.50 µs", "54.5 %", "1.38 µs", "1.50 µs", "1.50 µs", "1.50 µs", "task"],
    ["PV", "4", "2.40 µs", "23.8 %", "600 ns", "500 ns", "800 ns", "800 ns", "task"],
    ["QK", "4", "2.20 µs", "21.8 %", "550 ns", "500 ns", "700 ns", "700 ns", "task"],
    ["poll", "2", "200 ns", "100.0 %", "100 ns", "100 ns", "100 ns", "100 ns", "phase"],
    ["blocked: poll", "1", "100 ns", "100.0 %", "100 ns", "100 ns", "100 ns", "100 ns", "blocked"],
  ]);
  await pick("Figures of the area by", "lane");
  assert.deepEqual(areaTable().slice(1), [["AIC1", "4", "5.50 µs", "68.8 %", "task"], ["AIC0", "8", "4.60 µs", "57.5 %", "task"], ["sched", "2", "200 ns", "2.5 %", "phase"], ["AIC0", "1", "100 ns", "1.3 %", "blocked"]]);
  await pick("Figures of the area by", "kind");
  assert.deepEqual(areaTable()[1].slice(1), ["12", "10.1 µs", "100.0 %", "842 ns", "task"]);
  const figure = () => below(element("area")).find((one) => one.attributes["aria-label"] === "Figure of the pivot");
  assert.equal(figure().hidden, true);
  await pick("Figures of the area by", "pivot");
  assert.equal(figure().hidden, false);
  const [head, ...rows] = areaTable();
  assert.deepEqual(head, ["function", "aic · run 1", "aic · run 2", "controller · run 1", "controller · run 2"]);
  assert.deepEqual(rows.find((row) => row[0] === "PV").slice(1).filter((cell) => cell !== "–"), ["1.40 µs", "1.00 µs"]);
  await pick("Figure of the pivot", "count");
  assert.deepEqual(areaTable().find((row) => row[0] === "PV").slice(1).filter((cell) => cell !== "–"), ["2", "2"]);
  await pick("Figure of the pivot", "mean");
  assert.deepEqual(areaTable().find((row) => row[0] === "PV").slice(1).filter((cell) => cell !== "–"), ["700 ns", "500 ns"]);
  await pick("Figures of the area by", "waits");
  assert.deepEqual(areaTable().slice(1), [["running", "10.1 µs", "63.1 %"], ["waiting on data", "4.90 µs", "30.6 %"], ["no task follows", "1.00 µs", "6.3 %"]]);
});

test("a table of an area is copied as it is sorted", async () => {
  await pick("Figures of the area by", "lane");
  let copied = null;
  Object.defineProperty(globalThis, "navigator", { configurable: true, value: { clipboard: { writeText: async (text) => (copied = text) } } });
  const button = below(element("area")).find((one) => one.textContent === "Copy CSV");
  await press(button);
  assert.deepEqual([copied, state()], ["lane,count,total ns,busy,bars\nAIC1,4,5500,0.6875,task\nAIC0,8,4600,0.575,task\nsched,2,200,0.025,phase\nAIC0,1,100,0.0125,blocked\n", "4 rows copied"]);
  await pick("Figures of the area by", "kind");
  await press(button);
  assert.equal(copied, "kind,count,total ns,share,mean ns,bars\naic,12,10100,1,841.6666666666666,task\ncontroller,2,200,1,100,phase\naic,1,100,1,100,blocked\n");
  const titles = [];
  for (const figure of ["mean", "count"]) {
    await pick("Figures of the area by", "pivot");
    await pick("Figure of the pivot", figure);
    await press(button);
    titles.push(copied.split("\n")[0]);
  }
  assert.deepEqual(titles, ["function,aic · run 1 ns,aic · run 2 ns,controller · run 1 ns,controller · run 2 ns", "function,aic · run 1,aic · run 2,controller · run 1,controller · run 2"]);
  navigator.clipboard.writeText = async () => Promise.reject(new Error("no"));
  await press(button);
  assert.equal(state(), "The browser does not allow this page to copy.");
  await pick("Figures of the area by", "function");
});

test("keys move each border of an area by one lane or a fiftieth of what is seen, and never beyond it", async () => {
  const area = () => [scene.area.t0, scene.area.t1, [...scene.area.lanes].join(" ")];
  const moves = [["ArrowUp", false], ["ArrowRight", false], ["ArrowLeft", true], ["ArrowUp", true], ["ArrowDown", true], ["ArrowLeft", false], ["ArrowDown", false]];
  const seen = [];
  for (const [name, shiftKey] of moves) {
    await key(name, { altKey: true, shiftKey });
    seen.push(area());
  }
  assert.deepEqual(seen, [[0, 8000, "0:0 0:1"], [0, 8000, "0:0 0:1"], [0, 8000, "0:0 0:1"], [0, 8000, "0:0 0:1"], [0, 8000, "0:1"], [0, 7840, "0:1"], [0, 7840, "0:1 0:2"]]);
  for (let k = 0; k < 60; k++) await page.window.fire("keydown", { key: "ArrowRight", target: element("body"), altKey: true, shiftKey: true });
  await settled();
  assert.deepEqual(area(), [7680, 7840, "0:1 0:2"], "a start does not pass its end");
});

test("an area of lanes apart from each other keeps them when its time is moved", async () => {
  location.hash = "#a=0_8000_0:0.2";
  await page.window.fire("hashchange");
  await settled();
  await key("ArrowLeft", { altKey: true });
  assert.deepEqual([scene.area.t0, scene.area.t1, [...scene.area.lanes]], [0, 7840, ["0:0", "0:2"]]);
  await key("Escape");
});

test("a drag on the axis that comes back has a panel of its own, and one that the system ends, too", async () => {
  const axis = element("axis");
  const at = (ns) => ({ clientX: (112 + ns / 10) + 10 });
  for (const [name, ns] of [["pointerdown", 3000], ["pointermove", 5000]]) await axis.fire(name, at(ns));
  assert.equal(element("areaLength").textContent, "area 2.000 µs");
  for (const [name, ns] of [["pointermove", 3020], ["pointerup", 3020]]) await axis.fire(name, at(ns));
  await settled();
  assert.deepEqual([scene.area.t0, scene.area.t1, below(element("area")).some((one) => one.textContent === "20 ns")], [3000, 3020, true]);
  await axis.fire("pointermove", at(7000));
  for (const [name, ns] of [["pointerdown", 1000], ["pointermove", 1040], ["pointerup", 1030]]) await axis.fire(name, at(ns));
  await settled();
  assert.equal(scene.area.t1, 3020, "a click is no drag");
  for (const [name, ns] of [["pointerdown", 1000], ["pointermove", 2000], ["pointercancel", 2000]]) await axis.fire(name, at(ns));
  await settled();
  assert.deepEqual([scene.area.t0, scene.area.t1, element("areaLength").textContent], [1000, 2000, "area 1.000 µs × 3 lanes"]);
  assert.ok(below(element("area")).some((one) => one.textContent === "1.000 µs"));
  await pick("Figures of the area by", "lane");
  assert.deepEqual(areaTable().slice(1), [["AIC1", "1", "1.00 µs", "100.0 %", "task"], ["AIC0", "1", "600 ns", "60.0 %", "task"], ["AIC0", "1", "100 ns", "10.0 %", "blocked"]]);
  await pick("Figures of the area by", "waits");
  assert.deepEqual(areaTable().slice(1), [["running", "1.60 µs", "80.0 %"], ["waiting on data", "400 ns", "20.0 %"]]);
  await pick("Figures of the area by", "function");
  await press(element("areaButton"));
  assert.deepEqual([scene.selecting, element("areaButton").attributes["aria-pressed"]], [true, "true"]);
  await point(["pointerdown", 2000, rowY(1)], ["pointermove", 2600, rowY(2)], ["pointerup", 2600, rowY(2)]);
  assert.deepEqual([scene.area.t0, scene.area.t1, [...scene.area.lanes]], [2000, 2600, ["0:1", "0:2"]]);
  assert.match(element("area").textContent, / 2 bars reach over the border/, "one of QK, one of two words");
  await press(element("areaButton"));
  await key("Escape");
  assert.equal(scene.area, null);
});

test("measuring by keys goes from edge to edge and from lane to lane", async () => {
  await click(1300, rowY(1));
  await key("e");
  const told = [state()];
  for (const name of ["ArrowRight", "ArrowRight", "ArrowLeft", "Enter", "ArrowDown", "ArrowDown", "ArrowUp", "ArrowRight", "Enter"]) {
    await key(name);
    told.push(state());
  }
  assert.deepEqual(told, [
    "Measure from: start of a bar of AIC0 at 1 µs",
    "Measure from: end of a bar of AIC0 at 1.6 µs",
    "Measure from: start of a bar of AIC0 at 2 µs",
    "Measure from: end of a bar of AIC0 at 1.6 µs",
    "From end of a bar of AIC0 at 1.6 µs to end of a bar of AIC0 at 1.6 µs: 0 ns",
    "From end of a bar of AIC0 at 1.6 µs to end of a bar of AIC1 at 2 µs: 400 ns",
    "From end of a bar of AIC0 at 1.6 µs to end of a bar of AIC1 at 2 µs: 400 ns",
    "From end of a bar of AIC0 at 1.6 µs to start of a bar of AIC0 at 2 µs: 400 ns",
    "From end of a bar of AIC0 at 1.6 µs to end of a bar of AIC0 at 2.7 µs: 1.100 µs",
    "From end of a bar of AIC0 at 1.6 µs to end of a bar of AIC0 at 2.7 µs: 1.100 µs",
  ]);
  assert.deepEqual([element("measureButton").attributes["aria-pressed"], [...element("lanes").classes]], ["true", ["measuring"]]);
  await key("ArrowRight", { shiftKey: true });
  assert.deepEqual([chosen()[2], told.at(-1)], [2000, "From end of a bar of AIC0 at 1.6 µs to end of a bar of AIC0 at 2.7 µs: 1.100 µs"], "with Shift they move the selection");
  await key("ArrowLeft", { shiftKey: true });
  await key("m");
  assert.deepEqual(scene.made.notes.map(({ start, end, text, bar }) => [start, end, text, bar]), [[1600, 2700, "measured", null]]);
  await key("Escape");
  assert.deepEqual([scene.measure, state(), element("measureButton").attributes["aria-pressed"], [...element("lanes").classes]], [null, "", "false", []]);
});

test("the lane of the cursor is scrolled to where it cannot be seen whole", async () => {
  const scroll = element("scroll");
  scroll.clientHeight = 60;
  scene.onLanes();
  const row = (lane) => scene.layout.rows.find((one) => one.type === "lane" && one.lane === lane);
  await key("e");
  const goes = async (name, scrollTop) => {
    scroll.scrollTop = scrollTop;
    await key(name);
    return scroll.scrollTop;
  };
  const { y, height } = row(2);
  assert.deepEqual([scene.measure.at.row.lane, await goes("ArrowDown", y), scene.measure.at.row.lane], [1, y, 2]);
  const up = row(1);
  assert.deepEqual([await goes("ArrowUp", up.y + 1), await goes("ArrowDown", y + height - 60), await goes("ArrowUp", up.y)], [up.y - 30, y + height - 60, up.y]);
  assert.equal(await goes("ArrowDown", y + height - 61), y - 30);
  await key("Escape");
  Object.assign(scroll, { scrollTop: 0, clientHeight: 400 });
  scene.onLanes();
});

test("a cursor that leaves what is seen takes the view along", async () => {
  show(900, 1100);
  await key("e");
  await key("ArrowRight");
  assert.deepEqual([state(), range()], ["Measure from: end of a bar of AIC0 at 1.6 µs", [1500, 1700]]);
  await key("Escape");
  await key("0");
});

test("clicks and drags measure within eight pixels of an edge, or at the moment itself", async () => {
  await key("e");
  await point(["pointermove", 1670, rowY(1)]);
  assert.equal(state(), "Measure from: end of a bar of AIC0 at 1.6 µs");
  await point(["pointerdown", 1670, rowY(1)], ["pointerup", 1670, rowY(1)], ["pointerdown", 1790, rowY(1)], ["pointerup", 1790, rowY(1)]);
  assert.equal(state(), "From end of a bar of AIC0 at 1.6 µs to AIC0 at 1.79 µs: 190 ns");
  await point(["pointerdown", 3010, rowY(1)], ["pointermove", 3500, rowY(1)], ["pointerup", 3790, rowY(1)]);
  assert.equal(state(), "From start of a bar of AIC0 at 3 µs to end of a bar of AIC0 at 3.8 µs: 800 ns");
  await point(["pointerdown", 3730, rowY(1)], ["pointerup", 3650, rowY(1)], ["pointermove", 4000, 2]);
  assert.equal(state(), "From end of a bar of AIC0 at 3.8 µs to the moment at 4 µs: 200 ns", "eight pixels are a click");
  assert.equal(chosen()[2], 1000, "nothing else is selected meanwhile");
  await press(element("measureButton"));
  assert.equal(scene.measure, null);
});

const fields = () => below(element("ownNotes")).filter((one) => one.tag === "input");
const labelled = (id, label) => below(element(id)).find((one) => one.attributes["aria-label"]?.startsWith(label));

test("a new note or flag is typed into at once", async () => {
  document.querySelectorAll = (selector) => (selector === "#ownNotes input" ? fields() : []);
  const before = scene.made.notes.length;
  for (const name of ["n", "g"]) {
    await key(name);
    assert.deepEqual([document.activeElement === fields().at(-1), fields()[fields().length - 1].placeholder], [true, { n: "note", g: "flag" }[name]]);
  }
  for (const _ of [1, 2]) await key("u");
  assert.equal(scene.made.notes.length, before);
  document.querySelectorAll = () => [];
  document.activeElement = element("lanes");
});

test("notes are written, kept, changed, shown and removed", async () => {
  await key("n");
  assert.deepEqual([fields().length, fields()[1].placeholder, fields()[1].attributes["aria-label"]], [2, "note", "Text of the note at 1 µs"]);
  fields()[1].value = "slow";
  await fields()[1].fire("change");
  fields()[1].value = "typed and given up";
  assert.equal(await fields()[1].fire("keydown", { key: "Escape" }), "left");
  assert.deepEqual([fields()[1].value, document.activeElement], ["slow", element("lanes")]);
  document.activeElement = fields()[1];
  assert.deepEqual([await fields()[1].fire("keydown", { key: "a" }), document.activeElement === fields()[1]], ["left", true]);
  fields()[1].value = "kept";
  await fields()[1].fire("keydown", { key: "Enter" });
  assert.equal(fields()[1].value, "kept");
  fields()[1].value = "x".repeat(300);
  await fields()[1].fire("change");
  assert.equal(scene.made.notes[1].text.length, 200);
  scene.cursor = 4321.4;
  await key("g");
  assert.deepEqual([scene.made.notes[2].start, scene.made.notes[2].end, fields()[2].placeholder], [4321, null, "flag"]);
  scene.cursor = null;
  await key("g");
  assert.equal(scene.made.notes[3].start, 1000, "where the selection begins");
  await press(labelled("ownNotes", "Show the flag at 4.321"));
  assert.deepEqual(range(), [160, 8160]);
  assert.deepEqual(["mark at 1.6", "flag at 4.321", "note at 1 µs"].map((one) => labelled("ownNotes", `Show the ${one}`).textContent), ["1.100 µs", "4.321 µs", "1 µs"]);
  await press(labelled("ownNotes", "Show the mark at 1.6"));
  assert.deepEqual(range(), [500, 3800]);
  await key("Escape");
  await press(labelled("ownNotes", "Show the note at 1 µs"));
  assert.deepEqual(chosen(), [0, 1, 1000, "tasks"]);
  await press(labelled("ownNotes", "Remove the flag at 4.321"));
  assert.deepEqual(scene.made.notes.map(({ start }) => start), [1600, 1000, 1000]);
  await key("u");
  assert.equal(scene.made.notes.length, 4);
  await key("0");
});

test("lanes are pinned, moved and let go", async () => {
  await key("x");
  await click(700, rowY(2));
  await key("x");
  const titles = () => element("pins").children.map((row) => row.children[0].textContent);
  assert.deepEqual([titles(), scene.layout.pinned, scene.layout.rows.slice(0, 2).map((row) => row.lane)], [["AIC0", "AIC1"], 46, [1, 2]]);
  assert.deepEqual(["Move AIC0 up", "Move AIC0 down", "Move AIC1 up", "Move AIC1 down"].map((label) => labelled("pins", label).disabled), [true, false, false, true]);
  await press(labelled("pins", "Move AIC0 down"));
  assert.deepEqual(titles(), ["AIC1", "AIC0"]);
  await press(labelled("pins", "Move AIC0 up"));
  await press(labelled("pins", "Unpin AIC1"));
  assert.deepEqual(titles(), ["AIC0"]);
  await key("Escape");
  await key("x");
  assert.equal(state(), "Select a bar: x pins its lane.");
  for (let k = 0; k < 20; k++) await key("u");
  assert.deepEqual([scene.made, state()], [{ pins: [], notes: [] }, "Nothing to undo."]);
  for (const [name, said] of [["n", "Select a bar: n writes a note on it."], ["m", "Select a bar or an area, or measure: m marks it."]]) {
    await key(name);
    assert.equal(state(), said);
  }
});

test("keys go along the critical path, and the longest part first", async () => {
  const at = (name) => key(name).then(() => [state(), chosen()?.[2]]);
  assert.deepEqual(await at("]"), ["Critical path, 1 of 5: QK, 500 ns", 0]);
  assert.deepEqual(await at("]"), ["Critical path, 2 of 5: waiting on data before PV, 500 ns", 500]);
  assert.deepEqual(await at("["), ["Critical path, 1 of 5: QK, 500 ns", 0]);
  assert.deepEqual(await at("["), ["Critical path, 1 of 5: QK, 500 ns", 0]);
  assert.deepEqual(await at("{"), ["Critical path, 4 of 5: waiting on data, 5.900 µs", 1600]);
  assert.deepEqual(await at("{"), ["Critical path, 3 of 5: PV, 600 ns", 1000]);
  await key("Escape");
  show(1700, 1800);
  assert.deepEqual(await at("["), ["Critical path, 3 of 5: PV, 600 ns", 1000]);
  await key("0");
  await click(5200, rowY(1));
  assert.deepEqual(await at("]"), ["Critical path, 4 of 5: waiting on data, 5.900 µs", 1600], "from the selected task on");
  scene.options.closed.add("0:Critical path");
  assert.deepEqual([await at("["), [...scene.options.closed]], [["Critical path, 3 of 5: PV, 600 ns", 1000], []]);
  const link = below(element("selection")).find((one) => one.tag === "button" && one.textContent === "to PVAIC0");
  await press(link);
  assert.deepEqual(chosen(), [0, 1, 1000, "tasks"]);
  const parts = below(element("path")).filter((one) => one.tag === "button").map((one) => one.textContent);
  assert.deepEqual(parts, ["waiting on data5.900 µs", "PV600 ns", "QK500 ns", "waiting on data before PV500 ns", "PV40 ns"]);
  await key("0");
  await key("Escape");
});

test("a part of the path that is too narrow to see is zoomed to, one out of sight is moved to", async () => {
  for (const name of ["{", "]"]) await key(name);
  assert.deepEqual([state(), range()], ["Critical path, 5 of 5: PV, 40 ns", [7440, 7600]]);
  await key("]");
  assert.deepEqual([state(), chosen()[2]], ["Critical path, 5 of 5: PV, 40 ns", 7500], "there is no part behind the last one");
  show(3000, 4200);
  await key("[");
  assert.deepEqual(range(), [-160, 8160], "a part that is longer than what is seen");
  show(3000, 4200);
  await key("[");
  assert.deepEqual([state(), range()], ["Critical path, 3 of 5: PV, 600 ns", [700, 1900]]);
  await key("0");
  await key("Escape");
});

test("the lane of the path is scrolled to where a part of it cannot be seen whole", async () => {
  const scroll = element("scroll");
  scroll.clientHeight = 50;
  scene.onLanes();
  const { y, height } = scene.layout.rows.find((row) => row.lane === 3);
  const steps = async (scrollTop) => {
    scroll.scrollTop = scrollTop;
    await key("{");
    return scroll.scrollTop;
  };
  assert.equal(y, 21);
  const lowest = y + height - 50;
  assert.deepEqual([await steps(y), await steps(y + 1), await steps(lowest), await steps(lowest - 1)], [y, 0, lowest, 0]);
  Object.assign(scroll, { scrollTop: 0, clientHeight: 400 });
  scene.onLanes();
  await key("0");
  await key("Escape");
});

test("a link to a bar that is not there selects none", async () => {
  for (const bar of ["0_1_1000_phases", "0_1_1001_tasks", "0_0_1000_tasks"]) {
    location.hash = `#s=${bar}`;
    await page.window.fire("hashchange");
    await settled();
    assert.equal(chosen(), null, bar);
  }
  location.hash = "#s=0_1_1000_stalls";
  await page.window.fire("hashchange");
  await settled();
  assert.deepEqual(chosen(), [0, 1, 1000, "stalls"]);
  await key("Escape");
});

test("the heat map tells the share of a cell, and a row leads to its core", async () => {
  await key("h");
  const place = element("chipHeat");
  assert.deepEqual([scene.heatOn, place.hidden, document.activeElement, state()], [true, false, place, "Heat map: arrow keys choose a row, Enter shows its first core."]);
  assert.deepEqual([scene.heatMap.rows.length, scene.heatMap.high], [2, 18]);
  const drawn = place.context.images.slice(-36).map((image) => image.place);
  assert.deepEqual(drawn, Array.from({ length: 36 }, (_, y) => [112, y]), "each line of pixels once");
  await place.fire("pointermove", { clientX: 112 + 25.2 + 10, clientY: 20 + 5 });
  assert.equal(state(), "AIC0 at 252 ns: 100.0 % busy");
  await place.fire("pointermove", { clientX: 112 + 75.2 + 10, clientY: 20 + 5 });
  assert.equal(state(), "AIC0 at 752 ns: 0.0 % busy");
  await place.fire("pointermove", { clientX: 912 + 10, clientY: 20 + 5 });
  assert.equal(state(), "AIC0 at 8 µs: 0.0 % busy", "behind the last pixel");
  await place.fire("pointermove", { clientX: 112 + 75.2 + 10, clientY: 20 + 5 });
  globalThis.devicePixelRatio = 2;
  scene.onLanes();
  await settled();
  await place.fire("pointermove", { clientX: 112 + 75.2 + 10, clientY: 20 + 5 });
  assert.deepEqual([state(), scene.heatMap.ratio, scene.heatMap.shares[0].length], ["AIC0 at 752 ns: 0.0 % busy", 2, 1600], "two pixels of the screen in each");
  globalThis.devicePixelRatio = 1;
  scene.onLanes();
  await settled();
  await place.fire("pointermove", { clientX: 50, clientY: 20 + 5 });
  await place.fire("pointermove", { clientX: 300, clientY: 20 + 90 });
  assert.equal(state(), "AIC0 at 752 ns: 0.0 % busy", "neither names nor the ground below tell anything");
  assert.equal(await place.fire("keydown", { key: "ArrowUp" }), "prevented and stopped");
  assert.equal(scene.heatMap.at, 0);
  await place.fire("keydown", { key: "ArrowDown" });
  await place.fire("keydown", { key: "ArrowDown" });
  assert.deepEqual([scene.heatMap.at, state()], [1, "AIC1 at 4 µs: 0.0 % busy"]);
  assert.equal(await place.fire("keydown", { key: "w" }), "left");
  const { rows } = scene.heatMap;
  scene.heatMap.rows = [[rows[0][0], rows[1][0]]];
  await place.fire("pointermove", { clientX: 112 + 10, clientY: 20 + 17 });
  assert.equal(state(), "AIC0 to AIC1 at 0 ns: 100.0 % busy", "cores of a row are named from the first to the last");
  scene.heatMap.rows = rows;
  scene.options.closed.add("0:aic cores");
  element("scroll").clientHeight = 60;
  await place.fire("keydown", { key: "Enter" });
  assert.equal(element("scroll").scrollTop, scene.layout.rows.find((row) => row.lane === 2).y - 30, "in the middle");
  Object.assign(element("scroll"), { clientHeight: 400, scrollTop: 0 });
  scene.onLanes();
  await settled();
  assert.deepEqual([scene.heatOn, place.hidden, state(), [...scene.options.closed]], [false, true, "AIC1", []]);
  await press(element("heatButton"));
  await place.fire("click", { clientX: 300, clientY: 20 + 90 });
  assert.equal(scene.heatOn, true, "there is no row");
  await place.fire("click", { clientX: 300, clientY: 20 + 5 });
  assert.deepEqual([scene.heatOn, state()], [false, "AIC0"]);
  await key("h");
  await place.fire("keydown", { key: "ArrowDown" });
  element("scroll").clientHeight = 5;
  scene.onLanes();
  await settled();
  assert.deepEqual([scene.heatMap.rows.length, scene.heatMap.at, scene.heatMap.high], [1, 0, 5], "one row for both where there is room for one");
  element("scroll").clientHeight = 400;
  scene.onLanes();
  await key("Escape");
  assert.deepEqual([scene.heatOn, element("heatButton").attributes["aria-pressed"]], [false, "false"]);
});

const shownVerdict = () => {
  const box = element("verdict").children[0];
  return below(box).filter((one) => ["h3", "p", "button"].includes(one.tag)).map((one) => (one.tag === "button" ? [one.textContent, one.attributes["aria-pressed"] ?? "–"] : `${one.tag}.${one.className} ${one.textContent}`));
};
const inVerdict = (text) => below(element("verdict")).find((one) => one.tag === "button" && one.textContent === text);
const bright = (lane) => [...scene.model.traces[0].tiles[0].byLane.get(lane).find((track) => track.kind === "tasks").paint].map((paint) => paint !== 69);

test("the verdict, the suspects and the losses are told in the report's words", () => {
  assert.deepEqual(shownVerdict(), [
    ...["p. Cores ran for 63 % of their time.", ["running", "false"], ["waiting on data", "false"], "p.hint a note", "h3. Kinds", "p. one kind"],
    ...["h3. Suspects", ["AIC1 is slow", "false"], ["QK is crowded", "false"], "p. nothing to show"],
    ...["h3. Losses", "p. 1 record was lost", ["AIC0", "–"], ["sched", "–"], "p.hint of all"],
  ]);
  assert.equal(element("verdict").children.at(-1).textContent, "");
});

test("a row of the verdict keeps its tasks bright in its colours, and again no more", async () => {
  await press(inVerdict("waiting on data"));
  assert.deepEqual([scene.verdict, scene.model.mode, element("colour").value, bright(1)], ["wait:data:0", "wait", "wait", [false, true, true, true, true, true, true, true]]);
  assert.deepEqual(shownVerdict().filter((one) => one[1] === "true"), [["waiting on data", "true"]]);
  assert.match(element("verdict").children.at(-1).textContent, /^Bright: tasks before which their lane waited so/);
  await press(inVerdict("running"));
  assert.deepEqual([scene.verdict, scene.model.mode, bright(1)], ["running::0", "function", Array(8).fill(true)]);
  await press(inVerdict("QK is crowded"));
  assert.deepEqual([scene.verdict, scene.model.mode, bright(1), bright(2)], ["crowded:QK:0", "deviation", [true, false, true, false, true, false, true, false], Array(4).fill(false)]);
  await press(inVerdict("QK is crowded"));
  assert.deepEqual([scene.verdict, scene.model.kept, bright(2), shownVerdict().filter((one) => one[1] === "true")], [null, null, Array(4).fill(true), []]);
});

test("a suspected core is shown, and Escape shows all again", async () => {
  Object.assign(element("scroll"), { scrollTop: 0, clientHeight: 60 });
  scene.onLanes();
  await press(inVerdict("AIC1 is slow"));
  assert.deepEqual([scene.verdict, bright(1), bright(2)], ["slow core:1:0", Array(8).fill(false), Array(4).fill(true)]);
  assert.equal(element("scroll").scrollTop, scene.layout.rows.find((one) => one.lane === 2).y - 20);
  await key("Escape");
  assert.deepEqual([scene.verdict, bright(1)], [null, Array(8).fill(true)]);
});

test("a lane that lost something is shown with the first time that is blocked on it", async () => {
  element("scroll").scrollTop = 200;
  await press(inVerdict("sched"));
  assert.deepEqual([chosen(), element("scroll").scrollTop], [null, scene.layout.rows.find((one) => one.lane === 0).y - 20]);
  await press(inVerdict("AIC0"));
  assert.deepEqual(chosen(), [0, 1, 1000, "stalls"]);
  await key("Escape");
  element("colour").value = "function";
  await element("colour").fire("change");
  await settled();
});

test("a bar that is gone to is eight pixels inside of what is seen, below the pinned lanes", async () => {
  const scroll = element("scroll");
  const goes = async (scrollTop) => {
    scroll.scrollTop = scrollTop;
    location.hash = "#s=0_2_4500_tasks";
    await page.window.fire("hashchange");
    await settled();
    return scroll.scrollTop;
  };
  const placed = () => scene.layout.rows.find((one) => one.lane === 2 && !one.pinned);
  scroll.clientHeight = 100;
  scene.onLanes();
  const { y, height } = placed();
  assert.deepEqual([await goes(y - 8), await goes(y - 7), await goes(y + height - 92), await goes(y + height - 93)], [y - 8, y - 50, y + height - 92, y - 50]);
  await key("Escape");
  await click(200, rowY(1) - scroll.scrollTop);
  await key("x");
  const pinned = scene.layout.pinned;
  const { y: below } = placed();
  assert.equal(pinned, 23);
  assert.deepEqual([await goes(below - pinned - 8), await goes(below - pinned - 7)], [below - pinned - 8, below - 50]);
  await key("x");
  for (let k = 0; k < 20; k++) await key("u");
  Object.assign(scroll, { scrollTop: 0, clientHeight: 400 });
  scene.onLanes();
  await key("Escape");
});
