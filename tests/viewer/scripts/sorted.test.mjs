// Tables that sort, and their CSV.
import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf, sortedTable } from "../../../viewer/sorted.js";
import { makePage, told } from "./page.mjs";

const columns = [
  { title: "name", value: (row) => row.name, text: (row) => row.name },
  { title: "total", value: (row) => row.ns, text: (row) => `${row.ns} ns`, unit: "ns" },
];
const rows = [{ name: "b", ns: 3 }, { name: "a", ns: 10 }, { name: "c", ns: null }];

test("a click on a title sorts by it, another one the other way round", async () => {
  makePage();
  const sort = { by: 1, down: true };
  const table = sortedTable({ label: "Things", columns, rows, sort });
  const [head, body] = table.children;
  const titles = head.children[0].children;
  const state = () => [titles.map((cell) => cell.attributes["aria-sort"]), body.children.map((line) => line.children[0].textContent).join("")];
  assert.deepEqual([table.attributes["aria-label"], ...state()], ["Things", ["none", "descending"], "abc"]);
  assert.deepEqual(body.children[0].children.map(told), ['td{title=a}("a")', 'td{title=10 ns}("10 ns")']);
  await titles[1].children[0].fire("click");
  assert.deepEqual(state(), [["none", "ascending"], "cba"]);
  await titles[0].children[0].fire("click");
  assert.deepEqual([...state(), sort], [["ascending", "none"], "abc", { by: 0, down: false }]);
});

test("a click anywhere in a row chooses it", async () => {
  makePage();
  const chosen = [];
  const table = sortedTable({ label: "Things", columns, rows, sort: { by: 1, down: true }, choose: (row) => chosen.push(row.name), mark: (row) => (row.name === "b" ? "chosen" : "") });
  const lines = table.children[1].children;
  await lines[1].fire("click");
  assert.deepEqual([chosen, lines.map((line) => line.className)], [["b"], ["", "chosen", ""]]);
  assert.deepEqual(lines.map((line) => line.children[0].children[0].attributes["aria-pressed"]), ["false", "true", "false"]);
  assert.deepEqual(lines[1].children.map(told), ['td{title=b}(button{aria-pressed=true, title=b}(span("b")))', 'td{title=3 ns}("3 ns")']);
});

test("many rows are cut, and the table says so", () => {
  makePage();
  const many = Array.from({ length: 503 }, (_, k) => ({ name: `n${k}`, ns: k }));
  const [, body] = sortedTable({ label: "Things", columns, rows: many, sort: { by: 1, down: true } }).children;
  assert.deepEqual([body.children.length, body.children[500].textContent], [501, "and 3 more, all of them in the CSV"]);
});

test("CSV has plain numbers, and no cell that a spreadsheet would run", () => {
  const names = ["=1+1", "+x", "-x", "@x", "'=x", "\tx", "plain", 'say "hi", you', "two\nlines"];
  const text = csvOf(columns, names.map((name, k) => ({ name, ns: -k })), { by: 1, down: true });
  assert.equal(text, ["name,total ns", "'=1+1,0", "'+x,-1", "'-x,-2", "'@x,-3", "''=x,-4", "'\tx,-5", "plain,-6", '"say ""hi"", you",-7', '"two\nlines",-8', ""].join("\n"));
});

test("what is not known is an empty cell of the CSV", () => {
  assert.equal(csvOf(columns, [{ name: null, ns: undefined }, { name: "a", ns: 0 }], { by: 1, down: true }), "name,total ns\na,0\n,\n");
});
