// Text and series beside and between the lanes: names of lanes, titles of groups, steps of series.
import { textFont, timeAt } from "./canvas.js";
import { laneTitle } from "./layout.js";
import { lengthText } from "./times.js";
import { firstEndAfter } from "./tracks.js";

const NARROWEST = 112;
const WIDEST = 200;

/** Room that the names of the lanes need, within limits. */
export function labelWidth(model, context) {
  context.font = textFont(11.5);
  let most = 0;
  for (const { header } of model.traces) {
    for (const { name, lost } of header.lanes) most = Math.max(most, context.measureText(name).width + lostWidth(context, lost));
    for (const { name } of header.levels) most = Math.max(most, context.measureText(name).width);
  }
  return Math.round(Math.min(WIDEST, Math.max(NARROWEST, most + 24)));
}

function lostWidth(context, lost) {
  return lost ? context.measureText(`−${lost}`).width + 10 : 0;
}

/** The column of names at the left, and the rows of groups and titles. */
export function drawLabels(frame, context) {
  const { view, theme, rows } = frame;
  let free = -Infinity;
  for (const row of rows) {
    const top = row.y - view.top;
    if (row.type === "group") drawGroup(frame, context, row);
    else if (row.type === "title") {
      context.fillStyle = theme.text;
      context.font = textFont(13, 650);
      context.fillText(row.name, 10, top + row.height / 2 + 1);
    } else {
      const height = row.type === "series" ? row.height : Math.max(row.base, Math.min(12, row.height));
      if (row.type === "lane") {
        if (row.y < free) continue;
        free = row.y + Math.max(12, row.base);
      }
      const size = Math.min(11.5, Math.max(10, height - 1.5));
      context.font = textFont(size);
      context.fillStyle = theme.soft;
      const pipe = row.about?.kind === "pipe";
      const room = view.left - (pipe ? 30 : 18) - lostWidth(context, row.about?.lost);
      const name = row.type === "series" ? row.series.name : row.pinned ? laneTitle(frame.model, row.trace, row.lane) : row.about.name;
      const middle = Math.max(height / 2, 6) + 0.5;
      context.fillText(clipped(context, name, room), pipe ? 24 : 12, top + middle);
      if (row.about?.lost) drawLost(context, { row, top, height, view, theme });
    }
  }
  context.fillStyle = theme.line;
  for (const row of rows) {
    if (row.type === "lane" || row.type === "series") context.fillRect(view.left - 1, row.y - view.top, 1, row.height);
  }
}

function drawLost(context, { row, top, height, view, theme }) {
  context.fillStyle = theme.blocked;
  context.textAlign = "right";
  context.fillText(`−${row.about.lost}`, view.left - 6, top + height / 2 + 0.5);
  context.textAlign = "left";
}

function drawGroup({ model, view, theme, options }, context, row) {
  const y = row.y - view.top + row.height / 2 + 0.5;
  const closed = options.closed.has(row.key);
  const kind = row.name.replace(/ cores$/, "");
  const use = row.mixed ? null : row.trace.header.utilisation.find(([name, share]) => name === kind && share !== null);
  const told = !row.mixed && row.name === `Rank ${row.trace.rankNumber}` ? model.job.told[row.trace.number] : "";
  const about = `${row.count}${use ? `  ·  ${(100 * use[1]).toFixed(1)} % busy` : ""}${told ? `  ·  ${told}` : ""}`;
  context.font = textFont(11.5, 650);
  const width = context.measureText(row.name).width;
  context.fillStyle = theme.group;
  context.fillRect(0, row.y - view.top, 40 + width + context.measureText(about).width, row.height - 1);
  context.fillStyle = theme.soft;
  context.beginPath();
  if (closed) context.moveTo(8, y - 4), context.lineTo(13, y), context.lineTo(8, y + 4);
  else context.moveTo(6, y - 2.5), context.lineTo(14, y - 2.5), context.lineTo(10, y + 2.5);
  context.fill();
  context.font = textFont(11.5, 650);
  context.fillStyle = theme.text;
  context.fillText(row.name, 19, y);
  context.font = textFont(11.5);
  context.fillStyle = theme.soft;
  context.fillText(about, 27 + width, y);
}

/** As much of a text as there is room for. */
export function clipped(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let length = text.length;
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > width) length--;
  return `${text.slice(0, length)}…`;
}

/** A series as steps; where several points fall on a pixel the largest counts. */
export function drawSeries({ view, theme }, context, row) {
  const { time, value } = row.series;
  const top = row.y - view.top + 5;
  const height = row.height - 10;
  let most = 0;
  for (const one of value) most = Math.max(most, one);
  const width = view.width - view.left;
  const peaks = new Float32Array(Math.ceil(width));
  let at = Math.max(0, firstEndAfter(time, view.t0) - 1);
  let last = time[at] <= view.t0 ? value[at] : 0;
  for (let x = 0; x < peaks.length; x++) {
    const until = timeAt(view, view.left + x + 1);
    let peak = last;
    while (at < time.length && time[at] < until) {
      peak = Math.max(peak, value[at]);
      last = value[at++];
    }
    peaks[x] = peak;
  }
  context.fillStyle = theme.accent;
  for (const [alpha, line] of [[0.28, false], [0.9, true]]) {
    context.globalAlpha = alpha;
    for (let x = 0; x < peaks.length; x++) {
      const tall = (peaks[x] / most) * height; // NaN where all are 0
      if (tall > 0) context.fillRect(view.left + x, top + height - tall, 1, line ? 1.2 : tall);
    }
  }
  context.globalAlpha = 1;
  context.font = textFont(10);
  context.fillStyle = theme.soft;
  context.textAlign = "right";
  const thinned = row.series.bin_ns ? `largest per ${lengthText(row.series.bin_ns)}, ` : "";
  const text = `${thinned}max ${Number(most.toPrecision(4))}`;
  const wide = context.measureText(text).width + 8;
  context.fillStyle = theme.back;
  context.globalAlpha = 0.8;
  context.fillRect(view.width - wide - 2, top - 4, wide, 14);
  context.globalAlpha = 1;
  context.fillStyle = theme.soft;
  context.fillText(text, view.width - 6, top + 3);
  context.textAlign = "left";
}
