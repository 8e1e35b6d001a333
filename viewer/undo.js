// What the reader made can be taken back, step by step: pins, notes, closed groups and the selection. The
// ranges that were looked at are a history of their own.
import { scene } from "./stage.js";

const MOST_STEPS_BACK = 200;

/** Keeps what is there now; called before it changes. */
export function remember() {
  const { made, selection, options, past } = scene;
  past.push({ made, selection, closed: new Set(options.closed) });
  if (past.length > MOST_STEPS_BACK) past.shift();
}

/** What was there before the last change; null where nothing was changed. */
export function takeBack() {
  return scene.past.pop() ?? null;
}
