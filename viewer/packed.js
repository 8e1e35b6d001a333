// Reads columns packed by src/lanescope/viewer/columns.py, which describes the bytes.

/** Bytes of a base64 text. */
export function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export async function gunzip(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A column's values; NaN where not known. */
export function readColumn(planes, form, rows) {
  const values = form.width <= 4 ? readNarrow(planes, form, rows) : readWide(planes, form, rows);
  if (!form.delta) return values;
  let sum = 0;
  for (let i = 0; i < rows; i++) {
    sum += values[i];
    values[i] = sum;
  }
  return values;
}

function readNarrow(planes, form, rows) {
  const values = new Float64Array(rows);
  const { width, unit } = form;
  const gaps = form.gaps ? 1 : 0;
  const [b, c, d] = [rows, 2 * rows, 3 * rows];
  for (let i = 0; i < rows; i++) {
    let number = planes[i];
    if (width > 1) number |= planes[b + i] << 8;
    if (width > 2) number |= planes[c + i] << 16;
    if (width > 3) number |= planes[d + i] << 24;
    if (gaps) {
      if (number === 0) {
        values[i] = NaN;
        continue;
      }
      number = (number - 1) | 0;
    }
    values[i] = ((number >>> 1) ^ -(number & 1)) * unit;
  }
  return values;
}

function readWide(planes, form, rows) {
  const values = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    let number = 0;
    for (let place = form.width - 1; place >= 0; place--) number = number * 256 + planes[place * rows + i];
    if (form.gaps) {
      if (number === 0) {
        values[i] = NaN;
        continue;
      }
      number -= 1;
    }
    const half = Math.floor(number / 2);
    values[i] = (number % 2 ? -half - 1 : half) * form.unit;
  }
  return values;
}
