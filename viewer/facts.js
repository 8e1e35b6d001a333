// Everything known of a bar, as pairs of label and text.
import { barName } from "./model.js";
import { REASONS } from "./theme.js";
import { countText, lengthText, momentText } from "./times.js";

const PLAIN_COLUMNS = ["loop", "tasks", "pop_hit", "pop_miss", "submit", "bytes", "mark", "records", "launch"];

/** A bar that the pointer or the keyboard found, with what its table says of it. */
export function describeBar(trace, track, at) {
  const row = track.rowAt(at);
  const value = (name) => {
    const found = track.table.values.get(name)?.[row];
    return found === undefined || Number.isNaN(found) ? null : found;
  };
  return {
    trace,
    kind: track.kind,
    lane: track.lane,
    depth: track.depth,
    start: track.start[at],
    end: track.end[at],
    name: value("name"),
    row: value("row"),
    paint: track.paint[at],
    at: row,
    table: track.table,
    merged: value("merged"),
    value,
    text: barName(trace, track.kind, value("name")),
  };
}

/** The task's id as exact text; null when the bar has none. */
function taskId(bar, nodes) {
  const { value } = bar;
  if (value("task_high") !== null) return joined(value("task_high"), value("task_low"));
  const node = value("node");
  if (node === null || !nodes?.high) return null;
  return joined(nodes.high[node], nodes.low[node]);
}

/** The id as the runtime prints it; `form` is how the trace's ids are read. */
export function taskText(form, id) {
  if (!form || id === null) return id;
  const number = BigInt(id);
  const local = number & 0xffffffffn;
  if (form === "ring") return `r${number >> 32n}t${local}`;
  if (number < 0n) return `p${-1n - number}`;
  return number >> 62n ? `g${(number >> 32n) & 0xfffffn}t${local}` : `t${local}`;
}

export function joined(high, low) {
  return ((BigInt(high) << 32n) | BigInt(low)).toString();
}

/** Pairs [label, text] for the tooltip and the panel. */
export function factsOf(bar, nodes) {
  if (bar.merged > 1) return mergedFacts(bar);
  const pairs = [...rankFacts(bar), ["duration", lengthText(bar.end - bar.start)]];
  if (bar.kind === "path") return [...pairs, ...pathFacts(bar)];
  if (bar.kind === "tasks") pairs.push(...taskFacts(bar, nodes));
  else {
    pairs.push(["lane", bar.trace.header.lanes[bar.lane].name]);
    const task = taskId(bar, nodes);
    if (task !== null) pairs.push(["task", taskText(bar.trace.header.task_ids, task)]);
    pairs.push(...runFacts(bar));
  }
  for (const name of PLAIN_COLUMNS) {
    if (bar.value(name) !== null) pairs.push([name.replace("_", " "), countText(bar.value(name))]);
  }
  if (bar.kind !== "tasks") pairs.push(["start", momentText(bar.start)], ["end", momentText(bar.end)]);
  return pairs;
}

/** Of the critical path: its share, and the task that runs or that is waited for. */
function pathFacts({ value, trace, start, end }) {
  const { path, functions, lanes, vocabulary } = trace.header;
  const pairs = [["of the path", `${((100 * (end - start)) / path.length_ns).toFixed(1)} %`]];
  if (value("on") !== null) {
    if (path.words[value("what")].reason) pairs.push(["before", functions[value("function")]?.name ?? "task"]);
    pairs.push([vocabulary?.lane ?? "core", lanes[value("on")].name]);
  }
  if (value("cause") !== null) pairs.push(["waited for", path.causes[value("cause")]]);
  return [...pairs, ["start", momentText(start)], ["end", momentText(end)]];
}

function mergedFacts(bar) {
  return [
    ...rankFacts(bar),
    ["bars here", countText(bar.merged)],
    ["lane", bar.trace.header.lanes[bar.lane].name],
    ["from", momentText(bar.start)],
    ["to", momentText(bar.end)],
    ["", "Zoom in for single bars."],
  ];
}

/** Which rank of a job, or which of several traces a bar is of. */
function rankFacts({ trace }) {
  if (trace.rankNumber !== undefined) return [["rank", String(trace.rankNumber)]];
  const moved = trace.moved ? [["moved by", `${trace.moved < 0 ? "−" : "+"}${lengthText(Math.abs(trace.moved))}`]] : [];
  return trace.told ? [["trace", trace.told], ...moved] : [];
}

function taskFacts(bar, nodes) {
  const { value, trace } = bar;
  const pairs = [];
  const median = trace.header.functions[bar.name]?.p50_ns;
  if (median) pairs.push(["against median", ratioText((bar.end - bar.start) / median)]);
  pairs.push([trace.header.vocabulary?.lane ?? "core", trace.header.lanes[bar.lane].name]);
  const task = taskId(bar, nodes);
  if (task !== null) pairs.push(["task", taskText(trace.header.task_ids, task)]);
  pairs.push(...runFacts(bar));
  if (value("token") !== null) pairs.push(["token", String(value("token"))]);
  if (value("launch") !== null) pairs.push(["launch", String(value("launch"))]);
  if (value("blocks") > 1) pairs.push(["block", `${value("block")} of ${value("blocks")}`]);
  pairs.push(...moments(bar));
  const waits = REASONS.filter((reason) => value(`wait_${reason}`) > 0);
  for (const reason of waits) pairs.push([`waited: ${reason.replace("_", " ")}`, lengthText(value(`wait_${reason}`))]);
  pairs.push(...flagFacts(bar));
  for (const name of bar.table.forms.keys()) {
    if (name.startsWith("counter ") && value(name) !== null) pairs.push([name.slice(8), countText(value(name))]);
  }
  if (value("critical") === 1) pairs.push(["critical path", "yes"]);
  return pairs;
}

/** Which run a bar is of, what its collector says of it, and how far its clock leaves it open. */
function runFacts({ value, trace }) {
  const run = trace.header.runs?.[value("run")];
  if (!run) return [];
  const pairs = [["run", run.completeness ? `${run.name} (${run.completeness})` : run.name]];
  if (run.slack_ns === null) pairs.push(["place", "not known"]);
  else if (run.slack_ns > 0) pairs.push(["place", `up to ${lengthText(run.slack_ns)} later`]);
  return pairs;
}

function moments({ value, start, end }) {
  const pairs = [];
  if (value("dispatch") !== null) pairs.push(["dispatch", momentText(start - value("dispatch"))]);
  if (value("receive") !== null) pairs.push(["receive", momentText(start - value("receive"))]);
  pairs.push(["start", momentText(start)], ["end", momentText(end)]);
  if (value("finish") !== null) pairs.push(["finish", momentText(end + value("finish"))]);
  return pairs;
}

function flagFacts({ value, trace }) {
  const flags = value("flags") ?? 0;
  return Object.entries(trace.header.flags)
    .filter(([bit]) => flags & Number(bit))
    .map(([, name]) => ["flag", name.toLowerCase().replaceAll("_", " ")]);
}

function ratioText(ratio) {
  return ratio >= 10 ? `${ratio.toFixed(0)}×` : `${ratio >= 1 ? "+" : "−"}${Math.abs(100 * (ratio - 1)).toFixed(1)} %`;
}

/** A definition list of the pairs; only text, whatever the names hold. */
export function factList(pairs) {
  const list = document.createElement("dl");
  list.className = "facts";
  for (const [label, text] of pairs) {
    const value = document.createElement("dd");
    value.textContent = text;
    if (label) {
      const term = document.createElement("dt");
      term.textContent = label;
      list.append(term);
    } else value.className = "wide";
    list.append(value);
  }
  return list;
}

export function nameLine(text, colour) {
  const line = document.createElement("div");
  line.className = "name";
  const swatch = document.createElement("span");
  swatch.className = "swatch";
  swatch.style.background = colour;
  const name = document.createElement("span");
  name.textContent = text;
  line.append(swatch, name);
  return line;
}
