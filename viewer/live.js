// A recording that still runs: the page takes its newest version, and follows the end until the reader
// looks back. A page that does not follow holds still.
import { select } from "./choose.js";
import { parseHeader } from "./source.js";
import { byId, scene, show } from "./stage.js";
import { countText } from "./times.js";

const ASK_MS = 500;
const HEART_MS = 20000;
const livePage = Math.random().toString(36).slice(2);

/**
 * Keeps a served page up to date; `renew` shows another header, if that is still wanted when all of it is there.
 * A page of a file is left alone.
 */
export function watchLive({ live }, renew) {
  if (!live) return;
  scene.live = { version: live.version, stored: live.state !== "running", on: live.state === "running", span: null, set: null, misses: 0 };
  byId("live").hidden = false;
  byId("follow").hidden = scene.live.stored;
  byId("follow").addEventListener("click", () => (scene.live.on ? stopFollowing() : startFollowing()));
  addEventListener("pagehide", () => navigator.sendBeacon(`live/${livePage}/leave`, "{}"));
  rememberRange();
  showPressed();
  if (!scene.live.stored) setInterval(noticeReader, 100);
  askLive(renew);
}

async function startFollowing() {
  await select(null);
  scene.live.on = true;
  scene.live.span = null;
  showEnd();
}

function stopFollowing() {
  scene.live.on = false;
  showPressed();
}

function showPressed() {
  byId("follow").setAttribute("aria-pressed", String(scene.live.on));
}

function rememberRange() {
  scene.live.set = [scene.view.t0, scene.view.t1];
}

/** Where the reader moved or selected something, the page stops following; a zoom changes how much it shows. */
function noticeReader() {
  const { live, view } = scene;
  if (!live.on || view.target) return;
  const [before, now] = [live.set[1] - live.set[0], view.t1 - view.t0];
  if (scene.selection) return stopFollowing();
  if (Math.abs(now - before) > before / 1000) {
    live.span = now;
    rememberRange();
  } else if (Math.abs(view.t1 - live.set[1]) > now / 1000) stopFollowing();
}

function showEnd() {
  const { live, model } = scene;
  show(live.span ? model.end - live.span : model.start, model.end);
  rememberRange();
  showPressed();
}

/** Asks how far the recording is, again and again. */
async function askLive(renew) {
  const { live } = scene;
  try {
    const state = await (await fetch(`live/${livePage}`)).json();
    live.misses = 0;
    if (state.state === "stored" && !live.stored) return becomeStored();
    byId("liveText").textContent = liveStateText(state);
    if (state.state === "ended") return byId("follow").setAttribute("hidden", "");
    if (follows() && state.version !== live.version) await takeVersion(renew);
  } catch {
    if (++live.misses > 3) {
      byId("liveText").textContent = "the command has ended; what is shown stays";
      return;
    }
  }
  setTimeout(() => askLive(renew), live.stored ? HEART_MS : ASK_MS);
}

async function takeVersion(renew) {
  const header = parseHeader(await (await fetch(`live/${livePage}/header`)).text());
  if (!(await renew(header, follows))) return;
  scene.live.version = header.live.version;
  if (follows()) showEnd();
}

function follows() {
  noticeReader();
  return scene.live.on;
}

/** Loads the page anew, which is now that of the stored trace; who followed the end sees all of it. */
function becomeStored() {
  if (scene.live.on) history.replaceState(null, "", location.pathname);
  location.reload();
}

function liveStateText({ state, records, lost, whole, where }) {
  if (state === "stored") return `stored in ${where}`;
  const parts = [state === "ended" ? "has ended" : "recording", `${countText(records)} records`];
  if (!whole) parts.push("only the last of them are kept here");
  if (lost) parts.push(`${countText(lost)} lost`);
  if (state === "ended" && where) parts.push(`stored in ${where}`);
  return parts.join(" · ");
}
