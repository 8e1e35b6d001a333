// SQL over a served trace: questions that are ready, a box for others, and the answer as a table, as bars, or
// as the bars of the timeline that it is about.
import { element } from "./element.js";
import { repaint } from "./model.js";
import { askServer } from "./source.js";
import { byId, redraw, scene } from "./stage.js";
import { countText, counted } from "./times.js";

const SQL_CHART_ROWS = 40;
let sqlAnswer = null;
let sqlOrder = { column: -1, down: false };
let sqlAsked = 0;

/** Fills the box; a page of a file has none. */
export function offerSql({ sql, traces }) {
  if (!sql) return;
  byId("sqlBox").hidden = false;
  if (sql.missing) return byId("sql").replaceChildren(element("p", `SQL needs the package duckdb: ${sql.missing}`, "hint"));
  const ready = sqlField("select", "Ready questions");
  ready.append(element("option", "Ready questions …"), ...sql.ready.map(([question]) => element("option", question)));
  const box = sqlField("textarea", "SQL question");
  Object.assign(box, { id: "sqlText", rows: 5, spellcheck: false, placeholder: "SELECT … FROM tasks" });
  ready.addEventListener("change", () => {
    if (ready.selectedIndex > 0) box.value = sql.ready[ready.selectedIndex - 1][1];
  });
  const which = sqlField("select", "Trace of the question");
  which.append(...traces.map((trace) => element("option", trace.name)));
  which.hidden = traces.length < 2;
  const go = sqlButton("Ask", () => askSql(box.value, Math.max(which.selectedIndex, 0)));
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) go.click();
  });
  const help = element("details");
  const names = Object.entries(sql.tables).map(([name, columns]) => element("p", `${name}: ${columns.join(", ")}`, "hint"));
  help.append(element("summary", "Tables and columns"), ...names);
  const state = element("p", "", "hint");
  state.id = "sqlState";
  state.setAttribute("role", "status");
  const line = element("div", undefined, "pager");
  line.append(which, go);
  byId("sql").replaceChildren(ready, box, line, help, state, Object.assign(element("div"), { id: "sqlAnswer" }));
}

function sqlField(tag, label) {
  const made = element(tag);
  made.setAttribute("aria-label", label);
  return made;
}

function sqlButton(text, click) {
  const made = element("button", text);
  made.type = "button";
  made.addEventListener("click", click);
  return made;
}

async function askSql(sql, trace) {
  const own = ++sqlAsked;
  byId("sqlState").textContent = "asking …";
  let told;
  try {
    told = await askServer(trace, "sql", { sql });
  } catch {
    told = { error: "The server does not answer." };
  }
  if (own !== sqlAsked) return;
  sqlAnswer = told.error ? null : { ...told, trace };
  sqlOrder = { column: -1, down: false };
  byId("sqlState").textContent = told.error ?? `${counted(told.rows.length, "row")}${told.more ? ", and more that are not shown" : ""}`;
  if (scene.sqlLit) await sqlLight(null);
  showSqlAnswer("table");
}

function showSqlAnswer(as) {
  const place = byId("sqlAnswer");
  if (!sqlAnswer) return place.replaceChildren();
  const { rows, bars, columns } = sqlAnswer;
  const figure = columns.findLastIndex((_, k) => k > 0 && rows.some((row) => typeof row[k] === "number"));
  const choices = element("div", undefined, "pager");
  const choice = (text, on, click) => {
    const made = sqlButton(text, click);
    made.setAttribute("aria-pressed", String(on));
    choices.append(made);
  };
  choice("Table", as === "table", () => showSqlAnswer("table"));
  if (figure > 0) choice("Bar chart", as === "chart", () => showSqlAnswer("chart"));
  if (bars.length) choice(`Highlight ${countText(bars.length)}`, Boolean(scene.sqlLit), async () => {
    await sqlLight(scene.sqlLit ? null : sqlAnswer);
    showSqlAnswer(as);
  });
  place.replaceChildren(choices, as === "chart" ? sqlChart(figure) : sqlTable());
}

function sqlRows() {
  const { column, down } = sqlOrder;
  if (column < 0) return sqlAnswer.rows;
  const compare = (a, b) => (a === b ? 0 : a === null ? 1 : b === null ? -1 : typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  const rows = [...sqlAnswer.rows].sort((a, b) => compare(a[column], b[column]));
  return down ? rows.reverse() : rows;
}

function sqlTable() {
  const table = element("table");
  table.setAttribute("aria-label", "Answer");
  const head = element("tr");
  sqlAnswer.columns.forEach((name, column) => {
    const cell = element("th");
    cell.scope = "col";
    const on = sqlOrder.column === column;
    cell.setAttribute("aria-sort", on ? (sqlOrder.down ? "descending" : "ascending") : "none");
    cell.append(sqlButton(`${name}${on ? (sqlOrder.down ? " ▾" : " ▴") : ""}`, () => {
      sqlOrder = { column, down: on && !sqlOrder.down };
      showSqlAnswer("table");
    }));
    head.append(cell);
  });
  const [top, body] = [element("thead"), element("tbody")];
  top.append(head);
  for (const row of sqlRows()) {
    const line = element("tr");
    line.append(...row.map((value) => element("td", value === null ? "–" : String(value))));
    body.append(line);
  }
  table.append(top, body);
  const wide = element("div", undefined, "wide");
  wide.append(table);
  return wide;
}

/** The first column against the last one with numbers; the bars are meters, which need no style of their own. */
function sqlChart(figure) {
  const list = element("div", undefined, "chart");
  const rows = sqlRows().filter((row) => typeof row[figure] === "number").slice(0, SQL_CHART_ROWS);
  const most = Math.max(...rows.map((row) => Math.abs(row[figure])), 0) || 1;
  for (const row of rows) {
    const meter = element("meter");
    Object.assign(meter, { min: 0, max: most, value: Math.abs(row[figure]) });
    meter.setAttribute("aria-label", `${row[0]}: ${row[figure]}`);
    list.append(element("span", String(row[0] ?? "–"), "what"), meter, element("span", String(Number(row[figure].toPrecision(6))), "when"));
  }
  return list;
}

/** Greys out all bars but those that the answer is about; null shows all again. */
async function sqlLight(answer) {
  const { model } = scene;
  scene.sqlLit = answer !== null;
  const lit = new Set((answer?.bars ?? []).map(([core, start]) => `${core}_${start}`));
  model.match = answer && model.traces.map((trace, number) => (track) => {
    const core = trace.header.lanes[track.lane].core;
    return (i) => number === answer.trace && track.kind === "tasks" && lit.has(`${core}_${track.start[i]}`);
  });
  model.matchColumns = [];
  await repaint(model);
  redraw();
}
