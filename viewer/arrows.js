// What is drawn around the selection: its frame, arrows to its neighbours, the band of a drag.
import { textFont, xOf } from "./canvas.js";
import { rowOfLane, trackBox } from "./layout.js";

/** A frame around the selected bar, and arrows from what came before and to what came after. */
export function drawSelection(frame, context) {
  const { selection, hover, neighbours, view, theme } = frame;
  context.save();
  context.beginPath();
  context.rect(view.left, 0, view.width - view.left, view.height);
  context.clip();
  if (frame.meanwhile) drawMeanwhile(frame, context, frame.meanwhile);
  if (hover) outline(frame, context, hover, theme.soft);
  if (frame.meeting) drawMeeting(frame, context, frame.meeting);
  if (selection) {
    if (neighbours) {
      const inTrace = (bar) => ({ ...bar, trace: selection.trace });
      const nearer = (side, { via = -1 }) => (via < 0 ? selection : inTrace(neighbours[side].bars[via]));
      for (const bar of neighbours.before.bars) arrow(frame, context, inTrace(bar), nearer("before", bar), theme.before);
      for (const bar of neighbours.after.bars) arrow(frame, context, nearer("after", bar), inTrace(bar), theme.after);
      const path = (frame.flow?.path?.bars ?? []).map(inTrace);
      path.forEach((bar, k) => {
        outline(frame, context, bar, theme.accent);
        if (k) arrow(frame, context, path[k - 1], bar, theme.accent);
      });
    }
    const { value } = selection;
    if (selection.kind === "path" && value("on") !== null) {
      const ran = selection.start >= value("from");
      outline(frame, context, { ...selection, lane: value("on"), start: value("from"), end: ran ? selection.end : value("from") }, theme.critical);
    }
    outline(frame, context, selection, theme.text);
  }
  if (view.band) drawBand(context, view, theme);
  context.restore();
}

function boxOf({ layout, view }, bar) {
  const row = rowOfLane(layout, bar.trace, bar.lane);
  if (!row) return null;
  const box = row.type === "lane" ? trackBox(row, bar.depth ?? 0) : { top: row.y + 4, height: row.height - 8 };
  const from = xOf(view, bar.start);
  const to = xOf(view, bar.end ?? bar.start + bar.length);
  return { from, to, top: box.top - view.top, height: box.height };
}

function outline(frame, context, bar, colour) {
  const box = boxOf(frame, bar);
  if (!box) return;
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.strokeRect(box.from - 0.5, box.top - 0.5, Math.max(box.to - box.from, 2) + 1, box.height + 1);
}

function arrow(frame, context, source, target, colour) {
  const [one, other] = [boxOf(frame, source), boxOf(frame, target)];
  if (!one || !other) return;
  const [x0, y0, x1, y1] = [one.to, one.top + one.height / 2, other.from, other.top + other.height / 2];
  const bend = Math.max(14, Math.min(90, Math.abs(x1 - x0) / 2));
  const line = context.makeLine?.() ?? new Path2D();
  line.moveTo(x0, y0);
  line.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 5, y1);
  context.strokeStyle = frame.theme.back;
  context.globalAlpha = 0.75;
  context.lineWidth = 3.5;
  context.stroke(line);
  context.strokeStyle = context.fillStyle = colour;
  context.globalAlpha = 1;
  context.lineWidth = 1.5;
  context.stroke(line);
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 - 7, y1 - 3.5);
  context.lineTo(x1 - 7, y1 + 3.5);
  context.fill();
}

/** Arrows from the last rank that came to a collective to those that were there before. */
function drawMeeting(frame, context, [last, ...others]) {
  for (const other of others) {
    const moment = Math.max(other.start, Math.min(last.start, other.end));
    outline(frame, context, other, frame.theme.accent);
    arrow(frame, context, { ...last, end: last.start }, { ...other, start: moment, end: moment }, frame.theme.accent);
  }
}

/** The time before a late arrival, on the lanes of its rank. */
function drawMeanwhile({ layout, view, theme }, context, { trace, start, end, text }) {
  const rows = layout.rows.filter((row) => row.trace === trace && !row.pinned);
  if (!rows.length) return;
  const [top, last] = [rows[0].y - view.top, rows[rows.length - 1]];
  const height = last.y + last.height - view.top - top;
  const [from, to] = [xOf(view, start), xOf(view, end)];
  context.fillStyle = context.strokeStyle = theme.accent;
  context.globalAlpha = 0.14;
  context.fillRect(from, top, to - from, height);
  context.globalAlpha = 1;
  context.setLineDash([4, 3]);
  context.lineWidth = 1;
  for (const x of [from, to]) {
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, top + height);
    context.stroke();
  }
  context.setLineDash([]);
  context.font = textFont(11);
  context.textAlign = "right";
  context.textBaseline = "middle";
  if (to - from > context.measureText(text).width + 12) context.fillText(text, to - 6, top + rows[0].height / 2);
  context.textAlign = "left";
}

function drawBand(context, view, theme) {
  const [from, to] = view.band;
  context.fillStyle = theme.accent;
  context.globalAlpha = 0.18;
  context.fillRect(Math.min(from, to), 0, Math.abs(to - from), view.height);
}
