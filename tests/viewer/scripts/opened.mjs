// A page that is opened under node with traces made by hand, and the reader's hands: keys, clicks and drags.
import { gzipSync } from "node:zlib";
import { Element, makePage, packedTables, settle } from "./page.mjs";

/** A function as a header has it. */
export const func = (name, count, total_ns, p50_ns) => ({ name, count, total_ns, p50_ns, min_ns: 1, p99_ns: 2, max_ns: 3, histogram: { first: 30, counts: [1] } });

/** A header's part of a trace; `tables` are columns per table, `more` replaces what is usual. */
function traceOf(page, number, { tables, ...more }) {
  const usual = { name: `run ${number}`, chip: "a5", start_ns: 0, end_ns: 8000, makespan_ns: 8000, words: ["poll"], task_ids: null, flags: {}, notes: [], overview: null, levels: [], busy: [], utilisation: [] };
  const counts = { counts: { tasks: 12, stalls: 0, lost: 0 }, losses: { lost: 0, stall_ns: 0, broken: false, unknown: false }, reasons: [] };
  const packed = packedTables(page, `${number}/t0`, Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, { lanes: [], ...table }])));
  return { ...usual, ...counts, ...more, tiles: [{ name: "t0", start_ns: 0, end_ns: 8000, tables: packed }] };
}

/** Opens the page: 912 × 400 pixels for the lanes, of which 112 hold names, so that 10 ns are a pixel of 8,000 ns. */
export async function openPage(traces, more = {}, { narrow = false, made = "" } = {}) {
  const page = makePage();
  page.media.narrow = narrow;
  const { element } = page;
  globalThis.setTimeout = (call) => void call();
  globalThis.clearTimeout = () => {};
  const header = { served: false, traces: traces.map((one, number) => traceOf(page, number, one)), ...more };
  element("header").textContent = gzipSync(JSON.stringify(header)).toString("base64");
  Object.assign(element("lanes"), { clientWidth: 912, width: 912, height: 400 });
  Object.assign(element("scroll"), { clientHeight: 400, clientWidth: 912 });
  element("minimap").clientWidth = 1000;
  element("made").textContent = made;
  const data = (id, text) => Object.assign(new Element("script"), { localName: "script", type: "application/octet-stream", id, textContent: text });
  const boot = Object.assign(new Element("script"), { localName: "script", type: "module", textContent: "boot" });
  document.head.append(Object.assign(new Element("title"), { own: "both" }));
  document.documentElement.append(document.head, document.body);
  document.body.append(new Element("header"), data("header", "AAAA"), data("made", "old"), boot);
  await import("../../../viewer/main.js");
  const { scene, show, xOf } = globalThis.lanescope;
  const settled = () => settle(page);
  await settled();
  const lanes = element("lanes");
  const key = async (name, event = {}) => {
    await page.window.fire("keydown", { key: name, target: element("body"), ...event });
    await settled();
  };
  /** Fires events of the pointer at moments of the lanes: `[name, ns, y, event]`. */
  const point = async (...events) => {
    for (const [name, ns, y, event] of events) await lanes.fire(name, { clientX: xOf(scene.view, ns) + 10, clientY: y + 20, ...event });
    await settled();
  };
  const click = (ns, y) => point(["pointerdown", ns, y], ["pointerup", ns, y]);
  const press = async (button, event) => {
    await button.fire("click", event);
    await settled();
  };
  const range = () => [scene.view.t0, scene.view.t1].map(Math.round);
  const chosen = () => scene.selection && [scene.selection.trace.number, scene.selection.lane, scene.selection.start, scene.selection.kind];
  return { page, element, scene, show, settled, key, point, click, press, range, chosen, state: () => element("state").textContent };
}

/** All elements below one, in order. */
export function below(element) {
  return element.children.flatMap((child) => [child, ...below(child)]);
}

/** Texts of a table, row by row; its head first. */
export function tableTexts(table) {
  return below(table).filter((one) => one.tag === "tr").map((row) => row.children.map((cell) => cell.textContent));
}
