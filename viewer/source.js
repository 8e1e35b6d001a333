// Where the data comes from: elements of this page, or the server that sent it.
import { fromBase64, gunzip, readColumn } from "./packed.js";

let first = 0;

/** The server knows the first trace of the page by this number; it changes while a recording grows. Returns the one before. */
export function serveFrom(number) {
  const before = first;
  first = number;
  return before;
}

/** Header of the page: all traces, their lanes, functions and tiles. */
export async function readHeader() {
  const bytes = await gunzip(fromBase64(document.getElementById("header").textContent));
  return parseHeader(new TextDecoder().decode(bytes));
}

const TURNING = /[\u202a-\u202e\u2066-\u2069]/;

/** A header in which no name turns round the text beside it: letters that only change the direction are shown as �. */
export function parseHeader(text) {
  if (!TURNING.test(text) && !/\\u20[26]/i.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_, value) => (typeof value === "string" ? value.replace(new RegExp(TURNING, "g"), "\ufffd") : value));
}

/** One table of one tile; columns are read when they are first asked for. */
class Table {
  constructor(place, described, served) {
    this.place = place;
    this.rows = described.rows;
    this.lanes = described.lanes;
    this.forms = new Map(described.columns.map((form) => [form.name, form]));
    this.served = served;
    this.ready = new Map();
    this.values = new Map();
  }

  has(name) {
    return this.forms.has(name);
  }

  /** Promise of a column; a column that the trace does not know is null. */
  column(name) {
    if (!this.forms.has(name)) return Promise.resolve(null);
    if (!this.ready.has(name)) this.ready.set(name, this.read(name));
    return this.ready.get(name);
  }

  async read(name) {
    const form = this.forms.get(name);
    const planes = await gunzip(await this.bytes(`${this.place}/${name}`));
    const values = readColumn(planes, form, this.rows);
    this.values.set(name, values);
    return values;
  }

  async bytes(name) {
    if (this.served) {
      const path = name.split("/").map(encodeURIComponent).join("/");
      const answer = await fetch(`data/${path}`);
      if (!answer.ok) throw new Error(`the server has no ${name}`);
      return new Uint8Array(await answer.arrayBuffer());
    }
    return fromBase64(document.getElementById(name).textContent);
  }

  async all() {
    await Promise.all([...this.forms.keys()].map((name) => this.column(name)));
  }
}

/** The tables of a tile; a server describes its tiles when asked. */
export async function openTile(header, trace, tile) {
  let described = tile;
  if (!described.tables) described = await (await fetch(`data/${first + trace}/${tile.name}`)).json();
  const tables = {};
  for (const [name, table] of Object.entries(described.tables)) {
    tables[name] = new Table(`${first + trace}/${tile.name}/${name}`, table, header.served);
  }
  return tables;
}

export async function askServer(trace, what, question) {
  const answer = await fetch(`data/${first + trace}/${what}`, { method: "POST", body: JSON.stringify(question) });
  return answer.json();
}
