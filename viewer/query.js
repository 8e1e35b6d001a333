// What is typed into the search box, and the plan that it becomes for a trace: which names, lanes, runs,
// waits and lengths match. The page and the server (viewer/questions.py) follow the same plan.
import { barName } from "./model.js";
import { compilePattern } from "./pattern.js";
import { REASONS } from "./theme.js";
import { parseLength } from "./times.js";

export const KINDS_FOUND = ["tasks", "phases", "marks", "stalls", "lost"];
const TOKEN = /\/(?:[^/\\]|\\.)+\/(?=\s|$)|=?"(?:[^"]|"")*"|\S+/g;
const MOST_MS = 1000;

/** Parts of names, lanes, ranks, runs, waits, a task and limits of length; null for an empty text. */
export function parseQuery(text) {
  const query = { names: [], lanes: [], ranks: [], runs: [], waits: [], task: null, least: 0, most: Infinity, wrong: [] };
  const tokens = text.match(TOKEN) ?? [];
  if (!tokens.length) return null;
  for (const token of tokens) takeToken(query, token);
  return query;
}

function takeToken(query, token) {
  const quoted = /^(=?)"(.*)"$/s.exec(token);
  if (quoted) return query.names.push([wholeOrPart(quoted[1] + quoted[2].replaceAll('""', '"'))]);
  const limit = /^(dur|wait(?::([\w|]+))?)([<>])=?(.*)$/i.exec(token);
  const [, word, rest] = /^(core|lane|rank|run|task|wait):(.*)$/i.exec(token) ?? [];
  if (limit) takeLimit(query, token, limit);
  else if (token.length > 2 && /^\/.*\/$/.test(token)) takePattern(query, token);
  else if (/^(core|lane)$/i.test(word)) query.lanes.push(...rest.toLowerCase().split("|"));
  else if (/^(rank|run)$/i.test(word)) query[`${word.toLowerCase()}s`].push(...rest.split("|").map(Number));
  else if (/^wait$/i.test(word)) takeWait(query, rest, { least: 1, most: Infinity });
  else if (word && /^-?\w+$/.test(rest)) query.task = rest.toLowerCase();
  else query.names.push(alternatives(token).map(wholeOrPart));
}

/** `a|b` is two; a name that begins with = is cut where its parts do, too. */
function alternatives(token) {
  const parts = token.split("|").filter(Boolean);
  return parts.length && (!token.startsWith("=") || parts.every((part) => part.startsWith("="))) ? parts : [token];
}

function wholeOrPart(text) {
  if (text.startsWith("=")) return (name) => name === text.slice(1);
  const lower = text.toLowerCase();
  return (name) => name.toLowerCase().includes(lower);
}

function takeLimit(query, token, [, word, reason, sign, text]) {
  const length = parseLength(text);
  const limits = sign === ">" ? { least: length, most: Infinity } : { least: 0, most: length };
  if (length === null) query.wrong.push(`no such time: ${token}`);
  else if (!/^dur$/i.test(word)) takeWait(query, reason ?? "", limits);
  else [query.least, query.most] = [Math.max(query.least, limits.least), Math.min(query.most, limits.most)];
}

function takeWait(query, text, limits) {
  const reasons = text ? text.toLowerCase().split("|") : REASONS;
  const strange = reasons.filter((reason) => !REASONS.includes(reason));
  if (strange.length) query.wrong.push(`no such reason: ${strange[0]}; known: ${REASONS.join(", ")}`);
  else query.waits.push({ reasons, ...limits });
}

function takePattern(query, token) {
  try {
    query.names.push([compilePattern(token.slice(1, -1))]);
  } catch (error) {
    query.wrong.push(`${token}: ${error.message}`);
  }
}

/** The plan for a trace: `parts` are kinds on lanes with the codes of names and the places of runs; null is all of them. */
export function planOf(trace, query, until = performance.now() + MOST_MS) {
  const kinds = query.waits.length ? ["tasks"] : query.task !== null || query.runs.length ? KINDS_FOUND.slice(0, 3) : KINDS_FOUND;
  const parts = [];
  for (const { lanes, runs, groups } of laneSorts(trace, query)) {
    for (const kind of kinds) {
      if (runs && kind === "marks") continue;
      const names = codesOf(trace, kind, groups, until);
      if (!names || names.length) parts.push({ kind, lanes, names, runs });
    }
  }
  const { waits, task, least, most } = query;
  return { parts, waits: waits.map((wait) => ({ ...wait, most: finite(wait.most) })), task, least, most: finite(most) };
}

const finite = (limit) => (Number.isFinite(limit) ? limit : null);

/** Lanes that were asked for, put together where the same names and runs are wanted of them. */
function laneSorts(trace, query) {
  const sorts = new Map();
  let owner = null;
  trace.header.lanes.forEach((lane, number) => {
    if (lane.kind !== "pipe") owner = lane;
    const runs = runPlaces(trace, lane, query);
    if (runs?.length === 0 || (query.lanes.length && !query.lanes.some((word) => laneMatches(owner, word)))) return;
    const left = query.names.map((group) => lane.kind !== "pipe" || !group.some((test) => test(lane.name)));
    const key = JSON.stringify([runs, left]);
    if (!sorts.has(key)) sorts.set(key, { lanes: [], runs, groups: query.names.filter((_, k) => left[k]) });
    sorts.get(key).lanes.push(number);
  });
  return [...sorts.values()];
}

function laneMatches(lane, word) {
  const name = lane.name.toLowerCase();
  if (!word.includes("*")) return name.startsWith(word) || String(lane.core) === word;
  const [first, ...others] = word.split("*");
  const last = others.pop();
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.startsWith(first) && name.endsWith(last) && name.length - last.length >= at;
}

/** Places of the runs that were asked for; null where any run will do, empty where the lane is of another rank. */
function runPlaces(trace, lane, { runs, ranks }) {
  const grouped = /^Rank (\d+)$/.exec(lane.group);
  const own = trace.rankNumber ?? (grouped ? Number(grouped[1]) : null);
  if (own !== null && ranks.length && !ranks.includes(own)) return [];
  const byRun = own === null ? ranks : [];
  if (!runs.length && !byRun.length) return null;
  const places = [];
  (trace.header.runs ?? []).forEach(({ name }, place) => {
    const [, rank, run] = /^(?:rank (\d+) )?run (-?\d+)$/.exec(name) ?? [];
    if ((!runs.length || runs.includes(Number(run))) && (!byRun.length || byRun.includes(Number(rank ?? NaN)))) places.push(place);
  });
  return places;
}

/** Codes of the names that match; null where every name does. */
function codesOf(trace, kind, groups, until) {
  if (!groups.length) return null;
  const { functions, words } = trace.header;
  const count = kind === "tasks" ? functions.length : kind === "lost" ? 1 : words.length;
  const codes = [];
  for (let code = 0; code < count; code++) {
    if (performance.now() > until) throw new SyntaxError("the pattern takes too long");
    const name = barName(trace, kind, code);
    if (groups.every((group) => group.some((test) => test(name)))) codes.push(code);
  }
  return codes;
}

/** Names of counters that match; limits of time, lanes and waits match none. */
export function seriesFound(trace, query) {
  const bars = query.lanes.length || query.ranks.length || query.runs.length || query.waits.length || query.task !== null || query.least > 0 || query.most < Infinity;
  if (bars || !query.names.length) return [];
  return trace.series.filter(({ name }) => query.names.every((group) => group.some((test) => test(name))));
}
