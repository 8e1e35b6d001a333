// What is typed into the search box, and which bars it means.
import { joined, taskText } from "./facts.js";
import { askServer } from "./source.js";
import { parseLength } from "./times.js";

/** Words, cores, a task and limits of length; null for an empty text. */
export function parseQuery(text) {
  const query = { words: [], exact: [], lanes: [], task: null, least: 0, most: Infinity, wrong: [] };
  const tokens = text.match(/=?"[^"]*"|\S+/g) ?? [];
  if (!tokens.length) return null;
  for (const token of tokens) takeToken(query, token);
  return query;
}

function takeToken(query, token) {
  const plain = token.replace(/^(=?)"(.*)"$/, "$1$2");
  const limit = /^dur([<>])=?(.*)$/i.exec(plain);
  if (limit) {
    const length = parseLength(limit[2]);
    if (length === null) query.wrong.push(token);
    else if (limit[1] === ">") query.least = Math.max(query.least, length);
    else query.most = Math.min(query.most, length);
  } else if (/^core:/i.test(plain)) query.lanes.push(plain.slice(5).toLowerCase());
  else if (/^task:-?\w+$/i.test(plain)) query.task = plain.slice(5).toLowerCase();
  else if (plain.startsWith("=")) query.exact.push(plain.slice(1));
  else query.words.push(plain.toLowerCase());
}

/** Per trace a function from a track to a function that tells whether bar i matches. */
export function matchers(model, query, graphs) {
  if (!query) return null;
  return model.traces.map((trace) => matcher(trace, query, graphs[trace.number]));
}

function matcher(trace, query, graph) {
  const lanes = laneNumbers(trace, query);
  const functions = trace.header.functions.map((func) => nameMatches(func.name, query));
  const words = trace.header.words.map((word) => nameMatches(word, query));
  return (track) => {
    if (lanes && !lanes.has(track.lane)) return () => false;
    const name = track.table.values.get("name");
    const known = track.kind === "tasks" ? functions : words;
    const byName = query.words.length || query.exact.length;
    const isTask = query.task === null ? null : taskMatcher(track, query.task, graph, trace.header.task_ids);
    return (i) => {
      if (byName && !known[name?.[track.rowAt(i)]]) return false;
      const length = track.end[i] - track.start[i];
      if (length < query.least || length > query.most) return false;
      return isTask === null || isTask(track.rowAt(i));
    };
  };
}

function nameMatches(name, query) {
  const lower = name.toLowerCase();
  return query.words.every((word) => lower.includes(word)) && query.exact.every((word) => name === word);
}

/** Lanes of the cores that were asked for, with their pipes; null for all. */
function laneNumbers(trace, query) {
  if (!query.lanes.length) return null;
  const found = new Set();
  let inside = false;
  trace.header.lanes.forEach((lane, number) => {
    const name = lane.name.toLowerCase();
    if (lane.kind !== "pipe") inside = query.lanes.some((word) => name === word || name.startsWith(word) || String(lane.core) === word);
    if (inside) found.add(number);
  });
  return found;
}

function taskMatcher(track, task, graph, form) {
  const isIt = (high, low) => {
    const id = joined(high, low);
    return id === task || taskText(form, id) === task;
  };
  const node = track.table.values.get("node");
  if (track.kind === "tasks" && node && graph) return (row) => isIt(graph.high[node[row]], graph.low[node[row]]);
  const [high, low] = ["task_high", "task_low"].map((name) => track.table.values.get(name));
  return (row) => Boolean(high) && !Number.isNaN(high[row]) && isIt(high[row], low[row]);
}

/** How many tasks match and the next one after `here`; asks the server where it holds the trace. */
export async function findNext(model, query, here, backwards) {
  const found = await Promise.all(
    model.traces.map((trace) => (trace.overview ? askMatch(model, trace, query, here, backwards) : scanTrace(model, trace, here, backwards))),
  );
  const count = found.reduce((sum, one) => sum + one.count, 0);
  const order = found.filter((one) => one.bar);
  const own = order.find((one) => one.bar.trace === here?.trace);
  return { count, bar: (own ?? order[0])?.bar ?? null };
}

async function askMatch(model, trace, query, here, backwards) {
  const byName = query.words.length || query.exact.length;
  const names = trace.header.functions.flatMap((func, k) => (nameMatches(func.name, query) ? [k] : []));
  const lanes = laneNumbers(trace, query);
  const answer = await askServer(trace.number, "match", {
    names: byName ? names : null,
    lanes: lanes && [...lanes],
    task: query.task,
    least: query.least,
    ...(Number.isFinite(query.most) ? { most: query.most } : {}),
    ...(here?.trace === trace ? { start: here.start, row: here.row } : {}),
    backwards,
  });
  return { count: answer.count, bar: answer.bar && { ...answer.bar, trace } };
}

function scanTrace(model, trace, here, backwards) {
  const sign = backwards ? -1 : 1;
  const from = here?.trace === trace ? here.start : -Infinity * sign;
  const fromLane = here?.trace === trace ? here.lane : -Infinity * sign;
  let [count, next, first] = [0, null, null];
  const isBefore = (a, b) => !b || sign * (a.start - b.start) < 0 || (a.start === b.start && sign * (a.lane - b.lane) < 0);
  for (const tile of trace.tiles) {
    for (const track of tile.tracks ?? []) {
      if (track.kind !== "tasks") continue;
      const matches = model.match?.[trace.number]?.(track) ?? (() => true);
      for (let i = 0; i < track.count; i++) {
        if (!matches(i)) continue;
        count++;
        const bar = { trace, lane: track.lane, start: track.start[i] };
        const ahead = sign * (bar.start - from) > 0 || (bar.start === from && sign * (bar.lane - fromLane) > 0);
        if (ahead && isBefore(bar, next)) next = bar;
        if (isBefore(bar, first)) first = bar;
      }
    }
  }
  return { count, bar: next ?? first };
}
