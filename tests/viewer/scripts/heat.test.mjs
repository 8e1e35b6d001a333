// The heat map of a job: its cells, and how it is drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cellOf, cellText, drawHeat, makeHeat, placeAt } from "../../../viewer/heat.js";
import { COLOURS, Element, makePage } from "./page.mjs";

function jobOf(ranks, steps, values) {
  return {
    ranks: Array.from({ length: ranks }, (_, k) => 100 + k),
    steps: Array.from({ length: steps }, (_, k) => 5 + k),
    heat: Buffer.from(values).toString("base64"),
    limits: [90, 110],
    colours: { light: ["low", "even", "high"] },
    shown: [101],
  };
}

function drawn(job, width, cursor = [0, 0]) {
  const heat = makeHeat(job);
  heat.cursor = cursor;
  const canvas = Object.assign(new Element("canvas"), { clientWidth: width, width: 0, height: 0 });
  drawHeat(heat, canvas, { name: "light", ...COLOURS });
  return { heat, canvas, calls: canvas.context?.taken() };
}

test("a cell is as large as fits, coloured by its value, with the ranks that have lanes marked", () => {
  makePage();
  const { heat, calls } = drawn(jobOf(2, 3, [90, 91, 110, 111, 0, 255]), 62 + 90);
  assert.deepEqual([heat.high, heat.wide, heat.rows, heat.columns], [14, 30, [[0, 1], [1, 2]], [[0, 1], [1, 2], [2, 3]]]);
  assert.deepEqual(calls, [
    ...["setTransform 1 0 0 1 0 0", "clearRect 0 0 152 29"],
    ...["fillRect 62 0 29 13 low", "fillRect 92 0 29 13 even", "fillRect 122 0 29 13 even", 'text "rank 100" 0 7 #050505 left 400 10.5px'],
    ...["fillRect 62 14 29 13 high", "fillRect 122 14 29 13 high", "fillRect 57 14 3 13 #060606", 'text "rank 101" 0 21 #040404 left 400 10.5px'],
  ]);
});

test("many ranks and steps share cells; the farthest from its peers is shown", () => {
  makePage();
  const values = new Array(200 * 40).fill(100);
  values[0] = 0;
  values[1] = 95;
  values[40] = 103;
  values[41] = 105;
  const { heat } = drawn(jobOf(200, 40, values), 62 + 60, [99, 99]);
  assert.deepEqual([heat.rows.length, heat.columns.length, heat.high, heat.wide, heat.rows[0], heat.rows[1], heat.columns[19]], [88, 20, 2, 3, [0, 2], [2, 4], [38, 40]]);
  assert.deepEqual(heat.cursor, [87, 19]);
  assert.deepEqual(cellOf(heat, 0, 0), { rank: 0, step: 1, value: 95, ranks: 2, steps: 2 });
  assert.equal(cellText(heat, cellOf(heat, 0, 0)), "rank 100, step 6: 0.95 of the median of its peers (farthest of 2 ranks × 2 steps here)");
});

test("names of rows do not overlap, a narrow map has no gaps", () => {
  makePage();
  const { calls } = drawn(jobOf(40, 2, new Array(80).fill(100)), 62 + 12);
  assert.deepEqual(calls.filter((call) => call.startsWith("text")).slice(0, 3), ['text "rank 100" 0 5.5 #050505 left 400 10.5px', 'text "rank 103" 0 17.5 #050505 left 400 10.5px', 'text "rank 106" 0 29.5 #050505 left 400 10.5px']);
  assert.equal(calls[2], "fillRect 62 0 6 4 even");
  const wider = drawn(jobOf(25, 2, new Array(50).fill(100)), 62 + 14).calls;
  assert.equal(wider[2], "fillRect 62 0 6 6 even");
});

test("cells have a largest size, and a map without room is not drawn", () => {
  makePage();
  const { heat } = drawn(jobOf(1, 1, [100]), 2000);
  assert.deepEqual([heat.wide, heat.high], [64, 14]);
  assert.deepEqual(drawn(jobOf(1, 1, [100]), 30).heat.columns, [[0, 1]]);
  assert.equal(drawn(jobOf(1, 1, [100]), 0).calls, undefined);
});

test("the cursor is drawn where the keys are", () => {
  makePage();
  const heat = makeHeat(jobOf(2, 2, [1, 1, 1, 1]));
  const canvas = Object.assign(new Element("canvas"), { clientWidth: 62 + 40 });
  document.activeElement = canvas;
  const last = (cursor) => {
    heat.cursor = cursor;
    drawHeat(heat, canvas, { name: "light", ...COLOURS });
    return canvas.context.taken().at(-1);
  };
  assert.deepEqual([last([0, 1]), last([1, 0])], ["strokeRect 81.5 0.5 20 14 #040404 1.5", "strokeRect 61.5 13.5 20 14 #040404 1.5"]);
});

test("the place under a point", () => {
  makePage();
  const { heat } = drawn(jobOf(2, 3, [1, 1, 1, 1, 1, 1]), 62 + 90);
  assert.deepEqual([[62, 0], [61, 0], [91, 13], [92, 14], [151, 27], [152, 0], [70, 28]].map(([x, y]) => placeAt(heat, x, y)), [[0, 0], null, [0, 0], [1, 1], [1, 2], null, null]);
});

test("a cell in words", () => {
  const heat = makeHeat(jobOf(2, 1, [1, 1]));
  const text = (value, ranks = 1, steps = 1) => cellText(heat, { rank: 1, step: 0, value, ranks, steps });
  assert.deepEqual([text(0, 2), text(104), text(255), text(254, 1, 3)], [
    "rank 101, step 5: not recorded",
    "rank 101, step 5: 1.04 of the median of its peers",
    "rank 101, step 5: 2.55 or more of the median of its peers",
    "rank 101, step 5: 2.54 of the median of its peers (farthest of 1 ranks × 3 steps here)",
  ]);
});
