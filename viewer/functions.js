// The table of functions, and beside it how long the tasks of one or two of them took, with the longest and the
// shortest as links to their bars.
import { element, linkButton } from "./element.js";
import { traceLetter } from "./layout.js";
import { sortedTable } from "./sorted.js";
import { askServer } from "./source.js";
import { functionPaint } from "./theme.js";
import { counted, countText, lengthText, shortCount, shortText } from "./times.js";

const SVG = "http://www.w3.org/2000/svg";
const PER_OCTAVE = 4;
const OUTLIERS = 3;
const sorts = {};

/** The functions as a table; a click anywhere in a row calls `choose` with the name and the event. */
export function showFunctions(scene, choose) {
  const { model, theme } = scene;
  const compare = model.traces.length === 2 && !model.job;
  const word = model.traces[0].header.vocabulary?.function ?? "function";
  document.getElementById("functionsTitle").textContent = `${word[0].toUpperCase()}${word.slice(1)}s`;
  const swatch = (func) => theme.paints[functionPaint(model.functions.indexOf(func))];
  const first = { title: word, value: (func) => func.name, text: (func) => func.name, swatch };
  const columns = [first, ...(compare ? comparedColumns() : ownColumns(model))];
  const rows = model.functions.filter((func) => func.total > 0);
  const mark = ({ name }) => (scene.chosen === name ? "chosen" : scene.compared === name ? "compared" : "");
  const sort = (sorts[compare] ??= { by: compare ? 1 : 2, down: true });
  const table = sortedTable({ label: document.getElementById("functionsTitle").textContent, columns, rows, sort, mark, choose: (func, event) => choose(func.name, event) });
  document.getElementById("functions").replaceChildren(table);
}

function ownColumns({ job, functions }) {
  const all = functions.reduce((sum, func) => sum + func.total, 0);
  const known = (func) => func.of.filter((one) => one?.count);
  const middle = (func, key) => {
    const values = known(func).map((one) => one[key]).sort((a, b) => a - b);
    return values[values.length >> 1];
  };
  const of = (key) => (job ? `the middle of the ranks' ${key}` : undefined);
  const time = (title, value, about) => ({ title, value, text: (func) => shortText(value(func)), about });
  const count = (func) => known(func).reduce((sum, one) => sum + one.count, 0);
  return [
    { title: "count", value: count, text: (func) => shortCount(count(func)) },
    time("total", (func) => func.total),
    { title: "share", value: (func) => func.total / all, text: (func) => `${((100 * func.total) / all).toFixed(1)} %`, about: "of the time of all" },
    time("median", (func) => middle(func, "p50_ns"), of("medians")),
    time("p99", (func) => middle(func, "p99_ns"), of("99th percentiles")),
  ];
}

function comparedColumns() {
  const total = (func, number) => func.of[number]?.total_ns ?? 0;
  const change = (func) => {
    const [a, b] = [total(func, 0), total(func, 1)];
    const percent = Math.abs((100 * (b - a)) / a);
    return !a ? "new" : !b ? "gone" : `${b >= a ? "+" : "−"}${percent.toFixed(percent >= 100 ? 0 : 1)} %`;
  };
  const time = (number) => ({ title: `total ${traceLetter(number)}`, value: (func) => total(func, number), text: (func) => shortText(total(func, number)) });
  return [time(0), time(1), { title: "B − A", value: (func) => total(func, 1) - total(func, 0), text: change, about: "sorts by the difference in time" }];
}

/** What is drawn: the chosen function of every trace that has it, then the one it is compared with. */
function shapesOf({ model, chosen, compared }) {
  return [chosen, compared].flatMap((name) => {
    const func = model.functions.find((one) => one.name === name);
    return (func?.of ?? []).flatMap((one, number) => {
      if (!one?.count) return [];
      const whose = model.job ? `rank ${model.traces[number].rankNumber}` : model.traces.length > 1 ? traceLetter(number) : "";
      return [{ ...one, name, trace: model.traces[number], label: [compared && name, whose].filter(Boolean).join(" · ") }];
    });
  });
}

/** How long the tasks of the chosen functions took, over bins of equal ratio. */
export function showShape(scene, goTo) {
  const shapes = shapesOf(scene);
  const drawn = shapes.filter((one) => one.histogram);
  document.getElementById("shape").hidden = !drawn.length;
  if (!drawn.length) return;
  document.getElementById("shapeTitle").textContent = `Durations of ${[scene.chosen, scene.compared].filter(Boolean).join(" and ")}`;
  drawHistogram(drawn.map((one) => one.histogram));
  document.getElementById("spread").replaceChildren(...(shapes.length > 1 ? [spreadTable(shapes)] : shapes.map((one) => element("p", spreadText(one), "hint"))));
  showOutliers(scene, shapes, goTo);
}

function drawHistogram(histograms) {
  const svg = document.getElementById("histogram");
  const [width, height, low] = [290, 96, 78];
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren();
  const first = Math.min(...histograms.map((one) => one.first)) - 1;
  const last = Math.max(...histograms.map((one) => one.first + one.counts.length)) + 1;
  const most = Math.max(...histograms.flatMap((one) => one.counts));
  const step = width / (last - first);
  const put = (tag, attributes, text) => {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    svg.append(made);
    return made;
  };
  histograms.forEach((one, number) => {
    one.counts.forEach((count, k) => {
      if (!count) return;
      const tall = Math.max(1.5, (count / most) * (low - 14));
      const bar = put("rect", { x: (one.first + k - first) * step + 0.5, y: low - tall, width: Math.max(step - 1, 1), height: tall, opacity: number ? 0.45 : 0.9, ...(number % 2 ? { class: "other" } : {}) });
      const edge = 2 ** ((one.first + k) / PER_OCTAVE);
      const title = document.createElementNS(SVG, "title");
      title.textContent = `${counted(count, "task")} from ${lengthText(edge)} to ${lengthText(edge * 2 ** (1 / PER_OCTAVE))}`;
      bar.append(title);
    });
  });
  put("line", { x1: 0, x2: width, y1: low, y2: low });
  put("text", { x: 0, y: height - 5 }, lengthText(2 ** (first / PER_OCTAVE)));
  put("text", { x: width, y: height - 5, "text-anchor": "end" }, lengthText(2 ** (last / PER_OCTAVE)));
  put("text", { x: width, y: 9, "text-anchor": "end" }, `most in a bin: ${countText(most)}`);
}

function spreadText({ min_ns, p50_ns, p99_ns, max_ns }) {
  const [least, middle, high, most] = [min_ns, p50_ns, p99_ns, max_ns].map(shortText);
  return `min ${least}, median ${middle}, p99 ${high}, max ${most}`;
}

/** Figures side by side: a column per function and trace. */
function spreadTable(shapes) {
  const table = element("table", undefined, "beside");
  table.setAttribute("aria-labelledby", "shapeTitle");
  const lines = [["", ...shapes.map((one) => one.label)], ["count", ...shapes.map((one) => shortCount(one.count))]];
  for (const [title, key] of [["total", "total_ns"], ["min", "min_ns"], ["median", "p50_ns"], ["p99", "p99_ns"], ["max", "max_ns"]]) lines.push([title, ...shapes.map((one) => shortText(one[key]))]);
  lines.forEach((cells, line) => {
    const row = element("tr");
    cells.forEach((text, place) => {
      const titled = text && !(line && place);
      const cell = element(titled ? "th" : "td", text);
      if (titled) cell.scope = line ? "row" : "col";
      cell.title = text;
      row.append(cell);
    });
    table.append(row);
  });
  return table;
}

/** The longest and the shortest tasks as buttons that lead there. */
async function showOutliers(scene, shapes, goTo) {
  const box = document.getElementById("outliers");
  box.replaceChildren();
  const found = await Promise.all(shapes.map((shape) => outliersOf(shape)));
  if (shapesOf(scene).map((one) => one.label + one.name).join() !== shapes.map((one) => one.label + one.name).join()) return;
  box.replaceChildren(
    ...found.flatMap(({ longest, shortest }, k) => {
      const { trace, label } = shapes[k];
      const button = (word) => (bar) => linkButton(`${word} on ${trace.header.lanes[bar.lane].name}${label ? ` (${label})` : ""}`, shortText(bar.length), () => goTo({ ...bar, trace }));
      return [...longest.map(button("longest")), ...shortest.map(button("shortest"))];
    }),
  );
}

async function outliersOf({ trace, name }) {
  const code = trace.header.functions.findIndex((func) => func.name === name);
  if (trace.overview) return askServer(trace.number, "outliers", { name: code });
  const [longest, shortest] = [[], []];
  const keep = (list, bar, sign) => {
    if (list.length === OUTLIERS && sign * (list.at(-1).length - bar.length) < 0) return;
    list.push(bar);
    list.sort((a, b) => sign * (a.length - b.length) || a.start - b.start || a.lane - b.lane);
    list.length = Math.min(list.length, OUTLIERS);
  };
  for (const tile of trace.tiles) {
    for (const track of tile.tracks ?? []) {
      const names = track.kind === "tasks" && track.table.values.get("name");
      for (let i = 0; names && i < track.count; i++) {
        if (names[track.rowAt(i)] !== code) continue;
        const bar = { lane: track.lane, start: track.start[i], length: track.end[i] - track.start[i] };
        keep(longest, bar, -1);
        keep(shortest, bar, 1);
      }
    }
  }
  return { longest, shortest };
}
