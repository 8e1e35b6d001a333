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

test("a bar of a pixel or more is a rectangle of its own, as full as it was busy", () => {
  const context = new Context();
  const track = { start: [10, 20, 30, 40, 50], end: [11, 21.5, 30.5, 40, 50.5], paint: [0, 1, 0, 1, 1], busy: [0.5, 3, 0.25, 0, 2], copies: [] };
  addRects(context, track, { t0: 0, t1: 100, left: 0, width: 100, top: 0, bottom: 2, least: 0, theme });
  assert.deepEqual(context.taken(), ["fillRect 10 0 1 2 #111@0.5", "fillRect 20 0 1.5 2 #222", "fillRect 30 0 1 2 #111@0.25", "fillRect 50 0 1 2 #222@0.5"]);
});

test("of several narrow bars the pixel has the colour of the longest, and is never more than full", () => {
  const context = new Context();
  const track = { start: [10, 10.25, 10.5, 30, 30.2], end: [10.25, 10.5, 11, 30.5, 31], paint: [0, 0, 1, 0, 1], busy: null, copies: [] };
  addRects(context, track, { t0: 0, t1: 100, left: 0, width: 100, top: 0, bottom: 2, least: 0, theme });
  assert.deepEqual(context.taken(), ["fillRect 10 0 1 2 #222", "fillRect 30 0 1 2 #222"]);
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
  assert.doesNotMatch(text, /<rect[^>]* (?:width|height)="0"/, "what has no size is left out");
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
  await touch("pointerdown", 3, 100);
  await touch("pointermove", 3, 50);
  await touch("pointerup", 3, 50);
  await touch("pointermove", 2, 600);
  assert.deepEqual(shown, [[150, 650]], "a third finger ends it");
  await touch("pointerup", 2, 700);
  assert.equal(scene.pinching, true);
  await touch("pointerup", 1, 300);
  assert.equal(scene.pinching, false);
});

/** One lane of a task of 50 ns and one of none, 2 pixels a ns; the first is selected, and a range is marked. */
function drawnScene() {
  const trace = { number: 0, header: { name: "run", functions: [{ name: "QK" }], lanes: [{ name: "c0", kind: "core", group: "g", lost: 3 }] }, overview: null };
  const track = { kind: "tasks", lane: 0, depth: 0, count: 2, start: [0, 60], end: [50, 60], paint: new Uint8Array(2), rowAt: (i) => i, busy: null, copies: [], sums: null, table: { values: new Map([["name", [0, 0]]]) } };
  trace.tiles = [{ info: { start_ns: 0, end_ns: 100 }, tracks: [track], byLane: new Map([[0, [track]]]) }];
  const paints = { ...theme, blocked: "#f00", after: "#0b0", paints: ["#111"], ink: ["#fff"], rgb: [[17, 17, 17]] };
  const row = { type: "lane", trace, lane: 0, y: 0, base: 16, inner: 11, depth: 1, height: 17, about: trace.header.lanes[0] };
  const view = { t0: 0, t1: 100, left: 100, width: 300, full: 300, height: 40, top: 0, ratio: 1, band: null };
  return {
    ...{ model: { job: null, traces: [trace] }, view, theme: paints, layout: { pinned: 0, rows: [row] }, options: { closed: new Set() }, measure: null, hover: null, area: null },
    made: { pins: [], notes: [{ start: 20, end: 40, text: "a", bar: null }] },
    selection: { trace, lane: 0, depth: 0, start: 0, end: 50, kind: "tasks" },
    neighbours: { before: { bars: [] }, after: { bars: [{ lane: 0, start: 60, length: 0 }] } },
    meanwhile: { trace, start: 10, end: 90, text: "late" },
  };
}

test("everything that is drawn becomes an element, and what was set for one part ends with it", () => {
  const elements = svgText(drawnScene()).replaceAll("><", ">\n<").trimEnd().split("\n");
  assert.deepEqual(elements.slice(3, -1), [
    '<rect x="0" y="0" width="300" height="94" fill="#fff"/>',
    '<text x="12" y="15" fill="#000" font-size="13px" font-weight="600">run</text>',
    '<g transform="translate(0 30)">',
    '<rect x="100" y="16" width="1" height="8" fill="#ccc"/>',
    '<rect x="300" y="16" width="1" height="8" fill="#ccc"/>',
    '<rect x="99" y="0" width="1" height="24" fill="#ccc"/>',
    '</g>',
    '<g transform="translate(0 54)">',
    '<clipPath id="clip1">',
    '<path d="M0 0h300v40h-300z"/>',
    '</clipPath>',
    '<g clip-path="url(#clip1)">',
    '<rect x="0" y="0" width="300" height="17" fill="#f6f6f6"/>',
    '<rect x="100" y="1" width="100" height="15" fill="#111"/>',
    '<rect x="100" y="0" width="1" height="40" fill="#888" opacity="0.16"/>',
    '<rect x="300" y="0" width="1" height="40" fill="#888" opacity="0.16"/>',
    '<clipPath id="clip2">',
    '<path d="M0 0h300v40h-300z"/>',
    '</clipPath>',
    '<g clip-path="url(#clip2)">',
    '<text x="104" y="9" fill="#fff" font-size="11px">QK</text>',
    '<text x="12" y="8.5" fill="#888" font-size="11.5px">c0</text>',
    '<text x="94" y="8.5" fill="#f00" font-size="11.5px" text-anchor="end">−3</text>',
    '<rect x="99" y="0" width="1" height="17" fill="#ccc"/>',
    '</g>',
    '<clipPath id="clip3">',
    '<path d="M0 0h300v0h-300z"/>',
    '</clipPath>',
    '<g clip-path="url(#clip3)">',
    '</g>',
    '<clipPath id="clip4">',
    '<path d="M100 0h200v40h-200z"/>',
    '</clipPath>',
    '<g clip-path="url(#clip4)">',
    '<rect x="120" y="0" width="160" height="17" fill="#00f" opacity="0.14"/>',
    '<path d="M120 0L120 17" fill="none" stroke="#00f" stroke-width="1" stroke-dasharray="4 3"/>',
    '<path d="M280 0L280 17" fill="none" stroke="#00f" stroke-width="1" stroke-dasharray="4 3"/>',
    '<text x="274" y="8.5" fill="#00f" font-size="11px" text-anchor="end">late</text>',
    '<path d="M200 8.5C214 8.5 206 8.5 215 8.5" fill="none" stroke="#fff" stroke-width="3.5" opacity="0.75"/>',
    '<path d="M200 8.5C214 8.5 206 8.5 215 8.5" fill="none" stroke="#0b0" stroke-width="1.5"/>',
    '<path d="M220 8.5L213 5L213 12" fill="#0b0"/>',
    '<rect x="99.5" y="0.5" width="101" height="16" fill="none" stroke="#000" stroke-width="1.5"/>',
    '</g>',
    '<clipPath id="clip5">',
    '<path d="M100 0h200v40h-200z"/>',
    '</clipPath>',
    '<g clip-path="url(#clip5)">',
    '<rect x="140" y="0" width="40" height="40" fill="#00f" opacity="0.12"/>',
    '<rect x="180" y="0" width="1" height="40" fill="#00f"/>',
    '<rect x="140" y="0" width="1" height="40" fill="#00f"/>',
    '<rect x="140" y="1" width="86" height="15" fill="#fff"/>',
    '<rect x="140.5" y="1.5" width="85" height="14" fill="none" stroke="#00f" stroke-width="1"/>',
    '<text x="144" y="9" fill="#000" font-size="11px">⚑ a  ·  20 ns</text>',
    '</g>',
    '</g>',
    '</g>',
  ]);
});
