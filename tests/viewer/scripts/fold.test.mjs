// A heading that folds its section says so, and only it does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { listenToFolds } from "../../../viewer/fold.js";
import { Element } from "./page.mjs";

test("a click on a heading folds, another one unfolds; other buttons do nothing", async () => {
  const side = new Element("aside");
  const heading = Object.assign(new Element("button"), { className: "fold", attributes: { "aria-expanded": "true" } });
  const other = new Element("button");
  listenToFolds(side);
  await side.fire("click", { target: heading });
  assert.equal(heading.attributes["aria-expanded"], "false");
  await side.fire("click", { target: other });
  assert.deepEqual([heading.attributes["aria-expanded"], other.attributes], ["false", {}]);
  await side.fire("click", { target: heading });
  assert.equal(heading.attributes["aria-expanded"], "true");
});
