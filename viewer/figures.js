// What lies in an area of time and lanes, counted by this page over its own bars; src/lanescope/viewer/area.py
// answers the same for a page that does not hold them. A bar counts when it touches the area. Totals have the
// time inside; mean, percentiles and longest are of the bars' whole lengths.
import { traceLetter } from "./layout.js";
import { barName } from "./model.js";
import { BAR_KINDS } from "./saved.js";
import { REASONS } from "./theme.js";
import { firstEndAfter } from "./tracks.js";

const PERCENTS = [50, 99];
// Lengths are counted in 64 bins per factor of two first; only the bins that hold a percentile are sorted.
const FINE = 17;
const LEAST_BIN = (127 << 6) - 1;
const BINS = 64 * 64;
const [asFloat, asBits] = ((buffer) => [new Float32Array(buffer), new Uint32Array(buffer)])(new ArrayBuffer(4));

function binOf(length) {
  asFloat[0] = length;
  return length < 1 ? 0 : (asBits[0] >>> FINE) - LEAST_BIN;
}

/** `{functions, lanes, cells, waits}` of an area `{t0, t1, lanes}`; `lanes` are `[{trace, lane}]`. */
export async function measureArea(model, area) {
  const numbers = { codes: new Map(), byName: new Map(), functions: [], columns: new Map() };
  const parts = await partsOf(model, area, numbers);
  for (const part of parts) count(part, area, numbers);
  const wantedKeys = findBins(numbers);
  for (const part of parts) collect(part, numbers, wantedKeys);
  return { functions: numbers.functions.map(told), lanes: lanesOf(parts), cells: cellsOf(numbers), waits: await waitsOf(parts, area) };
}

/** The tracks of the area, each with the range of its bars that touch it. */
async function partsOf(model, { t0, t1, lanes }, numbers) {
  const parts = [];
  for (const { trace, lane } of lanes) {
    for (const tile of trace.tiles) {
      for (const track of tile.byLane?.get(lane) ?? []) {
        if (!BAR_KINDS.includes(track.kind)) continue;
        let first = firstEndAfter(track.end, t0);
        while (first > 0 && track.start[first - 1] >= t0) first--;
        const last = firstEndAfter(track.start, t1 - 1);
        const runs = hasRuns(model) ? await track.table.column("run") : null;
        const [codes, column] = [functionCodes(numbers, trace, track.kind), pivotColumns(numbers, trace, { lane, runs, label: labelOf(model, trace, lane) })];
        parts.push({ trace, lane, track, first, last, runs, codes, column, names: track.table.values.get("name"), count: 0, inside_ns: 0 });
      }
    }
  }
  return parts;
}

function hasRuns(model) {
  return model.traces.length === 1 && model.traces[0].header.runs?.length > 1 && !model.traces[0].header.lanes.some((lane) => rankOf(lane));
}

function rankOf(lane) {
  return /^Rank -?\d+$/.exec(lane.group)?.[0] ?? null;
}

/** What tells parts of the page apart: the rank, or which of several traces. */
function labelOf(model, trace, lane) {
  return rankOf(trace.header.lanes[lane]) ?? (model.traces.length > 1 ? `trace ${traceLetter(trace.number)}` : "");
}

/** Per code of a name, from -1 on, the number of its function, or -1 as long as none was met. */
function functionCodes({ codes }, trace, kind) {
  const key = `${trace.number} ${kind}`;
  const known = kind === "tasks" ? trace.header.functions : trace.header.words;
  if (!codes.has(key)) codes.set(key, new Int32Array(known.length + 2).fill(-1));
  return codes.get(key);
}

/** Per run, or once, the number of the pivot's column: kind of the lane, and rank, trace or run. */
function pivotColumns({ columns }, trace, { lane, runs, label }) {
  const { kind_name } = trace.header.lanes[lane];
  const labels = runs ? [...trace.header.runs.map((run) => run.name), "no run"] : [label];
  return labels.map((one) => {
    const key = JSON.stringify([kind_name, one]);
    if (!columns.has(key)) columns.set(key, columns.size);
    return columns.get(key);
  });
}

function newFunction({ byName, functions, columns }, { trace, track }, code) {
  const name = barName(trace, track.kind, code);
  const key = `${track.kind} ${name}`;
  if (!byName.has(key)) {
    byName.set(key, functions.length);
    functions.push({ bars: track.kind, name, bins: new Int32Array(BINS), wanted: [], most: new Float64Array(2), cells: new Float64Array(3 * columns.size) });
  }
  return byName.get(key);
}

// Sums are in typed arrays: this loop runs over millions of bars while the reader waits.
function count(part, { t0, t1 }, numbers) {
  const { start, end, rowAt } = part.track;
  const { names, codes, runs, column, first, last } = part;
  const keys = (part.keys = new Int32Array(Math.max(0, last - first)));
  let all = 0;
  for (let i = first; i < last; i++) {
    const from = start[i];
    const to = end[i];
    const row = rowAt(i);
    const code = names ? names[row] : -1;
    if (codes[code + 1] < 0) codes[code + 1] = newFunction(numbers, part, code);
    const { cells, bins, most } = numbers.functions[codes[code + 1]];
    const place = 3 * column[runs ? (runs[row] >= 0 ? runs[row] : column.length - 1) : 0];
    const length = to - from;
    const inside = (to < t1 ? to : t1) - (from > t0 ? from : t0);
    if (inside < length) most[1]++;
    if (length > most[0]) most[0] = length;
    const bin = binOf(length);
    bins[bin]++;
    keys[i - first] = codes[code + 1] * BINS + bin;
    cells[place]++;
    cells[place + 1] += inside;
    cells[place + 2] += length;
    all += inside;
  }
  part.count = keys.length;
  part.inside_ns = all;
}

/** Sums of the functions, and the bins that hold their percentiles: the value at place ceil(p/100 × n) of n sorted ones. */
function findBins({ functions }) {
  const keys = new Uint8Array(functions.length * BINS);
  functions.forEach((func, number) => {
    [func.count, func.inside_ns, func.whole_ns] = [0, 1, 2].map((of) => func.cells.reduce((sum, value, k) => (k % 3 === of ? sum + value : sum), 0));
    for (const percent of PERCENTS) {
      let place = Math.floor((func.count * percent + 99) / 100) - 1;
      let bin = 0;
      while (place >= func.bins[bin]) place -= func.bins[bin++];
      const same = func.wanted.find((one) => one.bin === bin);
      func.wanted.push({ bin, place, values: same ? same.values : new Float64Array(func.bins[bin]), at: 0 });
      if (!same) keys[number * BINS + bin] = func.wanted.length;
    }
  });
  return keys;
}

/** Lengths of the bars in the wanted bins; `keys` has the function and the bin of every bar. */
function collect({ track, first, keys }, { functions }, wantedKeys) {
  const { start, end } = track;
  for (let k = 0; k < keys.length; k++) {
    const which = wantedKeys[keys[k]];
    if (!which) continue;
    const one = functions[(keys[k] / BINS) | 0].wanted[which - 1];
    one.values[one.at++] = end[first + k] - start[first + k];
  }
}

function told({ bars, name, count, inside_ns, whole_ns, most: [max_ns, over], wanted: [low, high] }) {
  low.values.sort();
  if (high.values !== low.values) high.values.sort();
  return { bars, name, count, over, inside_ns, whole_ns, p50_ns: low.values[low.place], p99_ns: high.values[high.place], max_ns };
}

function lanesOf(parts) {
  const found = new Map();
  for (const { trace, lane, track, count, inside_ns } of parts) {
    const key = `${trace.number} ${lane} ${track.kind}`;
    const one = found.get(key) ?? { trace: trace.number, lane, bars: track.kind, count: 0, inside_ns: 0 };
    found.set(key, one);
    one.count += count;
    one.inside_ns += inside_ns;
  }
  return [...found.values()].filter((one) => one.count);
}

function cellsOf({ functions, columns }) {
  const keys = [...columns.keys()].map((key) => JSON.parse(key));
  return functions.flatMap(({ bars, name, cells }) => keys.flatMap(([kind, part], place) => (cells[3 * place] ? [{ bars, name, kind, part, count: cells[3 * place], inside_ns: cells[3 * place + 1], whole_ns: cells[3 * place + 2] }] : [])));
}

/** Per reason how long cores waited inside; null where the trace does not say. What was waited lies before its task. */
async function waitsOf(parts, { t0, t1 }) {
  const sums = new Float64Array(REASONS.length);
  let known = false;
  for (const { track, first, last } of parts) {
    if (track.kind !== "tasks") continue;
    const columns = await Promise.all(REASONS.map((reason) => track.table.column(`wait_${reason}`)));
    const used = columns.flatMap((values, k) => (values ? [k] : []));
    known ||= used.length > 0;
    for (let i = first; i < Math.min(last + 1, track.count); i++) {
      const row = track.rowAt(i);
      let sum = 0;
      for (let k = 0; k < used.length; k++) sum += columns[used[k]][row] || 0;
      const inside = Math.min(track.start[i], t1) - Math.max(track.start[i] - sum, t0);
      if (inside <= 0) continue;
      for (let k = 0; k < used.length; k++) sums[used[k]] += ((columns[used[k]][row] || 0) * inside) / sum;
    }
  }
  return known ? Object.fromEntries(REASONS.flatMap((reason, k) => (sums[k] ? [[reason, sums[k]]] : []))) : null;
}
