// Regular expressions whose time grows with the length of the name alone: all ways through the pattern
// are followed at once, so none can hang the page. There are no back references and no look-around.

const MOST_STEPS = 2000;
const DEEPEST = 100; // groups in each other: each takes room on the stack
const CLASSES = { d: /\d/, w: /\w/, s: /\s/ };
const CONTROL = { n: "\n", t: "\t", r: "\r" };

/** A function from a name to whether the pattern is in it; letters match in both cases. Throws a SyntaxError. */
export function compilePattern(text) {
  const reader = { chars: [...text], at: 0, depth: 0 };
  const tree = readChoice(reader);
  if (reader.at < reader.chars.length) throw new SyntaxError("a ) has no (");
  const steps = [];
  emit(steps, tree);
  addStep(steps, { found: true });
  return (name) => walk(steps, [...name]);
}

function readChoice(reader) {
  const ways = [readSequence(reader)];
  while (reader.chars[reader.at] === "|") {
    reader.at++;
    ways.push(readSequence(reader));
  }
  return { choice: ways };
}

function readSequence(reader) {
  const parts = [];
  while (reader.at < reader.chars.length && !"|)".includes(reader.chars[reader.at])) {
    parts.push(readRepeated(reader, readAtom(reader)));
  }
  return { sequence: parts };
}

function readRepeated(reader, atom) {
  const rest = reader.chars.slice(reader.at, reader.at + 16).join("");
  const [written, least, comma, most] = /^\{(\d{1,6})(?:(,)(\d{0,6}))?\}/.exec(rest) ?? [rest[0]];
  const simple = { "*": [0, Infinity], "+": [1, Infinity], "?": [0, 1] }[written];
  if (!simple && least === undefined) return atom;
  const counts = simple ?? [Number(least), most ? Number(most) : comma ? Infinity : Number(least)];
  if (counts[0] > counts[1]) throw new SyntaxError(`${written} counts down`);
  reader.at += written.length;
  if (reader.chars[reader.at] === "?") reader.at++; // lazy or not, what matches is the same
  return { repeated: atom, least: counts[0], most: counts[1] };
}

function readAtom(reader) {
  const char = reader.chars[reader.at++];
  if ("*+?".includes(char)) throw new SyntaxError(`${char} has nothing to repeat`);
  if (char === ".") return { test: () => true };
  if (char === "^") return { edge: (before) => before === undefined };
  if (char === "$") return { edge: (before, after) => after === undefined };
  if (char === "[") return { test: readSet(reader) };
  if (char === "\\") return readEscape(reader);
  if (char !== "(") return { test: sameLetter(char) };
  if (reader.chars[reader.at] === "?") {
    if (reader.chars[reader.at + 1] !== ":") throw new SyntaxError("(? is not known here");
    reader.at += 2;
  }
  if (++reader.depth > DEEPEST) throw new SyntaxError(`more than ${DEEPEST} ( are in each other`);
  const inner = readChoice(reader);
  reader.depth--;
  if (reader.chars[reader.at++] !== ")") throw new SyntaxError("a ( has no )");
  return inner;
}

function readEscape(reader) {
  const char = reader.chars[reader.at++];
  if (char === undefined) throw new SyntaxError("\\ ends the pattern");
  const word = (one) => one !== undefined && CLASSES.w.test(one);
  if (char === "b") return { edge: (before, after) => word(before) !== word(after) };
  return { test: escaped(char) };
}

function escaped(char) {
  const known = CLASSES[char.toLowerCase()];
  if (known) return char === char.toLowerCase() ? (one) => known.test(one) : (one) => !known.test(one);
  if (/[a-z0-9]/i.test(char) && !CONTROL[char]) throw new SyntaxError(`\\${char} is not known here`);
  return sameLetter(CONTROL[char] ?? char);
}

function sameLetter(char) {
  const lower = char.toLowerCase();
  return (one) => one.toLowerCase() === lower;
}

function readSet(reader) {
  const tests = [];
  const { chars } = reader;
  const inverted = chars[reader.at] === "^";
  if (inverted) reader.at++;
  while (chars[reader.at] !== "]") {
    const from = chars[reader.at++];
    if (from === undefined) throw new SyntaxError("a [ has no ]");
    if (from === "\\") tests.push(escaped(chars[reader.at++] ?? ""));
    else if (chars[reader.at] === "-" && chars[reader.at + 1] !== undefined && chars[reader.at + 1] !== "]") {
      const to = chars[reader.at + 1];
      if (from > to) throw new SyntaxError(`[${from}-${to}] counts down`);
      reader.at += 2;
      tests.push((one) => [one, one.toLowerCase(), one.toUpperCase()].some((letter) => letter >= from && letter <= to));
    } else tests.push(sameLetter(from));
  }
  reader.at++;
  return (one) => tests.some((test) => test(one)) !== inverted;
}

function addStep(steps, step) {
  if (steps.length >= MOST_STEPS) throw new SyntaxError("the pattern is too large");
  return steps.push(step) - 1;
}

/** Adds the steps of a tree; a step without a test leads on to others (`to`). */
function emit(steps, tree) {
  if (tree.test || tree.edge) addStep(steps, tree);
  else if (tree.sequence) tree.sequence.forEach((part) => emit(steps, part));
  else if (tree.choice) {
    const ends = tree.choice.map((way, k) => {
      const fork = k + 1 < tree.choice.length ? addStep(steps, { to: [] }) : null;
      emit(steps, way);
      const end = addStep(steps, { to: [] });
      if (fork !== null) steps[fork].to = [fork + 1, end + 1];
      return end;
    });
    for (const end of ends) steps[end].to = [steps.length];
  } else {
    for (let k = 0; k < tree.least; k++) emit(steps, tree.repeated);
    const more = tree.most === Infinity ? 1 : tree.most - tree.least;
    const forks = [];
    for (let k = 0; k < more; k++) {
      forks.push(addStep(steps, { to: [] }));
      emit(steps, tree.repeated);
    }
    if (tree.most === Infinity) addStep(steps, { to: [forks[0]] });
    for (const fork of forks) steps[fork].to = [fork + 1, steps.length];
  }
}

function walk(steps, chars) {
  let here = new Set();
  for (let at = 0; at <= chars.length; at++) {
    const open = [0, ...here];
    const seen = new Set();
    here = new Set();
    while (open.length) {
      const place = open.pop();
      if (seen.has(place)) continue;
      seen.add(place);
      const step = steps[place];
      if (step.found) return true;
      if (step.to) open.push(...step.to);
      else if (step.edge) {
        if (step.edge(chars[at - 1], chars[at])) open.push(place + 1);
      } else if (at < chars.length && step.test(chars[at])) here.add(place + 1);
    }
  }
  return false;
}
