// Mouse and keyboard as calls.
import assert from "node:assert/strict";
import { test } from "node:test";
import { listenToKeys, listenToLanes, listenToMinimap } from "../../../viewer/input.js";
import { Element, makePage } from "./page.mjs";

/** Canvas at (10, 20); a pixel of the lanes is 10 ns. */
function listening() {
  const page = makePage();
  const said = [];
  const act = new Proxy({}, {
    get: (_, name) => (...args) => void said.push([name, ...args.map((one) => (typeof one === "object" && one?.target ? "event" : typeof one === "number" ? Number(one.toFixed(4)) : one))]),
  });
  const scene = { view: { left: 100, width: 200, height: 400, t0: 0, t1: 1000 }, model: { start: 0, end: 10000 } };
  const [canvas, scroller, minimap] = [new Element("canvas"), new Element("div"), new Element("canvas")];
  listenToLanes(scene, canvas, scroller, act);
  listenToMinimap(scene, minimap, act);
  listenToKeys(scene, scroller, act);
  const taken = () => said.splice(0);
  return { page, scene, canvas, scroller, minimap, taken };
}

test("the pointer hovers, and clicks where it stays", async () => {
  const { canvas, taken } = listening();
  await canvas.fire("pointermove", { clientX: 60, clientY: 50 });
  await canvas.fire("pointerdown", { clientX: 60, clientY: 50 });
  await canvas.fire("pointermove", { clientX: 64, clientY: 50 });
  await canvas.fire("pointerup", { clientX: 64, clientY: 50 });
  await canvas.fire("pointerup", {});
  assert.deepEqual(taken(), [["hover", 50, 30, "event"], ["click", 54, 30]]);
  await canvas.fire("pointerdown", { button: 2 });
  await canvas.fire("pointermove", { clientX: 10, clientY: 20 });
  await canvas.fire("pointerleave");
  await canvas.fire("dblclick");
  assert.deepEqual(taken(), [["hover", 0, 0, "event"], ["leave"], ["fitSelection"]]);
});

test("a drag pans and scrolls", async () => {
  const { canvas, scroller, taken } = listening();
  scroller.scrollTop = 100;
  await canvas.fire("pointerdown", { clientX: 150, clientY: 50 });
  await canvas.fire("pointermove", { clientX: 140, clientY: 57 });
  assert.deepEqual([taken(), scroller.scrollTop, [...canvas.classes]], [[["show", 100, 1100]], 93, ["panning"]]);
  await canvas.fire("pointermove", { clientX: 150, clientY: 50 });
  assert.deepEqual([taken(), scroller.scrollTop], [[["show", 0, 1000]], 100]);
  await canvas.fire("pointerup", { clientX: 150, clientY: 50 });
  assert.deepEqual([taken(), [...canvas.classes]], [[], []]);
  await canvas.fire("pointerdown", { clientX: 150, clientY: 50 });
  await canvas.fire("pointercancel");
  await canvas.fire("pointermove", { clientX: 150, clientY: 50 });
  assert.deepEqual(taken(), [["hover", 140, 30, "event"]]);
});

test("a drag pans by what a pixel is worth, wherever the range is", async () => {
  const { canvas, scene, taken } = listening();
  Object.assign(scene.view, { t0: 3000, t1: 4000 });
  await canvas.fire("pointerdown", { clientX: 150, clientY: 50 });
  await canvas.fire("pointermove", { clientX: 160, clientY: 50 });
  assert.deepEqual(taken(), [["show", 2900, 3900]]);
});

test("a drag with Shift zooms into a range, in either direction", async () => {
  const { canvas, taken } = listening();
  await canvas.fire("pointerdown", { clientX: 160, clientY: 50, shiftKey: true });
  await canvas.fire("pointermove", { clientX: 130, clientY: 50 });
  await canvas.fire("pointerup", { clientX: 130, clientY: 50 });
  assert.deepEqual(taken(), [["band", [150, 120]], ["band", null], ["glide", 200, 500]]);
});

test("a drag with Ctrl, or while areas are selected, makes an area", async () => {
  const { canvas, scene, taken } = listening();
  const drag = async (more) => {
    await canvas.fire("pointerdown", { clientX: 160, clientY: 50, ...more });
    await canvas.fire("pointermove", { clientX: 130, clientY: 90 });
    await canvas.fire("pointerup", { clientX: 130, clientY: 90 });
    return taken();
  };
  const place = { x0: 150, x1: 120, y0: 30, y1: 70 };
  const area = [["dragArea", place, false], ["dragArea", place, true]];
  assert.deepEqual([await drag({ ctrlKey: true }), await drag({ metaKey: true })], [area, area]);
  scene.selecting = true;
  assert.deepEqual(await drag({}), area);
  assert.equal((await drag({ shiftKey: true }))[0][0], "band");
});

test("Alt and arrows change the area, where there is one", async () => {
  const { page, taken } = listening();
  const press = (key, more) => page.window.fire("keydown", { key, target: page.element("body"), altKey: true, ...more });
  await press("ArrowLeft");
  await press("ArrowDown", { shiftKey: true });
  assert.deepEqual(taken(), [["changeArea", -1, 0, undefined], ["changeArea", 0, 1, true]]);
  await page.window.fire("keydown", { key: "r", target: page.element("body") });
  assert.deepEqual(taken(), [["visibleArea"]]);
});

test("the wheel zooms with Ctrl and pans with Shift or sideways", async () => {
  const { canvas, taken } = listening();
  assert.equal(await canvas.fire("wheel", { clientX: 160, deltaY: 100, ctrlKey: true }), "prevented");
  assert.equal(await canvas.fire("wheel", { clientX: 60, deltaY: -100, metaKey: true }), "prevented");
  assert.deepEqual(taken(), [["zoom", 1.284, 500], ["zoom", 0.7788, 0]]);
  assert.equal(await canvas.fire("wheel", { deltaY: 5, shiftKey: true }), "prevented");
  assert.equal(await canvas.fire("wheel", { deltaX: 7, shiftKey: true }), "prevented");
  assert.equal(await canvas.fire("wheel", { deltaX: -3, deltaY: 2 }), "prevented");
  assert.deepEqual(taken(), [["show", 50, 1050], ["show", 70, 1070], ["show", -30, 970]]);
  assert.equal(await canvas.fire("wheel", { deltaX: 2, deltaY: 2 }), "left");
  assert.deepEqual(taken(), []);
});

test("the minimap centres the range, or chooses one where all is shown", async () => {
  const { minimap, scene, taken } = listening();
  await minimap.fire("pointermove", { clientX: 130 });
  await minimap.fire("pointerdown", { clientX: 160 });
  await minimap.fire("pointermove", { clientX: 130 });
  await minimap.fire("pointerup");
  await minimap.fire("pointermove", { clientX: 130 });
  assert.deepEqual(taken(), [["show", 4500, 5500], ["show", 1500, 2500]]);
  Object.assign(scene.view, { t0: 0, t1: 9801 });
  await minimap.fire("pointerdown", { clientX: 160 });
  await minimap.fire("pointermove", { clientX: 164 });
  assert.deepEqual(taken(), []);
  await minimap.fire("pointermove", { clientX: 165 });
  await minimap.fire("pointermove", { clientX: 130 });
  assert.deepEqual(taken(), [["show", 5000, 5500], ["show", 2000, 5000]]);
  Object.assign(scene.view, { t0: 0, t1: 9800 });
  await minimap.fire("pointerdown", { clientX: 160 });
  assert.deepEqual(taken(), [["show", 100, 9900]]);
  Object.assign(scene.view, { t0: 3000, t1: 4000 });
  await minimap.fire("pointermove", { clientX: 160 });
  assert.deepEqual(taken(), [["show", 4500, 5500]], "as wide as it was, wherever it was");
});

test("every key of the help does what it says", async () => {
  const { page, scroller, taken } = listening();
  const press = async (key, more = {}) => [await page.window.fire("keydown", { key, target: new Element("body"), ...more }), ...taken()];
  const keys = { w: ["zoomKey", 0.6], S: ["zoomKey", 1.6667], a: ["pan", -180], d: ["pan", 180], ArrowLeft: ["pan", -180], ArrowRight: ["pan", 180], "?": ["help"], f: ["fitSelection"], 0: ["showAll"], Home: ["showAll"] };
  const more = { "+": ["laneHeight", 2], "=": ["laneHeight", 2], "-": ["laneHeight", -2], p: ["pipes"], c: ["nextMode"], Enter: ["selectMiddle"] };
  const making = { x: ["togglePin"], n: ["addNote"], g: ["addFlag"], m: ["markSelection"], e: ["toggleMeasure"], u: ["undo"], Backspace: ["zoomBack"] };
  for (const [key, call] of Object.entries({ ...keys, ...more, ...making })) assert.deepEqual(await press(key), ["prevented", call], key);
  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  for (const [key, move] of Object.entries(moves)) assert.deepEqual(await press(key, { shiftKey: true }), ["prevented", ["step", ...move]], key);
  const scrolled = [];
  for (const key of ["ArrowDown", "PageDown", "PageUp", "ArrowUp"]) {
    assert.deepEqual(await press(key), ["prevented"]);
    scrolled.push(scroller.scrollTop);
  }
  assert.deepEqual(scrolled, [48, 388, 48, 0]);
  assert.deepEqual(await press("/"), ["prevented"]);
  assert.equal(document.activeElement, page.element("search"));
  assert.deepEqual(await press("z", { ctrlKey: true }), ["prevented", ["undo"]]);
  assert.deepEqual(await press("j"), ["left"]);
  const path = { h: ["toggleHeat"], r: ["visibleArea"], "]": ["stepPath", 1], "[": ["stepPath", -1], "{": ["stepPath", 0] };
  for (const [key, call] of Object.entries(path)) assert.deepEqual(await press(key), ["prevented", call], key);
});

test("AltGr is no modifier: some keyboards have brackets there, and Windows tells it as Ctrl and Alt", async () => {
  const { page, taken } = listening();
  const held = { ctrlKey: true, altKey: true, target: new Element("body") };
  await page.window.fire("keydown", { key: "[", ...held, getModifierState: (name) => name === "AltGraph" });
  assert.deepEqual(taken(), [["stepPath", -1]]);
  await page.window.fire("keydown", { key: "[", ...held });
  assert.deepEqual(taken(), []);
});

test("an area whose drag the system takes away is still counted; a drag that pans just ends", async () => {
  const { canvas, taken } = listening();
  await canvas.fire("pointerdown", { clientX: 120, clientY: 30, ctrlKey: true });
  await canvas.fire("pointermove", { clientX: 150, clientY: 60 });
  await canvas.fire("pointercancel", { clientX: 150, clientY: 60 });
  const box = { x0: 110, x1: 140, y0: 10, y1: 40 };
  assert.deepEqual(taken(), [["dragArea", box, false], ["dragArea", box, true]]);
  await canvas.fire("pointerdown", { clientX: 120, clientY: 30, ctrlKey: true });
  await canvas.fire("pointercancel", { clientX: 120, clientY: 30 });
  await canvas.fire("pointerdown", { clientX: 120, clientY: 30 });
  await canvas.fire("pointercancel", { clientX: 150, clientY: 30 });
  assert.deepEqual(taken(), []);
});

test("keys are left alone where something else wants them", async () => {
  const { page, taken } = listening();
  const press = async (key, more = {}) => [await page.window.fire("keydown", { key, target: new Element("body"), ...more }), ...taken()];
  for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }, { target: new Element("input") }]) assert.deepEqual(await press("w", more), ["left"]);
  assert.deepEqual(await press("Escape", { target: new Element("input") }), ["left", ["escape"]]);
  assert.deepEqual(await press("Enter", { target: new Element("button") }), ["left"]);
  assert.deepEqual(await press("w", { target: new Element("button") }), ["prevented", ["zoomKey", 0.6]]);
  page.element("help").open = true;
  assert.deepEqual([await press("w"), await press("Escape")], [["left"], ["left", ["escape"]]]);
});
