// Columns as bytes, tables that read them when asked, and where the bytes come from.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { fromBase64, gunzip, readColumn } from "../../../viewer/packed.js";
import { askServer, openTile, parseHeader, readHeader } from "../../../viewer/source.js";
import { makePage, packed } from "./page.mjs";

const form = (width, more = {}) => ({ width, unit: 1, gaps: false, delta: false, ...more });
const read = (planes, of, rows) => [...readColumn(Uint8Array.from(planes), of, rows)].map((value) => (Number.isNaN(value) ? null : value));

test("planes become numbers of one to four bytes, the sign in the lowest bit", () => {
  assert.deepEqual(read([0, 1, 2, 3, 255], form(1), 5), [0, -1, 1, -2, -128]);
  assert.deepEqual(read([0, 4, 1, 2], form(2), 2), [128, 258]);
  assert.deepEqual(read([2, 0, 0, 1, 0, 1], form(3), 2), [1, 32896]);
  assert.deepEqual(read([2, 4, 0, 2, 4, 6], form(3), 2), [1 + 2 * 2 ** 16, 2 + 2 ** 8 + 3 * 2 ** 16]);
  assert.deepEqual(read([0, 0, 0, 128], form(4), 1), [2 ** 30]);
  assert.deepEqual(read([255, 255, 255, 255], form(4), 1), [-(2 ** 31)]);
});

test("with gaps 0 is not known, and the others are one more", () => {
  assert.deepEqual(read([0, 1, 2, 3], form(1, { gaps: true }), 4), [null, 0, -1, 1]);
  assert.deepEqual(read([0, 0, 0, 0, 0, 1], form(6, { gaps: true }), 1), [-(2 ** 39)]);
  assert.deepEqual(read([0, 3, 0, 0, 0, 0, 0, 0, 0, 0], form(5, { gaps: true }), 2), [null, 1]);
});

test("wide columns hold what 32 bits do not", () => {
  assert.deepEqual(read([0, 0, 0, 0, 1], form(5), 1), [2 ** 31]);
  assert.deepEqual(read([1, 0, 0, 0, 1], form(5), 1), [-(2 ** 31) - 1]);
});

test("units multiply, differences add up", () => {
  assert.deepEqual(read([2, 4], form(1, { unit: 10 }), 2), [10, 20]);
  assert.deepEqual(read([2, 4, 1], form(1, { delta: true }), 3), [1, 3, 2]);
  assert.deepEqual(read([2, 0, 0, 0, 0], form(5, { unit: 3 }), 1), [3]);
});

test("bytes come from base64 with and without the browser's own", async () => {
  const text = Buffer.from([0, 200, 255]).toString("base64");
  assert.deepEqual([...fromBase64(text)], [0, 200, 255]);
  Uint8Array.fromBase64 = () => "the browser's";
  assert.equal(fromBase64(text), "the browser's");
  delete Uint8Array.fromBase64;
  assert.deepEqual([...(await gunzip(gzipSync(Uint8Array.from([1, 2]))))], [1, 2]);
});

test("the header is in the page", async () => {
  const page = makePage();
  page.element("header").textContent = gzipSync('{"a":"µ"}').toString("base64");
  assert.deepEqual(await readHeader(), { a: "µ" });
});

const described = (...columns) => ({ tables: { tasks: { rows: 2, lanes: [[0, 2]], columns } } });

test("a column is read once, one that the trace does not know is null", async () => {
  const page = makePage();
  const { form: start, bytes } = packed("start", [5, null]);
  const element = page.element("1/t0/tasks/start");
  element.textContent = bytes.toString("base64");
  const { tasks } = await openTile({ served: false }, 1, { name: "t0", ...described(start) });
  assert.deepEqual([tasks.rows, tasks.lanes, tasks.has("start"), tasks.has("x")], [2, [[0, 2]], true, false]);
  assert.equal(await tasks.column("x"), null);
  const [one, again] = [await tasks.column("start"), await tasks.column("start")];
  await tasks.all();
  assert.deepEqual([[...one], one === again, tasks.values.get("start") === one], [[5, NaN], true, true]);
});

test("a server describes its tiles and sends its columns", async () => {
  const { form: start, bytes } = packed("counter a/b", [5, 6]);
  const asked = [];
  globalThis.fetch = async (path) => {
    asked.push(path);
    return { ok: !path.includes("gone"), json: async () => described(start, { ...start, name: "gone" }), arrayBuffer: async () => bytes };
  };
  const { tasks } = await openTile({ served: true }, 2, { name: "t 1" });
  assert.deepEqual([...(await tasks.column("counter a/b"))], [5, 6]);
  await assert.rejects(tasks.column("gone"), /^Error: the server has no 2\/t 1\/tasks\/gone$/);
  assert.deepEqual(asked, ["data/2/t 1", "data/2/t%201/tasks/counter%20a/b", "data/2/t%201/tasks/gone"]);
});

test("a question is posted", async () => {
  globalThis.fetch = async (path, options) => ({ json: async () => [path, options] });
  assert.deepEqual(await askServer(1, "match", { a: 1 }), ["data/1/match", { method: "POST", body: '{"a":1}' }]);
});

test("names in a header turn nothing round, written out or escaped", () => {
  assert.deepEqual(parseHeader('{"a":"x\u202ey","b":["\\u2067",1],"c":"\\u202f"}'), { a: "x\ufffdy", b: ["\ufffd", 1], c: "\u202f" });
  assert.deepEqual(parseHeader('{"a":"x\u202ey"}'), { a: "x\ufffdy" });
  assert.deepEqual(parseHeader('{"a":"\\u202E"}'), { a: "\ufffd" });
  assert.deepEqual(parseHeader('{"a":"\u05d0"}'), { a: "\u05d0" });
});
