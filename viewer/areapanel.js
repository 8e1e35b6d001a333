// The figures of an area in the panel: by function, lane and kind, a pivot, and what cores waited for.
import { element } from "./element.js";
import { factList } from "./facts.js";
import { lanesOfArea } from "./extent.js";
import { laneTitle } from "./layout.js";
import { csvOf, sortedTable } from "./sorted.js";
import { REASONS } from "./theme.js";
import { countText, counted, lengthText, momentText, shortCount, shortText } from "./times.js";

const SINGULAR = { tasks: "task", phases: "phase", marks: "mark", stalls: "blocked", lost: "lost" };
const VIEWS = { function: "functions", lane: "lanes", kind: "kinds", pivot: "function × kind × rank or run", waits: "wait reasons" };
const FIGURES = { inside_ns: "total", count: "count", mean: "mean" };
const chosen = { view: "function", figure: "inside_ns", sorts: {} };

const timeColumn = (title, value, about) => ({ title, value, text: (row) => shortText(value(row)), unit: "ns", about });
const countColumn = { title: "count", value: (row) => row.count, text: (row) => shortCount(row.count), about: "bars that touch the area" };
const barsColumn = { title: "bars", value: (row) => SINGULAR[row.bars], text: (row) => SINGULAR[row.bars] };
const shareText = (share) => (share === null ? "–" : `${(100 * share).toFixed(1)} %`);
const shareColumn = (title, value, about) => ({ title, value, text: (row) => shareText(value(row)), about });

/** Fills the section; `figures` are those of measureArea or of the server. */
export function showArea(scene, area, figures) {
  const box = document.getElementById("area");
  const over = figures.functions.reduce((sum, one) => sum + one.over, 0);
  const facts = factList([
    ["from", momentText(area.t0)],
    ["to", momentText(area.t1)],
    ["duration", lengthText(area.t1 - area.t0)],
    ["lanes", countText(area.lanes.size)],
  ]);
  const said = element("p", `A bar counts when it touches the area. Total and share have its time inside; mean, p50, p99 and max its whole length. ${counted(over, "bar")} ${over === 1 ? "reaches" : "reach"} over the border.`, "hint");
  const place = element("div", undefined, "wide");
  const tools = element("div", undefined, "row");
  const again = () => {
    figure.hidden = chosen.view !== "pivot";
    place.replaceChildren(tableOf(scene, area, figures));
  };
  const figure = selectOf("Figure of the pivot", FIGURES, "figure", again);
  tools.append(selectOf("Figures of the area by", VIEWS, "view", again), figure, copyButton(scene, area, figures));
  box.replaceChildren(facts, said, tools, place);
  again();
}

function selectOf(name, options, key, changed) {
  const select = element("select");
  select.setAttribute("aria-label", name);
  for (const [value, text] of Object.entries(options)) {
    const option = element("option", text);
    option.value = value;
    select.append(option);
  }
  select.value = chosen[key];
  select.addEventListener("change", () => {
    chosen[key] = select.value;
    changed();
  });
  return select;
}

function copyButton(scene, area, figures) {
  const button = element("button", "Copy CSV");
  button.type = "button";
  button.addEventListener("click", async () => {
    const { columns, rows, sort } = viewOf(scene, area, figures);
    const state = document.getElementById("state");
    try {
      await navigator.clipboard.writeText(csvOf(columns, rows, sort));
      state.textContent = `${counted(rows.length, "row")} copied`;
    } catch {
      state.textContent = "The browser does not allow this page to copy.";
    }
  });
  return button;
}

function tableOf(scene, area, figures) {
  const view = viewOf(scene, area, figures);
  if (!view.rows.length) return element("p", chosen.view === "waits" ? "This trace does not say what cores waited for." : "Nothing lies here.", "hint");
  return sortedTable({ label: `Area: ${VIEWS[chosen.view]}`, ...view });
}

function viewOf(scene, area, figures) {
  const { columns, rows } = { function: byFunction, lane: byLane, kind: byKind, pivot, waits }[chosen.view](scene, area, figures);
  const key = chosen.view === "pivot" ? `pivot ${chosen.figure}` : chosen.view;
  const first = columns.findIndex(({ title }) => ["total", "busy"].includes(title));
  const sort = (chosen.sorts[key] ??= { by: Math.max(first, 1), down: true });
  return { columns, rows, sort };
}

function byFunction(scene, area, { functions }) {
  const sums = sumsBy(functions);
  const columns = [
    { title: "function", value: (row) => row.name, text: (row) => row.name },
    countColumn,
    timeColumn("total", (row) => row.inside_ns, "time inside the area"),
    shareColumn("share", (row) => (sums[row.bars] ? row.inside_ns / sums[row.bars] : null), "of the time of all bars of its sort in the area"),
    timeColumn("mean", (row) => row.whole_ns / row.count),
    timeColumn("p50", (row) => row.p50_ns),
    timeColumn("p99", (row) => row.p99_ns),
    timeColumn("max", (row) => row.max_ns),
    barsColumn,
  ];
  return { columns, rows: functions };
}

function sumsBy(rows) {
  const sums = {};
  for (const row of rows) sums[row.bars] = (sums[row.bars] ?? 0) + row.inside_ns;
  return sums;
}

function byLane({ model }, { t0, t1 }, { lanes }) {
  const name = ({ trace, lane }) => laneTitle(model, model.traces[trace], lane);
  const columns = [
    { title: "lane", value: name, text: name },
    countColumn,
    timeColumn("total", (row) => row.inside_ns, "time inside the area; bars that lie in others count, too"),
    shareColumn("busy", (row) => row.inside_ns / (t1 - t0), "total by the duration of the area"),
    barsColumn,
  ];
  return { columns, rows: lanes };
}

function byKind(scene, area, { cells }) {
  const found = new Map();
  for (const { kind, bars, count, inside_ns, whole_ns } of cells) {
    const row = found.get(`${kind} ${bars}`) ?? { kind, bars, count: 0, inside_ns: 0, whole_ns: 0 };
    found.set(`${kind} ${bars}`, row);
    row.count += count;
    row.inside_ns += inside_ns;
    row.whole_ns += whole_ns;
  }
  const rows = [...found.values()];
  const sums = sumsBy(rows);
  const columns = [
    { title: "kind", value: (row) => row.kind, text: (row) => row.kind },
    countColumn,
    timeColumn("total", (row) => row.inside_ns, "time inside the area"),
    shareColumn("share", (row) => (sums[row.bars] ? row.inside_ns / sums[row.bars] : null), "of the time of all bars of its sort in the area"),
    timeColumn("mean", (row) => row.whole_ns / row.count),
    barsColumn,
  ];
  return { columns, rows };
}

/** A row per function, a column per kind of lane and rank, trace or run. */
function pivot(scene, area, { cells }) {
  const key = (cell) => JSON.stringify([cell.kind, cell.part]);
  const heads = [...new Set(cells.map(key))].sort();
  const rows = new Map();
  for (const cell of cells) {
    const name = `${cell.bars} ${cell.name}`;
    if (!rows.has(name)) rows.set(name, { name: cell.name, bars: cell.bars, cells: {} });
    rows.get(name).cells[key(cell)] = cell;
  }
  const figure = (cell) => (!cell ? null : chosen.figure === "mean" ? cell.whole_ns / cell.count : cell[chosen.figure]);
  const text = (value) => (value === null ? "–" : chosen.figure === "count" ? shortCount(value) : shortText(value));
  const columns = [
    { title: "function", value: (row) => row.name, text: (row) => row.name },
    ...heads.map((head) => ({
      title: JSON.parse(head).filter(Boolean).join(" · "),
      value: (row) => figure(row.cells[head]),
      text: (row) => text(figure(row.cells[head])),
      unit: chosen.figure === "count" ? "" : "ns",
    })),
  ];
  return { columns, rows: [...rows.values()] };
}

/** Running and waiting of the cores in the area; what no task tells is the rest of their time. */
function waits({ model }, area, { lanes, waits: sums }) {
  if (!sums) return { columns: [], rows: [] };
  const cores = lanesOfArea(model, area).filter(({ trace, lane }) => trace.header.lanes[lane].kind === "core").length;
  const all = cores * (area.t1 - area.t0);
  const running = lanes.reduce((sum, one) => sum + (one.bars === "tasks" ? one.inside_ns : 0), 0);
  const labels = new Map(model.traces.flatMap(({ header }) => header.reasons.map(({ what, label }) => [what, label])));
  const rows = [{ what: "running", ns: running }];
  for (const what of REASONS) if (sums[what]) rows.push({ what: labels.get(what) ?? what, ns: Math.round(sums[what]) });
  const rest = all - rows.reduce((sum, one) => sum + one.ns, 0);
  if (rest > 0) rows.push({ what: "no task follows", ns: rest });
  const columns = [
    { title: "why", value: (row) => row.what, text: (row) => row.what },
    timeColumn("total", (row) => row.ns, "over all cores of the area"),
    shareColumn("share", (row) => (all ? row.ns / all : null), "of the time of the cores of the area"),
  ];
  return { columns, rows };
}
