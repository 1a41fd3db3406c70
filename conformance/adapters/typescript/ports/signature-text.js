// @ts-check
/** What the text reading of signature extracts (SG-17 to SG-28). */
import { beginning } from "./signature-code.js";

// The parts of the shapes (SG-17). The flag u is for \p; with i it would fold letters beyond ASCII into ASCII ones.

const LETTER = "[\\p{L}\\p{N}_]"; // a word character
const BLANK = "[^\\S\\n\\r\\u2028\\u2029]+";
const PIECE = "\\S+";

/** @param {string} word */
const anyCase = (word) => word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);

/** Any of some words, whole. @param {string[]} words */
const oneOf = (...words) => `(?<!${LETTER})(?:${words.map(anyCase).join("|")})(?!${LETTER})`;

/** A shape, which may stand anywhere. @param {string[]} parts */
const shape = (...parts) => new RegExp(parts.join(""), "u");

/** The pieces of a line. @param {string} line */
const piecesOf = (line) => line.match(/\S+/g) ?? [];

/** @param {string} output */
export function extractText(output) {
  return (
    first(output, /error/i, error) ??
    first(output, /fail/i, failingTests) ??
    first(output, /searched/i, search) ??
    changedFile(output) ??
    beginning(output)
  );
}

/**
 * What a rule finds on the first line on which it finds something. Most outputs lack the word that it needs.
 * @param {string} output @param {RegExp} word @param {(line: string) => string | undefined} rule
 */
function first(output, word, rule) {
  if (!word.test(output)) return undefined;
  for (const line of output.split(/[\n\r\u2028\u2029]/)) {
    const signature = rule(line);
    if (signature !== undefined) return signature;
  }
  return undefined;
}

// SG-18
const ERROR = shape(oneOf("error"), `:(?:${BLANK})?([A-Za-z0-9_]+)${BLANK}(?=(?:-|${anyCase("at")})(?!\\S))`);

/** @param {string} line */
function error(line) {
  const found = ERROR.exec(line);
  if (!found) return undefined;
  const pieces = piecesOf(line.slice(found.index + found[0].length));
  const at = pieces.findLastIndex((piece, i) => /^at$/i.test(piece) && i + 1 < pieces.length); // SG-19
  if (at < 0) return undefined; // nor is there a place behind an error further to the right
  const place = withoutNumber(withoutNumber(pieces[at + 1]));
  let word; // the last of the message
  for (let i = at - 1; i > 0 && pieces[0] === "-" && word === undefined; i--) word = core(pieces[i]);
  return `error:${found[1]}-${word === undefined ? "" : `${word}-`}${place}`;
}

/** A place without the number at its end (SG-19). @param {string} place */
const withoutNumber = (place) => place.replace(/(?<=.):[0-9]+$/su, "");

/** A piece from its first word character to its last (SG-20). @param {string} piece */
const core = (piece) => piece.match(CORE)?.[0];
const CORE = new RegExp(`${LETTER}(?:.*${LETTER})?`, "su");

// SG-21
const TESTS = shape(
  `(?<!${LETTER})([1-9][0-9]*)${BLANK}(?:${oneOf("tests", "test")}${BLANK})?`,
  oneOf("failed", "failing"),
);
// SG-22
const FILE_AND_NAMES = new RegExp(`^:(?:${BLANK})?(${PIECE})${BLANK}-${BLANK}(.*)$`, "su");
const NAMES = new RegExp(`^${BLANK}-${BLANK}(.*)$`, "su");

/** @param {string} line */
function failingTests(line) {
  const found = TESTS.exec(line);
  if (!found) return undefined;
  const rest = line.slice(found.index + found[0].length);
  const inFile = FILE_AND_NAMES.exec(rest);
  const ofFile = inFile ? names(inFile[2]) : "";
  if (inFile && ofFile !== "") return `${inFile[1]}:${ofFile}`;
  const list = NAMES.exec(rest);
  const named = list ? names(list[1]) : "";
  return named === "" ? `test-fail:${found[1]}` : `test-fail:${found[1]}-${named}`;
}

/** The first two names; none is the empty text (SG-23). @param {string} list */
function names(list) {
  const all = list.split(",").map((name) =>
    piecesOf(name)
      .filter((piece) => !/^test$/i.test(piece))
      .join("-"),
  );
  return all
    .filter((name) => name !== "")
    .slice(0, 2)
    .join(",");
}

// SG-24: what stands between the first two quotes, which may be nothing; without two, nothing is found
const SEARCH = new RegExp(`${oneOf("searched")}[^']*(?:'([^']*)')?`, "gu");

/** @param {string} line */
function search(line) {
  // One that does not fit takes those in front of the same quotes along, for which they do not fit either.
  SEARCH.lastIndex = 0;
  let found = SEARCH.exec(line);
  while (found && !found[1]) found = SEARCH.exec(line);
  return found ? `search:${found[1].toLowerCase().replace(/\s+/g, "-")}` : undefined;
}

// SG-25: the longest such beginning of the piece, as \S takes in as much as it can
const FILE = `\\S+\\.(?:${["ts", "js", "go", "py"].map(anyCase).join("|")})(?!${LETTER})`;
const CHANGED = shape(oneOf("modified", "changed", "updated", "fixed"), `${BLANK}(${FILE})`);

/** @param {string} output */
function changedFile(output) {
  const found = CHANGED.exec(output);
  return found ? `${found[1]}:${action(output, found.index + found[0].length)}` : undefined;
}

const VERB = new RegExp(oneOf("added", "removed", "fixed", "updated", "changed", "refactored"), "gu");

/** What was done to the file that ends here (SG-26). @param {string} output @param {number} end */
function action(output, end) {
  VERB.lastIndex = end;
  for (let verb = VERB.exec(output); verb; verb = VERB.exec(output)) {
    const found = phrase(output, VERB.lastIndex);
    if (found !== "") return found;
  }
  return "modified";
}

const WORD = new RegExp(`${BLANK}(${LETTER}+(?:-${LETTER}+)*)`, "uy");
const PREPOSITION = /^(?:for|to|in|from|at|of|on|with)$/i;

/** The phrase behind a verb that ends here (SG-27). @param {string} output @param {number} end */
function phrase(output, end) {
  const words = [];
  WORD.lastIndex = end;
  for (let word = WORD.exec(output); word && !PREPOSITION.test(word[1]); word = WORD.exec(output)) words.push(word[1]);
  return words.join("-");
}
