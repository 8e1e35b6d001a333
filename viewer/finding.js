// The search box and the table of functions: what matches, and going from match to match.
import { goTo } from "./choose.js";
import { repaint } from "./model.js";
import { showFunctions, showShape } from "./panel.js";
import { findNext, matchers, parseQuery } from "./query.js";
import { byId, redraw, scene } from "./stage.js";
import { countText } from "./times.js";

export async function search(text) {
  scene.search = text;
  const { model } = scene;
  const query = parseQuery(text);
  model.matchColumns = query?.task ? ["node", "task_high", "task_low"] : [];
  model.match = matchers(model, query, model.traces.map((trace) => trace.nodes));
  scene.query = query;
  await repaint(model);
  redraw();
  const says = byId("matches");
  says.textContent = "";
  if (query?.wrong.length) says.textContent = "no such time";
  else if (query) {
    const { count } = await findNext(model, query, null, false);
    if (scene.query === query) says.textContent = `${countText(count)} found`;
  }
}

export async function nextMatch(backwards) {
  if (!scene.query) return;
  const { bar } = await findNext(scene.model, scene.query, scene.selection, backwards);
  if (bar) await goTo(bar);
}

export function chooseShape(name) {
  scene.chosen = name;
  showFunctions(scene, chooseFunction);
  showShape(scene);
}

export function chooseFunction(name) {
  const again = scene.chosen === name && scene.search === exactly(name);
  byId("search").value = again ? "" : exactly(name);
  search(byId("search").value);
  chooseShape(again ? null : name);
}

function exactly(name) {
  return /[\s"]/.test(name) ? `="${name.replaceAll('"', "")}"` : `=${name}`;
}
