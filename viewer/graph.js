// Predecessors and successors of a task: from the page's own edges, or from the server.
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

/** `{before, after}`, each `{count, bars}`; nodes that did not run are passed through. */
export async function neighboursOf(bar) {
  const { trace } = bar;
  if (trace.overview) return askServer(trace.number, "neighbours", { row: bar.row });
  if (!trace.graph) trace.graph = makeGraph(trace);
  const graph = await trace.graph;
  if (!graph) return { before: { count: 0, bars: [] }, after: { count: 0, bars: [] } };
  const node = graph.node[bar.at];
  return { before: reached(graph, graph.backward, node), after: reached(graph, graph.forward, node) };
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

function reached(graph, links, node) {
  const seen = new Set([node]);
  const queue = [node];
  const rows = [];
  while (queue.length && seen.size < MOST_WALKED) {
    const here = queue.pop();
    for (let k = links.first[here]; k < links.first[here + 1]; k++) {
      const next = links.ordered[k];
      if (seen.has(next)) continue;
      seen.add(next);
      const [from, to] = [graph.rows.first[next], graph.rows.first[next + 1]];
      if (from === to) queue.push(next);
      for (let i = from; i < to; i++) rows.push(graph.rows.ordered[i]);
    }
  }
  return { count: rows.length, bars: rows.slice(0, MOST).map(graph.told) };
}
