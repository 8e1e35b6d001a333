// Two fingers on the lanes zoom; one finger pans, as a mouse does (input.js).
import { timeAt } from "./canvas.js";

/** While two fingers are down, `scene.pinching` keeps one of them from panning. */
export function listenToPinch(scene, canvas, act) {
  const fingers = new Map();
  let from = null;
  const spread = () => {
    const [one, other] = [...fingers.values()];
    return { width: Math.max(20, Math.abs(one - other)), middle: (one + other) / 2 };
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch") return;
    fingers.set(event.pointerId, event.clientX - canvas.getBoundingClientRect().left);
    if (fingers.size !== 2) return;
    const { t0, t1 } = scene.view;
    const { width, middle } = spread();
    from = { width, span: t1 - t0, time: timeAt(scene.view, middle) };
    scene.pinching = true;
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, event.clientX - canvas.getBoundingClientRect().left);
    if (!from || fingers.size !== 2) return;
    const { left, width: all } = scene.view;
    const { width, middle } = spread();
    const span = (from.span * from.width) / width;
    const start = from.time - (span * (middle - left)) / (all - left);
    act.show(start, start + span);
  });
  const lift = (event) => {
    fingers.delete(event.pointerId);
    from = null;
    if (!fingers.size) scene.pinching = false;
  };
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, lift);
}
