// The border of the panel, by pointer and by keys, within its limits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { listenToEdge } from "../../../viewer/resize.js";
import { Element, makePage } from "./page.mjs";

test("the border moves by pointer and keys, and stays within its limits", async () => {
  makePage();
  document.documentElement.style.setProperty = () => {};
  const [edge, side] = [new Element("div"), Object.assign(new Element("aside"), { clientWidth: 318 })];
  let changes = 0;
  listenToEdge(edge, side, () => changes++);
  assert.deepEqual(edge.attributes, { "aria-valuenow": "318", "aria-valuemin": "240", "aria-valuemax": "700" });
  await edge.fire("pointermove", { clientX: 1 });
  await edge.fire("pointerdown", { clientX: 680 });
  await edge.fire("pointermove", { clientX: 600 });
  assert.deepEqual([side.style.width, edge.attributes["aria-valuenow"], changes], ["398px", "398", 1]);
  await edge.fire("pointermove", { clientX: 5 });
  assert.equal(side.style.width, "700px");
  await edge.fire("pointerup");
  side.clientWidth = 250;
  const press = async (key) => [await edge.fire("keydown", { key }), side.style.width];
  assert.deepEqual(await press("ArrowRight"), ["prevented and stopped", "240px"]);
  assert.deepEqual(await press("ArrowLeft"), ["prevented and stopped", "274px"]);
  assert.deepEqual([await press("End"), await press("Home"), await press("a")], [["prevented and stopped", "700px"], ["prevented and stopped", "240px"], ["left", "240px"]]);
});
