// Files that the page saves: among them the page itself with pins and notes inside. That page has the same
// script, style, policy and data; what the reader made is one more element of packed text.
import { fromBase64 } from "./packed.js";
import { madeText, readMade } from "./saved.js";

// Packed data, the page's script among it, stands in script elements of a type that no browser runs.
const PLACE = "<data></data>";
const SCRIPT = "script";
const DATA = "application/octet-stream";
let empty = null;

/** Keeps the page as it was sent, without its data; called before anything is written into it. */
export function keepPage() {
  const [html, body] = [document.documentElement.cloneNode(false), document.body.cloneNode(false)];
  const nodes = [...document.body.childNodes];
  const first = nodes.findIndex(isData);
  nodes.forEach((node, k) => {
    if (k === first) body.append(document.createElement("data"));
    if (!isData(node)) body.append(node.cloneNode(true));
  });
  html.append(document.head.cloneNode(true), body);
  empty = html;
}

const isData = (node) => node.localName === SCRIPT && node.type === DATA;

/** What the page file holds of pins and notes; null where it holds none. */
export function madeInPage(model) {
  const text = document.getElementById("made")?.textContent;
  if (!text) return null;
  const [n, g = null] = new TextDecoder().decode(fromBase64(text)).split("\n");
  model.saved = true;
  return readMade(model, { n, g });
}

/** The page again, with what the reader made. */
export function savePage({ model, made }) {
  const parts = [];
  for (const node of document.body.childNodes) if (isData(node) && node.id !== "made") parts.push(dataElement(node.id, node.textContent));
  const { n, g } = madeText(made);
  let binary = "";
  for (const byte of new TextEncoder().encode(`${n}\n${g}`)) binary += String.fromCharCode(byte);
  parts.push(dataElement("made", btoa(binary)));
  const text = `<!doctype html>\n${empty.outerHTML}\n`;
  const at = text.indexOf(PLACE);
  saveFile(model, new Blob([text.slice(0, at), ...parts, text.slice(at + PLACE.length)], { type: "text/html" }), "html");
}

/** Names of data are those of tables and columns; what is in them is base64. */
function dataElement(id, text) {
  const escaped = id.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
  return `<${SCRIPT} type="${DATA}" id="${escaped}">${text}</${SCRIPT}>\n`;
}

/** The job or the traces of the page. */
export function pageName(model) {
  return model.job?.name ?? model.traces.map((trace) => trace.told ?? trace.header.name).join(" and ");
}

/** Hands a file to the reader, under the name of what is shown. */
export function saveFile(model, blob, ending) {
  const name = pageName(model);
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(blob);
  anchor.download = `${name.replace(/[^\w.-]+/g, "_") || "trace"}.${ending}`;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10000);
}
