// The strip above the lanes: utilisation of the whole run with the visible range, and the time axis.
import { fitCanvas, textFont, xOf } from "./canvas.js";
import { traceLetter } from "./layout.js";
import { ticks } from "./times.js";

const HEIGHT = 58;

export function drawMinimap(scene, canvas) {
  const { model, view, theme } = scene;
  const ratio = fitCanvas(canvas, view.full, HEIGHT);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, view.full, HEIGHT);
  const bands = model.traces.flatMap((trace) => trace.header.busy.map((busy, k) => ({ trace, busy, k })));
  const height = (HEIGHT - 6) / Math.max(bands.length, 1);
  bands.forEach((band, place) => drawBusy(context, scene, band, { top: 3 + place * height, height }));
  const from = Math.max(minimapX(scene, view.t0), view.left);
  const to = Math.min(minimapX(scene, view.t1), view.width);
  context.fillStyle = theme.soft;
  context.globalAlpha = 0.18;
  context.fillRect(view.left, 0, from - view.left, HEIGHT);
  context.fillRect(to, 0, view.full - to, HEIGHT);
  context.globalAlpha = 1;
  context.strokeStyle = theme.accent;
  context.lineWidth = 1.5;
  context.strokeRect(from, 1, Math.max(to - from, 2), HEIGHT - 2);
}

function drawBusy(context, scene, { trace, busy }, { top, height }) {
  const { model, view, theme } = scene;
  const width = view.width - view.left;
  const span = trace.header.end_ns - trace.header.start_ns;
  const shown = ((span / (model.end - model.start)) * width) / busy.share.length;
  const left = minimapX(scene, trace.header.start_ns);
  context.fillStyle = theme.accent;
  context.globalAlpha = 0.55;
  busy.share.forEach((share, k) => {
    const tall = share * (height - 2);
    if (tall > 0) context.fillRect(left + k * shown, top + height - tall, shown + 0.3, tall);
  });
  context.globalAlpha = 1;
  context.fillStyle = theme.soft;
  context.textBaseline = "middle";
  context.font = textFont(Math.min(11, height));
  const whose = model.job ? `rank ${trace.rankNumber}` : traceLetter(trace.number);
  const name = model.traces.length > 1 ? `${whose} ${busy.kind}` : busy.kind;
  context.fillText(`${name} busy`, 12, top + height / 2 + 0.5, view.left - 18);
}

function minimapX({ model, view }, ns) {
  return view.left + ((ns - model.start) / (model.end - model.start)) * (view.width - view.left);
}

export function minimapTime({ model, view }, x) {
  return model.start + ((x - view.left) / (view.width - view.left)) * (model.end - model.start);
}

export function drawAxis(scene, canvas) {
  const { view } = scene;
  const ratio = fitCanvas(canvas, view.full, 24);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, view.full, 24);
  axisOn(context, scene);
}

/** The time axis, 24 pixels high. */
export function axisOn(context, { view, theme }) {
  context.font = textFont(11);
  context.textBaseline = "middle";
  for (const { ns, text } of ticks(view.t0, view.t1, view.width - view.left, 110)) {
    const x = Math.round(xOf(view, ns));
    context.fillStyle = theme.line;
    context.fillRect(x, 16, 1, 8);
    context.fillStyle = theme.soft;
    const wide = context.measureText(text).width;
    if (x - wide / 2 >= view.left && x + wide / 2 <= view.full) context.fillText(text, x - wide / 2, 9);
  }
  context.fillStyle = theme.line;
  context.fillRect(view.left - 1, 0, 1, 24);
}
