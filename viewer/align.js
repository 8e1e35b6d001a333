// Traces moved against each other, so that a chosen event of one lies where that of another does.
import { goTo } from "./choose.js";
import { element } from "./element.js";
import { search } from "./finding.js";
import { repaint } from "./model.js";
import { byId, loaded, scene } from "./stage.js";
import { lengthText } from "./times.js";

const signed = (ns) => `${ns < 0 ? "−" : "+"}${lengthText(Math.abs(ns))}`;

/** Whether traces of this page can be moved: those of a job have a clock, and tiles stay where the server has them. */
function canMove({ traces, job }) {
  return traces.length > 1 && !job && traces.every((trace) => !trace.overview);
}

/** Moves all times of a trace that the page holds. */
function moveTrace(trace, by) {
  trace.moved += by;
  trace.header = { ...trace.header, start_ns: trace.header.start_ns + by, end_ns: trace.header.end_ns + by };
  const done = new Set();
  const move = (values) => {
    if (values && !done.has(values.buffer)) for (let i = 0; i < values.length; i++) values[i] += by;
  };
  for (const tile of trace.tiles) {
    tile.info = { ...tile.info, start_ns: tile.info.start_ns + by, end_ns: tile.info.end_ns + by };
    // A table's `length` holds ends once tracks were made of it, and most tracks are views of both.
    const columns = Object.values(tile.tables).flatMap(({ lanes, values }) => (lanes.length ? ["start", "length", "from"].map((name) => values.get(name)).filter(Boolean) : []));
    for (const values of columns) move(values), done.add(values.buffer);
    for (const track of tile.tracks.filter(({ kind }) => kind !== "gaps")) move(track.start), move(track.end);
  }
  for (const { time } of trace.series) move(time);
}

/** Moves traces by these lengths, in their order, and shows everything anew. */
export async function moveAll(lengths) {
  const { model, selection } = scene;
  if (!canMove(model)) return;
  model.traces.forEach((trace, k) => lengths[k] && moveTrace(trace, lengths[k]));
  model.start = Math.min(...model.traces.map(({ header }) => header.start_ns));
  model.end = Math.max(...model.traces.map(({ header }) => header.end_ns));
  showMoved();
  await repaint(model);
  loaded();
  scene.onLanes();
  if (scene.search) await search(scene.search);
  if (selection) await goTo({ ...selection, start: selection.start + (lengths[selection.trace.number] || 0), length: selection.end - selection.start });
}

function showMoved() {
  const moved = scene.model.traces.filter((trace) => trace.moved);
  const button = byId("moved");
  button.hidden = !moved.length;
  button.textContent = `${moved.map((trace) => `${trace.told} moved by ${signed(trace.moved)}`).join(", ")} · reset`;
}

/** Back to the times of the files. */
export function resetMoves() {
  scene.anchor = null;
  return moveAll(scene.model.traces.map((trace) => -trace.moved));
}

/** Buttons below a selected task: it becomes the event to align at, or another trace is moved there. */
export function alignBox(bar) {
  if (!canMove(scene.model)) return null;
  const { anchor } = scene;
  const box = element("div", undefined, "groups");
  const add = (text, call) => {
    const button = element("button", text);
    button.type = "button";
    button.addEventListener("click", call);
    box.append(button);
  };
  if (anchor && anchor.trace !== bar.trace) {
    const by = anchor.start + anchor.trace.moved - bar.start;
    add(`Align here: move ${bar.trace.told} by ${signed(by)}`, () => moveAll(scene.model.traces.map((trace) => (trace === bar.trace ? by : 0))));
  }
  add("Align others to this start", () => {
    scene.anchor = { trace: bar.trace, start: bar.start - bar.trace.moved };
    byId("state").textContent = "Now select a task of another trace, and choose Align here.";
  });
  add("Align all starts", () => moveAll(scene.model.traces.map((trace) => scene.model.traces[0].header.start_ns - trace.header.start_ns)));
  return box;
}
