// What an area covers: lanes by rows, and its text in the link.
import assert from "node:assert/strict";
import { test } from "node:test";
import { areaText, drawArea, lanesBetween, lanesOfArea, makeArea, readArea } from "../../../viewer/extent.js";
import { Context } from "./page.mjs";

const lane = (group, kind = "core") => ({ group, kind });
const traces = [
  { number: 0, header: { lanes: [lane("Controllers", "controller"), lane("aic"), lane("aic", "pipe"), lane("aic")] } },
  { number: 1, header: { lanes: [lane("aic"), lane("aic")] } },
];
const model = { traces };

test("an area is whole nanoseconds in order, at least one long", () => {
  const { t0, t1, lanes } = makeArea(7.6, 2.2, ["0:1"]);
  assert.deepEqual([t0, t1, [...lanes]], [2, 8, ["0:1"]]);
  assert.deepEqual([makeArea(5, 5, []).t0, makeArea(5, 5, []).t1], [5, 6]);
});

test("a text holds lanes as ranges, and is read again", () => {
  const area = makeArea(5, 90, ["1:0", "0:3", "0:1", "0:2", "1:1"]);
  assert.equal(areaText(model, area), "5_90_0:1-3_1:0-1");
  assert.deepEqual(readArea(model, areaText(model, area)).lanes, new Set(["0:1", "0:2", "0:3", "1:0", "1:1"]));
  assert.equal(areaText(model, makeArea(-5, 90, ["0:0", "0:2"])), "-5_90_0:0.2");
  assert.deepEqual([...readArea(model, "-5_90_0:0.2").lanes], ["0:0", "0:2"]);
});

test("a text of another page or of nobody is no area", () => {
  for (const text of [null, "", "1_5", "5_1_0:1", "1_5_7:1", "1_5_0:9", "1_5_0:x", "a_b_0:1", "1_5_x"]) assert.equal(readArea(model, text), null);
  assert.equal(readArea(model, "1_5_0:2-99999999999").lanes.size, 2);
});

test("lanes between two heights; a closed group stands for those that it would show", () => {
  const rows = [
    { type: "group", trace: traces[0], key: "0:Controllers", name: "Controllers", y: 0, height: 20 },
    { type: "group", trace: traces[0], key: "0:aic", name: "aic", y: 20, height: 20 },
    { type: "lane", trace: traces[1], lane: 0, y: 40, height: 10 },
    { type: "lane", trace: traces[1], lane: 1, y: 50, height: 10 },
  ];
  const scene = { model, layout: { rows }, options: { closed: new Set(["0:aic"]), pipes: false, controllers: true } };
  assert.deepEqual(lanesBetween(scene, 55, 45), ["1:0", "1:1"]);
  assert.deepEqual(lanesBetween(scene, 0, 50), ["0:1", "0:3", "1:0"]);
  scene.options.pipes = true;
  assert.deepEqual(lanesBetween(scene, 0, 40), ["0:1", "0:2", "0:3"]);
});

test("a row counts from its first pixel up to that behind its last; the path counts not at all", () => {
  const lane = (number, y, about = { kind: "core" }) => ({ type: "lane", trace: traces[1], lane: number, y, height: 10, about });
  const rows = [lane(0, 0), lane(1, 10), { ...lane(0, 20, { kind: "path" }), trace: traces[0] }, { type: "series", y: 30, height: 10 }];
  const scene = { model, layout: { rows }, options: { closed: new Set() } };
  assert.deepEqual([lanesBetween(scene, 0, 10), lanesBetween(scene, 10, 20), lanesBetween(scene, 9, 11), lanesBetween(scene, 20, 40)], [["1:0"], ["1:1"], ["1:0", "1:1"], []]);
});

test("a closed group of controllers stands for them where they are shown", () => {
  const rows = [{ type: "group", trace: traces[0], key: "0:Controllers", name: "Controllers", y: 0, height: 20 }];
  const scene = { model, layout: { rows }, options: { closed: new Set(["0:Controllers"]), pipes: true, controllers: true } };
  assert.deepEqual(lanesBetween(scene, 0, 20), ["0:0"]);
  scene.options.controllers = false;
  assert.deepEqual(lanesBetween(scene, 0, 20), []);
  scene.options.closed.clear();
  assert.deepEqual(lanesBetween(scene, 0, 20), []);
});

test("an area covers its lanes and the closed groups with one of them, cut at the borders of what is seen", () => {
  const group = (key, name) => ({ type: "group", key, name, trace: traces[0] });
  const rows = [{ ...group("0:aic", "aic"), y: 10, height: 20 }, { ...group("0:Controllers", "Controllers"), y: 30, height: 20 }, { type: "lane", trace: traces[1], lane: 1, y: 50, height: 16 }, { type: "lane", trace: traces[1], lane: 0, y: 66, height: 16 }];
  const view = { left: 100, width: 200, top: 10, t0: 0, t1: 100 };
  const drawn = (t0, t1, lanes, closed = ["0:aic", "0:Controllers"]) => {
    const context = new Context();
    drawArea({ area: makeArea(t0, t1, lanes), view, theme: { accent: "accent" }, rows, options: { closed: new Set(closed) } }, context);
    return context.taken();
  };
  const box = (y, height, x0 = 120, x1 = 150) => [`fillRect ${x0} ${y} ${x1 - x0} ${height} accent@0.16`, `fillRect ${x0 - 0.75} ${y} 1.5 ${height} accent`, `fillRect ${x1 - 0.75} ${y} 1.5 ${height} accent`];
  assert.deepEqual(drawn(20, 50, ["0:2", "1:1"]), [...box(0, 20), ...box(40, 16)]);
  assert.deepEqual(drawn(20, 50, ["0:2"], []), []);
  assert.deepEqual(drawn(-50, 150, ["1:0"]), box(56, 16, 100, 200));
  assert.equal(drawn(20, 20, ["1:0"])[0], "fillRect 120 56 1 16 accent@0.16");
  assert.deepEqual([drawn(-50, -1, ["1:0"]), drawn(101, 150, ["1:0"]), drawn(-50, 0, ["1:0"]).length, drawn(100, 150, ["1:0"]).length], [[], [], 3, 3]);
});

test("lanes of an area are in order, with their traces", () => {
  const told = lanesOfArea(model, { lanes: new Set(["1:1", "0:3", "0:1"]) }).map((one) => [one.trace.number, one.lane]);
  assert.deepEqual(told, [[0, 1], [0, 3], [1, 1]]);
});
