// The critical path: its sums and longest parts in the panel, and the way along it by keys.
import { goTo, select } from "./choose.js";
import { element, linkButton } from "./element.js";
import { describeBar } from "./facts.js";
import { barName } from "./model.js";
import { byId, glide, scene, scroller } from "./stage.js";
import { countText, lengthText } from "./times.js";
import { firstEndAfter } from "./tracks.js";
import { plainTable, whoseTitle } from "./verdict.js";

const LISTED_PARTS = 10;
const NARROWEST_STEP = 8;

/** Fills the section: per trace the sums of the report, and its longest parts as buttons. */
export function showPathPanel() {
  const parts = scene.model.traces.map((trace) => {
    const { path } = trace.header;
    const box = whoseTitle(scene.model, trace);
    if (path?.why) box.append(element("p", path.why, "hint"));
    if (!trace.path) return box;
    for (const line of path.lines) box.append(element("p", line, "hint"));
    box.append(plainTable({ ...path, title: "Critical path" }), element("h3", "Longest parts"));
    const list = element("div", undefined, "links");
    for (const at of longestOf(trace).slice(0, LISTED_PARTS)) {
      list.append(linkButton(partText(trace, at), lengthText(trace.path.end[at] - trace.path.start[at]), () => showPart(trace, at)));
    }
    box.append(list);
    return box;
  });
  byId("path").replaceChildren(...parts);
}

/** Places of the bars, the longest first. */
function longestOf(trace) {
  const { start, end, count } = trace.path;
  trace.path.longest ??= [...Array(count).keys()].sort((a, b) => end[b] - start[b] - (end[a] - start[a]) || a - b);
  return trace.path.longest;
}

/** "PV", or "ready, not dispatched (scheduler) before PV". */
function partText(trace, at) {
  const value = (name) => trace.path.table.values.get(name)[at];
  const name = barName(trace, "path", value("name"));
  const own = trace.header.functions[value("function")]?.name;
  return value("name") < trace.header.functions.length || own === undefined ? name : `${name} before ${own}`;
}

/** Next (1), previous (-1) or longest (0) part of the path; where that is what brought the reader here, the next longest. */
export function stepPath(direction) {
  const { selection, view, model } = scene;
  const own = selection?.trace.path ? selection.trace : null;
  const trace = own ?? model.traces.find((one) => one.path);
  if (!trace) return void (byId("state").textContent = model.traces[0].header.path?.why ?? "");
  const { path } = trace;
  const here = selection?.kind === "path" && own ? path.start.indexOf(selection.start) : -1;
  if (direction === 0) {
    const order = longestOf(trace);
    path.shown = order[here >= 0 && path.shown === here ? (order.indexOf(here) + 1) % path.count : 0];
    return showPart(trace, path.shown);
  }
  path.shown = null;
  const from = firstEndAfter(path.end, own ? selection.start : view.t0);
  const next = here >= 0 ? here + direction : own || direction > 0 ? from : from - 1;
  return showPart(trace, Math.min(Math.max(next, 0), path.count - 1));
}

/** Selects a part, moves so that it can be seen, and says what it is. */
async function showPart(trace, at) {
  const { path } = trace;
  const [start, end] = [path.start[at], path.end[at]];
  const { view } = scene;
  const [t0, t1] = view.target ?? [view.t0, view.t1];
  const pixels = ((end - start) / (t1 - t0)) * (view.width - view.left);
  const room = end - start;
  if (pixels < NARROWEST_STEP || start < t0 || end > t1) {
    const span = pixels < NARROWEST_STEP || room > t1 - t0 ? 4 * room : t1 - t0;
    glide((start + end - span) / 2, (start + end + span) / 2);
  }
  if (scene.options.closed.delete(`${trace.number}:Critical path`)) scene.onLanes();
  await select(describeBar(trace, path, at));
  const row = scene.layout.rows.find((one) => one.trace === trace && one.lane === path.lane);
  if (row && (row.y < scroller.scrollTop || row.y + row.height > scroller.scrollTop + view.height)) scroller.scrollTop = Math.max(0, row.y - 40);
  byId("state").textContent = `Critical path, ${countText(at + 1)} of ${countText(path.count)}: ${partText(trace, at)}, ${lengthText(end - start)}`;
}

/** A button from a part of the path to its task. */
export function pathLink(bar) {
  const { value, trace } = bar;
  if (value("on") === null) return null;
  const name = trace.header.functions[value("function")]?.name ?? "task";
  const list = element("div", undefined, "links");
  list.append(linkButton(`to ${name}`, trace.header.lanes[value("on")].name, () => goTo({ trace, lane: value("on"), start: value("from") })));
  return list;
}
