// One track as a line of pixels: how full each is, and how that is mixed with what is below.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addTrack, clearStrip, makeStrip, writeStrip } from "../../../viewer/strip.js";

const RGB = [[200, 100, 50], [10, 20, 30]];
const rounded = (values) => [...values].map((value) => Number(value.toFixed(3)));

function trackOf(bars, more = {}) {
  const [start, end] = [bars.map(([from]) => from), bars.map(([, to]) => to)];
  return { count: bars.length, start, end, busy: null, paint: bars.map(([, , paint = 0]) => paint), copies: [], ...more };
}

function strip(width, track, more = {}) {
  const made = makeStrip(width);
  addTrack(made, track, { t0: 0, t1: width, scale: 1, rgb: RGB, least: 0.02, ...more });
  return made;
}

test("a pixel is as full as the bars in it", () => {
  assert.deepEqual(rounded(strip(4, trackOf([[0.25, 0.5], [0.5, 1], [2.5, 3.5]])).cover), [0.75, 0, 0.5, 0.5]);
});

test("a wide bar keeps its first pixel half empty", () => {
  assert.deepEqual(rounded(strip(6, trackOf([[1, 5]])).cover), [0, 0.35, 1, 1, 1, 0]);
  assert.deepEqual(rounded(strip(6, trackOf([[1.5, 4.5]])).cover), [0, 0.5, 1, 1, 0.5, 0]);
  assert.deepEqual(rounded(strip(6, trackOf([[-1, 4.5]])).cover), [1, 1, 1, 1, 0.5, 0]);
  assert.deepEqual(rounded(strip(6, trackOf([[0, 4]])).cover), [0.35, 1, 1, 1, 0, 0]);
});

test("bars outside are left out, those at the edges are cut", () => {
  assert.deepEqual(rounded(strip(3, trackOf([[-5, -2], [-1, 0.5], [2.5, 9], [4, 5]])).cover), [0.5, 0, 0.499]);
  assert.deepEqual(rounded(strip(3, trackOf([[-0.5, -0.5], [3, 3]])).cover), [0, 0, 0]);
});

test("no bar is narrower than the least", () => {
  assert.deepEqual(rounded(strip(3, trackOf([[1.2, 1.2]])).cover), [0, 0.02, 0]);
  assert.deepEqual(rounded(strip(4, trackOf([[1, 1]]), { least: 2 }).cover), [0, 1, 1, 0]);
  assert.deepEqual(rounded(strip(4, trackOf([[-0.5, -0.4]]), { least: 2 }).cover), [1, 0.5, 0, 0]);
});

test("colours are weighted by how much of a pixel they fill", () => {
  const made = strip(2, trackOf([[0, 0.5], [0.5, 1, 1], [1, 1.5, 1]]));
  assert.deepEqual([rounded(made.red), rounded(made.green), rounded(made.blue)], [[105, 5], [60, 10], [40, 15]]);
});

test("a bar that was busy for a part of its time is as faint", () => {
  assert.deepEqual(rounded(strip(3, trackOf([[0, 1], [1, 2], [2, 2.5]], { busy: [0.25, 3, 0.25] })).cover), [0.25, 1, 0.25]);
  assert.deepEqual(rounded(strip(2, trackOf([[0.5, 0.5]], { busy: [0] })).cover), [0.02, 0]);
});

test("a copy stands for its bars where it is fine enough", () => {
  const copy = { width: 1, start: [0, 2], end: [2, 3], busy: [1, 1], pick: [3, 0] };
  const track = trackOf([[0, 0.5], [0.5, 0.7], [0.8, 1], [1, 1.5, 1], [2, 3]], { copies: [copy] });
  const made = strip(4, track);
  assert.deepEqual([rounded(made.cover), rounded(made.red)], [[0.5, 0.5, 1, 0], [5, 5, 200, 0]]);
  assert.deepEqual(rounded(strip(8, track, { t1: 4, scale: 2 }).cover), [1, 0.8, 1, 0, 1, 1, 0, 0]);
});

test("a strip is cleared", () => {
  const made = strip(2, trackOf([[0, 2]]));
  clearStrip(made);
  assert.deepEqual([made.red, made.green, made.blue, made.cover].map((values) => [...values]), Array(4).fill([0, 0]));
});

function written(cover, { picture = 1, top = 0, bottom = 1, left = 0, back = [0, 0, 0], height = 1, width = cover.length } = {}) {
  const made = makeStrip(cover.length);
  cover.forEach((share, x) => {
    made.cover[x] = share;
    [made.red[x], made.green[x], made.blue[x]] = [200 * share, 100 * share, 50 * share];
  });
  const pixels = new Uint32Array(width * height).fill(picture);
  writeStrip(made, { pixels, width, height }, { top, bottom, left, back });
  return [...pixels].map((pixel) => (pixel === picture ? "–" : [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255, pixel >>> 24].join(" ")));
}

test("a full pixel has the colour of its bars, an empty one stays", () => {
  assert.deepEqual(written([1, 1, 1, 0]), ["200 100 50 255", "200 100 50 255", "200 100 50 255", "–"]);
  assert.deepEqual(written([2, 2, 2]), ["200 100 50 255", "200 100 50 255", "200 100 50 255"]);
});

test("a lone faint pixel is lifted more than one between others", () => {
  assert.deepEqual(written([0, 0.01, 0, 0.01, 0.01, 0.01]), ["–", "110 55 27 255", "–", "110 55 27 255", "24 12 6 255", "110 55 27 255"]);
  assert.deepEqual(written([0.25, 0.25, 0.25]), ["110 55 27 255", "50 25 12 255", "110 55 27 255"]);
});

test("what is not full shows the ground", () => {
  assert.deepEqual(written([0.5, 0.5, 0.5], { back: [100, 40, 20] })[1], "150 70 35 255");
  assert.deepEqual(written([0.5, 0.5, 0.5], { back: null, picture: 0xff142864 })[1], "150 70 35 255");
});

test("the first row is copied down, within the picture", () => {
  const row = ["–", "200 100 50 255", "200 100 50 255", "–"];
  const [empty, all] = [["–", "–", "–", "–"], { width: 4, height: 3, left: 1 }];
  assert.deepEqual(written([1, 1], { ...all, top: 1, bottom: 3 }), [...empty, ...row, ...row]);
  assert.deepEqual(written([1, 1], { ...all, top: -2, bottom: 2 }), [...row, ...row, ...empty]);
  assert.deepEqual(written([1, 1], { ...all, top: 2, bottom: 9 }), [...empty, ...empty, ...row]);
  assert.deepEqual(written([1, 1], { ...all, top: 2, bottom: 2 }), [...empty, ...empty, ...empty]);
});
