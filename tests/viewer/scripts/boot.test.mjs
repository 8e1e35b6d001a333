// What unpacks the page's script: it becomes a module, runs, and does not stay.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { Element, makePage } from "./page.mjs";

test("the packed script is made a module with the same text, and taken out again", async () => {
  const { element } = makePage();
  const text = 'const µ = "ÿ\u0001<b>";\n'.repeat(40);
  element("script").textContent = gzipSync(text).toString("base64");
  const gone = [];
  Element.prototype.remove = function remove() {
    gone.push(this);
  };
  await import("../../../viewer/boot.js");
  const [made] = document.body.children;
  assert.deepEqual([made.tag, made.type, made.textContent, gone[0] === made], ["script", "module", text, true]);
});
