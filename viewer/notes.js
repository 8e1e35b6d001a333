// What the reader makes: pinned lanes, notes on bars, flags at moments, marked ranges; as a list in the panel.
import { goTo, leave, selectAgain } from "./choose.js";
import { element } from "./element.js";
import { laneTitle } from "./layout.js";
import { measured } from "./measure.js";
import { LONGEST_NOTE, fitsLink, madeText, noteOf } from "./saved.js";
import { savePage } from "./savefile.js";
import { byId, canvas, glide, redraw, relayout, scene } from "./stage.js";
import { counted, lengthText, momentText } from "./times.js";
import { remember, takeBack } from "./undo.js";

function change(made) {
  remember();
  scene.made = { ...scene.made, ...made };
  showMade();
  relayout();
}

/** Pins the lane under the pointer or of the selection, or lets it go again. */
export function togglePin() {
  const bar = scene.hover ?? scene.selection;
  if (!bar) return say("Select a bar: x pins its lane.");
  const pin = { trace: bar.trace.number, lane: bar.lane };
  const others = scene.made.pins.filter((one) => one.trace !== pin.trace || one.lane !== pin.lane);
  change({ pins: others.length < scene.made.pins.length ? others : [...others, pin] });
}

function say(text) {
  byId("state").textContent = text;
}

export function addNote() {
  const bar = scene.selection;
  if (!bar) return say("Select a bar: n writes a note on it.");
  addOne(noteOf(bar.start, bar.end, "", { trace: bar.trace.number, lane: bar.lane, kind: bar.kind }), true);
}

/** At the moment under the pointer, where the selection begins, or in the middle. */
export function addFlag() {
  const { view, selection, cursor } = scene;
  addOne(noteOf(Math.round(cursor ?? selection?.start ?? (view.t0 + view.t1) / 2), null, "", null), true);
}

/** What was measured, the selected bar or the selected area, as a range with its duration. */
export function markSelection() {
  const { area, selection } = scene;
  const range = measured() ?? selection ?? (area && { start: Math.round(area.t0), end: Math.round(area.t1), text: "area" });
  if (!range) return say("Select a bar or an area, or measure: m marks it.");
  addOne(noteOf(range.start, range.end, range.text, null), false);
}

function addOne(note, asks) {
  change({ notes: [...scene.made.notes, note] });
  const fields = document.querySelectorAll("#ownNotes input");
  if (asks) fields[fields.length - 1]?.focus();
}

/** Takes back the last thing that the reader made, closed or selected. */
export async function undo() {
  const before = takeBack();
  if (!before) return say("Nothing to undo.");
  scene.made = before.made;
  scene.options.closed = before.closed;
  showMade();
  scene.onLanes();
  if (before.selection !== scene.selection) await selectAgain(before.selection);
  if (!scene.selection) say("");
}

/** Lists pins and notes anew; what had the focus has it again. */
export function showMade() {
  const { pins, notes } = scene.made;
  const label = document.activeElement?.getAttribute?.("aria-label");
  byId("pins").replaceChildren(...pins.map(pinRow));
  byId("ownNotes").replaceChildren(...notes.map(noteRow));
  const room = fitsLink(madeText(scene.made));
  byId("madeHint").textContent = room ? "" : `The link has no room for ${counted(notes.length, "note")}: it leaves pins and notes out. Save the page to keep them.`;
  if (label) [...document.querySelectorAll("#pins button, #ownNotes button")].find((one) => one.getAttribute("aria-label") === label)?.focus();
}

function pinRow(pin, place) {
  const { pins } = scene.made;
  const trace = scene.model.traces[pin.trace];
  const title = laneTitle(scene.model, trace, pin.lane);
  const swap = (other) => () => {
    const moved = [...pins];
    [moved[place], moved[other]] = [moved[other], moved[place]];
    change({ pins: moved });
  };
  const row = element("div", undefined, "made");
  row.append(element("span", title, "what"));
  row.append(small("↑", `Move ${title} up`, place > 0 && swap(place - 1)), small("↓", `Move ${title} down`, place + 1 < pins.length && swap(place + 1)));
  row.append(small("×", `Unpin ${title}`, () => change({ pins: pins.filter((one) => one !== pin) })));
  return row;
}

function noteRow(note) {
  const { notes } = scene.made;
  const row = element("div", undefined, "made");
  const field = element("input");
  const when = note.bar || note.end === null ? momentText(note.start) : lengthText(note.end - note.start);
  const what = note.bar ? "note" : note.end === null ? "flag" : "mark";
  [field.value, field.maxLength, field.placeholder] = [note.text, LONGEST_NOTE, what];
  field.setAttribute("aria-label", `Text of the ${what} at ${momentText(note.start)}`);
  field.addEventListener("change", () => change({ notes: scene.made.notes.map((one) => (one === note ? { ...note, text: field.value.slice(0, LONGEST_NOTE) } : one)) }));
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.stopPropagation();
    if (event.key === "Escape") field.value = note.text;
    canvas.focus();
  });
  row.append(small(when, `Show the ${what} at ${momentText(note.start)}: ${note.text}`, () => showNote(note)), field);
  row.append(small("×", `Remove the ${what} at ${momentText(note.start)}: ${note.text}`, () => change({ notes: notes.filter((one) => one !== note) })));
  return row;
}

function small(text, label, act) {
  const button = element("button", text);
  button.type = "button";
  button.setAttribute("aria-label", label);
  button.disabled = !act;
  if (act) button.addEventListener("click", act);
  return button;
}

function showNote({ start, end, bar }) {
  leave();
  const { t0, t1 } = scene.view;
  if (bar) return goTo({ trace: scene.model.traces[bar.trace], lane: bar.lane, kind: bar.kind, start, length: end - start });
  const room = end === null ? (t1 - t0) / 2 : Math.max(end - start, 10);
  glide(start - room, (end ?? start) + room);
  redraw();
}

export function listenToMade(acts) {
  for (const [id, act] of Object.entries(acts)) byId(id).addEventListener("click", act);
  byId("savePage").addEventListener("click", () => savePage(scene));
  if (!scene.model.header.served) return;
  byId("savePage").disabled = true;
  byId("savePage").title = "This page is served and does not hold its trace: the link keeps pins and notes. lanescope view --html writes a page that can be saved.";
}
