// Two traces on one page: lanes interleaved, traces moved against each other, matches of both, counters, functions
// side by side, and the page saved again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { below, func, openPage, tableTexts } from "./opened.mjs";

const lanes = [{ name: "AIC0", kind: "core", core: 0, group: "aic cores" }, { name: "AIC1", kind: "core", core: 1, group: "aic cores" }];
/** 150 tasks of 20 ns on the first core, `late` ns after each other start, and one of 900 ns on the second. */
function traceOf(late, p50_ns) {
  const starts = [...Array.from({ length: 150 }, (_, k) => late + 40 * k), 6500];
  const tables = {
    tasks: { lanes: [[0, 150], [1, 1]], start: starts, length: [...Array(150).fill(20), 900], name: [...Array(150).fill(0), 1], row: starts.map((_, k) => k), node: starts.map((_, k) => k) },
    nodes: { high: Array(151).fill(0), low: starts.map((_, k) => k) },
    edges: { pred: [0, 1], step: [1, 1] },
    level0: { time: [late], value: [2] },
    level1: { time: [late], value: [3] },
  };
  return { tables, lanes, functions: [func("QK", 150, 3000, p50_ns), func("PV", 1, 900, 900)], levels: [{ name: "QK ready", scale: 1 }, { name: "ready", scale: 1 }] };
}
const { element, scene, settled, key, click, press, range, chosen, state } = await openPage([traceOf(0, 20), traceOf(100, 10)]);
const [a, b] = scene.model.traces;
const rowY = (trace, lane) => scene.layout.rows.find((row) => row.type === "lane" && row.trace === trace && row.lane === lane).y + 6;
const buttonOf = (id, text) => below(element(id)).find((one) => one.tag === "button" && one.textContent.startsWith(text));
const starts = (trace, lane) => [...trace.tiles[0].byLane.get(lane).find((track) => track.kind === "tasks").start];

test("letters tell traces apart in title, facts, groups and lanes", () => {
  assert.deepEqual([element("title").textContent, element("title").title, element("facts").textContent], ["A run 0  and  B run 1", "A run 0 and B run 1", "8.000 µs  ·  8.000 µs"]);
  assert.deepEqual([a.told, b.told], ["A run 0", "B run 1"]);
  assert.deepEqual(scene.layout.rows.filter((row) => row.type === "title").map((row) => row.name), ["A  ·  run 0  ·  a5  ·  8.000 µs", "B  ·  run 1  ·  a5  ·  8.000 µs"]);
});

test("interleaved lanes of one name stand together, and apart again", async () => {
  const shown = () => scene.layout.rows.filter((row) => row.type === "lane").map((row) => row.about.name);
  assert.deepEqual(shown(), ["AIC0", "AIC1", "AIC0", "AIC1"]);
  await press(buttonOf("groups", "Interleave traces"));
  assert.deepEqual([shown(), location.hash], [["A AIC0", "B AIC0", "A AIC1", "B AIC1"], "#t=0_8000&i=1"]);
  await press(buttonOf("groups", "Interleave traces"));
  assert.deepEqual([shown(), location.hash], [["AIC0", "AIC1", "AIC0", "AIC1"], "#t=0_8000"]);
});

test("tasks are coloured by the median of the same function in the first trace", async () => {
  const paint = (trace) => trace.tiles[0].byLane.get(0)[0].paint[0];
  element("colour").value = "difference";
  await element("colour").fire("change");
  await settled();
  assert.equal(paint(a), paint(b), "20 ns beside 20 ns of A, not beside 10 ns of B");
  for (const mode of ["function", "deviation"]) {
    await element("colour").fire("change", { target: { value: mode } });
    await settled();
  }
  assert.notEqual(paint(a), paint(b), "beside the own median B's are twice as long");
  const modes = [];
  for (let k = 0; k < 4; k++) {
    await key("c");
    modes.push(scene.model.mode);
  }
  assert.deepEqual(modes, ["difference", "function", "deviation", "difference"], "no trace says what cores waited for");
  await key("c");
});

test("a trace is moved so that two chosen tasks start together, and back", async () => {
  await click(6600, rowY(a, 1));
  assert.deepEqual(chosen(), [0, 1, 6500, "tasks"]);
  await press(buttonOf("selection", "Align others to this start"));
  assert.equal(state(), "Now select a task of another trace, and choose Align here.");
  scene.view.t0 = 0;
  await click(110, rowY(b, 0));
  assert.deepEqual(chosen(), [1, 0, 100, "tasks"]);
  const here = buttonOf("selection", "Align here");
  assert.equal(here.textContent, "Align here: move B run 1 by +6.400 µs");
  await press(here);
  assert.deepEqual([b.moved, starts(b, 0)[0], starts(b, 1)[0], starts(a, 0)[0], b.series[0].time[0], b.header.start_ns, b.header.end_ns], [6400, 6500, 12900, 0, 6500, 6400, 14400]);
  assert.deepEqual([scene.model.start, scene.model.end, b.tiles[0].info.end_ns, chosen()], [0, 14400, 14400, [1, 0, 6500, "tasks"]]);
  assert.deepEqual([element("moved").hidden, element("moved").textContent], [false, "B run 1 moved by +6.400 µs · reset"]);
  assert.match(location.hash, /&o=0_6400/);
  await press(buttonOf("selection", "Align others to this start"));
  await click(10, rowY(a, 0));
  assert.deepEqual([chosen(), buttonOf("selection", "Align here").textContent], [[0, 0, 0, "tasks"], "Align here: move A run 0 by +6.500 µs"]);
  await press(buttonOf("selection", "Align all starts"));
  assert.deepEqual([b.moved, starts(b, 0)[0], element("moved").hidden], [0, 100, true]);
  assert.equal(buttonOf("selection", "Align here").textContent, "Align here: move A run 0 by +100 ns", "the chosen task was moved back with its trace");
  await click(6600, rowY(a, 1));
  await press(buttonOf("selection", "Align others to this start"));
  await click(110, rowY(b, 0));
  await press(buttonOf("selection", "Align here"));
  assert.equal(b.moved, 6400);
  await press(element("moved"));
  assert.deepEqual([b.moved, starts(b, 0)[0], scene.model.end, element("moved").hidden, buttonOf("selection", "Align here")], [0, 100, 8000, true, undefined]);
  await key("0");
  await key("Escape");
});

const type = async (text) => {
  element("search").value = text;
  await element("search").fire("input");
  await settled();
};
const enter = async (shiftKey = false) => {
  await element("search").fire("keydown", { key: "Enter", shiftKey });
  await settled();
  return chosen()?.slice(0, 3).join(" ");
};
const listed = () => below(element("found")).filter((one) => one.tag === "button").map((one) => one.textContent);
const pagerText = () => element("found").children[0].textContent;

test("matches of both traces follow each other, a hundred at a time, then the counters", async () => {
  await type("=QK");
  assert.equal(element("matches").textContent, "300 found");
  const earlier = () => below(element("found")).find((one) => one.attributes["aria-label"] === "Earlier matches");
  const later = () => below(element("found")).find((one) => one.attributes["aria-label"] === "Later matches");
  assert.deepEqual([earlier().disabled, later().disabled, listed().length, listed()[2]], [true, false, 102, "QK · A AIC00 ns"]);
  const pages = [pagerText()];
  for (let k = 0; k < 3; k++) {
    await press(later());
    pages.push([pagerText(), listed().length, listed()[2]]);
  }
  assert.deepEqual(pages.slice(1), [["101 to 150 of 300‹›", 52, "QK · A AIC04 µs"], ["151 to 250 of 300‹›", 102, "QK · B AIC0100 ns"], ["251 to 300 of 300‹›", 52, "QK · B AIC04.1 µs"]]);
  assert.equal(later().disabled, true);
  await press(earlier());
  await press(earlier());
  assert.equal(pagerText(), pages[1][0]);
  assert.deepEqual([await enter(), await enter(), await enter(true), await enter(true), await enter(true)], ["0 0 0", "0 0 40", "0 0 0", "1 0 6060", "1 0 6020"]);
  await key("Escape");
  await key("Escape");
});

test("Enter goes on from the bars to the counters and round, and back with Shift", async () => {
  await type("ready");
  assert.equal(element("matches").textContent, "4 found");
  const told = [];
  for (const back of [false, false, false, false, false, true, true]) {
    await enter(back);
    told.push(state());
  }
  assert.deepEqual([told, chosen()], [["A QK ready", "A ready", "B QK ready", "B ready", "A QK ready", "B ready", "B QK ready"], null]);
  await type("qk|pv dur>30");
  assert.equal(element("matches").textContent, "2 found");
  await type("QK|PV");
  assert.equal(element("matches").textContent, "304 found");
  const steps = [];
  for (const back of [true, false, false, false, true, true, true]) steps.push([await enter(back), state()]);
  assert.deepEqual(steps.map(([bar, said]) => (said.includes("predecessor") ? bar : said)), ["1 1 6500", "A QK ready", "B QK ready", "0 0 0", "B QK ready", "A QK ready", "1 1 6500"]);
  await key("Escape");
  await key("Escape");
  await type("no such");
  assert.deepEqual([await enter(), element("matches").textContent], [undefined, "0 found"]);
  await key("Escape");
});

test("functions of two traces stand side by side", async () => {
  const table = () => tableTexts(below(element("functions")).find((one) => one.tag === "table"));
  assert.deepEqual(table(), [["function", "total A", "total B", "B − A"], ["QK", "3.00 µs", "3.00 µs", "+0.0 %"], ["PV", "900 ns", "900 ns", "+0.0 %"]]);
  const row = (k) => below(element("functions")).filter((one) => one.tag === "tr")[k];
  await press(row(1));
  assert.deepEqual([scene.chosen, element("search").value], ["QK", "=QK"]);
  const beside = () => tableTexts(below(element("spread")).find((one) => one.tag === "table"));
  assert.deepEqual(beside().map((line) => line.slice(0, 3)), [["", "A", "B"], ["count", "150", "150"], ["total", "3.00 µs", "3.00 µs"], ["min", "1 ns", "1 ns"], ["median", "20 ns", "10 ns"], ["p99", "2 ns", "2 ns"], ["max", "3 ns", "3 ns"]]);
  await press(row(2), { ctrlKey: true });
  assert.deepEqual(beside()[0], ["", "QK · A", "QK · B", "PV · A", "PV · B"]);
  assert.deepEqual(below(element("outliers")).filter((one) => one.tag === "button").length, 16);
  await press(row(2), { shiftKey: true });
  assert.equal(scene.compared, null, "again: no more");
  await press(row(1));
  assert.deepEqual([scene.chosen, element("search").value], [null, ""]);
});

test("an area over both traces has a column and a lane of each", async () => {
  element("scroll").scrollTop = 0;
  await key("r");
  const select = below(element("area")).find((one) => one.attributes["aria-label"] === "Figures of the area by");
  const rows = async (view) => {
    select.value = view;
    await select.fire("change");
    return tableTexts(below(element("area")).find((one) => one.tag === "table"));
  };
  assert.deepEqual((await rows("lane")).slice(1).map((row) => row.slice(0, 4)), [["A AIC0", "150", "3.00 µs", "37.5 %"], ["B AIC0", "150", "3.00 µs", "37.5 %"], ["A AIC1", "1", "900 ns", "11.3 %"], ["B AIC1", "1", "900 ns", "11.3 %"]]);
  assert.deepEqual((await rows("pivot")).map((row) => row.length), [3, 3, 3]);
  assert.match(element("area").textContent, /wait reasons/);
  select.value = "waits";
  await select.fire("change");
  assert.ok(below(element("area")).some((one) => one.textContent === "This trace does not say what cores waited for."));
  await key("Escape");
});

test("counters and bars that match are counted from the first on", async () => {
  await type("=PV");
  assert.deepEqual([pagerText(), listed().slice(2)], ["1 to 1 of 2‹›", ["PV · A AIC16.5 µs"]]);
  await press(below(element("found")).find((one) => one.attributes["aria-label"] === "Later matches"));
  assert.deepEqual([pagerText(), listed().slice(2)], ["2 to 2 of 2‹›", ["PV · B AIC16.5 µs"]]);
  await type("nothing");
  assert.deepEqual([pagerText(), listed().slice(2)], ["no bar‹›", []]);
  await key("Escape");
});

test("a page that is saved holds its data once, and what the reader made", async () => {
  const saved = [];
  URL.createObjectURL = (blob) => saved.push(blob) && "address";
  await key("Enter");
  await key("m");
  await press(element("savePage"));
  const text = await saved[0].text();
  const bare = text.replaceAll(/<script type=[^]*?<\/script>\n/g, "");
  assert.equal(bare, "<!doctype html>\n<html><head><title>both</title></head><body><header></header><script>boot</script></body></html>\n");
  const parts = [...text.matchAll(/<script type="application\/octet-stream" id="(\w+)">([^<]*)<\/script>/g)].map((one) => [one[1], one[2]]);
  assert.deepEqual(parts.map(([id]) => id), ["header", "made"]);
  assert.equal(parts[0][1], "AAAA");
  assert.match(atob(parts[1][1]), /^\[\[\],\[\]\]\n\[\[3980,4000,"QK"\]\]$/);
});
