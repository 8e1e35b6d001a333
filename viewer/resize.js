// The border between lanes and panel: dragged, or moved with the arrow keys, it makes the panel wider or narrower.

const NARROWEST_PANEL = 240;
const KEY_STEP = 24;

/** `changed` is called when the width is another one. */
export function listenToEdge(edge, side, changed) {
  let from = null;
  const widest = () => Math.max(NARROWEST_PANEL, Math.round(innerWidth * 0.7));
  const tell = (width) => {
    for (const [name, value] of [["valuenow", width], ["valuemin", NARROWEST_PANEL], ["valuemax", widest()]]) edge.setAttribute(`aria-${name}`, value);
  };
  const set = (wanted) => {
    const width = Math.round(Math.min(Math.max(wanted, NARROWEST_PANEL), widest()));
    side.style.width = `${width}px`;
    document.documentElement.style.setProperty("--side", `${width}px`);
    tell(width);
    changed();
  };
  edge.addEventListener("pointerdown", (event) => {
    from = { x: event.clientX, width: side.clientWidth };
    edge.setPointerCapture(event.pointerId);
  });
  edge.addEventListener("pointermove", (event) => from && set(from.width + from.x - event.clientX));
  edge.addEventListener("pointerup", () => (from = null));
  edge.addEventListener("keydown", (event) => {
    const wanted = { ArrowLeft: side.clientWidth + KEY_STEP, ArrowRight: side.clientWidth - KEY_STEP, Home: NARROWEST_PANEL, End: widest() }[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    set(wanted);
  });
  tell(side.clientWidth);
}
