// Regular expressions of the search box: the same answers as the browser's, and never for long.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compilePattern } from "../../../viewer/pattern.js";

const NAMES = ["", "a", "aa", "aaa", "aaaa", "ab", "QK", "qk_1", "soft max", "softmax2", "GEMM & co", "<script>alert(1)</script>", "x.y", "x+y", "aaab", "abab", "12", "a-b", "é]", "line\nend"];
const PATTERNS = [
  ..."a a* a+b ^a$ ^$ a|q ab|qk . ^..$ \\d \\d+ ^\\D*$ \\w+\\s\\w+ [a-c]b [^a] []é] [\\d.] x\\.y x\\+y (ab)+ ^(ab)*$ (?:a|b){2} a{3} a{2,} ^a{1,2}$ a{0}b".split(" "),
  ...["soft.*max", "\\bco\\b", "(a|b)*c?$", "a??b", "x{2", "{a", "^(a*)*b$", "<\\/?script>", "\\n", "s[^x]+2$", "[-a]b", "(|a)b", "a||b", "^", "$"],
  ...["[a-]b", "[^a-]", "[+-]", "[a\\-c]", "[\\w]&?", "[\\]é]{2}", "^\\b", "\\W\\s", "\\t", "a{2,3}b?", "a+?b", "^a{0,2}$", "a{1}b", "(?:ab|b){2}$", "(a|b|q)+k", "(ab){0}a", "x{,2}", "a{1,}b", "x{2,"],
];

test("what matches is what the browser's own expressions match, in both cases of letters", () => {
  for (const pattern of PATTERNS) {
    const [own, theirs] = [compilePattern(pattern), new RegExp(pattern, "is")];
    for (const name of NAMES) assert.equal(own(name), theirs.test(name), `/${pattern}/ in ${JSON.stringify(name)}`);
  }
});

test("a wrong pattern is a sentence", () => {
  const said = (pattern) => {
    try {
      compilePattern(pattern);
    } catch (error) {
      assert.ok(error instanceof SyntaxError);
      return error.message;
    }
    return null;
  };
  const wrong = { "(a": "a ( has no )", "a)": "a ) has no (", "*a": "* has nothing to repeat", "a|+": "+ has nothing to repeat", "[a": "a [ has no ]", "a{3,2}": "{3,2} counts down" };
  const more = { "[z-a]": "[z-a] counts down", "(?=a)": "(? is not known here", "(a)\\1": "\\1 is not known here", "a\\": "\\ ends the pattern", "(a{99}){99}": "the pattern is too large", "a{12345}": "the pattern is too large", "a{123456,}": "the pattern is too large", "[a-": "a [ has no ]" };
  for (const [pattern, sentence] of Object.entries({ ...wrong, ...more })) assert.equal(said(pattern), sentence, pattern);
});

test("a hundred groups may be in each other, and any number behind each other", () => {
  const nested = (depth) => "(".repeat(depth) + "a" + ")".repeat(depth);
  assert.deepEqual([compilePattern(nested(100))("a"), compilePattern("(a)".repeat(101))("a".repeat(101))], [true, true]);
  for (const depth of [101, 100_000]) assert.throws(() => compilePattern(nested(depth)), new SyntaxError("more than 100 ( are in each other"));
});

test("patterns that take a browser hours take no time", () => {
  const began = performance.now();
  for (const pattern of ["^(a+)+$", "^(a|aa)+$", "(.*)*x", ".*.*.*.*.*.*.*x", "(a?){40}a{40}b"]) assert.equal(compilePattern(pattern)("a".repeat(400) + "!"), false);
  assert.ok(performance.now() - began < 2000);
});
