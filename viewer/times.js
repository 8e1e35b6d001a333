// Times as text: whole nanoseconds in, a unit that fits out.

const UNITS = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

function unitOf(ns) {
  return UNITS.find(([size]) => Math.abs(ns) >= size) ?? UNITS[3];
}

/** A length of time, at most four digits. */
export function lengthText(ns) {
  if (ns === null || ns === undefined || Number.isNaN(ns)) return "–";
  const [size, unit] = unitOf(ns);
  const value = ns / size;
  const digits = size === 1 ? 0 : Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 10 ? 2 : 3;
  return `${value.toFixed(digits)} ${unit}`;
}

/** A length of time in little room: three digits. */
export function shortText(ns) {
  if (ns === null || ns === undefined || Number.isNaN(ns)) return "–";
  const [size, unit] = unitOf(ns);
  const value = ns / size;
  return `${size === 1 || value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)} ${unit}`;
}

/** A moment, exact to the nanosecond. */
export function momentText(ns) {
  const [size, unit] = unitOf(ns);
  const digits = { 1: 0, 1000: 3, 1000000: 6, 1000000000: 9 }[size];
  const text = (ns / size).toFixed(digits);
  return `${digits ? text.replace(/0+$/, "").replace(/\.$/, "") : text} ${unit}`;
}

export function countText(count) {
  return Math.round(count).toLocaleString("en-US");
}

/** "1 task", "2 tasks". */
export function counted(count, what) {
  return `${countText(count)} ${what}${count === 1 ? "" : "s"}`;
}

/** A count in little room. */
export function shortCount(count) {
  return count >= 1e6 ? `${(count / 1e6).toFixed(2)} M` : countText(count);
}

/** Marks of a time axis: [{ns, text}] about `apart` pixels from each other. */
export function ticks(t0, t1, width, apart) {
  const rough = ((t1 - t0) * apart) / width;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = Math.max([1, 2, 5, 10].find((factor) => factor * power >= rough) * power, 1);
  const [size, unit] = unitOf(Math.max(Math.abs(t0), Math.abs(t1)));
  const digits = Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9));
  const found = [];
  for (let k = Math.ceil(t0 / step); k * step <= t1; k++) {
    found.push({ ns: k * step, text: `${((k * step) / size).toFixed(digits)} ${unit}` });
  }
  return found;
}

/** Nanoseconds of "1.5ms"; a bare number is nanoseconds; null when it is no time. */
export function parseLength(text) {
  const match = /^(\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s)?$/.exec(text.trim());
  if (!match) return null;
  const size = { ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9 }[match[2] ?? "ns"];
  return Number(match[1]) * size;
}
