// A page that was saved, in a narrow window: the panel is a drawer over the lanes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { func, openPage } from "./opened.mjs";

const lanes = [{ name: "a core with a long name that fills the column", kind: "core", core: 0, group: "aic cores" }];
const tables = { tasks: { lanes: [[0, 1]], start: [0], length: [500], name: [0] } };
const { element, scene, key, press } = await openPage([{ functions: [func("QK", 1, 500, 500)], lanes, tables }], {}, { narrow: true, made: btoa('[[[0,0]],[]]\n[[100,null,"here"]]') });
const drawer = () => [element("side").hidden, element("panel").attributes["aria-pressed"]];

test("the pins and notes that were saved with the page are there", () => {
  assert.deepEqual(scene.made, { pins: [{ trace: 0, lane: 0 }], notes: [{ start: 100, end: null, text: "here", bar: null }] });
  assert.deepEqual([scene.layout.rows.filter((row) => row.pinned).length, element("pins").children.length, element("ownNotes").children.length], [1, 1, 1]);
});

test("the panel and its ranks are closed, and names have 84 pixels at most", () => {
  assert.deepEqual([drawer(), element("ranksBody").hidden, element("ranksFold").attributes["aria-expanded"]], [[true, "false"], true, "false"]);
  assert.equal(scene.view.left, 84);
});

test("Escape closes the drawer before it clears the selection", async () => {
  await key("Enter");
  await press(element("panel"));
  assert.deepEqual([drawer(), scene.selection?.start], [[false, "true"], 0]);
  await key("Escape");
  assert.deepEqual([drawer(), scene.selection?.start], [[true, "false"], 0]);
  await key("Escape");
  assert.equal(scene.selection, null);
});
