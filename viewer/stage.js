// The state of the page, and when it is drawn: what is visible, how to get elsewhere.
import { fitCanvas } from "./canvas.js";
import { drawLanes } from "./draw.js";
import { makeLayout } from "./layout.js";
import { writeLink } from "./link.js";
import { loadWindow } from "./model.js";
import { drawAxis, drawMinimap } from "./overview.js";
import { showLegend } from "./panel.js";
import { lengthText, momentText } from "./times.js";
import { leaveRange, makeZooms } from "./zooms.js";

const SHORTEST = 20;
export const byId = (id) => document.getElementById(id);
export const canvas = byId("lanes");
export const scroller = byId("scroll");
export const scene = { canvas, hover: null, selection: null, area: null, neighbours: null, meeting: null, meanwhile: null, chosen: null, search: "", verdict: null, made: { pins: [], notes: [] }, past: [], zooms: makeZooms(), measure: null, flow: { hops: 1, from: null, path: null } };
let waiting = false;
let gliding = null;
let linkTimer = null;
let loading = 0;

export function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    drawNow();
  });
}

export function drawNow() {
  scene.view.top = scroller.scrollTop;
  drawLanes(scene);
  drawAxis(scene, byId("axis"));
  drawMinimap(scene, byId("minimap"));
  scene.afterDraw?.();
  const { t0, t1 } = scene.view;
  byId("range").textContent = `${momentText(Math.round(t0))} to ${momentText(Math.round(t1))}  ·  ${lengthText(t1 - t0)}`;
  clearTimeout(linkTimer);
  linkTimer = setTimeout(() => writeLink(scene), 250);
}

/** Takes the size of the window and the rows anew. */
export function relayout() {
  const { model, view, options } = scene;
  view.full = byId("minimap").clientWidth;
  view.width = canvas.clientWidth;
  view.height = scroller.clientHeight;
  view.ratio = fitCanvas(canvas, view.width, view.height);
  scene.layout = makeLayout(model, { ...options, pins: scene.made.pins }, view);
  byId("spacer").style.height = `${Math.max(0, scene.layout.height - view.height)}px`;
  redraw();
}

export function show(t0, t1) {
  const { model, view } = scene;
  const whole = model.end - model.start;
  const margin = whole * 0.02;
  const span = Math.min(Math.max(t1 - t0, SHORTEST), whole + 2 * margin);
  const middle = (t0 + t1) / 2;
  const start = Math.min(Math.max(middle - span / 2, model.start - margin), model.end + margin - span);
  if (start !== view.t0 || span !== view.t1 - view.t0) leaveRange(scene.zooms, [view.t0, view.t1], performance.now());
  [view.t0, view.t1] = [start, start + span];
  byId("tip").hidden = true;
  busyWith(loadWindow(model, view.t0, view.t1, loaded));
  redraw();
}

/** Says that tiles are on their way, until they are there. */
async function busyWith(work) {
  loading++;
  byId("lanes").setAttribute("aria-busy", "true");
  await work;
  if (--loading === 0) byId("lanes").setAttribute("aria-busy", "false");
}

export function loaded() {
  relayout();
  showLegend(scene);
}

/** Moves there in a few frames. */
export function glide(t0, t1) {
  cancelAnimationFrame(gliding);
  const { view } = scene;
  const from = [view.t0, view.t1];
  const began = performance.now();
  const length = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 130;
  view.target = [t0, t1];
  const step = (now) => {
    const share = length ? Math.min(1, Math.max(0, now - began) / length) : 1;
    const eased = 1 - (1 - share) ** 3;
    show(from[0] + (t0 - from[0]) * eased, from[1] + (t1 - from[1]) * eased);
    if (share < 1) gliding = requestAnimationFrame(step);
    else view.target = null;
  };
  step(began);
}
