// What the reader made as text, for the link and for the page file. What is read back is checked: a link
// may be anybody's.

export const LONGEST_NOTE = 200;
const MOST_NOTES = 500;
const LINK_ROOM = 2000;
export const BAR_KINDS = ["tasks", "phases", "marks", "stalls", "lost"];

/** `{n, g}`: pins with notes on bars, and flags with marked ranges. */
export function madeText({ pins, notes }) {
  const onBars = notes.filter((note) => note.bar);
  return {
    n: JSON.stringify([pins.map(({ trace, lane }) => [trace, lane]), onBars.map(({ start, end, text, bar }) => [bar.trace, bar.lane, BAR_KINDS.indexOf(bar.kind), start, end, text])]),
    g: JSON.stringify(notes.filter((note) => !note.bar).map(({ start, end, text }) => [start, end, text])),
  };
}

/** Whether there is room for it in a link. */
export function fitsLink({ n, g }) {
  return encodeURIComponent(n + g).length <= LINK_ROOM;
}

/** Pins and notes of the texts; null where there is neither. What is wrong in them is left out. */
export function readMade(model, { n, g }) {
  if (n === null && g === null) return null;
  const [pins, onBars] = listOf(n, 2);
  const isLane = (trace, lane) => [trace, lane].every(Number.isInteger) && Boolean(model.traces[trace]?.header.lanes[lane]);
  const seen = new Set();
  const kept = rowsOf(pins).filter(([trace, lane]) => isLane(trace, lane) && !seen.has(`${trace}:${lane}`) && seen.add(`${trace}:${lane}`));
  const notes = rowsOf(onBars).filter(([trace, lane, kind]) => isLane(trace, lane) && BAR_KINDS[kind]);
  const made = [
    ...notes.map(([trace, lane, kind, start, end, text]) => noteOf(start, end, text, { trace, lane, kind: BAR_KINDS[kind] })),
    ...rowsOf(listOf(g, 0)).map(([start, end, text]) => noteOf(start, end, text, null)),
  ];
  return { pins: kept.map(([trace, lane]) => ({ trace, lane })), notes: made.filter(Boolean).slice(0, MOST_NOTES) };
}

/** A note at a moment or over a time, on a bar or on all lanes; null where its times are none. */
export function noteOf(start, end, text, bar) {
  if (!Number.isFinite(start) || (end !== null && !(Number.isFinite(end) && end >= start))) return null;
  return { start, end, text: String(text ?? "").slice(0, LONGEST_NOTE), bar };
}

function listOf(text, least) {
  try {
    const list = JSON.parse(text ?? "");
    return Array.isArray(list) && list.length >= least ? list : Array(least).fill([]);
  } catch {
    return Array(least).fill([]);
  }
}

function rowsOf(list) {
  return Array.isArray(list) ? list.filter(Array.isArray).slice(0, MOST_NOTES) : [];
}
