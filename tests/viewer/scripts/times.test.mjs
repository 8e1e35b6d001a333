// Times as text, and text as times.
import assert from "node:assert/strict";
import { test } from "node:test";
import { countText, counted, lengthText, momentText, parseLength, shortCount, shortText, ticks } from "../../../viewer/times.js";

test("a length has at most four digits and the unit that fits", () => {
  const lengths = [0, 7, 999, 1000, 9999, 10000, 99994, 100000, 1e6, 12345678, 123456789, 1e9, 61e9, -1500, -250e3];
  assert.deepEqual(lengths.map(lengthText), [
    ...["0 ns", "7 ns", "999 ns", "1.000 µs", "9.999 µs", "10.00 µs", "99.99 µs", "100.0 µs", "1.000 ms", "12.35 ms"],
    ...["123.5 ms", "1.000 s", "61.00 s", "-1.500 µs", "-250.0 µs"],
  ]);
});

test("a length in little room has three digits", () => {
  assert.deepEqual([7, 999, 1000, 9999, 12345, 123456, 1e6, 5e9].map(shortText), ["7 ns", "999 ns", "1.00 µs", "10.00 µs", "12.3 µs", "123 µs", "1.00 ms", "5.00 s"]);
  assert.deepEqual([10000, 100000].map(shortText), ["10.0 µs", "100 µs"]);
});

test("what is not known is a dash", () => {
  for (const unknown of [null, undefined, NaN]) assert.deepEqual([lengthText(unknown), shortText(unknown)], ["–", "–"]);
});

test("a moment is exact to the nanosecond", () => {
  const moments = [0, 120, 1000, 1001, 1500, 20000, 1000001, 30e6, 1234567891, 10e9];
  assert.deepEqual(moments.map(momentText), ["0 ns", "120 ns", "1 µs", "1.001 µs", "1.5 µs", "20 µs", "1.000001 ms", "30 ms", "1.234567891 s", "10 s"]);
});

test("counts have commas, and a plural where they are not one", () => {
  assert.deepEqual([0, 999.6, 1234567].map(countText), ["0", "1,000", "1,234,567"]);
  assert.deepEqual([0, 1, 2].map((count) => counted(count, "task")), ["0 tasks", "1 task", "2 tasks"]);
  assert.deepEqual([999999, 1e6, 12345678].map(shortCount), ["999,999", "1.00 M", "12.35 M"]);
});

test("marks of an axis are round and at least as far apart as asked for", () => {
  const texts = (...args) => ticks(...args).map(({ ns, text }) => [ns, text]);
  assert.deepEqual(texts(0, 1000, 500, 100), [[0, "0.0 µs"], [200, "0.2 µs"], [400, "0.4 µs"], [600, "0.6 µs"], [800, "0.8 µs"], [1000, "1.0 µs"]]);
  assert.deepEqual(texts(150, 990, 840, 110), [[200, "200 ns"], [400, "400 ns"], [600, "600 ns"], [800, "800 ns"]]);
  assert.deepEqual(texts(0, 4, 1000, 110), [[0, "0 ns"], [1, "1 ns"], [2, "2 ns"], [3, "3 ns"], [4, "4 ns"]]);
  assert.deepEqual(texts(-3e6, 2e6, 100, 50), [[-0, "0 ms"]]);
  assert.deepEqual(texts(-2e9, 5e9, 700, 300).map(([ns]) => ns), [-0, 5e9]);
  assert.deepEqual(texts(1e9, 1e9 + 2000, 220, 110), [[1e9, "1.000000 s"], [1e9 + 1000, "1.000001 s"], [1e9 + 2000, "1.000002 s"]]);
  assert.deepEqual(texts(0, 90, 100, 100).map(([ns]) => ns), [0]);
});

test("a typed length is read in its unit", () => {
  assert.deepEqual(["7", "7ns", "1.5us", " 2 µs ", "3ms", "0.5s"].map(parseLength), [7, 7, 1500, 2000, 3e6, 5e8]);
  assert.deepEqual(["", "ms", "1.5.2", "1,5ms", "-3ns", "2 min", "x7"].map(parseLength), Array(7).fill(null));
});
