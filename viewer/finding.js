// The search box, the list of what was found and the table of functions: going from match to match.
import { goTo, leave } from "./choose.js";
import { element, linkButton } from "./element.js";
import { laneTitle, whose } from "./layout.js";
import { answerHere, columnsOf, matcherOf } from "./matching.js";
import { barName, repaint } from "./model.js";
import { showFunctions, showShape } from "./functions.js";
import { parseQuery, planOf, seriesFound } from "./query.js";
import { askServer } from "./source.js";
import { byId, redraw, relayout, scene, scroller } from "./stage.js";
import { countText, lengthText, momentText } from "./times.js";

const PAGE_OF_BARS = 100;

/** Asks every trace; what is found is greyed out around and listed. */
export async function search(text) {
  scene.search = text;
  const { model } = scene;
  const query = parseQuery(text);
  const plans = query && plansOf(model, query);
  const found = { query, plans, counts: [], at: null, bar: null, series: [], counter: null, beside: null };
  scene.found = found;
  model.matchColumns = [...new Set((plans ?? []).flatMap(columnsOf))];
  model.match = plans && plans.map((plan, number) => matcherOf(model.traces[number], plan));
  await repaint(model);
  redraw();
  if (scene.found !== found) return;
  byId("matches").textContent = query?.wrong.join("; ") ?? "";
  if (!plans) return showFound(null);
  const answers = await Promise.all(plans.map((_, number) => ask(number, { offset: 0 })));
  if (scene.found !== found) return;
  found.counts = answers.map((answer) => answer.count);
  const series = model.traces.flatMap((trace) => seriesFound(trace, query).map((one) => ({ trace, series: one })));
  found.series = series;
  byId("matches").textContent = `${countText(totalFound() + series.length)} found`;
  const first = found.counts.findIndex((count) => count > 0);
  showFound(answers[Math.max(first, 0)], Math.max(first, 0));
}

/** Null where something typed makes no sense, which `query.wrong` then says. */
function plansOf(model, query) {
  try {
    return query.wrong.length ? null : model.traces.map((trace) => planOf(trace, query));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    query.wrong.push(error.message);
    return null;
  }
}

function ask(number, question) {
  const [trace, plan] = [scene.model.traces[number], scene.found.plans[number]];
  const asked = { limit: PAGE_OF_BARS, ...question };
  return trace.overview ? askServer(number, "find", { ...plan, ...asked }) : answerHere(trace, plan, asked);
}

function totalFound() {
  return scene.found.counts.reduce((sum, count) => sum + count, 0);
}

/** Goes on from the match that was gone to, or from the bar that was selected since. Counters come after all bars. */
export async function nextMatch(backwards) {
  const { found, model } = scene;
  if (!found?.plans || !found.counts.length || !(totalFound() + found.series.length)) return;
  const step = backwards ? -1 : 1;
  const counter = found.beside === scene.selection ? found.counter : null;
  if (counter !== null && found.series[counter + step]) return goToCounter(counter + step);
  if (!totalFound()) return goToCounter(backwards ? found.series.length - 1 : 0);
  const selection = counter === null ? scene.selection : null;
  const same = selection && found.bar && ["trace", "lane", "start", "kind"].every((key) => selection[key] === found.bar[key]);
  let number = selection ? selection.trace.number : backwards ? model.traces.length - 1 : 0;
  let answer = null;
  if (same) answer = await ask(number, { offset: found.at + step });
  else if (selection) answer = await ask(number, { from: placeOf(selection), backwards });
  else answer = await ask(number, { offset: backwards ? found.counts[number] - 1 : 0 });
  let at = same ? found.at + step : answer.at;
  while (at < 0 || at >= found.counts[number]) {
    if (!model.traces[number + step] && found.series.length) return goToCounter(backwards ? found.series.length - 1 : 0);
    number = (number + step + model.traces.length) % model.traces.length;
    at = backwards ? found.counts[number] - 1 : 0;
    if (found.counts[number]) answer = await ask(number, { offset: at });
  }
  await goToMatch(answer, number, at);
}

const placeOf = ({ kind, lane, start, end }) => ({ kind, lane, start, length: end - start });

/** The list stays as it is; the bar that is selected stays selected. */
function goToCounter(place) {
  const { found } = scene;
  [found.counter, found.beside] = [place, scene.selection];
  showSeries(found.series[place]);
}

async function goToMatch(answer, number, at) {
  const { found, model } = scene;
  found.counter = null;
  const bar = { ...answer.bars[at - answer.offset], trace: model.traces[number] };
  [found.at, found.bar] = [at, bar];
  showFound(answer, number);
  await goTo(bar);
}

/** A page of the list: bars of one trace in order of time, and the counters. */
function showFound(answer, number) {
  byId("foundBox").hidden = !answer;
  if (!answer) return byId("found").replaceChildren();
  const { found, model } = scene;
  const trace = model.traces[number];
  const list = element("div", undefined, "links");
  answer.bars.forEach((bar, k) => {
    const at = answer.offset + k;
    const what = `${barName(trace, bar.kind, bar.name)} · ${laneTitle(model, trace, bar.lane)}`;
    const button = linkButton(what, momentText(bar.start), () => goToMatch(answer, number, at));
    button.title = `${what}, ${lengthText(bar.length)}`;
    if (at === found.at && found.bar.trace === trace) button.setAttribute("aria-current", "true");
    list.append(button);
  });
  for (const one of found.series) list.append(linkButton(whose(model, one.trace) + one.series.name, "counter", () => showSeries(one)));
  list.addEventListener("keydown", moveInList);
  byId("found").replaceChildren(pager(answer, number), list);
}

/** Which of how many are listed, and the way to the others. */
function pager(answer, number) {
  const { counts, plans } = scene.found;
  const line = element("p", undefined, "pager");
  const before = counts.slice(0, number).reduce((sum, count) => sum + count, 0);
  const last = answer.offset + answer.bars.length;
  const range = answer.bars.length ? `${countText(before + answer.offset + 1)} to ${countText(before + last)} of ${countText(totalFound())}` : "no bar";
  const turn = async (to, offset) => showFound(await ask(to, { offset }), to);
  const button = (text, label, to, offset) => {
    const made = element("button", text);
    made.type = "button";
    made.setAttribute("aria-label", label);
    made.disabled = to === null;
    made.addEventListener("click", () => turn(to, offset));
    return made;
  };
  const other = (step) => plans.map((_, k) => number + step * (k + 1)).find((k) => counts[k] > 0) ?? null;
  const earlier = answer.offset > 0 ? [number, answer.offset - PAGE_OF_BARS] : [other(-1), (counts[other(-1)] ?? 1) - 1];
  const later = last < counts[number] ? [number, last] : [other(1), 0];
  line.append(element("span", range, "hint"), button("‹", "Earlier matches", ...earlier), button("›", "Later matches", ...later));
  return line;
}

function moveInList(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || event.shiftKey) return;
  event.preventDefault();
  event.stopPropagation();
  const buttons = [...event.currentTarget.children];
  buttons[buttons.indexOf(event.target) + step]?.focus();
}

/** Scrolls to a counter. */
function showSeries({ trace, series }) {
  leave();
  if (scene.options.closed.delete(`${trace.number}:series`)) scene.onLanes();
  relayout();
  const row = scene.layout.rows.find((one) => one.series === series);
  if (row) scroller.scrollTop = row.y - scene.view.height / 2;
  byId("state").textContent = whose(scene.model, trace) + series.name;
}

export function chooseShape(name, compared = null) {
  Object.assign(scene, { chosen: name, compared });
  showFunctions(scene, chooseFunction);
  showShape(scene, goTo);
}

/** Finds a function; with Shift or Ctrl it is compared with the one that was chosen before. */
export function chooseFunction(name, event) {
  if ((event?.shiftKey || event?.ctrlKey || event?.metaKey) && scene.chosen && scene.chosen !== name) {
    return chooseShape(scene.chosen, scene.compared === name ? null : name);
  }
  const again = scene.chosen === name && scene.search === exactly(name);
  byId("search").value = again ? "" : exactly(name);
  search(byId("search").value);
  chooseShape(again ? null : name);
}

function exactly(name) {
  return /[\s"|]/.test(name) ? `="${name.replaceAll('"', '""')}"` : `=${name}`;
}
