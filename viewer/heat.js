// The heat map of a job: a row per rank, a column per step; the work of a rank beside its peers.
import { fitCanvas, textFont } from "./canvas.js";
import { fromBase64 } from "./packed.js";
import { countText } from "./times.js";

const ROOM = 176;
const ROW = { least: 2, most: 14 };
const COLUMN = { least: 3, most: 64 };
const LABELS = 62;
const TEXT = 11;

/** Values are hundredths of the peers' median, 0 where there is none; `cursor` is a place of a cell. */
export function makeHeat(job) {
  return { job, values: fromBase64(job.heat), cursor: [0, 0], rows: [], columns: [], left: LABELS };
}

/** Many ranks or steps share a row or column; the cell shows the one that is farthest from its peers. */
function fitHeat(heat, width) {
  const { ranks, steps } = heat.job;
  heat.rows = stretches(ranks.length, Math.floor(ROOM / ROW.least));
  heat.columns = stretches(steps.length, Math.max(1, Math.floor((width - LABELS) / COLUMN.least)));
  heat.high = Math.max(ROW.least, Math.min(ROW.most, Math.floor(ROOM / heat.rows.length)));
  heat.wide = Math.min(COLUMN.most, (width - LABELS) / heat.columns.length);
  heat.cursor = [Math.min(heat.cursor[0], heat.rows.length - 1), Math.min(heat.cursor[1], heat.columns.length - 1)];
}

function stretches(count, most) {
  const parts = Math.min(count, most);
  return Array.from({ length: parts }, (_, k) => [Math.floor((k * count) / parts), Math.floor(((k + 1) * count) / parts)]);
}

/** `{rank, step, value, ranks, steps}` of a cell, by places; value is 0 where nothing is known. */
export function cellOf(heat, row, column) {
  const [ranks, steps] = [heat.rows[row], heat.columns[column]];
  let found = { rank: ranks[0], step: steps[0], value: 0 };
  for (let rank = ranks[0]; rank < ranks[1]; rank++) {
    for (let step = steps[0]; step < steps[1]; step++) {
      const value = heat.values[rank * heat.job.steps.length + step];
      if (value && (!found.value || Math.abs(value - 100) > Math.abs(found.value - 100))) found = { rank, step, value };
    }
  }
  return { ...found, ranks: ranks[1] - ranks[0], steps: steps[1] - steps[0] };
}

/** Row and column under a point; null beside the map. */
export function placeAt(heat, x, y) {
  const [row, column] = [Math.floor(y / heat.high), Math.floor((x - heat.left) / heat.wide)];
  return heat.rows[row] && heat.columns[column] ? [row, column] : null;
}

/** A cell in words. */
export function cellText(heat, cell) {
  const { job } = heat;
  const whose = `rank ${job.ranks[cell.rank]}, step ${job.steps[cell.step]}`;
  const most = cell.ranks * cell.steps > 1 ? ` (farthest of ${countText(cell.ranks)} ranks × ${countText(cell.steps)} steps here)` : "";
  if (!cell.value) return `${whose}: not recorded`;
  const value = `${(cell.value / 100).toFixed(2)}${cell.value === 255 ? " or more" : ""}`;
  return `${whose}: ${value} of the median of its peers${most}`;
}

/** Which of the colours a value has. */
function stretchOf(job, value) {
  return job.limits.filter((limit) => limit < value).length;
}

export function drawHeat(heat, canvas, theme) {
  const width = canvas.clientWidth;
  if (!width) return;
  fitHeat(heat, width);
  const { job, rows, columns, high, wide } = heat;
  const height = rows.length * high + 1;
  const ratio = fitCanvas(canvas, width, height);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const [right, low] = [wide > 6 ? 1 : 0, high > 6 ? 1 : 0];
  const shown = new Set(job.shown);
  let free = 0;
  context.textBaseline = "middle";
  rows.forEach(([first, last], row) => {
    const y = row * high;
    columns.forEach((_, column) => {
      const { value } = cellOf(heat, row, column);
      if (!value) return;
      context.fillStyle = job.colours[theme.name][stretchOf(job, value)];
      context.fillRect(LABELS + column * wide, y, wide - right, high - low);
    });
    const here = job.ranks.slice(first, last).some((number) => shown.has(number));
    if (here) {
      context.fillStyle = theme.accent;
      context.fillRect(LABELS - 5, y, 3, high - low);
    }
    if (y < free) return;
    free = y + TEXT;
    context.font = textFont(10.5);
    context.fillStyle = here ? theme.text : theme.soft;
    context.fillText(`rank ${job.ranks[first]}`, 0, y + Math.max(high, TEXT) / 2, LABELS - 8);
  });
  if (document.activeElement === canvas) drawCursor(heat, context, theme);
}

function drawCursor({ cursor: [row, column], high, wide }, context, theme) {
  context.strokeStyle = theme.text;
  context.lineWidth = 1.5;
  context.strokeRect(LABELS + column * wide - 0.5, row * high - 0.5 + (row ? 0 : 1), wide, high);
}
