// Below the selected task: its predecessors and successors over some hops, and the path from another task.
import { element } from "./element.js";
import { taskText } from "./facts.js";
import { functionPaint } from "./theme.js";
import { countText, counted, lengthText, momentText } from "./times.js";

const LISTED = 12;
const MOST_HOPS = 20;

/** `scene.onFlow` is told what the reader wants: another number of hops, or where paths begin. */
export function showFlows(scene, box, goTo) {
  const { neighbours, selection, flow, onFlow } = scene;
  const line = element("p", undefined, "tag hops");
  const step = (text, label, hops) => flowButton(text, label, hops >= 1 && hops <= MOST_HOPS && (() => onFlow({ hops })));
  line.append(element("b", counted(flow.hops, "hop")), step("−", "One hop less", flow.hops - 1), step("+", "One hop more", flow.hops + 1));
  line.append(flow.from === selection ? flowButton("Forget A", "Forget where paths begin", () => onFlow({ from: null })) : flowButton("Path from here", "Paths begin at this task", () => onFlow({ from: selection })));
  box.append(line);
  if (flow.from && flow.from !== selection) showPath(scene, box, goTo);
  for (const [side, label, fan] of [["before", "predecessors", "fan-in"], ["after", "successors", "fan-out"]]) {
    const tag = element("p", undefined, `tag ${side}`);
    tag.append(element("b", label), element("span", countText(neighbours[side].count)));
    const list = links(scene, neighbours[side], goTo);
    if (neighbours[side].fan) list.append(element("span", `${fan} ${counted(neighbours[side].fan, "task")}`, "hint"));
    if (neighbours[side].cut) list.append(element("span", "more than 10,000 tasks are near; not all were followed", "hint"));
    box.append(tag, list);
  }
}

function flowButton(text, label, act) {
  const button = element("button", text);
  button.type = "button";
  button.setAttribute("aria-label", label);
  button.disabled = !act;
  if (act) button.addEventListener("click", act);
  return button;
}

function showPath(scene, box, goTo) {
  const { from, path } = scene.flow;
  const tag = element("p", undefined, "tag path");
  const of = `path from ${from.text}`;
  if (!path) tag.append(element("b", of), element("span", from.trace === scene.selection.trace ? "…" : "it is in another trace"));
  else if (path.count === null) tag.append(element("b", of), element("span", "too far away: more than 2,000,000 edges lie between"));
  else tag.append(element("b", of), element("span", path.count ? counted(path.count, "task") : "no path leads here"));
  box.append(tag);
  if (!path?.count) return;
  box.append(links(scene, path, goTo), element("p", "At each step back: the predecessor that ended last.", "hint"));
}

function links(scene, { count, bars }, goTo) {
  const list = element("div", undefined, "links");
  for (const bar of bars.slice(0, LISTED)) {
    const { trace } = scene.selection;
    const button = element("button");
    button.type = "button";
    const swatch = element("span", undefined, "swatch");
    swatch.style.background = scene.theme.paints[functionPaint(trace.rank[bar.name] ?? 29)];
    const what = `${trace.header.functions[bar.name]?.name ?? "task"} ${taskText(trace.header.task_ids, bar.task)}`;
    const far = bar.hop > 1 ? `${bar.hop} hops · ` : "";
    button.append(swatch, element("span", what, "what"), element("span", far + trace.header.lanes[bar.lane].name, "when"));
    button.title = `from ${momentText(bar.start)}, ${lengthText(bar.length)}`;
    button.addEventListener("click", () => goTo({ ...bar, trace }));
    list.append(button);
  }
  if (bars.length > LISTED) list.append(element("span", `and ${countText(bars.length - LISTED)} more, drawn as arrows`, "hint"));
  if (count > bars.length) list.append(element("span", `${countText(count - bars.length)} are not drawn`, "hint"));
  return list;
}
