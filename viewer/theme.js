// Colours: of the page (from its style sheet), of functions, phases, wait reasons and deviations.

const FUNCTIONS = {
  light: ["#4a7ab5", "#d98a3d", "#4f9d8b", "#bf5b75", "#8873b8", "#b59a2f", "#5b9bb8", "#7f9f48", "#a9795a", "#a667a5"],
  dark: ["#6a9bd8", "#e0a05c", "#63b5a2", "#d97b93", "#a28ed3", "#cdb453", "#78b8d4", "#9dbd68", "#c4977a", "#c385c2"],
};
const PHASES = {
  light: ["#7d8ca3", "#a3b1c2", "#b49a7a", "#7fa39a", "#a58fa8", "#8f9f7a", "#bfa9a0", "#90a8b8"],
  dark: ["#8b9bb4", "#66768c", "#a88e6d", "#6d958b", "#94809a", "#7f9070", "#a08a82", "#7d97a8"],
};
// In the order of REASONS: of cores, then of streams; then "hardly waited".
const WAIT_PAINTS = {
  light: [
    ...["#d99a2b", "#c8504b", "#8873b8", "#4f9d8b", "#7f9f48", "#d0366f", "#3f4a58", "#9aa3ad", "#d3d8de"],
    ...["#c8504b", "#d99a2b", "#9aa3ad", "#8873b8", "#5b9bb8", "#4f9d8b", "#7f9f48", "#b59a2f", "#a9795a", "#3f4a58"],
    "#a9c0d6",
  ],
  dark: [
    ...["#e3ab49", "#dd6e68", "#a28ed3", "#63b5a2", "#9dbd68", "#ff6fa5", "#c3ccd6", "#767f8a", "#3a424d"],
    ...["#dd6e68", "#e3ab49", "#767f8a", "#a28ed3", "#78b8d4", "#63b5a2", "#9dbd68", "#cdb453", "#c4977a", "#c3ccd6"],
    "#4d6680",
  ],
};
const DEVIATIONS = {
  light: ["#2f6cae", "#6a9cd0", "#a8c4de", "#c3c8ce", "#e6b8a8", "#d6785f", "#b23a2e"],
  dark: ["#4f97e6", "#4577ad", "#3f5d80", "#555d68", "#8a5a4e", "#c46a52", "#ee7560"],
};
/** Why a core or a stream did not run, as the verdict of the report has them. */
export const REASONS = [
  ...["data", "scheduler", "switch", "queued", "orchestrator", "blocked", "lost", "unexplained", "nothing"],
  ...["host_busy", "host_waiting", "host_unseen", "call", "launch", "event", "crowded", "start", "graph", "not_recorded"],
];
export const DEVIATION_NAMES = ["under half", "−50 to −20 %", "−20 to −5 %", "within 5 %", "+5 to +25 %", "+25 to +100 %", "over twice"];
const DEVIATION_EDGES = [0.5, 0.8, 0.95, 1.05, 1.25, 2];

// Numbers of paints: 0 to 29 functions, then the others.
const SHADES = 30;
const PHASE = 32;
export const WAIT = 80;
export const LOST = WAIT + REASONS.indexOf("lost");
export const HARDLY = WAIT + REASONS.length;
export const DEVIATION = 60;
export const BLOCKED = 68;
export const DIM = 69;
export const PLAIN = 70;
export const CRITICAL = 71;

export function functionPaint(rank) {
  return rank % SHADES;
}

export function phasePaint(word) {
  return PHASE + (((word % 8) + 8) % 8);
}

/** Paint of a length relative to the median of its function. */
export function deviationPaint(length, median) {
  if (!(median > 0)) return DEVIATION + 3;
  const ratio = length / median;
  let place = 0;
  while (place < DEVIATION_EDGES.length && ratio >= DEVIATION_EDGES[place]) place++;
  return DEVIATION + place;
}

/** Everything the canvases need, for the theme that is on. */
export function readTheme() {
  const chosen = document.documentElement.dataset.theme;
  const dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const name = dark ? "dark" : "light";
  const style = getComputedStyle(document.documentElement);
  const css = (variable) => style.getPropertyValue(`--${variable}`).trim();
  const colours = Object.fromEntries(
    ["back", "lane", "line", "text", "soft", "accent", "blocked", "dim", "plain", "group", "before", "after", "critical"].map((key) => [key, css(key)]),
  );
  const paints = paintTable(name, colours);
  const edges = paints.map((paint) => toRgb(mix(paint, colours.text, 0.3)));
  return { name, ...colours, paints, edges, rgb: paints.map(toRgb), ink: paints.map((paint, k) => (k === DIM ? colours.soft : inkOn(paint))) };
}

function paintTable(name, colours) {
  const paints = new Array(112).fill(colours.plain);
  for (let rank = 0; rank < SHADES; rank++) {
    const base = FUNCTIONS[name][rank % 10];
    paints[rank] = rank < 10 ? base : mix(base, rank < 20 ? "#ffffff" : "#000000", 0.35);
  }
  PHASES[name].forEach((colour, k) => (paints[PHASE + k] = colour));
  WAIT_PAINTS[name].forEach((colour, k) => (paints[WAIT + k] = colour));
  DEVIATIONS[name].forEach((colour, k) => (paints[DEVIATION + k] = colour));
  paints[BLOCKED] = colours.blocked;
  paints[DIM] = colours.dim;
  paints[CRITICAL] = colours.critical;
  return paints;
}

export function toRgb(hex) {
  const number = parseInt(hex.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

function mix(one, other, share) {
  const [a, b] = [toRgb(one), toRgb(other)];
  return "#" + a.map((value, k) => Math.round(value * (1 - share) + b[k] * share).toString(16).padStart(2, "0")).join("");
}

/** Text colour that is readable on a paint. */
function inkOn(paint) {
  const [r, g, b] = toRgb(paint).map((value) => (value / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.24 ? "#10161f" : "#ffffff";
}
