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

test("the first full pixel of a wide bar has a stronger colour, and no pixel is emptier for it", () => {
  const edges = [[100, 50, 25], [5, 10, 15]];
  const red = (bars) => {
    const made = strip(10, trackOf(bars), { edges });
    return rounded(made.red.map((value, x) => value / (made.cover[x] || 1)));
  };
  assert.deepEqual(rounded(strip(10, trackOf([[1.5, 8.5]]), { edges }).cover), [0, 0.5, 1, 1, 1, 1, 1, 1, 0.5, 0]);
  assert.deepEqual(red([[1.5, 8.5]]), [0, 200, 100, 200, 200, 200, 200, 200, 200, 0]);
  assert.deepEqual(red([[1.5, 7.5]]), [0, 200, 200, 200, 200, 200, 200, 200, 0, 0]);
  assert.deepEqual(red([[-1, 8]]), [200, 200, 200, 200, 200, 200, 200, 200, 0, 0]);
});

test("bars outside are left out, those at the edges are cut", () => {
  assert.deepEqual(rounded(strip(3, trackOf([[-5, -2], [-1, 0.5], [2.5, 9], [4, 5]])).cover), [0.5, 0, 0.5]);
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

/** More bars than are drawn one by one: `per` in each of `width` pixels, each a `share` of its room. */
function many(width, per, share) {
  const bars = Array.from({ length: width * per }, (_, i) => [i / per, (i + share(Math.floor(i / per))) / per, i % 2]);
  return trackOf(bars, { dim: 69 });
}

test("a pixel of many bars is exactly as full as they are, by their sums", () => {
  assert.deepEqual(rounded(strip(8, many(8, 5, () => 0.5)).cover), Array(8).fill(0.5));
  assert.deepEqual(rounded(strip(8, many(8, 5, (x) => x / 10)).cover), [0.001, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]);
  assert.deepEqual(rounded(strip(4, many(4, 200, (x) => x / 10)).cover), [0.001, 0.1, 0.2, 0.3]);
  const shifted = strip(4, many(8, 8, (x) => x / 8), { t0: 2.25, t1: 6.25 });
  assert.deepEqual(rounded(shifted.cover), [0.281, 0.406, 0.531, 0.656]);
});

test("of many bars those inside the limits count", () => {
  const track = many(8, 5, () => 0.5);
  assert.deepEqual(rounded(strip(8, track, { from: 2, to: 6 }).cover), [0, 0, 0.5, 0.5, 0.5, 0.5, 0, 0]);
  assert.deepEqual(rounded(strip(8, track, { from: 2.1, to: 5.9 }).cover), [0, 0, 0.4, 0.5, 0.5, 0.5, 0, 0]);
  assert.deepEqual(rounded(strip(8, trackOf([[1, 7]]), { from: 2, to: 5.5 }).cover), [0, 0, 1, 1, 1, 0.5, 0, 0]);
});

test("limits are moments, whatever a pixel is worth and where the view begins", () => {
  const view = { t0: 10, t1: 14, scale: 2 };
  assert.deepEqual(rounded(strip(8, trackOf([[10, 14]]), { ...view, from: 11, to: 13 }).cover), [0, 0, 1, 1, 1, 1, 0, 0]);
  const track = many(16, 5, () => 0.5);
  assert.deepEqual(rounded(strip(8, track, { ...view, from: 11, to: 13.25 }).cover), [0, 0, ...strip(8, track, view).cover.slice(2, 6), 0.3, 0].map((share) => Number(share.toFixed(3))));
});

test("of many merged bars what they were busy counts", () => {
  const track = many(4, 5, () => 1);
  track.busy = track.start.map(() => 0.05);
  assert.deepEqual(rounded(strip(4, track).cover), Array(4).fill(0.25));
});

test("a pixel that cuts merged bars has the part of their busy time that lies in it", () => {
  const track = many(8, 5, () => 1);
  track.busy = track.start.map((_, i) => (i < 20 ? 0.05 : 0.5));
  assert.deepEqual(rounded(strip(6, track, { t0: 0.1, t1: 6.1 }).cover), [0.25, 0.25, 0.25, 0.325, 1, 1]);
});

test("among many bars a long one fills every pixel that it reaches, in its own colour", () => {
  const short = (from) => Array.from({ length: 20 }, (_, k) => [from + k / 25, from + k / 25 + 0.02, 0]);
  const made = strip(8, trackOf([...short(0), [0.9, 3.5, 1], ...short(4), ...short(5)], { dim: 69 }));
  assert.deepEqual(rounded(made.cover), [0.5, 1, 1, 0.5, 0.4, 0.4, 0, 0]);
  assert.deepEqual([1, 2, 3].map((x) => Math.round(made.red[x] / made.cover[x])), [10, 10, 10]);
});

test("a pixel between many bars stays empty", () => {
  const track = many(8, 10, () => 0.5);
  const kept = [...track.start.keys()].filter((i) => i < 30 || i >= 40);
  const [start, end, paint] = [track.start, track.end, track.paint].map((values) => kept.map((i) => values[i]));
  assert.deepEqual(rounded(strip(8, { ...track, start, end, paint, count: 70 }).cover), [0.5, 0.5, 0.5, 0, 0.5, 0.5, 0.5, 0.5]);
});

test("many marks fill the pixels that they touch", () => {
  assert.deepEqual(rounded(strip(4, many(4, 5, (x) => (x === 1 ? 0 : 0.1)), { least: 2 }).cover), [1, 1, 1, 1]);
});

test("a pixel of many bars has the colour of the longest, or what the copy says it is", () => {
  const track = many(4, 5, () => 0.5);
  track.end[7] += 0.01;
  const hue = (made) => rounded(made.red.map((value, x) => value / made.cover[x]));
  assert.deepEqual(hue(strip(4, track)), [200, 10, 200, 10]);
  const copy = { width: 1, start: [0, 1, 2, 3], end: [0.9, 1.91, 2.9, 3.9], weight: [1, 2, 1, 1], pick: [1, 6, 11, 16] };
  assert.deepEqual(hue(strip(4, { ...track, copies: [copy] })), [10, 200, 10, 200]);
  assert.deepEqual(hue(strip(4, { ...track, copies: [{ ...copy, width: 1.1 }] })), [200, 10, 200, 10]);
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

test("how strong a pixel is follows its share; the faintest looks like one of 64", () => {
  assert.deepEqual(written([0, 0.001, 0, 0.02, 0.03, 0.06, 0.25, 0.5]), ["–", "3 2 1 255", "–", "4 2 1 255", "6 3 2 255", "12 6 3 255", "50 25 13 255", "100 50 25 255"]);
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
