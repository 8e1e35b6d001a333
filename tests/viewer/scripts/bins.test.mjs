// Bins of lengths, and the search for a value by its place.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BINS, binOf, narrow, note, searchFor } from "../../../viewer/bins.js";

test("bins rise with the length, and each has its lengths only", () => {
  const lengths = [0, 1, 63, 64, 127, 128, 129, 130, 2 ** 24 + 1, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 2 ** 26, 2 ** 52, 2 ** 53 - 1];
  const bins = lengths.map(binOf);
  assert.deepEqual(bins, [0, 1, 63, 64, 127, 128, 128, 129, 1216, 1663, 1664, 1666, 3008, 3071]);
  assert.ok(bins.at(-1) < BINS);
  for (const [k, length] of lengths.entries()) {
    const counts = new Int32Array(BINS);
    counts[bins[k]] = 1;
    const { low, width } = searchFor(0, counts);
    assert.ok(low <= length && length < low + width, `${length} in ${low} + ${width}`);
  }
});

test("a search ends at the value, however wide its bin is", () => {
  const lengths = Array.from({ length: 500 }, (_, k) => 2 ** 40 + ((k * 7919) % 499) * 4097);
  const counts = new Int32Array(BINS);
  for (const length of lengths) counts[binOf(length)]++;
  const search = searchFor(250, counts);
  for (let passes = 0; search.width > 1; passes++) {
    assert.ok(passes < 4);
    for (const length of lengths) note(search, length);
    narrow(search);
  }
  assert.equal(search.low, lengths.sort((a, b) => a - b)[250]);
});
