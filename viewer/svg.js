// What is seen as SVG: a context that takes the calls of a canvas and writes elements. Text stays text.
import { FONT, textFont } from "./canvas.js";
import { drawVector } from "./draw.js";
import { axisOn } from "./overview.js";
import { pageName } from "./savefile.js";

const [TITLE_HEIGHT, AXIS_HEIGHT] = [30, 24];
const short = (value) => (typeof value === "number" ? String(Math.round(value * 100) / 100) : xmlText(value));

/** A text as XML may hold it: marks as entities, without what no document may have. */
function xmlText(text) {
  const known = String(text).toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
  return known.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** The calls of a drawing context that the page uses. */
class SvgContext {
  constructor(measuring) {
    Object.assign(this, { measuring, parts: [], stack: [], line: [], clips: 0, groups: 0, dash: [] });
    Object.assign(this, { fillStyle: "#000", strokeStyle: "#000", globalAlpha: 1, lineWidth: 1, font: textFont(11), textAlign: "left", textBaseline: "middle" });
  }
  put(tag, attributes, text) {
    const pairs = Object.entries(attributes).filter(([, value]) => value !== null).map(([name, value]) => ` ${name}="${short(value)}"`).join("");
    this.parts.push(text === undefined ? `<${tag}${pairs}/>` : `<${tag}${pairs}>${xmlText(text)}</${tag}>`);
  }
  get opacity() {
    return this.globalAlpha < 1 ? this.globalAlpha : null;
  }
  get stroked() {
    return { fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-dasharray": this.dash.length ? this.dash.join(" ") : null, opacity: this.opacity };
  }
  fillRect(x, y, width, height) {
    if (width > 0 && height > 0) this.put("rect", { x, y, width, height, fill: this.fillStyle, opacity: this.opacity });
  }
  strokeRect(x, y, width, height) {
    this.put("rect", { x, y, width, height, ...this.stroked });
  }
  fillText(text, x, y) {
    const [weight, size] = this.font.split(" ");
    const anchor = { right: "end", center: "middle" }[this.textAlign] ?? null;
    this.put("text", { x, y, fill: this.fillStyle, "font-size": size, "font-weight": weight === "400" ? null : weight, "text-anchor": anchor, opacity: this.opacity }, text);
  }
  measureText(text) {
    this.measuring.font = this.font;
    return this.measuring.measureText(text);
  }
  beginPath() {
    this.line = [];
  }
  moveTo(x, y) {
    this.line.push(`M${short(x)} ${short(y)}`);
  }
  lineTo(x, y) {
    this.line.push(`L${short(x)} ${short(y)}`);
  }
  bezierCurveTo(...places) {
    this.line.push(`C${places.map(short).join(" ")}`);
  }
  rect(x, y, width, height) {
    this.line.push(`M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}z`);
  }
  fill() {
    this.put("path", { d: this.line.join(""), fill: this.fillStyle, opacity: this.opacity });
  }
  /** A line of its own, as Path2D is for a canvas. */
  makeLine() {
    return new SvgContext(this.measuring);
  }
  stroke(own = this) {
    this.put("path", { d: own.line.join(""), ...this.stroked });
  }
  setLineDash(dash) {
    this.dash = dash;
  }
  save() {
    const { fillStyle, strokeStyle, globalAlpha, lineWidth, font, textAlign, textBaseline, dash, groups } = this;
    this.stack.push({ fillStyle, strokeStyle, globalAlpha, lineWidth, font, textAlign, textBaseline, dash, groups });
  }
  clip() {
    const id = `clip${++this.clips}`;
    this.parts.push(`<clipPath id="${id}"><path d="${this.line.join("")}"/></clipPath><g clip-path="url(#${id})">`);
    this.groups++;
  }
  translate(x, y) {
    this.parts.push(`<g transform="translate(${short(x)} ${short(y)})">`);
    this.groups++;
  }
  restore() {
    const before = this.stack.pop();
    this.parts.push("</g>".repeat(this.groups - before.groups));
    Object.assign(this, before);
  }
}

/** The visible range as an SVG document: title, axis and lanes. */
export function svgText(scene) {
  const { view, theme } = scene;
  const [width, height] = [view.full, TITLE_HEIGHT + AXIS_HEIGHT + view.height];
  const context = new SvgContext(document.createElement("canvas").getContext("2d"));
  const at = (y, draw) => {
    context.save();
    context.translate(0, y);
    draw();
    context.restore();
  };
  context.fillStyle = theme.back;
  context.fillRect(0, 0, width, height);
  context.fillStyle = theme.text;
  context.font = textFont(13, 600);
  context.fillText(pageName(scene.model), 12, TITLE_HEIGHT / 2);
  at(TITLE_HEIGHT, () => axisOn(context, scene));
  at(TITLE_HEIGHT + AXIS_HEIGHT, () => {
    context.beginPath();
    context.rect(0, 0, width, view.height);
    context.clip();
    if (scene.heatOn) context.put("image", { width: view.width, height: view.height, href: document.getElementById("chipHeat").toDataURL() });
    else drawVector(scene, context);
  });
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FONT}" dominant-baseline="central">`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${head}<title>${xmlText(pageName(scene.model))}</title>${context.parts.join("")}</svg>\n`;
}
