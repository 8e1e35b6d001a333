// Predecessors and successors of a task over some hops, and the way from one task to another: from the page's
// own edges, or from the server (src/lanescope/viewer/questions.py), which does the same.
import { joined } from "./facts.js";
import { askServer } from "./source.js";

const MOST = 400;
const MOST_WALKED = 10000;

/** Ids of the nodes: enough to name tasks. */
export async function loadNodes(trace) {
  const nodes = trace.tiles[0]?.tables?.nodes;
  if (!nodes) return null;
  const [high, low] = await Promise.all([nodes.column("high"), nodes.column("low")]);
  return { high, low };
}

/** `{before, after}`, each `{count, fan, cut, bars}`: bars over all hops, tasks at the first one, whether too many were met
    to follow all. Of a bar `hop` is how far it is and `via` the bar that led there, -1 for the task itself. Nodes that did
    not run are passed through. */
export async function neighboursOf(bar, hops) {
  const { trace } = bar;
  if (trace.overview) return askServer(trace.number, "neighbours", { row: bar.row, hops });
  const graph = await graphOf(trace);
  const none = { count: 0, fan: 0, cut: false, bars: [] };
  if (!graph) return { before: none, after: none };
  const node = graph.node[bar.at];
  return { before: reached(graph, graph.backward, node, hops), after: reached(graph, graph.forward, node, hops) };
}

/** `{count, bars}`: the tasks from one bar to another, at each step back the predecessor that ended last. Count is 0 where no
    way leads there, null where the server did not look at all of it. */
export async function pathBetween(from, to) {
  const { trace } = to;
  if (trace.overview) return askServer(trace.number, "path", { from: from.row, to: to.row });
  const graph = await graphOf(trace);
  if (!graph) return { count: 0, bars: [] };
  const rows = lastEnded(graph, graph.node[from.at], graph.node[to.at]);
  return { count: rows.length, bars: rows.slice(0, MOST).map(graph.told) };
}

function graphOf(trace) {
  trace.graph ??= makeGraph(trace);
  return trace.graph;
}

async function makeGraph(trace) {
  const { nodes, edges, tasks } = trace.tiles[0].tables;
  if (!edges?.rows || !tasks?.rows) return null;
  const [pred, step, node, start, length, name, row, high, low] = await Promise.all([
    ...["pred", "step"].map((column) => edges.column(column)),
    ...["node", "start", "length", "name", "row"].map((column) => tasks.column(column)),
    ...["high", "low"].map((column) => nodes.column(column)),
  ]);
  const succ = pred.map((from, i) => from + step[i]);
  const laneOf = new Int32Array(tasks.rows);
  let first = 0;
  for (const [lane, count] of tasks.lanes) laneOf.fill(lane, first, (first += count));
  const at = Float64Array.from(node, (_, i) => i);
  return {
    node,
    forward: grouped(pred, succ, nodes.rows),
    backward: grouped(succ, pred, nodes.rows),
    rows: grouped(node, at, nodes.rows),
    ...{ start, end: length },
    // The `length` column holds ends once tracks were made of it.
    told: (i) => ({ lane: laneOf[i], start: start[i], length: length[i] - start[i], name: name[i], row: row[i], task: joined(high[node[i]], low[node[i]]) }),
  };
}

/** Values by key: those of key k are at first[k] .. first[k + 1]. */
function grouped(keys, values, count) {
  const first = new Int32Array(count + 1);
  for (const key of keys) first[key + 1]++;
  for (let k = 0; k < count; k++) first[k + 1] += first[k];
  const place = first.slice(0, count);
  const ordered = new Int32Array(keys.length);
  for (let i = 0; i < keys.length; i++) ordered[place[keys[i]]++] = values[i];
  return { first, ordered };
}

function groupOf({ first, ordered }, key) {
  return ordered.subarray(first[key], first[key + 1]);
}

function reached(graph, links, node, hops) {
  const [seen, via, first, bars] = [new Set([node]), new Map(), new Map([[node, -1]]), []];
  let [wave, count, fan] = [[node], 0, 0];
  for (let hop = 1; hop <= hops && wave.length; hop++) {
    const found = [];
    let open = new Map(wave.map((one) => [one, one]));
    while (open.size && seen.size < MOST_WALKED) open = nextWave(graph, links, { open, seen, via, found });
    if (hop === 1) fan = found.length;
    const rows = found.flatMap((one) => [...groupOf(graph.rows, one)]).sort((a, b) => a - b);
    for (const row of rows) {
      const here = graph.node[row];
      if (!first.has(here)) first.set(here, count);
      if (count++ < MOST) bars.push({ ...graph.told(row), hop, via: first.get(via.get(here)) });
    }
    wave = found;
  }
  return { count, fan, cut: seen.size >= MOST_WALKED, bars };
}

/** Nodes one edge on: those that ran are found, the others are open; of several ways the one from the least node counts. */
function nextWave(graph, links, { open, seen, via, found }) {
  const next = new Map();
  for (const [here, origin] of open) {
    for (const there of groupOf(links, here)) if (!seen.has(there) && !(next.get(there) <= origin)) next.set(there, origin);
  }
  const left = new Map();
  for (const [there, origin] of next) {
    seen.add(there);
    if (!groupOf(graph.rows, there).length) left.set(there, origin);
    else {
      found.push(there);
      via.set(there, origin);
    }
  }
  return left;
}

/** Rows from one node to another; empty where there is no way. What did not run between the two is not looked at. */
function lastEnded(graph, from, to) {
  const rowsOf = (node) => [...groupOf(graph.rows, node)];
  const since = Math.min(...rowsOf(from).map((row) => graph.start[row]));
  const until = Math.max(...rowsOf(to).map((row) => graph.end[row]));
  const isBetween = (row) => graph.start[row] <= until && graph.end[row] >= since;
  const seen = new Set([from]);
  const open = [from];
  while (open.length) {
    for (const next of groupOf(graph.forward, open.pop())) {
      const rows = rowsOf(next);
      if (seen.has(next) || (rows.length && !rows.some(isBetween))) continue;
      seen.add(next);
      open.push(next);
    }
  }
  const best = (node) => rowsOf(node).sort((a, b) => graph.end[b] - graph.end[a] || a - b)[0];
  const path = [];
  const used = new Set();
  for (let node = to; seen.has(node); ) {
    used.add(node);
    path.unshift(best(node));
    if (node === from) return path;
    const before = lastBefore(graph, node, seen).filter((row) => !used.has(graph.node[row]));
    node = graph.node[before.sort((a, b) => graph.end[b] - graph.end[a] || a - b)[0]];
  }
  return [];
}

/** The last run of each predecessor among `within`, through nodes that did not run. */
function lastBefore(graph, node, within) {
  const [met, open, rows] = [new Set([node]), [node], []];
  while (open.length) {
    for (const before of groupOf(graph.backward, open.pop())) {
      if (met.has(before) || !within.has(before)) continue;
      met.add(before);
      const runs = [...groupOf(graph.rows, before)];
      if (runs.length) rows.push(...runs);
      else open.push(before);
    }
  }
  return rows;
}
