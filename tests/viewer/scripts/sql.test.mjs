// The SQL box: what it offers, and answers that are sorted, drawn and told as text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as later } from "node:timers/promises";
import { makePage, told } from "./page.mjs";

const page = makePage();
const { offerSql } = await import("../../../viewer/sql.js");
const questions = [];
let answer = null;
globalThis.fetch = async (path, { body }) => {
  questions.push([path, JSON.parse(body)]);
  return { ok: true, json: async () => answer };
};
const sql = { ready: [["How many?", "SELECT 1"]], tables: { tasks: ["task", "core"] } };
const state = () => page.element("sqlState").textContent;
const parts = () => page.element("sql").children;

test("a page of a file has no box, and without duckdb the box says what to install", () => {
  page.element("sqlBox").hidden = true;
  offerSql({ traces: [] });
  assert.equal(page.element("sqlBox").hidden, true);
  offerSql({ sql: { missing: "pip install x" }, traces: [] });
  assert.deepEqual([page.element("sqlBox").hidden, told(page.element("sql").children[0])], [false, 'p.hint("SQL needs the package duckdb: pip install x")']);
});

test("a ready question fills the box, and the answer is a table that sorts", async () => {
  offerSql({ sql, traces: [{ name: "A" }, { name: "B" }] });
  const [ready, box, line] = parts();
  Object.assign(ready, { selectedIndex: 1 });
  await ready.fire("change");
  assert.equal(box.value, "SELECT 1");
  const [which, go] = line.children;
  assert.equal(which.hidden, false);
  which.selectedIndex = 1;
  answer = { columns: ["name", "n"], rows: [["b", 10], ["<i>", 9], [null, 11]], more: true, bars: [] };
  await go.fire("click");
  await later(5);
  assert.deepEqual(questions, [["data/1/sql", { sql: "SELECT 1" }]]);
  assert.equal(state(), "3 rows, and more that are not shown");
  const rows = () => page.element("sqlAnswer").children[1].children[0].children[1].children.map((row) => row.children.map((cell) => cell.own));
  assert.deepEqual(rows(), [["b", "10"], ["<i>", "9"], ["–", "11"]]);
  const heads = () => page.element("sqlAnswer").children[1].children[0].children[0].children[0].children;
  await heads()[1].children[0].fire("click");
  assert.deepEqual([rows().map((row) => row[1]), heads()[1].attributes["aria-sort"]], [["9", "10", "11"], "ascending"]);
  await heads()[1].children[0].fire("click");
  assert.deepEqual([rows().map((row) => row[1]), heads()[1].attributes["aria-sort"]], [["11", "10", "9"], "descending"]);
  await heads()[0].children[0].fire("click");
  assert.deepEqual(rows().map((row) => row[0]), ["<i>", "b", "–"], "null comes last");
  await heads()[1].children[0].fire("click");
  await heads()[1].children[0].fire("click");
  await page.element("sqlAnswer").children[0].children[1].fire("click");
  const chart = page.element("sqlAnswer").children[1].children;
  assert.deepEqual(chart.map((one) => one.own || one.value), ["–", 11, "11", "b", 10, "10", "<i>", 9, "9"]);
});

test("a chart takes the last column of numbers, by size, and knows nothing but zeros", async () => {
  const ask = async (rows) => {
    answer = { columns: ["name", "n", "why"], rows, more: false, bars: [] };
    await parts()[2].children[1].fire("click");
    await later(5);
    const [table, chart] = page.element("sqlAnswer").children[0].children;
    assert.deepEqual([table, chart].map((one) => one?.attributes["aria-pressed"] ?? null), ["true", rows[0][1] === "x" ? null : "false"]);
    await chart?.fire("click");
    return page.element("sqlAnswer").children[1].children.filter((one) => one.tag === "meter").map(({ max, value, attributes }) => [max, value, attributes["aria-label"]]);
  };
  assert.deepEqual(await ask([["a", -4, "y"], ["b", 3, "y"], ["c", null, "y"]]), [[4, 4, "a: -4"], [4, 3, "b: 3"]]);
  assert.deepEqual(await ask([["a", 0, "y"]]), [[1, 0, "a: 0"]]);
  assert.deepEqual(await ask([["a", "x", "y"]]), []);
  assert.equal(state(), "1 row");
});

test("an error is told and the old answer goes", async () => {
  answer = { error: "no <b>" };
  await parts()[2].children[1].fire("click");
  await later(5);
  assert.deepEqual([state(), page.element("sqlAnswer").children], ["no <b>", []]);
});

test("an answer that is about bars lights them alone, and no more when it is pressed again", async () => {
  const { scene } = await import("../../../viewer/stage.js");
  const lanes = [{ core: null }, { core: 3 }];
  scene.model = { traces: [0, 1].map((number) => ({ number, header: { lanes }, tiles: [], overview: null })), mode: "function", matchColumns: ["old"] };
  answer = { columns: ["core", "start_ns"], rows: [[3, 10], [3, 20]], more: false, bars: [[3, 10], [3, 20]] };
  await parts()[2].children[1].fire("click");
  await later(5);
  const light = () => page.element("sqlAnswer").children[0].children.at(-1);
  assert.deepEqual([light().textContent, light().attributes["aria-pressed"]], ["Highlight 2", "false"]);
  await light().fire("click");
  assert.deepEqual([light().attributes["aria-pressed"], scene.sqlLit, scene.model.matchColumns], ["true", true, []]);
  const lit = (trace, kind, lane) => {
    const matches = scene.model.match[trace]({ kind, lane, start: [10, 15, 20] });
    return [0, 1, 2].map(matches);
  };
  assert.deepEqual([lit(0, "tasks", 1), lit(1, "tasks", 1)], [[false, false, false], [true, false, true]], "of the trace that was asked");
  assert.deepEqual([lit(1, "tasks", 0), lit(1, "marks", 1)], [[false, false, false], [false, false, false]]);
  await light().fire("click");
  assert.deepEqual([light().attributes["aria-pressed"], scene.sqlLit, scene.model.match], ["false", false, null]);
  await light().fire("click");
  answer = { error: "no" };
  await parts()[2].children[1].fire("click");
  await later(5);
  assert.deepEqual([scene.sqlLit, scene.model.match], [false, null], "another question ends it");
});

test("what is not known comes last, wherever it stood, and first where the order is turned", async () => {
  answer = { columns: ["n"], rows: [[null], ["b"], [null], [10], [9], ["a"]], more: false, bars: [] };
  await parts()[2].children[1].fire("click");
  await later(5);
  const table = () => page.element("sqlAnswer").children[1].children[0];
  const cells = () => table().children[1].children.map((row) => row.children[0].own).join(" ");
  const orders = [cells()];
  for (let k = 0; k < 2; k++) {
    await table().children[0].children[0].children[0].children[0].fire("click");
    orders.push(cells());
  }
  assert.deepEqual(orders, ["– b – 10 9 a", "9 10 a b – –", "– – b a 10 9"]);
});
