// What lies in an area of time and lanes, counted by this page over its own bars; src/lanescope/viewer/area.py
// answers the same for a page that does not hold them. A bar counts when it touches the area. Totals have the
// time inside; mean, percentiles and longest are of the bars' whole lengths.
import { BINS, binOf, narrow, note, searchFor } from "./bins.js";
import { traceLetter } from "./layout.js";
import { barName } from "./model.js";
import { BAR_KINDS } from "./saved.js";
import { REASONS } from "./theme.js";
import { firstEndAfter } from "./tracks.js";

const PERCENTS = [50, 99, 100];
const SUMS = 3; // of a function in one column of the pivot: bars, their whole length, and how much of it lies outside

/** `{functions, lanes, cells, waits}` of an area `{t0, t1, lanes}`; `lanes` are `[{trace, lane}]`. */
export async function measureArea(model, area) {
  const numbers = { codes: new Map(), byName: new Map(), functions: [], columns: new Map() };
  const parts = await partsOf(model, area, numbers);
  Object.assign(numbers, { bins: new Int32Array(0), sums: new Float64Array(0) });
  for (const part of parts) {
    count(part, numbers);
    cutBorders(part, area, numbers);
  }
  findPercentiles(parts, numbers);
  return { functions: functionsOf(numbers), lanes: lanesOf(parts), cells: cellsOf(numbers), waits: await waitsOf(parts, area) };
}

/** The tracks of the area, each with the range of its bars that touch it. */
async function partsOf(model, { t0, t1, lanes }, numbers) {
  const parts = [];
  for (const { trace, lane } of lanes) {
    for (const tile of trace.tiles) {
      for (const track of tile.byLane?.get(lane) ?? []) {
        if (!BAR_KINDS.includes(track.kind)) continue;
        let first = firstEndAfter(track.end, t0);
        while (track.start[first - 1] >= t0) first--;
        const last = firstEndAfter(track.start, t1 - 1);
        const runs = hasRuns(model) ? await track.table.column("run") : null;
        const [codes, column] = [functionCodes(numbers, trace, track.kind), pivotColumns(numbers, trace, { lane, runs, label: labelOf(model, trace, lane) })];
        parts.push({ trace, lane, track, first, last, runs, codes, column, names: track.table.values.get("name") ?? null, count: Math.max(0, last - first), inside_ns: 0 });
      }
    }
  }
  return parts;
}

function hasRuns(model) {
  return model.traces.length === 1 && model.traces[0].header.runs?.length && !model.traces[0].header.lanes.some((lane) => rankOf(lane));
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

/** The number of a function; its bins and its sums lie behind those of the functions before it. */
function newFunction(numbers, { trace, track }, code) {
  const { byName, functions, columns } = numbers;
  const name = barName(trace, track.kind, code);
  const key = `${track.kind} ${name}`;
  if (!byName.has(key)) {
    byName.set(key, functions.length);
    functions.push({ bars: track.kind, name, over: 0 });
    numbers.bins = withRoom(numbers.bins, functions.length * BINS);
    numbers.sums = withRoom(numbers.sums, functions.length * columns.size * SUMS);
  }
  return byName.get(key);
}

function withRoom(values, size) {
  if (values.length >= size) return values;
  const longer = new values.constructor(2 * size);
  longer.set(values);
  return longer;
}

/** Values of a column in the order of a part's bars. */
function ofPart(values, { track: { rows, firstRow }, first, last }) {
  if (rows === null) return values.subarray(firstRow + first, firstRow + Math.max(first, last));
  const taken = new Float64Array(Math.max(0, last - first));
  for (let k = 0; k < taken.length; k++) taken[k] = values[rows[first + k]];
  return taken;
}

// Sums are in typed arrays: this loop runs over millions of bars while the reader waits.
function count(part, numbers) {
  const [start, end] = [part.track.start.subarray(part.first), part.track.end.subarray(part.first)];
  const { codes, column } = part;
  const names = part.names && ofPart(part.names, part);
  const runs = part.runs && ofPart(part.runs, part);
  const [stride, only, noRun] = [SUMS * numbers.columns.size, SUMS * column[0], column.length - 1];
  const keys = (part.keys = new Int32Array(part.count));
  let { bins, sums } = numbers;
  let all = 0;
  for (let k = 0; k < keys.length; k++) {
    const code = names === null ? 0 : names[k] + 1;
    let number = codes[code];
    if (number < 0) {
      number = codes[code] = newFunction(numbers, part, code - 1);
      ({ bins, sums } = numbers);
    }
    const length = end[k] - start[k];
    const key = number * BINS + binOf(length);
    keys[k] = key;
    bins[key]++;
    const place = number * stride + (runs === null ? only : SUMS * column[runs[k] >= 0 ? runs[k] : noRun]);
    sums[place]++;
    sums[place + 1] += length;
    all += length;
  }
  part.inside_ns = all;
}

/** Takes away what lies outside the area: of the first bars and of the last ones, because bars of a track do not overlap. */
function cutBorders(part, { t0, t1 }, numbers) {
  const { track: { start, end, rows, firstRow }, first, last, codes, column, runs, names, keys } = part;
  const cut = (i) => {
    const outside = Math.max(t0 - start[i], 0) + Math.max(end[i] - t1, 0);
    const row = rows === null ? firstRow + i : rows[i];
    const number = codes[names === null ? 0 : names[row] + 1];
    const place = number * numbers.columns.size + column[runs === null ? 0 : runs[row] >= 0 ? runs[row] : column.length - 1];
    numbers.functions[number].over++;
    numbers.sums[SUMS * place + 2] += outside;
    part.inside_ns -= outside;
  };
  let i = first;
  for (; i < last && start[i] < t0; i++) cut(i);
  for (let k = last - 1; k >= i && end[k] > t1; k--) cut(k);
}

/** Percentiles of the functions, each the value at place ceil(p/100 × n) of n sorted ones; the last is the longest. */
function findPercentiles(parts, { functions, bins }) {
  const wanted = new Uint8Array(functions.length * BINS);
  functions.forEach((func, number) => {
    const counts = bins.subarray(number * BINS, (number + 1) * BINS);
    func.count = counts.reduce((sum, one) => sum + one, 0);
    func.searches = PERCENTS.map((percent) => searchFor(Math.floor((func.count * percent + 99) / 100) - 1, counts));
  });
  for (;;) {
    wanted.fill(0);
    const open = functions.map(({ searches }, number) => searches.filter(({ width, bin }) => width > 1 && (wanted[number * BINS + bin] = 1)));
    if (!open.some((searches) => searches.length)) return;
    for (const part of parts) noteAll(part, open, wanted);
    for (const search of open.flat()) narrow(search);
  }
}

/** Notes the lengths of the bars in wanted bins; `keys` has the function and the bin of every bar. */
function noteAll({ track: { start, end }, first, keys }, open, wanted) {
  for (let k = 0; k < keys.length; k++) {
    if (!wanted[keys[k]]) continue;
    const length = end[first + k] - start[first + k];
    const searches = open[(keys[k] / BINS) | 0];
    for (let one = 0; one < searches.length; one++) note(searches[one], length);
  }
}

function functionsOf({ functions, columns, sums }) {
  return functions.map(({ bars, name, count, over, searches: [p50, p99, longest] }, number) => {
    let [whole_ns, outside] = [0, 0];
    for (let place = SUMS * number * columns.size; place < SUMS * (number + 1) * columns.size; place += SUMS) {
      whole_ns += sums[place + 1];
      outside += sums[place + 2];
    }
    return { bars, name, count, over, inside_ns: whole_ns - outside, whole_ns, p50_ns: p50.low, p99_ns: p99.low, max_ns: longest.low };
  });
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

/** A cell per function and column of the pivot that has bars. */
function cellsOf({ functions, columns, sums }) {
  const keys = [...columns.keys()].map((key) => JSON.parse(key));
  return functions.flatMap(({ bars, name }, number) =>
    keys.flatMap(([kind, part], column) => {
      const place = SUMS * (number * keys.length + column);
      const [count, whole_ns, outside] = sums.subarray(place, place + SUMS);
      return count ? [{ bars, name, kind, part, count, inside_ns: whole_ns - outside, whole_ns }] : [];
    }));
}

/** Per reason how long cores waited inside; null where the trace does not say. What was waited lies before its task. */
async function waitsOf(parts, area) {
  const sums = new Float64Array(REASONS.length);
  let known = false;
  for (const { track, first, last } of parts) {
    if (track.kind !== "tasks") continue;
    const columns = await Promise.all(REASONS.map((reason) => track.table.column(`wait_${reason}`)));
    const bars = { track, first, last: Math.min(last + 1, track.count) }; // the wait before the next task may begin inside
    const waits = columns.flatMap((values, reason) => (values ? [{ reason, values: ofPart(values, bars) }] : []));
    known ||= waits.length > 0;
    const shares = sharesInside(waits, track.start.subarray(first), area);
    for (const { reason, values } of waits) sums[reason] += sumOfShares(values, shares);
  }
  return known ? Object.fromEntries(REASONS.flatMap((reason, k) => (sums[k] ? [[reason, sums[k]]] : []))) : null;
}

/** Per task which share of the wait before it lies in the area. */
function sharesInside(waits, start, { t0, t1 }) {
  const shares = new Float64Array(waits[0]?.values.length ?? 0);
  for (const { values } of waits) for (let k = 0; k < shares.length; k++) shares[k] += values[k] === values[k] ? values[k] : 0; // NaN is not known
  for (let k = 0; k < shares.length; k++) {
    const inside = (start[k] < t1 ? start[k] : t1) - (start[k] - shares[k] > t0 ? start[k] - shares[k] : t0);
    shares[k] = inside > 0 ? inside / shares[k] : 0;
  }
  return shares;
}

function sumOfShares(values, shares) {
  let sum = 0;
  for (let k = 0; k < shares.length; k++) sum += (values[k] === values[k] ? values[k] : 0) * shares[k]; // `|| 0` would be a guess per value for the processor
  return sum;
}
