// Mouse and keyboard: what the reader does, handed on as plain calls to `act`.
import { timeAt } from "./canvas.js";
import { minimapTime } from "./overview.js";

const STILL = 4;
const MOVES_OF_ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function listenToLanes(scene, canvas, scroller, act) {
  let drag = null;
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const [x, y] = at(event);
    drag = { x, y, t0: scene.view.t0, t1: scene.view.t1, top: scroller.scrollTop, moved: false, band: event.shiftKey, area: !event.shiftKey && (event.ctrlKey || event.metaKey || scene.selecting) };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = at(event);
    if (scene.pinching) return void (drag = null);
    if (!drag) return act.hover(x, y, event);
    drag.moved ||= Math.hypot(x - drag.x, y - drag.y) > STILL;
    if (!drag.moved) return;
    if (drag.band) return act.band([drag.x, x]);
    if (drag.area) return act.dragArea({ x0: drag.x, x1: x, y0: drag.y, y1: y }, false);
    canvas.classList.add("panning");
    const { view } = scene;
    const perPixel = (drag.t1 - drag.t0) / (view.width - view.left);
    act.show(drag.t0 - (x - drag.x) * perPixel, drag.t1 - (x - drag.x) * perPixel);
    scroller.scrollTop = drag.top - (y - drag.y);
  });
  const stop = (event) => {
    if (!drag) return;
    const [x, y] = at(event);
    const { moved, band, area, x: from, y: above } = drag;
    drag = null;
    canvas.classList.remove("panning");
    if (!moved) act.click(x, y);
    else if (area) act.dragArea({ x0: from, x1: x, y0: above, y1: y }, true);
    else if (band) {
      act.band(null);
      const [left, right] = [Math.min(from, x), Math.max(from, x)];
      act.glide(timeAt(scene.view, left), timeAt(scene.view, right));
    }
  };
  canvas.addEventListener("pointerup", stop);
  canvas.addEventListener("pointercancel", (event) => (drag?.area && drag.moved ? stop(event) : (drag = null)));
  canvas.addEventListener("pointerleave", () => act.leave());
  canvas.addEventListener("dblclick", () => act.fitSelection());
  canvas.addEventListener("wheel", (event) => wheel(scene, event, at(event), act), { passive: false });
}

function wheel(scene, event, [x], act) {
  const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    act.zoom(Math.exp(event.deltaY * 0.0025), timeAt(scene.view, Math.max(x, scene.view.left)));
  } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    event.preventDefault();
    const { view } = scene;
    const step = (sideways * (view.t1 - view.t0)) / (view.width - view.left);
    act.show(view.t0 + step, view.t1 + step);
  }
}

export function listenToMinimap(scene, canvas, act) {
  let from = null;
  const timeOf = (event) => minimapTime(scene, event.clientX - canvas.getBoundingClientRect().left);
  const centre = (event) => {
    const half = (scene.view.t1 - scene.view.t0) / 2;
    act.show(timeOf(event) - half, timeOf(event) + half);
  };
  canvas.addEventListener("pointerdown", (event) => {
    from = { time: timeOf(event), whole: scene.view.t1 - scene.view.t0 > 0.98 * (scene.model.end - scene.model.start), x: event.clientX };
    canvas.setPointerCapture(event.pointerId);
    if (!from.whole) centre(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!from) return;
    if (!from.whole) centre(event);
    else if (Math.abs(event.clientX - from.x) > STILL) {
      const time = timeOf(event);
      act.show(Math.min(from.time, time), Math.max(from.time, time));
    }
  });
  canvas.addEventListener("pointerup", () => (from = null));
}

export function listenToKeys(scene, scroller, act) {
  window.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input, select, textarea");
    // Windows tells AltGr, which many keyboards need for [ ] {, as Ctrl + Alt.
    const held = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState("AltGraph");
    if (event.key === "Escape") return act.escape();
    if (document.getElementById("help").open) return;
    if ((event.ctrlKey || event.metaKey) && event.key === "z" && !typing) return event.preventDefault(), act.undo();
    if (event.altKey && MOVES_OF_ARROWS[event.key] && !typing && act.changeArea(...MOVES_OF_ARROWS[event.key], event.shiftKey)) return event.preventDefault();
    if (typing || held) return;
    if (handleKey(scene, scroller, act, event)) event.preventDefault();
  });
}

function handleKey(scene, scroller, act, event) {
  const { view } = scene;
  const pan = (share) => act.pan(share * (view.t1 - view.t0));
  const onButton = event.target.matches("button");
  if (scene.measure && !onButton && act.measureKey(event)) return true;
  if (event.shiftKey && MOVES_OF_ARROWS[event.key]) return act.step(...MOVES_OF_ARROWS[event.key]), true;
  const keys = {
    w: () => act.zoomKey(0.6),
    s: () => act.zoomKey(1 / 0.6),
    a: () => pan(-0.18),
    d: () => pan(0.18),
    ArrowLeft: () => pan(-0.18),
    ArrowRight: () => pan(0.18),
    ArrowUp: () => scroller.scrollBy(0, -48),
    ArrowDown: () => scroller.scrollBy(0, 48),
    PageUp: () => scroller.scrollBy(0, -0.85 * view.height),
    PageDown: () => scroller.scrollBy(0, 0.85 * view.height),
    "/": () => document.getElementById("search").focus(),
    "?": () => act.help(),
    f: () => act.fitSelection(),
    r: () => act.visibleArea(),
    0: () => act.showAll(),
    Home: () => act.showAll(),
    "+": () => act.laneHeight(2),
    "=": () => act.laneHeight(2),
    "-": () => act.laneHeight(-2),
    p: () => act.pipes(),
    c: () => act.nextMode(),
    h: () => act.toggleHeat(),
    x: () => act.togglePin(),
    n: () => act.addNote(),
    g: () => act.addFlag(),
    m: () => act.markSelection(),
    e: () => act.toggleMeasure(),
    u: () => act.undo(),
    Backspace: () => act.zoomBack(),
    "]": () => act.stepPath(1),
    "[": () => act.stepPath(-1),
    "{": () => act.stepPath(0),
    Enter: () => act.selectMiddle(),
  };
  if (event.key === "Enter" && onButton) return false;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (!keys[key]) return false;
  keys[key]();
  return true;
}
