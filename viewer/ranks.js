// The panel of a job: the heat map of its ranks, who was late and why, and the way from there to the lanes.
import { goTo, select } from "./choose.js";
import { element, linkButton } from "./element.js";
import { factList, nameLine } from "./facts.js";
import { cellOf, cellText, drawHeat, makeHeat, placeAt } from "./heat.js";
import { byId, glide, redraw, relayout, scene, scroller } from "./stage.js";
import { countText, counted, lengthText } from "./times.js";

const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/** Fills the panel; a page without a job has none. */
export function showRanks() {
  const { job } = scene.model;
  if (!job) return;
  scene.heat = makeHeat(job);
  byId("ranks").hidden = false;
  byId("rankSentence").textContent = job.sentence;
  const missing = job.world && job.world > job.ranks.length ? ` ${counted(job.world - job.ranks.length, "rank")} of the job ${job.world - job.ranks.length === 1 ? "has" : "have"} no trace.` : "";
  byId("ranksFacts").textContent = `Lanes of ${countText(job.shown.length)} of ${counted(job.ranks.length, "rank")}; --rank N,N-N shows others.${missing} ${job.clock}`;
  fillList("blamed", job.blame.map(({ line, waited_ns, wait }) => [line, lengthText(waited_ns), wait]));
  fillList("longest", job.longest.map((wait) => [`${wait.name}: ${lastText(wait)}`, lengthText(wait.waited_ns), wait]));
  listenToHeat(byId("heat"));
  byId("ranksFold").addEventListener("click", () => {
    const body = byId("ranksBody");
    body.hidden = !body.hidden;
    byId("ranksFold").setAttribute("aria-expanded", String(!body.hidden));
    relayout();
    paintRanks();
  });
  new ResizeObserver(paintRanks).observe(byId("heat"));
}

/** The parts that have the theme's colours. */
export function paintRanks() {
  const { heat, theme } = scene;
  if (!heat) return;
  drawHeat(heat, byId("heat"), theme);
  const { limits, colours } = heat.job;
  const texts = limits.map((limit, k) => (k ? `to ${limit / 100}` : `up to ${limit / 100}`));
  texts.push("more");
  byId("heatLegend").replaceChildren(
    element("li", "work beside the median of the peers:"),
    ...texts.map((text, k) => {
      const item = element("li");
      const swatch = element("span", undefined, "swatch");
      swatch.style.background = colours[theme.name][k];
      item.append(swatch, element("span", text));
      return item;
    }),
  );
}

/** A list of what others waited for, with how long they did together. */
function fillList(id, rows) {
  if (!rows.length) byId(id).previousElementSibling.hidden = true;
  byId(id).replaceChildren(...rows.map(([what, when, wait]) => linkButton(what, when, (event) => showWait(wait, event.currentTarget))));
}

function lastText({ last, decided }) {
  return decided ? `rank ${last} was last` : "the last rank is undecided";
}

function traceOf(rank) {
  return scene.model.traces.find((trace) => trace.rankNumber === rank) ?? null;
}

/** Scrolls to the lanes of a rank; says so where it has none here. */
function revealRank(rank) {
  const trace = traceOf(rank);
  const row = trace && scene.layout.rows.find((one) => one.trace === trace);
  if (row) scroller.scrollTop = row.y;
  byId("state").textContent = row ? "" : `Rank ${rank} has no lanes in this page; --rank ${rank} shows them.`;
}

function zoomTo(start, end) {
  const margin = 0.03 * (end - start);
  glide(start - margin, end + margin);
}

function showCell({ rank, step }) {
  const { job } = scene.model;
  const window = job.windows[job.axes[rank]]?.[step];
  if (window) zoomTo(...window);
  revealRank(job.ranks[rank]);
  redraw();
}

/** The collective, the late rank's arrival, and what that rank did since its peers last met it. */
async function showWait(wait, button) {
  for (const other of document.querySelectorAll("#ranks .links button")) other.setAttribute("aria-pressed", String(other === button));
  const [start, end] = wait.window_ns ?? [wait.start_ns, wait.start_ns];
  zoomTo(Math.min(start, wait.start_ns), Math.max(end, wait.end_ns));
  revealRank(wait.last);
  tellMeanwhile(wait);
  const trace = traceOf(wait.last);
  const lane = trace?.header.lanes.findIndex((one) => one.kind === "core" && one.core === wait.arrival?.core) ?? -1;
  if (lane >= 0) await goTo({ trace, lane, start: wait.arrival.start_ns });
  else await select(null);
  if (trace && wait.window_ns) scene.meanwhile = { trace, start, end, text: wait.since };
  redraw();
}

function tellMeanwhile(wait) {
  const signed = (ns) => `${ns < 0 ? "−" : "+"}${lengthText(Math.abs(ns))}`;
  const causes = [...wait.causes].sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).map(([what, ns]) => `${what} ${signed(ns)}`);
  const parts = [`${wait.name}: rank ${wait.last} came ${lengthText(wait.late_ns)} later than the median of the ${countText(wait.ranks - 1)} others`];
  parts.push(wait.window_ns ? `; ${wait.since}: ${causes.join(", ")}.` : "; nothing before it can be compared.");
  if (!wait.decided) parts.push(` Another came ${lengthText(wait.margin_ns)} before it, so who was last is not sure.`);
  byId("meanwhile").textContent = parts.join("");
  byId("meanwhile").hidden = false;
  relayout();
}

function listenToHeat(canvas) {
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return placeAt(scene.heat, event.clientX - box.left, event.clientY - box.top);
  };
  const tell = (place) => {
    byId("heatCell").textContent = place ? cellText(scene.heat, cellOf(scene.heat, ...place)) : "";
  };
  canvas.addEventListener("pointermove", (event) => {
    const place = at(event);
    tell(place);
    showTip(place, event);
  });
  canvas.addEventListener("pointerleave", () => {
    tell(null);
    byId("tip").hidden = true;
  });
  canvas.addEventListener("click", (event) => {
    const place = at(event);
    if (!place) return;
    scene.heat.cursor = place;
    showCell(cellOf(scene.heat, ...place));
    paintRanks();
  });
  for (const name of ["focus", "blur"]) canvas.addEventListener(name, paintRanks);
  canvas.addEventListener("keydown", (event) => {
    const { heat } = scene;
    const move = MOVES[event.key];
    if (event.shiftKey || (!move && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    event.stopPropagation();
    if (!move) return showCell(cellOf(heat, ...heat.cursor));
    const next = [heat.cursor[0] + move[0], heat.cursor[1] + move[1]];
    if (heat.rows[next[0]] && heat.columns[next[1]]) heat.cursor = next;
    tell(heat.cursor);
    paintRanks();
  });
}

function showTip(place, event) {
  const tip = byId("tip");
  tip.hidden = !place;
  if (!place) return;
  const { heat, theme } = scene;
  const cell = cellOf(heat, ...place);
  const shown = heat.job.shown.includes(heat.job.ranks[cell.rank]);
  tip.replaceChildren(nameLine(cellText(heat, cell), theme.accent), factList([["", shown ? "Click: this step, this rank." : "Click: this step. The rank has no lanes here."]]));
  tip.style.left = `${Math.min(event.clientX + 16, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.max(4, Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 6))}px`;
}
