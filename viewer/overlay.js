// What the reader made, drawn above the lanes: flags, marked ranges, notes on bars, and what is measured.
import { textFont, xOf } from "./canvas.js";
import { clipped } from "./labels.js";
import { rowOfLane, trackBox } from "./layout.js";
import { lengthText } from "./times.js";

const LABEL = 15;
const WIDEST_LABEL = 260;

export function drawMade(frame, context) {
  const { made, measure, view, theme } = frame;
  context.save();
  context.beginPath();
  context.rect(view.left, 0, view.width - view.left, view.height);
  context.clip();
  context.textBaseline = "middle";
  const free = [];
  for (const note of made.notes) if (!note.bar) drawFlag(frame, context, note, free);
  const flags = free.length * (LABEL + 1);
  for (const note of made.notes) if (note.bar) drawNote(frame, context, note, flags);
  if (measure) drawMeasure(frame, context, measure);
  context.restore();
  if (frame.layout.pinned) {
    context.fillStyle = theme.accent;
    context.fillRect(0, frame.layout.pinned - 1, view.width, 2);
  }
}

/** A flag at a moment, or the range that was marked with how long it is. `free` says where each line of texts ends. */
function drawFlag({ view, theme }, context, { start, end, text }, free) {
  const [from, to] = [xOf(view, start), xOf(view, end ?? start)];
  if (to < view.left || from > view.width) return;
  context.fillStyle = theme.accent;
  if (end !== null) {
    context.globalAlpha = 0.12;
    context.fillRect(from, 0, to - from, view.height);
    context.globalAlpha = 1;
    context.fillRect(to, 0, 1, view.height);
  }
  context.fillRect(from, 0, 1, view.height);
  const said = end === null ? text : `${text}${text ? "  ·  " : ""}${lengthText(end - start)}`;
  const x = Math.max(from, view.left);
  let line = free.findIndex((until) => until <= x);
  if (line < 0) line = free.length;
  free[line] = x + drawTag(context, { text: `⚑ ${said}`, x, y: 1 + line * (LABEL + 1), theme });
}

/** A text at the upper left corner of a bar, below the texts of flags, which take `flags` pixels; of a lane that is not
    shown, at its group. */
function drawNote({ layout, view, theme, model }, context, { start, end, text, bar }, flags) {
  const row = rowOfLane(layout, model.traces[bar.trace], bar.lane);
  const [from, to] = [xOf(view, start), xOf(view, end)];
  if (!row || to < view.left || from > view.width) return;
  const top = (row.type === "lane" ? trackBox(row, 0).top : row.y) - view.top;
  const above = top - LABEL + 3;
  drawTag(context, { text: `✎ ${text}`, x: Math.max(from, view.left), y: above < flags ? Math.max(top + row.height, flags) : above, theme });
}

function drawTag(context, { text, x, y, theme }) {
  context.font = textFont(11);
  const shown = clipped(context, text, WIDEST_LABEL - 8);
  const wide = context.measureText(shown).width + 8;
  context.fillStyle = theme.back;
  context.fillRect(x, y, wide, LABEL);
  context.strokeStyle = theme.accent;
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, y + 0.5, wide - 1, LABEL - 1);
  context.fillStyle = theme.text;
  context.fillText(shown, x + 4, y + LABEL / 2 + 0.5);
  return wide;
}

function drawMeasure({ view, theme }, context, { from, to, at }) {
  const other = to ?? at;
  context.fillStyle = theme.after;
  for (const point of [from, other]) if (point) context.fillRect(Math.round(xOf(view, point.time)), 0, 1.5, view.height);
  if (!from || !other) return;
  const [left, right] = [from.time, other.time].map((time) => xOf(view, time)).sort((a, b) => a - b);
  context.fillRect(left, view.height - 22, right - left, 1.5);
  drawTag(context, { text: `↔ ${lengthText(Math.abs(other.time - from.time))}`, x: Math.max((left + right) / 2 - 30, view.left), y: view.height - 40, theme });
}
