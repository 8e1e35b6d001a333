// Which rows are on the canvas and how high they are: groups, lanes with their depths, series.

import { lengthText } from "./times.js";

const GROUP = 21;
const TITLE = 26;
const SERIES = 34;
const READABLE = 13;
const TALLEST = 22;
const PIPE = 12;
const MOST_PINNED = 0.6;

/** Rows from top to bottom; `closed` holds the keys of closed groups. Pinned lanes come first: `pinned` is their
    height, and where they leave room for others they stay where they are when the lanes are scrolled. */
export function makeLayout(model, options, view) {
  const rows = [];
  let y = 0;
  const add = (row) => {
    rows.push({ ...row, y });
    y += row.height;
  };
  const pins = (options.pins ?? []).flatMap((pin) => withPipes(model.traces[pin.trace], pin.lane, options));
  for (const [trace, lane] of pins) add({ ...laneRow(trace, lane, options), pinned: true });
  const pinned = view && y <= MOST_PINNED * view.height ? y : 0;
  if (pinned) for (const row of rows) stayAtTop(row, view);
  const isPinned = (trace, lane) => pins.some((pin) => pin[0] === trace && pin[1] === lane);
  if (options.interleaved && model.traces.length > 1) addInterleaved(model, { ...options, isPinned }, add);
  else for (const trace of model.traces) {
    if (model.traces.length > 1 && !model.job) add({ type: "title", trace, height: TITLE, name: traceTitle(trace) });
    addLanes(trace, { ...options, isPinned }, add);
    addSeries(trace, options, add);
  }
  return { rows, height: y, pinned };
}

/** A lane, and the pipes inside it where they are shown, as pairs. */
function withPipes(trace, lane, { pipes }) {
  const found = [[trace, lane]];
  const { lanes } = trace.header;
  if (pipes && lanes[lane].kind !== "pipe") for (let next = lane + 1; lanes[next]?.kind === "pipe"; next++) found.push([trace, next]);
  return found;
}

function stayAtTop(row, view) {
  const place = row.y;
  Object.defineProperty(row, "y", { get: () => view.top + place });
}

/** One lane; its name says whose it is where it stands apart from its group. */
function laneRow(trace, number, options, depths = depthsOfLanes(trace)) {
  const lane = trace.header.lanes[number];
  // Interleaved lanes must be told apart, so each has room for its name.
  const laneHeight = options.interleaved ? Math.max(READABLE - 1, options.laneHeight) : options.laneHeight;
  const inner = Math.max(4, Math.round(laneHeight * 0.7));
  // Lanes that are high enough for names have pipes that are, too.
  const pipe = laneHeight >= READABLE ? Math.max(PIPE, inner) : inner;
  const base = { pipe, path: Math.max(READABLE + 1, laneHeight) }[lane.kind] ?? laneHeight;
  const depth = Math.max(1, depths[number] ?? 1);
  return { type: "lane", trace, lane: number, about: lane, depth, base, inner, height: base + (depth - 1) * inner + 1 };
}

/** Rank or letter and a blank where there are several traces. */
export function whose(model, trace) {
  return model.job ? `rank ${trace.rankNumber} ` : model.traces.length > 1 ? `${traceLetter(trace.number)} ` : "";
}

/** The name of a lane with all that tells it apart. */
export function laneTitle(model, trace, number) {
  const { lanes } = trace.header;
  let owner = number;
  while (lanes[owner].kind === "pipe" && owner > 0) owner--;
  return `${whose(model, trace)}${owner === number ? "" : `${lanes[owner].name} `}${lanes[number].name}`;
}

/** A letter and what tells traces of one name apart. */
function traceTitle({ number, header, moved = 0 }) {
  const by = moved && `moved by ${moved < 0 ? "−" : "+"}${lengthText(Math.abs(moved))}`;
  return [traceLetter(number), header.label ?? header.name, header.chip, lengthText(header.makespan_ns), by].filter(Boolean).join("  ·  ");
}

export function traceLetter(number) {
  return String.fromCharCode(65 + (number % 26));
}

/** What tells a trace from the others of the page. */
export function traceName(model, trace) {
  if (model.job) return `Rank ${trace.rankNumber}`;
  return `${traceLetter(trace.number)} ${trace.header.label ?? trace.header.name}`;
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
      const about = lane.kind === "path" ? trace.header.path.waiting : members.length;
      add({ type: "group", trace, key, name: lane.group, count: about, height: GROUP });
    }
    if (!options.closed.has(key) && isShown(trace, number, options)) add(laneRow(trace, number, options, depths));
  }
}

function isShown(trace, number, { pipes, controllers, isPinned }) {
  const hidden = { pipe: !pipes, controller: !controllers }[trace.header.lanes[number].kind];
  return !hidden && !isPinned(trace, number);
}

/** Lanes of one name together, whichever traces they are of; a group has those of all traces. */
function addInterleaved(model, options, add) {
  const groups = new Map();
  for (const trace of model.traces) {
    const depths = depthsOfLanes(trace);
    let core = "";
    for (const [number, lane] of orderedLanes(trace)) {
      if (lane.kind !== "pipe") core = lane.name;
      const [name, place] = [lane.kindOfGroup ?? lane.group, lane.kind === "pipe" ? `${core}/${lane.name}` : lane.name];
      if (!groups.has(name)) groups.set(name, new Map());
      const lanes = groups.get(name);
      if (!lanes.has(place)) lanes.set(place, []);
      const about = { ...lane, name: `${model.job ? trace.rankNumber : traceLetter(trace.number)} ${lane.name}` };
      lanes.get(place).push({ ...laneRow(trace, number, options, depths), about });
    }
  }
  for (const [name, lanes] of groups) {
    const key = `all:${name}`;
    const shown = [...lanes.values()].flat();
    add({ type: "group", trace: model.traces[0], key, name, count: shown.filter(({ about }) => about.kind !== "pipe").length, height: GROUP, mixed: true });
    if (!options.closed.has(key)) for (const row of shown) if (isShown(row.trace, row.lane, options)) add(row);
  }
  for (const trace of model.traces) addSeries(trace, options, add);
}

/** Lanes with their numbers, the critical path first; of a rank of a job its devices come first. */
function orderedLanes(trace) {
  const every = [...trace.header.lanes.entries()];
  const lanes = [...every.filter(([, lane]) => lane.kind === "path"), ...every.filter(([, lane]) => lane.kind !== "path")];
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

/** Height of a lane that lets everything fit; where nothing does, names can be read, because the lanes are scrolled anyway. */
export function fittingHeight(model, options, height) {
  const fits = (laneHeight) => makeLayout(model, { ...options, laneHeight }).height <= height;
  let [low, high] = [model.job ? 10 : model.traces.length > 1 ? 5 : READABLE, TALLEST];
  if (!fits(low)) return READABLE;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Top and height of one depth of a lane, relative to the layout. */
export function trackBox(row, depth) {
  const top = row.y + (depth === 0 ? 0 : row.base + (depth - 1) * row.inner);
  return { top: top + 1, height: (depth === 0 ? row.base : row.inner) - 1 };
}

export function rowAt(layout, y) {
  const first = layout.rows.findIndex((row) => !row.pinned);
  const above = layout.rows.slice(0, Math.max(first, 0)).find((row) => y >= row.y && y < row.y + row.height);
  if (above) return above;
  let [low, high] = [Math.max(first, 0), layout.rows.length - 1];
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
  const { group, kindOfGroup } = trace.header.lanes[lane] ?? {};
  const isIt = (row) => (row.mixed ? row.name === (kindOfGroup ?? group) : row.trace === trace && row.name === group);
  return layout.rows.find((row) => row.type === "group" && isIt(row)) ?? null;
}
