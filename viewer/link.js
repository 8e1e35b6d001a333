// The address after #: range, selection, search, colouring, area, pins and notes, so that a link shows the same thing.
import { areaText, readArea } from "./extent.js";
import { fitsLink, madeText, readMade } from "./saved.js";
import { pageName, saveFile } from "./savefile.js";

export function writeLink({ view, selection, model, search, area, made, verdict, options }) {
  if (location.protocol === "about:") return; // inside a notebook the page has no address of its own
  const parts = new URLSearchParams();
  parts.set("t", `${Math.round(view.t0)}_${Math.round(view.t1)}`);
  if (selection) parts.set("s", [selection.trace.number, selection.lane, selection.start, selection.kind].join("_"));
  if (search) parts.set("q", search);
  if (area) parts.set("a", areaText(model, area));
  if (model.mode !== "function") parts.set("c", model.mode);
  const texts = madeText(made);
  if ((made.pins.length || made.notes.length || model.saved) && fitsLink(texts)) for (const key of ["n", "g"]) parts.set(key, texts[key]);
  if (verdict) parts.set("v", verdict);
  if (options?.interleaved) parts.set("i", "1");
  if (model.traces?.some(({ moved }) => moved)) parts.set("o", model.traces.map(({ moved }) => moved).join("_"));
  const address = `#${parts}`;
  if (address !== location.hash) history.replaceState(null, "", address);
}

/** `{range, bar, search, mode, area, verdict, interleaved, moves, made}`; what the address does not say is null. */
export function readLink(model) {
  const parts = new URLSearchParams(location.hash.slice(1));
  const range = (parts.get("t") ?? "").split("_").map(Number);
  const [trace, lane, start, kind] = (parts.get("s") ?? "").split("_");
  const owner = model.traces[Number(trace)];
  const isBar = parts.has("s") && owner && Number.isFinite(Number(start));
  return {
    range: range.length === 2 && range[1] > range[0] ? range : null,
    bar: isBar ? { trace: owner, lane: Number(lane), start: Number(start), kind } : null,
    search: parts.get("q"),
    area: readArea(model, parts.get("a")),
    verdict: parts.get("v"),
    interleaved: parts.get("i") === "1" && model.traces.length > 1,
    moves: model.traces.map((_, k) => Math.round(Number((parts.get("o") ?? "").split("_")[k])) || 0),
    mode: ["wait", "deviation", "difference"].includes(parts.get("c")) ? parts.get("c") : null,
    made: readMade(model, { n: parts.get("n"), g: parts.get("g") }),
  };
}

/** Saves what is visible as a picture: title, axis and lanes. */
export function savePicture({ model, view, theme }, axis, canvas) {
  const ratio = view.ratio;
  const top = Math.round(30 * ratio);
  const picture = document.createElement("canvas");
  picture.width = canvas.width;
  picture.height = top + axis.height + canvas.height;
  const context = picture.getContext("2d");
  context.fillStyle = theme.back;
  context.fillRect(0, 0, picture.width, picture.height);
  context.fillStyle = theme.text;
  context.font = `600 ${13 * ratio}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  const name = pageName(model);
  context.fillText(name, 12 * ratio, top / 2);
  context.drawImage(axis, 0, top);
  context.drawImage(canvas, 0, top + axis.height);
  picture.toBlob((blob) => saveFile(model, blob, "png"));
}
