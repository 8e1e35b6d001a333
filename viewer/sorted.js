// Tables that sort by the title that is clicked, and copy themselves as CSV.
import { element } from "./element.js";

const MOST_ROWS = 500;

/** A table of `rows`. A column is `{title, value(row), text(row), about}`; a text value sorts by letters. `sort` is
    `{by, down}` and keeps what the reader chose. With `choose(row, event)` a click anywhere in a row calls it. */
export function sortedTable({ label, columns, rows, sort, choose, mark }) {
  const table = element("table", undefined, "sorted");
  table.setAttribute("aria-label", label);
  const [head, body, line] = [element("thead"), element("tbody"), element("tr")];
  const titles = columns.map((column, place) => {
    const cell = element("th");
    cell.scope = "col";
    const button = element("button", column.title);
    button.type = "button";
    if (column.about) button.title = column.about;
    button.addEventListener("click", () => {
      Object.assign(sort, { by: place, down: sort.by === place ? !sort.down : typeof column.value(rows[0] ?? {}) !== "string" });
      fill();
    });
    cell.append(button);
    line.append(cell);
    return cell;
  });
  const fill = () => {
    titles.forEach((cell, place) => cell.setAttribute("aria-sort", place !== sort.by ? "none" : sort.down ? "descending" : "ascending"));
    const shown = sortedRows(columns, rows, sort);
    body.replaceChildren(...shown.slice(0, MOST_ROWS).map((row) => bodyRow(columns, row, { choose, mark })));
    if (shown.length > MOST_ROWS) {
      const more = element("tr");
      more.append(element("td", `and ${shown.length - MOST_ROWS} more, all of them in the CSV`, "hint"));
      body.append(more);
    }
  };
  head.append(line);
  table.append(head, body);
  fill();
  return table;
}

function sortedRows(columns, rows, { by, down }) {
  const { value } = columns[by] ?? columns[0];
  const sign = down ? -1 : 1;
  const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : (a ?? -Infinity) - (b ?? -Infinity) || 0);
  return [...rows].sort((a, b) => sign * compare(value(a), value(b)));
}

function bodyRow(columns, row, { choose, mark }) {
  const line = element("tr", undefined, mark?.(row) ?? "");
  columns.forEach((column, place) => {
    const cell = element("td");
    const text = column.text(row);
    cell.title = text;
    if (place === 0 && choose) {
      const button = element("button");
      button.type = "button";
      button.setAttribute("aria-pressed", String(Boolean(mark?.(row))));
      button.title = text;
      if (column.swatch) {
        const swatch = element("span", undefined, "swatch");
        swatch.style.background = column.swatch(row);
        button.append(swatch);
      }
      button.append(element("span", text));
      cell.append(button);
    } else cell.textContent = text;
    line.append(cell);
  });
  if (choose) line.addEventListener("click", (event) => choose(row, event));
  return line;
}

/** The rows as CSV, sorted as shown: numbers as they are, texts so that no spreadsheet takes them for formulas. */
export function csvOf(columns, rows, sort) {
  const lines = [columns.map(({ title, unit }) => csvCell(unit ? `${title} ${unit}` : title))];
  for (const row of sortedRows(columns, rows, sort)) lines.push(columns.map(({ value }) => csvCell(value(row))));
  return lines.map((cells) => `${cells.join(",")}\n`).join("");
}

// As src/lanescope/render/names.py has it: spreadsheet_text.
const FORMULA = /^'*[=+\-@\t\r]/;

function csvCell(value) {
  if (typeof value !== "string") return value === null || value === undefined ? "" : String(value);
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
