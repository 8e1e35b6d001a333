// Ranks at the same collective: who came when, as far as their lanes are in the page.
import { element, linkButton } from "./element.js";
import { describeBar } from "./facts.js";
import { counted, lengthText } from "./times.js";

/** Arrivals at the collective that a bar takes part in, the last one first; null where there is none. */
export async function meetingOf(model, bar) {
  const number = model.job ? bar.value("meets") : null;
  if (number === null) return null;
  const found = [];
  for (const trace of model.traces) {
    const arrival = await arrivalOf(trace, number);
    if (arrival) found.push(arrival);
  }
  return found.length > 1 ? found.sort((a, b) => b.start - a.start) : null;
}

async function arrivalOf(trace, number) {
  for (const tile of trace.tiles) {
    const meets = await tile.tables?.tasks?.column("meets");
    if (!meets?.includes(number)) continue;
    for (const track of tile.tracks ?? []) {
      if (track.kind !== "tasks") continue;
      for (let i = 0; i < track.count; i++) if (meets[track.rowAt(i)] === number) return describeBar(trace, track, i);
    }
  }
  return null;
}

/** The arrivals as a list below the selected bar. */
export function showMeeting(scene, box, goTo) {
  const [last] = scene.meeting;
  const tag = element("p", undefined, "tag meeting");
  tag.append(element("b", "same collective"), element("span", counted(scene.meeting.length, "rank")));
  const list = element("div", undefined, "links");
  for (const bar of scene.meeting) {
    const button = linkButton(`rank ${bar.trace.rankNumber}`, arrivedText(scene.model.job, last, bar), () => goTo({ ...bar, length: bar.end - bar.start }));
    button.setAttribute("aria-pressed", String(bar.trace === scene.selection.trace));
    list.append(button);
  }
  box.append(tag, list);
}

/** How much earlier than the last one a rank came; nothing is said within the clocks' error. */
function arrivedText(job, last, bar) {
  if (bar === last) return "last of those here";
  const error = job.errors[bar.trace.number][last.trace.number];
  if (error === null || last.start - bar.start <= error) return "as late, within the clocks' error";
  return `${lengthText(last.start - bar.start)} earlier`;
}
