// What the scripts take from a browser, as little as they need of it: elements, a canvas that notes what
// is drawn on it, and columns packed as src/lanescope/viewer/columns.py packs them.
import { setTimeout as later } from "node:timers/promises";
import { gzipSync } from "node:zlib";

/** An element that remembers what was put into it. */
export class Element {
  constructor(tag) {
    Object.assign(this, { tag, children: [], style: {}, attributes: {}, listeners: {}, dataset: {}, className: "", own: "", hidden: false });
    Object.assign(this, { scrollTop: 0, clientWidth: 0, clientHeight: 0, offsetWidth: 100, offsetHeight: 40, value: "", open: false });
    const classes = new Set();
    this.classes = classes;
    this.style.setProperty = (name, value) => (this.style[name] = value);
    this.classList = { add: (name) => classes.add(name), remove: (name) => classes.delete(name), toggle: (name, on) => (on ? classes.add(name) : classes.delete(name)) };
  }
  get textContent() {
    return this.own + this.children.map((child) => child.textContent).join("");
  }
  set textContent(text) {
    this.own = String(text);
    this.children = [];
  }
  append(...children) {
    this.children.push(...children);
  }
  replaceChildren(...children) {
    this.own = "";
    this.children = children;
  }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }
  getAttribute(name) {
    return this.attributes[name] ?? null;
  }
  closest(selector) {
    return selector === [this.tag, this.className].join(".") ? this : null;
  }
  addEventListener(name, call) {
    (this.listeners[name] ??= []).push(call);
  }
  /** Calls what listens to an event; whether the default was prevented. */
  async fire(name, event = {}) {
    let [prevented, stopped, ended] = [false, false, false];
    const given = { button: 0, clientX: 0, clientY: 0, deltaX: 0, deltaY: 0, key: "", target: this, currentTarget: this, pointerId: 1, ...event };
    given.preventDefault = () => (prevented = true);
    given.stopPropagation = () => (stopped = true);
    given.stopImmediatePropagation = () => (ended = true);
    given.getModifierState ??= () => false;
    for (const call of this.listeners[name] ?? []) if (!ended) await call(given);
    return prevented ? (stopped ? "prevented and stopped" : "prevented") : "left";
  }
  matches(selector) {
    return selector.split(", ").includes(this.tag);
  }
  getBoundingClientRect() {
    return { left: 10, top: 20 };
  }
  getContext() {
    return (this.context ??= new Context());
  }
  querySelector(selector) {
    return (this.parts ??= {})[selector] ??= new Element(selector);
  }
  focus() {
    document.activeElement = this;
  }
  scrollBy(x, y) {
    this.scrollTop += y;
  }
  click() {
    this.fire("click");
  }
  toBlob(call) {
    call("blob");
  }
  get childNodes() {
    return this.children;
  }
  cloneNode(deep) {
    const made = Object.assign(new Element(this.tag), { own: this.own, localName: this.localName, type: this.type, id: this.id });
    if (deep) made.append(...this.children.map((child) => child.cloneNode(true)));
    return made;
  }
  get outerHTML() {
    return `<${this.tag}>${this.own}${this.children.map((child) => child.outerHTML).join("")}</${this.tag}>`;
  }
  setPointerCapture() {}
  remove() {}
  showModal() {
    this.open = true;
  }
  close() {
    this.open = false;
  }
}

/** An element as nested text: `tag.class{attributes}(children)`. */
export function told(element) {
  const head = element.tag + (element.className ? `.${element.className}` : "");
  const more = { ...element.attributes, ...(element.title ? { title: element.title } : {}), ...(element.style.background ? { background: element.style.background } : {}) };
  const pairs = Object.entries(more).map(([name, value]) => `${name}=${value}`);
  const inside = element.children.length ? element.children.map(told).join(" ") : JSON.stringify(element.own);
  return `${head}${pairs.length ? `{${pairs.join(", ")}}` : ""}(${inside})`;
}

const short = (value) => (typeof value === "number" ? Number(value.toFixed(2)) : value);

/** A drawing context: `calls` has every call that draws, with colour and width of line. A letter is 6 pixels wide. */
export class Context {
  constructor() {
    Object.assign(this, { calls: [], fillStyle: "", strokeStyle: "", lineWidth: 1, font: "", textAlign: "left", images: [] });
    for (const name of ["moveTo", "lineTo", "rect", "arc", "setTransform", "scale", "clearRect", "setLineDash", "drawImage"]) this[name] = (...args) => this.note(name, args);
    for (const name of ["beginPath", "clip", "save", "restore"]) this[name] = () => {};
    let alpha = 1;
    Object.defineProperty(this, "globalAlpha", { get: () => alpha, set: (value) => (alpha = value >= 0 && value <= 1 ? value : alpha) });
  }
  note(name, args, more = "") {
    this.calls.push([name, ...args.map((value) => (Array.isArray(value) ? value.join("/") : typeof value === "object" ? (value.tag ?? "object") : short(value))), ...(more ? [more] : [])].join(" "));
  }
  paint(colour) {
    return this.globalAlpha === 1 ? colour : `${colour}@${this.globalAlpha}`;
  }
  fillRect(...args) {
    this.note("fillRect", args, this.paint(this.fillStyle));
  }
  fill() {
    this.note("fill", [], this.paint(this.fillStyle));
  }
  strokeRect(...args) {
    this.note("strokeRect", args, `${this.paint(this.strokeStyle)} ${this.lineWidth}`);
  }
  stroke(path) {
    this.note("stroke", path ? path.calls : [], `${this.paint(this.strokeStyle)} ${this.lineWidth}`);
  }
  fillText(text, x, y) {
    this.note("text", [JSON.stringify(text), x, y], `${this.paint(this.fillStyle)} ${this.textAlign} ${this.font.split(" ").slice(0, 2).join(" ")}`);
  }
  measureText(text) {
    return { width: 6 * text.length };
  }
  createImageData(width, height) {
    return { data: new Uint8ClampedArray(4 * width * height), width, height };
  }
  putImageData(image, ...place) {
    this.images.push({ ...image, place });
  }
  /** What was drawn since the last time. */
  taken() {
    return this.calls.splice(0);
  }
}

/** A document and a window; frames wait until `page.frame()`. */
export function makePage() {
  const byId = new Map();
  const frames = [];
  const element = (id) => {
    if (!byId.has(id)) byId.set(id, Object.assign(new Element(id), { previousElementSibling: new Element("h2") }));
    return byId.get(id);
  };
  globalThis.document = {
    getElementById: element,
    createElement: (tag) => new Element(tag),
    head: new Element("head"),
    createElementNS: (_, tag) => new Element(tag),
    querySelectorAll: () => [],
    documentElement: new Element("html"),
    body: new Element("body"),
    activeElement: null,
  };
  const view = new Element("window");
  globalThis.window = globalThis;
  globalThis.devicePixelRatio = 1;
  globalThis.addEventListener = (name, call) => view.addEventListener(name, call);
  globalThis.innerWidth = 1000;
  globalThis.innerHeight = 600;
  globalThis.location = { hash: "", protocol: "file:" };
  globalThis.history = { replaceState: (_, __, address) => (location.hash = address) };
  const media = new Element("media");
  globalThis.matchMedia = (query) => ({ matches: query.includes("reduce") || Boolean(media.narrow && query.includes("640px")), addEventListener: (name, call) => media.addEventListener(query, call) });
  globalThis.getComputedStyle = () => ({ getPropertyValue: (name) => ` ${COLOURS[name.slice(2)] ?? "#000000"} ` });
  globalThis.requestAnimationFrame = (call) => frames.push(call);
  globalThis.cancelAnimationFrame = () => {};
  globalThis.ResizeObserver = class {
    observe() {}
  };
  globalThis.Path2D = class {
    calls = [];
    moveTo(...args) {
      this.calls.push(...args);
    }
    bezierCurveTo(...args) {
      this.calls.push(...args);
    }
  };
  return { element, window: view, media, frames, frame: () => frames.splice(0).forEach((call) => call(performance.now())) };
}

/** Waits until the page has opened, then draws until nothing is under way. A page that never opens ends the file. */
export async function settle(page) {
  const state = page.element("state");
  const isOver = () => document.body.dataset.ready || state.textContent.startsWith("This page could not be shown");
  for (let k = 0; k < 20_000 && !isOver(); k++) await later(1); // other threads unpack the tables
  if (!document.body.dataset.ready) throw new Error(`the page does not open: ${state.textContent}`);
  for (let k = 0; k < 30; k++) {
    await later(1);
    page.frame();
  }
}

export const COLOURS = {
  ...{ back: "#010101", lane: "#020202", line: "#030303", text: "#040404", soft: "#050505", accent: "#060606", blocked: "#070707" },
  ...{ dim: "#080808", plain: "#090909", group: "#0a0a0a", before: "#0b0b0b", after: "#0c0c0c", critical: "#0d0d0d" },
};

/** A column's form and its packed bytes; null stands for what is not known. */
export function packed(name, values) {
  const gaps = values.includes(null);
  const numbers = values.map((value) => (value === null ? 0 : (value < 0 ? -2 * value - 1 : 2 * value) + (gaps ? 1 : 0)));
  const planes = new Uint8Array(6 * values.length);
  numbers.forEach((number, i) => {
    for (let place = 0; place < 6; place++) planes[place * values.length + i] = Math.floor(number / 256 ** place) % 256;
  });
  return { form: { name, width: 6, unit: 1, gaps, delta: false }, bytes: gzipSync(planes) };
}

/** Tables as a tile describes them; their bytes go into elements of the page. */
export function packedTables(page, place, tables) {
  return Object.fromEntries(
    Object.entries(tables).map(([name, { lanes, ...columns }]) => {
      const rows = Object.values(columns)[0].length;
      const forms = Object.entries(columns).map(([column, values]) => {
        const { form, bytes } = packed(column, values);
        page.element(`${place}/${name}/${column}`).textContent = bytes.toString("base64");
        return form;
      });
      return [name, { rows, lanes, columns: forms }];
    }),
  );
}
