// A page of a recording that grows: a version that comes after the reader looked back is not shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { func, openPage } from "./opened.mjs";
import { packedTables } from "./page.mjs";

const { serveFrom } = await import("../../../viewer/source.js");
const asked = [];
/** Answers to `live/PAGE/header` and `live/PAGE`; each question for the state waits for its turn. */
let [headerText, turn] = [() => "", null];
globalThis.setInterval = () => 0;
globalThis.fetch = async (path) => {
  asked.push(path.replace(/^live\/\w+/, "live/PAGE"));
  if (path.endsWith("/header")) return { text: async () => headerText() };
  return { json: () => new Promise((resolve) => (turn = resolve)) };
};
const tasks = (...start) => ({ lanes: [[0, start.length]], start, length: start.map(() => 100), name: start.map(() => 0), row: start.map((_, k) => k), node: start.map((_, k) => k) });
const nodes = (count) => ({ high: Array(count).fill(0), low: Array.from({ length: count }, (_, k) => k) });
const { page, element, scene, settled, press, range } = await openPage(
  [{ tables: { tasks: tasks(0, 1000), nodes: nodes(2) }, lanes: [{ name: "AIC0", kind: "core", core: 0, group: "aic cores" }], functions: [func("QK", 2, 200, 100)] }],
  { live: { first: 0, version: 1, state: "running" } },
);

/** The page's header with one more task, whose tables the server knows by number 1. */
const grown = JSON.parse(gunzipSync(Buffer.from(element("header").textContent, "base64")));
const tables = packedTables(page, "1/t0", { tasks: tasks(0, 1000, 8500), nodes: { lanes: [], ...nodes(3) } });
Object.assign(grown.traces[0], { end_ns: 9000, tiles: [{ name: "t0", start_ns: 0, end_ns: 9000, tables }] });
grown.live = { first: 1, version: 2, state: "running" };

const comes = async () => {
  turn({ version: 2, state: "running", records: 3, lost: 0, whole: true, where: "" });
  await settled();
};
const shown = () => [scene.model.end, range(), element("follow").attributes["aria-pressed"]];

test("it is left where it is, and shown when the end is followed again", async () => {
  assert.deepEqual(shown(), [8000, [0, 8000], "true"]);
  headerText = () => {
    [scene.view.t0, scene.view.t1] = [-100, 7900];
    return JSON.stringify(grown);
  };
  await comes();
  assert.deepEqual(shown(), [8000, [-100, 7900], "false"]);
  assert.equal(serveFrom(0), 0);
  headerText = () => JSON.stringify(grown);
  await comes();
  assert.deepEqual(shown(), [8000, [-100, 7900], "false"]);
  await press(element("follow"));
  await comes();
  assert.deepEqual(shown(), [9000, [0, 9000], "true"]);
  assert.equal(serveFrom(1), 1);
  assert.deepEqual(asked.filter((path) => path.endsWith("/header")).length, 2);
});
