// A recording that still runs: following the end, looking back, zooming, and what the page says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as later } from "node:timers/promises";
import { makePage } from "./page.mjs";

const page = makePage();
const timers = [];
const asked = [];
const answers = new Map();
Object.assign(globalThis, {
  setInterval: (call) => void (globalThis.notice = call),
  setTimeout: (call, ms) => timers.push([call, ms]),
  fetch: async (path) => {
    asked.push(path.replace(/^live\/\w+/, "live/PAGE"));
    const answer = answers.get(asked.at(-1));
    if (!answer) throw new Error("gone");
    return { json: async () => answer, text: async () => JSON.stringify(answer) };
  },
});
Object.defineProperty(globalThis, "navigator", { value: { sendBeacon: (path) => asked.push(path.replace(/^live\/\w+/, "live/PAGE")) }, configurable: true });
location.reload = () => asked.push("reload");
location.pathname = "/";
const { watchLive } = await import("../../../viewer/live.js");
const { scene } = await import("../../../viewer/stage.js");
const model = (start, end) => ({ start, end, traces: [] });
scene.view = { t0: 0, t1: 1000 };
scene.model = model(0, 1000);
const settled = async () => {
  for (let k = 0; k < 20; k++) await later(0);
};
const renewed = [];
let meanwhile = () => {};
const renew = async (header, wanted) => {
  meanwhile();
  if (!wanted()) return false;
  renewed.push(header.end);
  scene.model = model(header.start, header.end);
  return true;
};
const next = async () => {
  timers.shift()[0]();
  await settled();
};
const range = () => [scene.view.t0, scene.view.t1].map(Math.round);
const version = (number, start, end) => {
  answers.set("live/PAGE", { version: number, state: "running", records: 1234567, lost: 0, whole: true, where: "" });
  answers.set("live/PAGE/header", { start, end, live: { first: 64 * number, version: number, state: "running" } });
};
const text = () => page.element("liveText").textContent;
const pressed = () => page.element("follow").attributes["aria-pressed"];

test("a page of a file is left alone", () => {
  watchLive({}, renew);
  assert.deepEqual([asked, scene.live], [[], undefined]);
});

test("a page that follows takes every version and shows its end", async () => {
  version(2, 0, 5000);
  watchLive({ live: { first: 64, version: 1, state: "running" } }, renew);
  await settled();
  assert.deepEqual([renewed, range(), pressed(), text()], [[5000], [0, 5000], "true", "recording · 1,234,567 records"]);
  await next();
  assert.deepEqual(renewed, [5000]);
});

test("after a zoom it shows so much of the end", async () => {
  [scene.view.t0, scene.view.t1] = [4000, 5000];
  globalThis.notice();
  version(3, 0, 9000);
  await next();
  assert.deepEqual([renewed, range(), pressed()], [[5000, 9000], [8000, 9000], "true"]);
});

test("who looks back holds the page still, until Follow is pressed", async () => {
  [scene.view.t0, scene.view.t1] = [6000, 7000];
  globalThis.notice();
  version(4, 0, 9500);
  await next();
  assert.deepEqual([renewed.length, range(), pressed()], [2, [6000, 7000], "false"]);
  await page.element("follow").fire("click");
  await settled();
  assert.deepEqual([range(), pressed()], [[0, 9000], "true"]);
  await next();
  assert.deepEqual([renewed.length, range()], [3, [0, 9500]]);
  scene.selection = { start: 1, end: 2 };
  globalThis.notice();
  assert.equal(pressed(), "false");
  scene.selection = null;
});

test("who looks back while a version is on its way keeps what is shown, and gets the version by Follow", async () => {
  await page.element("follow").fire("click");
  await settled();
  version(5, 0, 9900);
  meanwhile = () => ([scene.view.t0, scene.view.t1] = [-3000, 6500]);
  await next();
  meanwhile = () => {};
  assert.deepEqual([renewed.length, range(), pressed(), scene.live.version], [3, [-3000, 6500], "false", 4]);
  await next();
  assert.equal(renewed.length, 3);
  await page.element("follow").fire("click");
  await next();
  assert.deepEqual([renewed.at(-1), range(), scene.live.version], [9900, [0, 9900], 5]);
  scene.selection = { start: 1, end: 2 };
  globalThis.notice();
  scene.selection = null;
});

test("losses and what is not kept are told", async () => {
  answers.set("live/PAGE", { version: 5, state: "running", records: 5, lost: 3, whole: false, where: "" });
  await next();
  assert.equal(text(), "recording · 5 records · only the last of them are kept here · 3 lost");
});

test("a stored trace loads the page anew; a page that closes says so", async () => {
  answers.set("live/PAGE", { version: 5, state: "stored", records: 0, lost: 0, whole: true, where: "/x/run.lanes" });
  await next();
  assert.equal(asked.at(-1), "reload");
  await page.window.fire("pagehide");
  assert.equal(asked.at(-1), "live/PAGE/leave");
});

test("what came of a recording stays on the page", async () => {
  timers.length = 0;
  answers.set("live/PAGE", { version: 5, state: "ended", records: 7, lost: 0, whole: true, where: "<b>" });
  watchLive({ live: { first: 64, version: 5, state: "running" } }, renew);
  await settled();
  assert.deepEqual([text(), timers.length], ["has ended · 7 records · stored in <b>", 0]);
  answers.clear();
  watchLive({ live: { first: 64, version: 5, state: "stored" } }, renew);
  await settled();
  for (let k = 0; k < 3; k++) await next();
  assert.deepEqual([text(), timers.length, page.element("follow").hidden], ["the command has ended; what is shown stays", 0, true]);
});
