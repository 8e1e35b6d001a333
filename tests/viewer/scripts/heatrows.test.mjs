// The heat map of all cores: which cores share a row, and how busy they are.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makePage } from "./page.mjs";

makePage();
const { heatRows, heatShares, rampOf } = await import("../../../viewer/heatrows.js");
const { makeStrip } = await import("../../../viewer/strip.js");

function modelOf(shares) {
  const lanes = [{ kind: "controller" }, ...shares.map(() => ({ kind: "core" })), { kind: "pipe" }];
  const byLane = new Map(shares.map((share, k) => [k + 1, [{ kind: "tasks", depth: 0, start: [0, 50], end: [50 * share, 50 + 50 * share], paint: [0, 0], busy: null, copies: [], count: 2 }]]));
  const tile = { info: { start_ns: 0, end_ns: 100 }, tracks: [], byLane };
  return { traces: [{ number: 0, header: { lanes }, tiles: [tile], overview: null }] };
}

test("cores have a row each where they fit, and share rows evenly where not", () => {
  const lanes = (rows) => rows.map((row) => row.map(({ lane }) => lane));
  const model = modelOf([0, 0, 0, 0, 0]);
  assert.deepEqual(lanes(heatRows(model, 100)), [[1], [2], [3], [4], [5]]);
  assert.deepEqual(lanes(heatRows(model, 6)), [[1, 2], [3, 4, 5]]);
  assert.deepEqual(lanes(heatRows(model, 1)), [[1, 2, 3, 4, 5]]);
});

test("a cell is the mean of its cores", () => {
  const model = modelOf([0.2, 0.6]);
  const [row] = heatRows(model, 3);
  const shares = heatShares(row, makeStrip(2), { t0: 0, t1: 100, rgb: [[0, 0, 0]] });
  assert.deepEqual([...shares].map((share) => Math.round(share * 1000) / 1000), [0.4, 0.4]);
});

test("colours go evenly from the ground to full", () => {
  const ramp = rampOf([10, 0, 255], [20, 255, 0]);
  assert.deepEqual([0, 51, 255].map((k) => ramp[k].toString(16)), ["ffff000a", "ffcc330c", "ff00ff14"]);
});
