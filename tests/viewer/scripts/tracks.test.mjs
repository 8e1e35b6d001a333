// Bars laid on tracks, their coarser copies, and finding a bar.
import assert from "node:assert/strict";
import { test } from "node:test";
import { barAt, copyFor, firstEndAfter, makeCopies, makeTracks, sumsOf } from "../../../viewer/tracks.js";

const DIM = 69;

function tableOf(lanes, columns) {
  const rows = lanes.reduce((sum, [, count]) => sum + count, 0);
  const values = new Map(Object.entries(columns).map(([name, of]) => [name, Float64Array.from(of)]));
  return { rows, lanes, values, column: async (name) => values.get(name) ?? null };
}

const told = ({ kind, lane, depth, start, end, busy, count }) => ({ kind, lane, depth, count, start: [...start], end: [...end], busy: busy && [...busy] });

test("bars that do not overlap are one track per lane", async () => {
  const table = tableOf([[4, 3], [7, 1]], { start: [0, 10, 20, 5], length: [10, 5, 0, 2], busy: [9, 4, 0, 2] });
  const tracks = await makeTracks("tasks", table);
  assert.deepEqual(tracks.map(told), [
    { kind: "tasks", lane: 4, depth: 0, count: 3, start: [0, 10, 20], end: [10, 15, 20], busy: [9, 4, 0] },
    { kind: "tasks", lane: 7, depth: 0, count: 1, start: [5], end: [7], busy: [2] },
  ]);
  assert.deepEqual(tracks.map((track) => [track.rowAt(0), track.paint.length, track.copies]), [[0, 3, []], [3, 1, []]]);
  assert.equal(tracks[0].rowAt(2), 2);
  assert.deepEqual(tracks.map(({ rows, firstRow }) => [rows, firstRow]), [[null, 0], [null, 3]], "rows that follow each other are not copied");
});

test("bars that overlap lie at the first depth that is free", async () => {
  const table = tableOf([[1, 1], [2, 5]], { start: [0, 0, 2, 4, 10, 11], length: [1, 10, 6, 2, 5, 1] });
  const tracks = await makeTracks("marks", table);
  assert.deepEqual(tracks.map(told), [
    { kind: "marks", lane: 1, depth: 0, count: 1, start: [0], end: [1], busy: null },
    { kind: "marks", lane: 2, depth: 0, count: 2, start: [0, 10], end: [10, 15], busy: null },
    { kind: "marks", lane: 2, depth: 1, count: 2, start: [2, 11], end: [8, 12], busy: null },
    { kind: "marks", lane: 2, depth: 2, count: 1, start: [4], end: [6], busy: null },
  ]);
  assert.deepEqual(tracks.map((track) => Array.from({ length: track.count }, (_, i) => track.rowAt(i))), [[0], [1, 4], [2, 5], [3]]);
});

test("a table without times has no tracks", async () => {
  assert.deepEqual(await makeTracks("tasks", tableOf([[0, 1]], { name: [0] })), []);
});

/** A track of bars of 5 ns, one every 10 ns. */
function even(count, busy = null) {
  const start = Float64Array.from({ length: count }, (_, i) => 10 * i);
  return { count, start, end: start.map((time) => time + 5), busy, paint: new Uint8Array(count), copies: [] };
}

test("few bars have no copies, many have copies that get coarser by the step", () => {
  const few = even(255);
  makeCopies(few, 2550, DIM);
  assert.deepEqual(few.copies, []);
  const many = even(1024);
  many.copies = ["old"];
  makeCopies(many, 10240, DIM);
  assert.deepEqual(many.copies.map((copy) => [copy.width, copy.start.length]), [[40, 256]]);
  const more = even(4096);
  makeCopies(more, 40960, DIM);
  assert.deepEqual(more.copies.map((copy) => [copy.width, copy.start.length]), [[40, 1024], [160, 256]]);
  const least = even(256);
  makeCopies(least, 25600, DIM);
  assert.deepEqual(least.copies.length, 0);
});

test("a bar of a copy spans its bin and has the place of the longest bar", () => {
  const track = even(1024);
  track.end[2] += 2;
  track.paint[5] = track.paint[6] = track.paint[7] = DIM;
  track.end[6] += 3;
  makeCopies(track, 10240, DIM);
  const [copy] = track.copies;
  assert.deepEqual([...copy.start.slice(0, 3)], [0, 40, 80]);
  assert.deepEqual([...copy.end.slice(0, 3)], [35, 75, 115]);
  assert.deepEqual([...copy.weight.slice(0, 3)], [7.001, 5.001, 5.001]);
  assert.deepEqual([...copy.pick.slice(0, 3)], [2, 4, 8]);
});

test("sums of time are made once, of the source's own where it says how busy a bar is", () => {
  const track = even(4);
  assert.deepEqual([...sumsOf(track)], [0, 5, 10, 15, 20]);
  assert.equal(sumsOf(track), track.sums);
  assert.deepEqual([...sumsOf(even(4, [3, 5, 9, 0]))], [0, 3, 8, 13, 13]);
});

test("a copy that is hardly smaller is left out", () => {
  const start = Float64Array.from({ length: 4096 }, (_, i) => 2560 * (i >> 8) + (i & 255) / 16);
  const track = { count: 4096, start, end: start.map((time) => time + 0.01), busy: null, paint: new Uint8Array(4096), copies: [] };
  makeCopies(track, 40960, DIM);
  assert.deepEqual(track.copies.map((copy) => [copy.width, copy.start.length]), [[40, 16]]);
});

test("the copy for a zoom is the coarsest that is no wider than a pixel", () => {
  const track = { copies: [{ width: 4 }, { width: 16 }, { width: 64 }] };
  assert.deepEqual([3.9, 4, 15, 16, 63, 64, 1000].map((ns) => copyFor(track, ns)?.width ?? null), [null, 4, 4, 16, 16, 64, 64]);
});

test("the first end after a time", () => {
  const ends = [5, 10, 10, 20];
  assert.deepEqual([0, 5, 9, 10, 19, 20].map((time) => firstEndAfter(ends, time)), [0, 1, 1, 3, 3, 4]);
  assert.equal(firstEndAfter([], 3), 0);
});

test("a bar that ends where the next one begins is over at that moment", () => {
  const track = { count: 2, start: [0, 10], end: [10, 20] };
  assert.deepEqual([0, 9.9, 10, 20].map((time) => barAt(track, time, 0)), [0, 0, 1, 1]);
});

test("the bar at a moment, or the nearest within reach", () => {
  const track = { count: 3, start: [10, 30, 50], end: [20, 40, 60] };
  const at = (time, tolerance = 0) => barAt(track, time, tolerance);
  assert.deepEqual([10, 15, 30, 59].map((time) => at(time)), [0, 0, 1, 2]);
  assert.deepEqual([at(20), at(25), at(9), at(60), at(70)], [0, -1, -1, 2, -1]);
  assert.deepEqual([at(23, 3), at(23, 2), at(28, 2), at(28, 1), at(25, 5)], [0, -1, 1, -1, 1]);
  assert.deepEqual([at(8, 2), at(8, 1), at(63, 3), at(63, 2), at(-1000, Infinity), at(1000, Infinity)], [0, -1, 2, -1, 0, 2]);
});
