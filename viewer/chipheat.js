// The whole chip at once: a row per core, or per several neighbours where there are more than fit, over the visible
// time. A cell is as dark as its cores are busy on average. A row leads to its first core.
import { fitCanvas, textFont, timeAt } from "./canvas.js";
import { heatRows, heatShares, rampOf } from "./heatrows.js";
import { rowOfLane } from "./layout.js";
import { byId, canvas, redraw, scene, scroller } from "./stage.js";
import { makeStrip } from "./strip.js";
import { toRgb } from "./theme.js";
import { momentText } from "./times.js";

const MOST_ROW = 18;
const NAME_ROOM = 14;

/** Shows the heat map over the lanes, or the lanes again. */
export function toggleHeat() {
  const on = !scene.heatOn;
  scene.heatOn = on;
  byId("chipHeat").hidden = !on;
  byId("heatButton").setAttribute("aria-pressed", String(on));
  byId("state").textContent = on ? "Heat map: arrow keys choose a row, Enter shows its first core." : "";
  (on ? byId("chipHeat") : canvas).focus();
  redraw();
}

/** Draws it anew; called after every frame of the lanes. */
export function drawChipHeat() {
  if (!scene.heatOn) return;
  const { view, theme, model } = scene;
  const place = byId("chipHeat");
  place.style.width = `${view.width}px`;
  const ratio = fitCanvas(place, view.width, view.height);
  const rows = heatRows(model, view.height);
  const high = Math.min(MOST_ROW, view.height / rows.length);
  const context = place.getContext("2d", { alpha: false });
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = theme.back;
  context.fillRect(0, 0, view.width, view.height);
  const strip = makeStrip(Math.max(1, Math.round((view.width - view.left) * ratio)));
  const line = context.createImageData(strip.width, 1);
  const pixels = new Uint32Array(line.data.buffer);
  const ramp = rampOf(toRgb(theme.lane), toRgb(theme.accent));
  const shares = rows.map((row, k) => {
    const found = heatShares(row, strip, { t0: view.t0, t1: view.t1, rgb: theme.rgb });
    for (let x = 0; x < strip.width; x++) pixels[x] = ramp[Math.round(found[x] * 255)];
    const bottom = Math.round((k + 1) * high * ratio);
    for (let y = Math.round(k * high * ratio); y < bottom; y++) context.putImageData(line, Math.round(view.left * ratio), y);
    return found;
  });
  scene.heatMap = { rows, high, shares, ratio, at: Math.min(scene.heatMap?.at ?? 0, Math.max(rows.length - 1, 0)) };
  drawRowNames(context, rows, high);
}

function drawRowNames(context, rows, high) {
  const { theme, heatMap } = scene;
  context.font = textFont(11);
  context.textBaseline = "middle";
  let free = 0;
  rows.forEach((row, k) => {
    const chosen = k === heatMap.at;
    if (k * high < free && !chosen) return;
    free = k * high + NAME_ROOM;
    context.fillStyle = chosen ? theme.accent : theme.soft;
    context.fillText(`${chosen ? "▸ " : ""}${nameOf(row[0])}`, chosen ? 2 : 12, k * high + Math.max(high / 2, 6));
  });
}

const nameOf = ({ trace, lane }) => trace.header.lanes[lane].name;

function tellCell(x, k) {
  const { view, heatMap } = scene;
  const row = heatMap.rows[k];
  if (!row || x < view.left) return;
  const cores = row.length > 1 ? `${nameOf(row[0])} to ${nameOf(row.at(-1))}` : nameOf(row[0]);
  const share = heatMap.shares[k][Math.floor((x - view.left) * heatMap.ratio)] ?? 0;
  byId("state").textContent = `${cores} at ${momentText(Math.round(timeAt(view, x)))}: ${(100 * share).toFixed(1)} % busy`;
}

/** Back to the lanes, at the first core of a row. */
function showHeatRow(k) {
  const [{ trace, lane }] = scene.heatMap.rows[k];
  toggleHeat();
  if (scene.options.closed.delete(`${trace.number}:${trace.header.lanes[lane].group}`)) scene.onLanes();
  const row = rowOfLane(scene.layout, trace, lane);
  if (row) scroller.scrollTop = Math.max(0, row.y - scene.view.height / 2);
  byId("state").textContent = nameOf({ trace, lane });
  redraw();
}

/** Pointer and keys of the heat map; panning and zooming keys go on to the page. */
export function listenToChipHeat(place) {
  const rowOf = (event) => Math.floor((event.clientY - place.getBoundingClientRect().top) / scene.heatMap.high);
  place.addEventListener("pointermove", (event) => tellCell(event.clientX - place.getBoundingClientRect().left, rowOf(event)));
  place.addEventListener("click", (event) => scene.heatMap.rows[rowOf(event)] && showHeatRow(rowOf(event)));
  place.addEventListener("keydown", (event) => {
    const { rows, at } = scene.heatMap;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (!step) return showHeatRow(at);
    scene.heatMap.at = Math.min(Math.max(at + step, 0), rows.length - 1);
    tellCell((scene.view.left + scene.view.width) / 2, scene.heatMap.at);
    redraw();
  });
}
