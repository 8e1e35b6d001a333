// The traces of the page: their functions merged by name, their tiles and the tracks in them.
import { openTile } from "./source.js";
import { makeCopies, makeTracks } from "./tracks.js";
import { BLOCKED, CRITICAL, DIM, HARDLY, LOST, PLAIN, REASONS, WAIT, deviationPaint, functionPaint, phasePaint } from "./theme.js";

const KINDS = ["tasks", "phases", "marks", "stalls", "lost"];
const WAIT_COLUMNS = REASONS.map((reason) => `wait_${reason}`);
const LITTLE = 0.05;
const MOST_TILES = 3;

export function makeModel(header) {
  const functions = mergeFunctions(header.traces);
  const rank = new Map(functions.map((func, k) => [func.name, k]));
  const job = header.job ?? null;
  const traces = header.traces.map((trace, number) => ({
    number,
    rankNumber: job?.shown[number],
    header: job ? groupedByRank(trace, job.shown[number]) : trace,
    rank: trace.functions.map((func) => rank.get(func.name)),
    tiles: trace.tiles.map((tile) => ({ info: tile, tracks: null, loading: null })),
    overview: trace.overview ? { info: trace.overview, tracks: null, loading: null } : null,
    series: [],
    moved: 0,
  }));
  const start = Math.min(...header.traces.map((trace) => trace.start_ns));
  const end = Math.max(...header.traces.map((trace) => trace.end_ns));
  return { header, job, functions, traces, start, end, mode: "function", match: null, matchColumns: [], kept: null };
}

/** All lanes of a rank are one group. */
function groupedByRank(trace, rank) {
  return { ...trace, lanes: trace.lanes.map((lane) => ({ ...lane, kindOfGroup: lane.group, group: `Rank ${rank}` })) };
}

/** Functions of all traces by name, the costliest first; figures per trace. */
function mergeFunctions(traces) {
  const found = new Map();
  traces.forEach((trace, number) => {
    for (const func of trace.functions) {
      if (!func.count && func.name === "(unknown)") continue;
      if (!found.has(func.name)) found.set(func.name, { name: func.name, total: 0, of: [] });
      const merged = found.get(func.name);
      merged.total += func.total_ns;
      merged.of[number] = func;
    }
  });
  return [...found.values()].sort((a, b) => b.total - a.total);
}

/** Tiles to draw for a window: those in it, or the overview where they would be too many. */
export function visibleTiles(trace, t0, t1) {
  const inside = trace.tiles.filter(({ info }) => info.start_ns <= t1 && info.end_ns >= t0);
  if (!trace.overview || (inside.length <= MOST_TILES && inside.every((tile) => tile.tracks))) return inside;
  return [trace.overview];
}

/** Starts loading what the window needs; `done` is called when something new is there. */
export function loadWindow(model, t0, t1, done) {
  const jobs = [];
  for (const trace of model.traces) {
    const inside = trace.tiles.filter(({ info }) => info.start_ns <= t1 && info.end_ns >= t0);
    const wanted = trace.overview && inside.length > MOST_TILES ? [] : inside;
    if (trace.overview) wanted.unshift(trace.overview);
    for (const tile of wanted) {
      if (!tile.loading) jobs.push((tile.loading = loadTile(model, trace, tile).then(done)));
    }
    forget(trace, inside);
  }
  return Promise.all(jobs);
}

/** Tiles far from the window give their memory back. */
function forget(trace, inside) {
  const loaded = trace.tiles.filter((tile) => tile.tracks && !inside.includes(tile));
  for (const tile of loaded.slice(0, Math.max(0, loaded.length - 2 * MOST_TILES))) {
    tile.tracks = tile.loading = tile.tables = null;
  }
}

async function loadTile(model, trace, tile) {
  tile.tables = await openTile(model.header, trace.number, tile.info);
  const made = await Promise.all(KINDS.map((kind) => loadKind(model, tile.tables[kind], kind)));
  const tracks = made.flat();
  paintAll(model, trace, tracks);
  const span = model.end - model.start;
  for (const track of tracks) makeCopies(track, span, DIM);
  tile.tracks = [...tracks, ...tracks.flatMap(criticalTrack)];
  // A bar that reaches over the border of two tiles is in both; each draws its part.
  tile.limits = tile.info.tables || tile === trace.overview ? {} : { from: tile.info.start_ns, to: tile.info.end_ns };
  layGaps(model, tile);
  await loadSeries(trace, tile);
  await loadPath(model, trace, tile);
  if (model.header.served) await loadColumns(tile);
}

/** All columns of the tile's bars: what a tooltip shows. */
export async function loadColumns(tile) {
  for (const kind of KINDS) await tile?.tables?.[kind]?.all();
}

/** What must be known of every bar to paint it, beside its name. */
function paintColumns(model) {
  return [...(model.mode === "wait" ? WAIT_COLUMNS : []), ...model.matchColumns, ...(model.kept?.columns ?? [])];
}

async function loadKind(model, table, kind) {
  if (!table || !table.rows) return [];
  const needed = ["name", ...paintColumns(model)];
  if (kind === "tasks") needed.push("critical");
  await Promise.all(needed.map((name) => table.column(name)));
  return makeTracks(kind, table);
}

async function loadSeries(trace, tile) {
  if (trace.series.length) return;
  for (const [number, about] of trace.header.levels.entries()) {
    const table = tile.tables[`level${number}`];
    if (!table) return;
    const [time, value] = [await table.column("time"), await table.column("value")];
    trace.series.push({ ...about, time, value: value.map((one) => one * about.scale) });
  }
}

/** The critical path is not cut into tiles. */
async function loadPath(model, trace, tile) {
  const table = tile.tables.path;
  if (trace.path || !table?.rows) return;
  await table.all();
  [trace.path] = await makeTracks("path", table);
  paintPath(model, trace);
}

function paintPath(model, trace) {
  if (!trace.path) return;
  paintTrack(trace.path, { paintOf: painter(model, trace, trace.path), matches: null, keeps: null, inside: [] });
  makeCopies(trace.path, model.end - model.start, DIM);
}

/** Where the mode is wait, the time that was waited before tasks as tracks of their own. */
function layGaps(model, tile) {
  const span = model.end - model.start;
  tile.tracks = tile.tracks.filter((track) => track.kind !== "gaps");
  if (model.mode === "wait") tile.tracks.push(...tile.tracks.flatMap((track) => gapTrack(track, span, model.kept?.reason)));
  tile.byLane = new Map();
  for (const track of tile.tracks) {
    if (!tile.byLane.has(track.lane)) tile.byLane.set(track.lane, []);
    tile.byLane.get(track.lane).push(track);
  }
}

function gapTrack(track, span, reason) {
  if (track.kind !== "tasks" || !WAIT_COLUMNS.some((name) => track.table.values.get(name))) return [];
  const waitOf = waitReader(track, reason);
  const [start, paint] = [new Float64Array(track.count), new Uint8Array(track.count)];
  for (let i = 0; i < track.count; i++) {
    const { best, sum } = waitOf(i);
    start[i] = Math.max(track.start[i] - sum, i ? track.end[i - 1] : -Infinity);
    paint[i] = track.paint[i] === DIM ? DIM : WAIT + best;
  }
  const made = { ...track, kind: "gaps", start, end: track.start, paint, busy: null, sums: null, copies: [] };
  makeCopies(made, span, DIM);
  return [made];
}

/** The bars of the critical path as a track of their own, where the trace has one. */
function criticalTrack(track) {
  const flag = track.kind === "tasks" && track.table.values.get("critical");
  if (!flag) return [];
  const rows = [];
  for (let i = 0; i < track.count; i++) if (flag[track.rowAt(i)] === 1) rows.push(i);
  if (!rows.length) return [];
  const take = (values) => Float64Array.from(rows, (i) => values[i]);
  const paint = new Uint8Array(rows.length).fill(CRITICAL);
  return [{ ...track, kind: "critical", start: take(track.start), end: take(track.end), count: rows.length, paint, busy: null, sums: null, copies: [] }];
}

/** Colours every bar anew: another mode, or another search. */
export async function repaint(model) {
  const span = model.end - model.start;
  for (const trace of model.traces) {
    paintPath(model, trace);
    for (const tile of [...trace.tiles, trace.overview]) {
      if (!tile?.tracks) continue;
      for (const kind of KINDS) await Promise.all(paintColumns(model).map((name) => tile.tables[kind]?.column(name)));
      const tracks = tile.tracks.filter((track) => KINDS.includes(track.kind));
      paintAll(model, trace, tracks);
      for (const track of tracks) makeCopies(track, span, DIM);
      layGaps(model, tile);
    }
  }
}

/** Paints what matches the search and what the verdict's row keeps, and all that is inside a bar that does; the rest is dim. */
function paintAll(model, trace, tracks) {
  const match = model.match?.[trace.number] ?? null;
  const { lanes } = trace.header;
  const [over, byLane] = [(track) => ["stalls", "lost"].includes(track.kind), new Map()];
  for (const track of [...tracks].sort((a, b) => over(a) - over(b) || a.lane - b.lane || a.depth - b.depth)) {
    let owner = track.lane;
    while (lanes[owner]?.kind === "pipe") owner--;
    const around = [...(byLane.get(track.lane) ?? []), ...(owner === track.lane ? [] : byLane.get(owner) ?? [])];
    if (!over(track)) byLane.set(track.lane, [...(byLane.get(track.lane) ?? []), track]);
    paintTrack(track, { paintOf: painter(model, trace, track), matches: match?.(track) ?? null, keeps: model.kept?.keeps(trace, track) ?? null, inside: around.map(insideOf) });
  }
}

function paintTrack(track, { paintOf, matches, keeps, inside }) {
  for (let i = 0; i < track.count; i++) {
    const bright = ((!matches || matches(i)) && (!keeps || keeps(i))) || inside.some((test) => test(track.start[i], track.end[i]));
    track.paint[i] = bright ? paintOf(i) : DIM;
  }
}

/** Tells of intervals in rising order whether a bright bar of the track is around each. */
function insideOf(track) {
  let at = 0;
  return (start, end) => {
    while (at < track.count && track.end[at] < end) at++;
    return at < track.count && track.start[at] <= start && track.paint[at] !== DIM;
  };
}

function painter(model, trace, track) {
  const name = track.table.values.get("name");
  const nameAt = (i) => (name ? name[track.rowAt(i)] : -1);
  if (track.kind === "stalls") return () => BLOCKED;
  if (track.kind === "lost") return () => LOST;
  if (track.kind === "path") return pathPainter(model, trace, nameAt);
  if (track.kind !== "tasks") return model.mode === "function" ? (i) => phasePaint(nameAt(i)) : () => PLAIN;
  if (model.mode === "wait") return model.kept?.reason === undefined ? waitPainter(track) : () => WAIT + model.kept.reason;
  const functions = trace.header.functions;
  if (model.mode === "difference") {
    const medians = trace.rank.map((rank) => referenceOf(model, rank));
    return (i) => (medians[nameAt(i)] ? deviationPaint(track.end[i] - track.start[i], medians[nameAt(i)]) : PLAIN);
  }
  if (model.mode === "deviation") {
    return (i) => deviationPaint(track.end[i] - track.start[i], functions[nameAt(i)]?.p50_ns);
  }
  return (i) => functionPaint(trace.rank[nameAt(i)] ?? 29);
}

/** What tasks of a function are compared with: its median in the first trace, or the middle of the ranks' medians. */
function referenceOf(model, rank) {
  const { of } = model.functions[rank] ?? { of: [] };
  if (!model.job) return of[0]?.p50_ns;
  const medians = of.filter((one) => one?.count).map((one) => one.p50_ns).sort((a, b) => a - b);
  return medians[medians.length >> 1];
}

/** Runs have the colour of their function, waits that of their reason in every mode. */
function pathPainter(model, trace, nameAt) {
  const { functions, path } = trace.header;
  const waits = path.words.map(({ reason }) => WAIT + REASONS.indexOf(reason));
  return (i) => waits[nameAt(i) - functions.length] ?? (model.mode === "function" ? functionPaint(trace.rank[nameAt(i)] ?? 29) : PLAIN);
}

function waitPainter(track) {
  const waitOf = waitReader(track);
  return (i) => {
    const { best, sum } = waitOf(i);
    return sum <= LITTLE * (track.end[i] - track.start[i]) ? HARDLY : WAIT + best;
  };
}

/** How long the core waited before bar i in all, and for what most; of one reason alone where it is given. */
function waitReader(track, reason) {
  const columns = WAIT_COLUMNS.map((name, k) => (reason === undefined || k === reason ? track.table.values.get(name) : null));
  return (i) => {
    const row = track.rowAt(i);
    let [best, most, sum] = [reason ?? 0, 0, 0];
    for (let k = 0; k < columns.length; k++) {
      const wait = columns[k] ? columns[k][row] || 0 : 0;
      sum += wait;
      if (wait > most) [best, most] = [k, wait];
    }
    return { best, sum };
  };
}

export function barName(trace, kind, name) {
  if (kind === "tasks") return trace.header.functions[name]?.name ?? "task";
  if (kind === "path") return trace.header.functions[name]?.name ?? trace.header.path.words[name - trace.header.functions.length].label;
  if (kind === "lost") return "records of this time were lost";
  if (kind === "stalls") return `blocked: ${trace.header.words[name] ?? "recording"}`;
  return trace.header.words[name] ?? (kind === "marks" ? "mark" : "phase");
}
