// The panel at the right: the selection with its neighbours, the legend, the groups of lanes.
import { element } from "./element.js";
import { factList, factsOf, nameLine } from "./facts.js";
import { showFlows } from "./flows.js";
import { traceLetter, traceName } from "./layout.js";
import { showMeeting } from "./meeting.js";
import { DEVIATION, DEVIATION_NAMES, CRITICAL, BLOCKED, HARDLY, LOST, PLAIN, REASONS, WAIT } from "./theme.js";
import { countText, counted, lengthText } from "./times.js";

export function showSelection(scene, goTo) {
  const box = document.getElementById("selection");
  const { selection, neighbours, theme } = scene;
  box.replaceChildren();
  if (!selection) {
    box.append(element("p", "Click a bar, or press Enter in the timeline.", "hint"));
    return;
  }
  box.append(nameLine(selection.text, theme.paints[selection.paint]));
  box.append(factList(factsOf(selection, selection.trace.nodes)));
  if (scene.meeting) showMeeting(scene, box, goTo);
  const more = scene.below?.[selection.kind]?.(selection);
  if (more) box.append(more);
  if (selection.kind === "tasks" && neighbours) showFlows(scene, box, goTo);
}

/** Every reason that some trace has, with its share of all core time, per trace. */
function reasonEntries(model) {
  const every = model.traces.map(({ header }) => header.reasons);
  const shares = (model.job ? [summed(every.flat())] : every).map((reasons) => {
    const total = reasons.reduce((sum, { ns }) => sum + ns, 0);
    return new Map(reasons.map(({ what, label, ns }) => [what, { label, ns, share: total ? ns / total : 0 }]));
  });
  const entries = shares.length > 1 ? [[null, "", shares.map((_, number) => traceLetter(number))]] : [];
  for (const what of ["running", ...REASONS]) {
    const found = shares.map((of) => of.get(what));
    if (!found.some((one) => one?.ns)) continue;
    const figures = found.map((one) => (one ? `${(100 * one.share).toFixed(1)} %` : "–"));
    entries.push([what === "running" ? null : WAIT + REASONS.indexOf(what), found.find(Boolean).label, figures]);
  }
  entries.push([HARDLY, "task hardly waited"]);
  return entries;
}

/** Of all ranks together. */
function summed(reasons) {
  const found = new Map();
  for (const { what, label, ns } of reasons) found.set(what, { what, label, ns: ns + (found.get(what)?.ns ?? 0) });
  return [...found.values()];
}

function word(model, what) {
  return model.traces[0].header.vocabulary?.[what] ?? what;
}

/** What the difference is taken from. */
function referenceText(model) {
  const median = `median of the same ${word(model, "function")}`;
  return model.job ? `the middle of the ranks' medians of the same ${word(model, "function")}` : `the ${median} in ${traceName(model, model.traces[0])}`;
}

export function showLegend(scene) {
  const { model, theme } = scene;
  const entries = [];
  if (model.mode === "wait") entries.push(...reasonEntries(model));
  if (model.mode === "difference") entries.push([null, `a ${word(model, "task")} beside ${referenceText(model)}`]);
  if (model.mode === "deviation" || model.mode === "difference") DEVIATION_NAMES.forEach((name, k) => entries.push([DEVIATION + k, name]));
  if (model.mode === "difference") entries.push([PLAIN, `nothing to compare with`]);
  if (model.traces.some((trace) => trace.header.counts.stalls)) entries.push([BLOCKED, "blocked by recording, or records lost"]);
  if (model.traces.some((trace) => trace.header.counts.lost)) entries.push([LOST, "records of this time were lost"]);
  const critical = (trace) => trace.tiles.some((tile) => tile.tracks?.some((track) => track.kind === "critical"));
  if (model.traces.some(critical)) entries.push([CRITICAL, "critical path"]);
  const box = document.getElementById("legend");
  box.classList.toggle("figures", model.mode === "wait");
  box.replaceChildren(
    ...entries.map(([paint, name, figures = []]) => {
      const item = element("li");
      const swatch = element("span", undefined, "swatch");
      swatch.style.background = paint === null ? "transparent" : theme.paints[paint];
      item.append(swatch, element("span", name, "what"));
      for (const figure of figures) item.append(element("span", figure, "figure"));
      return item;
    }),
  );
  document.getElementById("legendBox").hidden = !entries.length;
}

/** Buttons that open and close the groups of lanes, and those that show lanes of one sort. */
export function showGroups(scene, toggle, toggleLanes) {
  const groups = scene.layout.rows.filter((row) => row.type === "group");
  const buttons = groups.map((row) => {
    const button = element("button", scene.model.traces.length > 1 && !scene.model.job && !row.mixed ? `${traceLetter(row.trace.number)} ${row.name}` : row.name);
    button.type = "button";
    button.setAttribute("aria-pressed", String(!scene.options.closed.has(row.key)));
    button.addEventListener("click", () => toggle(row.key));
    return button;
  });
  const lanes = scene.model.traces.flatMap((trace) => trace.header.lanes);
  const sorts = [["pipes", lanes.some((lane) => lane.kind === "pipe") && "Pipes"]];
  if (scene.model.job) sorts.push(["controllers", lanes.find((lane) => lane.kind === "controller")?.kindOfGroup]);
  if (scene.model.traces.length > 1) sorts.push(["interleaved", `Interleave ${scene.model.job ? "ranks" : "traces"}`]);
  for (const [what, title] of sorts) {
    if (!title) continue;
    const button = element("button", title);
    button.type = "button";
    button.setAttribute("aria-pressed", String(Boolean(scene.options[what])));
    button.addEventListener("click", () => toggleLanes(what));
    buttons.push(button);
  }
  document.getElementById("groups").replaceChildren(...buttons);
}

export function showHead(scene) {
  const { model } = scene;
  const title = document.getElementById("title");
  const several = model.traces.length > 1;
  const names = model.job ? [model.job.name] : model.traces.map((trace) => (several ? traceName(model, trace) : trace.header.name));
  title.replaceChildren();
  names.forEach((name, number) => {
    if (number) title.append(element("span", "  and  ", "vs"));
    title.append(element("span", name));
  });
  title.title = names.join(" and ");
  const first = model.traces[0].header;
  const facts = model.job ? [`${countText(model.traces.length)} of ${counted(model.job.ranks.length, "rank")}`, lengthText(model.end - model.start)] : model.traces.length > 1 ? model.traces.map((trace) => lengthText(trace.header.makespan_ns)) : [first.chip, first.ran ?? `${countText(first.counts.tasks)} tasks`, lengthText(first.makespan_ns)];
  document.getElementById("facts").textContent = facts.filter(Boolean).join("  ·  ");
  const lost = model.traces.reduce((sum, trace) => sum + trace.header.losses.lost, 0);
  const blocked = model.traces.reduce((sum, trace) => sum + trace.header.losses.stall_ns, 0);
  const broken = model.traces.some((trace) => trace.header.losses.broken);
  const unknown = model.traces.some((trace) => trace.header.losses.unknown);
  const parts = [];
  if (lost) parts.push(`${countText(lost)} records lost`);
  if (broken) parts.push("the ledger does not close");
  if (unknown) parts.push("not known how many records were lost");
  if (blocked) parts.push(`recording blocked ${lengthText(blocked)}`);
  const warning = document.getElementById("warning");
  warning.hidden = !parts.length;
  warning.textContent = parts.join(", ");
  const notes = model.job ? jobNotes(model) : model.traces.flatMap((trace) => trace.header.notes);
  document.getElementById("notesBox").hidden = !notes.length;
  document.getElementById("notes").replaceChildren(...notes.map((note) => element("p", note, "hint")));
}

/** Notes of the job, then those of its ranks; one that not all ranks have says whose it is. */
function jobNotes(model) {
  const whose = new Map();
  for (const { header, rankNumber } of model.traces) {
    for (const note of header.notes) whose.set(note, [...(whose.get(note) ?? []), rankNumber]);
  }
  const told = [...whose].map(([note, ranks]) => (ranks.length === model.traces.length ? note : `Rank ${ranks.join(", ")}: ${note}`));
  return [...model.job.notes, ...told];
}
