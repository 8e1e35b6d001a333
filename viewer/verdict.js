// The verdict, the suspects and the losses as the report has them. A row colours and filters the lanes, or leads to one.
import { goTo } from "./choose.js";
import { element } from "./element.js";
import { keptOf } from "./kept.js";
import { rowOfLane, traceName } from "./layout.js";
import { repaint } from "./model.js";
import { byId, redraw, scene, scroller } from "./stage.js";


/** A box for what is about one trace; where there are several, it has a title and folds. */
export function whoseTitle(model, trace) {
  if (model.traces.length < 2) return element("div");
  const box = element("details");
  box.open = trace.number < (model.job ? 1 : 2);
  box.append(element("summary", traceName(model, trace)));
  return box;
}

export function showVerdict() {
  const { model } = scene;
  const parts = model.traces.map((trace) => {
    const { verdict = [], suspects = [], account } = trace.header;
    const box = whoseTitle(model, trace);
    verdict.forEach((section, k) => {
      if (k) box.append(element("h3", section.title));
      addLines(box, section.lines, "");
      if (section.rows.length) box.append(actionTable(section, trace));
      addLines(box, section.notes, "hint");
    });
    if (suspects.length) box.append(element("h3", "Suspects"), suspectList(suspects, trace));
    if (account) {
      box.append(element("h3", "Losses"));
      addLines(box, account.lines, "");
      if (account.rows.length) box.append(actionTable(account, trace));
      addLines(box, account.notes, "hint");
    }
    return box;
  });
  const kept = element("p", model.kept?.says ?? "", "hint");
  kept.id = "kept";
  kept.setAttribute("role", "status");
  byId("verdict").replaceChildren(...parts, kept);
}

function addLines(box, lines, name) {
  for (const line of lines) box.append(element("p", line, name));
}

function actionTable(section, trace) {
  return plainTable(section, (text, action) => {
    if (!action) return element("span", text);
    return actionButton(text, [...action], trace);
  });
}

function suspectList(suspects, trace) {
  const list = element("div", undefined, "links wrap");
  for (const { line, action } of suspects) {
    const crowd = action?.[0] === "function" ? ["crowded", action[1]] : action;
    list.append(action ? actionButton(line, crowd, trace) : element("p", line));
  }
  return list;
}

function actionButton(text, action, trace) {
  const key = [...action, trace.number].join(":");
  const button = element("button", text);
  button.type = "button";
  if (action[0] !== "lane") button.setAttribute("aria-pressed", String(scene.verdict === key));
  button.addEventListener("click", () => (action[0] === "lane" ? showLane(trace, Number(action[1])) : keepBright(scene.verdict === key ? null : key)));
  return button;
}

/** A table of ready texts; `first` makes what is in the first cell of a row. A time stands there, too: the panel is narrow. */
export function plainTable({ head, rows, title }, first = (text) => element("span", text)) {
  const unit = /^time (.+)$/.exec(head[1] ?? "")?.[1];
  const rest = unit ? 2 : 1;
  const [table, top, titles, body] = [element("table", undefined, "told"), element("thead"), element("tr"), element("tbody")];
  for (const title of [head[0], ...head.slice(rest)]) {
    const cell = element("th", title);
    cell.scope = "col";
    titles.append(cell);
  }
  top.append(titles);
  for (const { cells, action } of rows) {
    const row = element("tr");
    const lead = element("td");
    lead.append(first(cells[0], action));
    if (unit) lead.append(element("span", `${cells[1]} ${unit}`, "hint"));
    row.append(lead, ...cells.slice(rest).map((text) => element("td", text)));
    body.append(row);
  }
  table.append(top, body);
  table.setAttribute("aria-label", title ?? head[0]);
  const box = element("div", undefined, "wide");
  box.append(table);
  return box;
}

/** Keeps bright what a row of the verdict is about, as `sort:what:trace`; null shows everything again. */
export async function keepBright(key) {
  const { model } = scene;
  const kept = key === null ? null : keptOf(model, key);
  scene.verdict = kept ? key : null;
  model.kept = kept;
  const wanted = kept ? kept.mode : model.mode;
  if (wanted !== model.mode) await scene.onMode(wanted);
  else await repaint(model);
  if (kept?.lane !== undefined) revealLane(kept.trace, kept.lane);
  showVerdict();
  redraw();
}

function revealLane(trace, lane) {
  const row = rowOfLane(scene.layout, trace, lane);
  if (row) scroller.scrollTop = Math.max(0, row.y - scene.view.height / 3);
}

/** The lane, and the first time on it that is lost or blocked. */
async function showLane(trace, lane) {
  revealLane(trace, lane);
  redraw();
  for (const kind of ["lost", "stalls"]) {
    for (const tile of trace.tiles) {
      const track = tile.byLane?.get(lane)?.find((one) => one.kind === kind && one.count);
      if (track) return goTo({ trace, lane, start: track.start[0], length: track.end[0] - track.start[0], kind });
    }
  }
}
