// Paints by number, the theme that is on, and places on a canvas.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fitCanvas, textFont, timeAt, xOf } from "../../../viewer/canvas.js";
import { BLOCKED, CRITICAL, DEVIATION, DIM, HARDLY, LOST, PLAIN, REASONS, WAIT, deviationPaint, functionPaint, phasePaint, readTheme, toRgb } from "../../../viewer/theme.js";
import { COLOURS, Element, makePage } from "./page.mjs";

test("paints repeat after 30 functions and 8 phases", () => {
  assert.deepEqual([0, 29, 30, 61].map(functionPaint), [0, 29, 0, 1]);
  assert.deepEqual([0, 7, 8, -1].map(phasePaint), [32, 39, 32, 39]);
});

test("a length is painted by its ratio to the median", () => {
  const ratios = [0, 0.49, 0.5, 0.79, 0.8, 0.94, 0.95, 1.04, 1.05, 1.24, 1.25, 1.99, 2, 50];
  assert.deepEqual(ratios.map((ratio) => deviationPaint(1000 * ratio, 1000) - DEVIATION), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]);
  assert.deepEqual([0, -1, undefined, NaN].map((median) => deviationPaint(5, median) - DEVIATION), [3, 3, 3, 3]);
  assert.equal(deviationPaint(5, 1) - DEVIATION, 6, "a median of 1 ns is one");
});

test("paints of different things have different numbers", () => {
  assert.deepEqual([WAIT, LOST, HARDLY, DEVIATION, BLOCKED, DIM, PLAIN, CRITICAL, REASONS.length], [80, 86, 99, 60, 68, 69, 70, 71, 19]);
});

test("the theme is that of the page, or of the system", () => {
  makePage();
  const root = document.documentElement;
  assert.equal(readTheme().name, "light");
  globalThis.matchMedia = (query) => ({ matches: query === "(prefers-color-scheme: dark)" });
  assert.equal(readTheme().name, "dark");
  root.dataset.theme = "light";
  const theme = readTheme();
  const { name, paints, rgb, edges, ink, ...colours } = theme;
  assert.deepEqual([name, colours], ["light", COLOURS]);
  assert.deepEqual([paints.length, paints[0], paints[9], paints[10], paints[19], paints[20], paints[29]], [112, "#4a7ab5", "#a667a5", "#89a9cf", "#c59cc5", "#304f76", "#6c436b"]);
  assert.deepEqual([30, 31, 32, 39, 40].map((k) => paints[k]), ["#090909", "#090909", "#7d8ca3", "#90a8b8", "#090909"]);
  assert.deepEqual([60, 66, 67, BLOCKED, DIM, PLAIN, CRITICAL].map((k) => paints[k]), ["#2f6cae", "#b23a2e", "#090909", "#070707", "#080808", "#090909", "#0d0d0d"]);
  assert.deepEqual([WAIT, LOST, HARDLY, HARDLY + 1].map((k) => paints[k]), ["#d99a2b", "#3f4a58", "#a9c0d6", "#090909"]);
  assert.deepEqual([rgb[0], edges[0]], [[74, 122, 181], [53, 87, 128]]); // the text's colour has 30 % of an edge
  assert.deepEqual([ink[0], ink[1], ink[DIM], ink[DEVIATION], ink[DEVIATION + 3]], ["#ffffff", "#10161f", "#050505", "#ffffff", "#10161f"]);
  assert.equal(ink.slice(0, 10).map((one) => (one === "#ffffff" ? "w" : "b")).join(""), "wbbwwbbbww");
  root.dataset.theme = "dark";
  assert.deepEqual([readTheme().name, readTheme().paints[0], readTheme().paints[WAIT]], ["dark", "#6a9bd8", "#e3ab49"]);
});

test("a colour is three bytes", () => assert.deepEqual(toRgb("#0180ff"), [1, 128, 255]));

test("a canvas has the size that it is shown at, in device pixels", () => {
  makePage();
  globalThis.devicePixelRatio = 1.5;
  const canvas = Object.assign(new Element("canvas"), { width: 1, height: 1 });
  assert.equal(fitCanvas(canvas, 101, 10.2), 1.5);
  assert.deepEqual([canvas.width, canvas.height, canvas.style.height], [152, 15, "10.2px"]);
  canvas.style.height = "kept";
  fitCanvas(canvas, 101, 10.2);
  assert.equal(canvas.style.height, "kept");
  fitCanvas(canvas, 101, 20);
  assert.deepEqual([canvas.width, canvas.height], [152, 30]);
  fitCanvas(canvas, 102, 20);
  assert.deepEqual([canvas.width, canvas.height], [153, 30]);
  fitCanvas(canvas, 0, 0);
  assert.deepEqual([canvas.width, canvas.height], [1, 1]);
  globalThis.devicePixelRatio = 0;
  assert.equal(fitCanvas(canvas, 5, 5), 1);
});

test("times and places are one another's inverse", () => {
  const view = { left: 100, width: 300, t0: 1000, t1: 2000 };
  assert.deepEqual([1000, 1500, 2000].map((ns) => xOf(view, ns)), [100, 200, 300]);
  assert.deepEqual([100, 150, 300].map((x) => timeAt(view, x)), [1000, 1250, 2000]);
  assert.match(textFont(11), /^400 11px /);
  assert.match(textFont(12, 650), /^650 12px /);
});
