// What every canvas shares: its size in device pixels, its font, and where times are on it.

export const FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";

/** A canvas of the size it is shown at, in device pixels. */
export function fitCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.height = `${height}px`;
  }
  return ratio;
}

export function textFont(size, weight = 400) {
  return `${weight} ${size}px ${FONT}`;
}

export function xOf(view, ns) {
  return view.left + ((ns - view.t0) / (view.t1 - view.t0)) * (view.width - view.left);
}

export function timeAt(view, x) {
  return view.t0 + ((x - view.left) / (view.width - view.left)) * (view.t1 - view.t0);
}
