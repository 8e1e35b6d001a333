// What is seen as SVG, tracks as rectangles, and two fingers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Context, Element, makePage } from "./page.mjs";

makePage();
const { addRects } = await import("../../../viewer/rects.js");
const { svgText } = await import("../../../viewer/svg.js");
const { makeCopies } = await import("../../../viewer/tracks.js");
const { listenToPinch } = await import("../../../viewer/touch.js");

const theme = { back: "#fff", text: "#000", soft: "#888", line: "#ccc", group: "#eee", lane: "#f6f6f6", accent: "#00f", paints: ["#111", "#222"] };

test("bars are rectangles, narrow ones fill their pixel", () => {
  const context = new Context();
  const track = { start: [0, 50, 50.2, 80], end: [40, 50.1, 50.6, 300], paint: [0, 0, 1, 1], busy: null, copies: [] };
  addRects(context, track, { t0: 0, t1: 100, left: 10, width: 110, top: 5, bottom: 9, least: 0, theme });
  assert.deepEqual(context.taken(), ["fillRect 10 5 40 4 #111", "fillRect 90 5 20 4 #222", "fillRect 60 5 1 4 #222@0.5"]);
  addRects(context, track, { t0: 45, t1: 60, left: 0, width: 15, top: 0, bottom: 1, least: 2, theme });
  assert.deepEqual(context.taken(), ["fillRect 5 0 2 1 #111", "fillRect 5.2 0 2 1 #222"]);
});

test("many bars are a line of pixels, each as full as what lies in it", () => {
  const context = new Context();
  const bars = Array.from({ length: 1000 }, (_, i) => i);
  const track = { start: bars.map((i) => i), end: bars.map((i) => i + (i < 500 ? 0.25 : 0.75)), paint: bars.map((i) => (i < 500 ? 0 : 1)), busy: null, count: 1000, sums: null, copies: [] };
  makeCopies(track, 1000, 69);
  const rgb = [[1, 2, 3], [4, 5, 6]];
  addRects(context, track, { t0: 0, t1: 1000, left: 10, width: 20, top: 5, bottom: 9, least: 0, theme: { ...theme, rgb } });
  assert.deepEqual(context.taken(), ["fillRect 10 5 5 4 rgb(1,2,3)@0.25", "fillRect 15 5 5 4 rgb(4,5,6)@0.75"]);
});

test("names are text in a document, whatever they hold", () => {
  const name = `<script>"&\u0001\ud800`;
  const model = { job: null, traces: [{ number: 0, header: { name } }] };
  const view = { t0: 0, t1: 100, left: 10, width: 110, full: 110, height: 40, top: 0, ratio: 1 };
  const text = svgText({ model, view, theme, layout: { rows: [], pinned: 0 }, made: { pins: [], notes: [] }, measure: null, canvas: null, selection: null, hover: null, options: { closed: new Set() } });
  assert.match(text, /^<\?xml version="1.0" encoding="UTF-8"\?>\n<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="110" height="94"/);
  assert.ok(text.includes("&lt;script&gt;&quot;&amp;\ufffd\ufffd</title>"));
  assert.ok(!text.includes("<script"));
  assert.ok(text.includes('<clipPath id="clip1"><path d="M0 0h110v40h-110z"/></clipPath>'), "lanes are cut at their borders");
  assert.equal(text.match(/<g /g).length, text.match(/<\/g>/g).length);
});

test("two fingers zoom about what lies between them; one does not", async () => {
  const [canvas, shown] = [new Element("canvas"), []];
  const scene = { view: { t0: 0, t1: 1000, left: 0, width: 1000 } };
  listenToPinch(scene, canvas, { show: (...range) => shown.push(range) });
  const touch = (name, pointerId, x, pointerType = "touch") => canvas.fire(name, { pointerId, pointerType, clientX: x + 10 });
  await touch("pointerdown", 1, 400);
  await touch("pointermove", 1, 300);
  await touch("pointermove", 9, 300, "mouse");
  assert.deepEqual([shown, scene.pinching ?? false], [[], false]);
  await touch("pointerdown", 2, 500);
  assert.equal(scene.pinching, true);
  await touch("pointermove", 2, 700);
  assert.deepEqual(shown, [[150, 650]]);
  await touch("pointerup", 2, 700);
  assert.equal(scene.pinching, true);
  await touch("pointerup", 1, 300);
  assert.equal(scene.pinching, false);
});
