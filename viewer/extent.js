// What an area covers: a range of time and lanes, which stay the same whatever rows are shown. Its text in
// the link, its lanes by rows of the layout, and how it is drawn.
import { xOf } from "./canvas.js";

/** `{t0, t1, lanes}` of whole nanoseconds; `lanes` is a set of "TRACE:LANE". */
export function makeArea(t0, t1, lanes) {
  const [from, to] = [Math.round(Math.min(t0, t1)), Math.round(Math.max(t0, t1))];
  return { t0: from, t1: Math.max(to, from + 1), lanes: new Set(lanes) };
}

export function laneKey({ trace, lane }) {
  return `${trace.number}:${lane}`;
}

/** Keys of the lanes between two heights of the layout; a closed group stands for its lanes. */
export function lanesBetween({ layout, model, options }, y0, y1) {
  const rows = layout.rows.filter((row) => row.y < Math.max(y0, y1) && row.y + row.height > Math.min(y0, y1));
  const keys = rows.flatMap((row) => {
    if (row.type === "lane") return row.about?.kind === "path" ? [] : [laneKey(row)]; // the path repeats what others run
    if (row.type !== "group" || !options.closed.has(row.key)) return [];
    const shown = ({ group, kind }) => group === row.name && (kind !== "pipe" || options.pipes) && (kind !== "controller" || options.controllers);
    return row.trace.header.lanes.flatMap((lane, number) => (shown(lane) ? [`${row.trace.number}:${number}`] : []));
  });
  return keys.filter((key) => model.traces[Number(key.split(":")[0])]);
}

/** The lanes as `[{trace, lane}]`, in order. */
export function lanesOfArea(model, { lanes }) {
  const pairs = [...lanes].map((key) => key.split(":").map(Number));
  pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return pairs.map(([trace, lane]) => ({ trace: model.traces[trace], lane }));
}

/** "T0_T1_0:3-9.12_1:0": lanes of a trace as ranges. */
export function areaText(model, area) {
  const byTrace = new Map();
  for (const { trace, lane } of lanesOfArea(model, area)) {
    const ranges = byTrace.get(trace.number) ?? [];
    byTrace.set(trace.number, ranges);
    if (ranges.length && ranges.at(-1)[1] === lane - 1) ranges.at(-1)[1] = lane;
    else ranges.push([lane, lane]);
  }
  const texts = [...byTrace].map(([trace, ranges]) => `${trace}:${ranges.map(([a, b]) => (a === b ? a : `${a}-${b}`)).join(".")}`);
  return [area.t0, area.t1, ...texts].join("_");
}

/** The area of such a text; null where it names no time or no lane of this page. */
export function readArea(model, text) {
  const [t0, t1, ...traces] = (text ?? "").split("_");
  const lanes = traces.flatMap((one) => {
    const [trace, ranges = ""] = one.split(":");
    const count = model.traces[Number(trace)]?.header.lanes.length ?? 0;
    return ranges.split(".").flatMap((range) => {
      const [first, last = first] = range.split("-").map(Number);
      const keys = [];
      for (let lane = Math.max(first, 0); lane <= Math.min(last, count - 1); lane++) keys.push(`${Number(trace)}:${lane}`);
      return keys;
    });
  });
  if (!lanes.length || !(Number(t1) > Number(t0))) return null;
  return makeArea(Number(t0), Number(t1), lanes);
}

/** The area over the rows that are visible. */
export function drawArea({ area, view, theme, rows, options }, context) {
  if (!area) return;
  const [left, right] = [Math.max(xOf(view, area.t0), view.left), Math.min(xOf(view, area.t1), view.width)];
  if (right < view.left || left > view.width) return;
  context.fillStyle = theme.accent;
  for (const row of rows) {
    const closed = row.type === "group" && options.closed.has(row.key) && row.trace.header.lanes.some((lane, k) => lane.group === row.name && area.lanes.has(`${row.trace.number}:${k}`));
    if (!closed && (row.type !== "lane" || !area.lanes.has(laneKey(row)))) continue;
    const top = row.y - view.top;
    context.globalAlpha = 0.16;
    context.fillRect(left, top, Math.max(right - left, 1), row.height);
    context.globalAlpha = 1;
    for (const x of [left, right]) context.fillRect(x - 0.75, top, 1.5, row.height);
  }
}
