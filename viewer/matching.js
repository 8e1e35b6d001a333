// Follows the plan of a search over the bars that the page holds: which match, in which order. The server
// does the same for a trace that it keeps (src/lanescope/viewer/search.py).
import { joined, taskText } from "./facts.js";
import { KINDS_FOUND } from "./query.js";

/** Columns beside the name that a plan looks at. */
export function columnsOf(plan) {
  const columns = plan.waits.flatMap(({ reasons }) => reasons.map((reason) => `wait_${reason}`));
  if (plan.task !== null) columns.push("node", "task_high", "task_low");
  if (plan.parts.some((part) => part.runs)) columns.push("run");
  return columns;
}

/** A function from a track to a function that tells whether bar i matches. */
export function matcherOf(trace, plan) {
  const parts = plan.parts.map((part) => ({ ...part, lanes: new Set(part.lanes), names: part.names && new Set(part.names), runs: part.runs && new Set(part.runs) }));
  return (track) => {
    const column = (name) => track.table.values.get(name);
    const part = parts.find(({ kind, lanes }) => kind === track.kind && lanes.has(track.lane));
    if (!part || (part.runs && !column("run"))) return () => false;
    const [name, run] = [column("name"), column("run")];
    const tests = plan.waits.map((wait) => waitTest(wait, column));
    if (part.names) tests.push((row) => part.names.has(name?.[row]));
    if (part.runs) tests.push((row) => part.runs.has(run[row]));
    if (plan.task !== null) tests.push(taskTest(track, plan.task, trace));
    const [least, most] = [plan.least, plan.most ?? Infinity];
    return (i) => {
      const length = track.end[i] - track.start[i];
      return length >= least && length <= most && tests.every((test) => test(track.rowAt(i)));
    };
  };
}

function waitTest({ reasons, least, most }, column) {
  const columns = reasons.map((reason) => column(`wait_${reason}`)).filter(Boolean);
  return (row) => {
    const waited = columns.reduce((sum, values) => sum + (values[row] || 0), 0);
    return waited >= least && waited <= (most ?? Infinity);
  };
}

function taskTest(track, task, { nodes, header }) {
  const isIt = (high, low) => {
    const id = joined(high, low);
    return id === task || taskText(header.task_ids, id) === task;
  };
  const node = track.table.values.get("node");
  if (track.kind === "tasks" && node && nodes) return (row) => isIt(nodes.high[node[row]], nodes.low[node[row]]);
  const [high, low] = ["task_high", "task_low"].map((name) => track.table.values.get(name));
  return (row) => Boolean(high) && !Number.isNaN(high[row]) && isIt(high[row], low[row]);
}

/** Before 0 where a match stands before another: by start, lane, kind, the longer one first, then place. */
function compareBars(a, b) {
  const kind = (bar) => KINDS_FOUND.indexOf(bar.kind);
  return a.start - b.start || a.lane - b.lane || kind(a) - kind(b) || b.start + b.length - (a.start + a.length) || (a.at ?? 0) - (b.at ?? 0);
}

/** `{count, offset, at, bars}`: how many bars match, `limit` of them from `offset` on. With `from`, a bar, `at` is the
    place of the next match (or the one before), -1 or `count` where there is none, and `offset` the page of it. */
export function answerHere(trace, plan, { limit, offset = 0, from = null, backwards = false }) {
  const found = foundIn(trace, plan);
  const count = found.starts.length;
  const at = from ? placeBeside(found, from, backwards) : offset;
  const first = Math.floor(Math.min(Math.max(at, 0), Math.max(count - 1, 0)) / limit) * limit;
  if (!count) return { count, at, offset: 0, bars: [] };
  const [low, high] = [found.starts[first], found.starts[Math.min(first + limit, count) - 1]];
  const bars = barsBetween(found, low, high).sort(compareBars);
  const skipped = first - lowerBound(found.starts, low);
  return { count, at, offset: first, bars: bars.slice(skipped, skipped + limit) };
}

function placeBeside(found, from, backwards) {
  const before = barsBetween(found, from.start, from.start).filter((bar) => {
    const order = compareBars({ ...bar, at: 0 }, { ...from, at: 0 });
    return backwards ? order < 0 : order <= 0;
  });
  return lowerBound(found.starts, from.start) + before.length - (backwards ? 1 : 0);
}

/** The starts of all matches in order, kept until another plan is followed. */
function foundIn(trace, plan) {
  if (trace.found?.plan === plan) return trace.found;
  const match = matcherOf(trace, plan);
  const tracks = trace.tiles.flatMap((tile) => tile.tracks ?? []).filter((track) => KINDS_FOUND.includes(track.kind)).map((track) => [track, match(track)]);
  let room = 0;
  for (const [track] of tracks) room += track.count;
  const starts = new Float64Array(room);
  let count = 0;
  for (const [track, matches] of tracks) for (let i = 0; i < track.count; i++) if (matches(i)) starts[count++] = track.start[i];
  trace.found = { plan, tracks, starts: starts.slice(0, count).sort() };
  return trace.found;
}

function barsBetween({ tracks }, low, high) {
  const bars = [];
  for (const [track, matches] of tracks) {
    for (let i = lowerBound(track.start, low); i < track.count && track.start[i] <= high; i++) {
      if (matches(i)) bars.push({ kind: track.kind, lane: track.lane, start: track.start[i], length: track.end[i] - track.start[i], name: track.table.values.get("name")?.[track.rowAt(i)] ?? 0, at: track.rowAt(i) });
    }
  }
  return bars;
}

/** First place whose value is not below. */
function lowerBound(values, wanted) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
