// Which rows are on the canvas and how high they are: groups, lanes with their depths, series.

import { lengthText } from "./times.js";

const GROUP = 21;
const TITLE = 26;
const SERIES = 34;
const READABLE = 13;
const PIPE = 12;

/** Rows from top to bottom; `closed` holds the keys of closed groups. */
export function makeLayout(model, options) {
  const rows = [];
  let y = 0;
  const add = (row) => {
    rows.push({ ...row, y });
    y += row.height;
  };
  for (const trace of model.traces) {
    if (model.traces.length > 1 && !model.job) add({ type: "title", trace, height: TITLE, name: traceTitle(trace) });
    addLanes(trace, options, add);
    addSeries(trace, options, add);
  }
  return { rows, height: y };
}

/** A letter and what tells traces of one name apart. */
function traceTitle({ number, header }) {
  return [traceLetter(number), header.name, header.chip, lengthText(header.makespan_ns)].filter(Boolean).join("  ·  ");
}

export function traceLetter(number) {
  return String.fromCharCode(65 + (number % 26));
}

function addLanes(trace, options, add) {
  let group = null;
  const depths = depthsOfLanes(trace);
  for (const [number, lane] of orderedLanes(trace)) {
    const key = `${trace.number}:${lane.group}`;
    if (key !== group) {
      group = key;
      const counts = ({ kind }) => kind === "core" || (kind === "controller" && options.controllers);
      const members = trace.header.lanes.filter((other) => other.group === lane.group && counts(other));
      add({ type: "group", trace, key, name: lane.group, count: members.length, height: GROUP });
    }
    const hidden = { pipe: !options.pipes, controller: !options.controllers }[lane.kind];
    if (options.closed.has(key) || hidden) continue;
    const inner = Math.max(4, Math.round(options.laneHeight * 0.7));
    // Lanes that are high enough for names have pipes that are, too.
    const pipe = options.laneHeight >= READABLE ? Math.max(PIPE, inner) : inner;
    const base = lane.kind === "pipe" ? pipe : options.laneHeight;
    const depth = Math.max(1, depths[number] ?? 1);
    add({ type: "lane", trace, lane: number, about: lane, depth, base, inner, height: base + (depth - 1) * inner + 1 });
  }
}

/** Lanes with their numbers; of a rank of a job its devices come first. */
function orderedLanes(trace) {
  const lanes = [...trace.header.lanes.entries()];
  if (trace.rankNumber === undefined) return lanes;
  const controls = ([, lane]) => lane.kind === "controller";
  return [...lanes.filter((one) => !controls(one)), ...lanes.filter(controls)];
}

function addSeries(trace, options, add) {
  if (!trace.series.length) return;
  const key = `${trace.number}:series`;
  add({ type: "group", trace, key, name: "Counters", count: trace.series.length, height: GROUP });
  if (options.closed.has(key)) return;
  for (const series of trace.series) add({ type: "series", trace, series, height: SERIES });
}

function depthsOfLanes(trace) {
  const depths = [];
  for (const tile of [...trace.tiles, trace.overview]) {
    for (const track of tile?.tracks ?? []) depths[track.lane] = Math.max(depths[track.lane] ?? 1, track.depth + 1);
  }
  return depths;
}

/** Height of a lane that lets everything fit, within what is readable. */
export function fittingHeight(model, height) {
  let lanes = 0;
  let fixed = 0;
  for (const trace of model.traces) {
    lanes += trace.header.lanes.filter((lane) => lane.kind !== "pipe" && !(model.job && lane.kind === "controller")).length;
    fixed += trace.series.length * SERIES + (model.job ? 1 : 4) * GROUP;
  }
  const least = model.job ? 10 : model.traces.length > 1 ? 5 : READABLE;
  return Math.max(least, Math.min(22, Math.floor((height - fixed) / Math.max(lanes, 1)) - 1));
}

/** Top and height of one depth of a lane, relative to the layout. */
export function trackBox(row, depth) {
  const top = row.y + (depth === 0 ? 0 : row.base + (depth - 1) * row.inner);
  return { top: top + 1, height: (depth === 0 ? row.base : row.inner) - 1 };
}

export function rowAt(layout, y) {
  let [low, high] = [0, layout.rows.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const row = layout.rows[middle];
    if (y < row.y) high = middle - 1;
    else if (y >= row.y + row.height) low = middle + 1;
    else return row;
  }
  return null;
}

/** The row of a lane, or of its closed group. */
export function rowOfLane(layout, trace, lane) {
  const found = layout.rows.find((row) => row.type === "lane" && row.trace === trace && row.lane === lane);
  if (found) return found;
  const group = trace.header.lanes[lane]?.group;
  return layout.rows.find((row) => row.type === "group" && row.trace === trace && row.name === group) ?? null;
}
