// @ts-check
/**
 * What the code reading of signature extracts (SG-8 to SG-14). D2's listing is JavaScript, and so the clauses fit its
 * regular expressions: without the flag u, `i` folds ASCII letters with nothing else, `\s` is the white space of SG-5
 * and `.` stops at its ends of lines. Where a pattern would try the rest of a line again from each place on it, the
 * search is written out, so that a long output costs no more than its length.
 */

/** @param {string} output */
export function extractCode(output) {
  return error(output) ?? failingTests(output) ?? changedFile(output) ?? beginning(output); // SG-8
}

/**
 * The signature of an output in which nothing better is found (SG-6, SG-7). Where the cut parts a surrogate pair the
 * clauses say nothing; but the protocol has no halves, so it goes.
 * @param {string} output
 */
export function beginning(output) {
  const start = output.slice(0, 50).replace(/[\ud800-\udbff]$/, "");
  return start.toLowerCase().replace(/\s+/g, "-");
}

/** The first match from a place on. @param {RegExp} pattern with the flag g or y @param {string} text @param {number} place */
function searchFrom(pattern, text, place) {
  pattern.lastIndex = place;
  return pattern.exec(text);
}

const PLACE = /at\s*(\S+)/gi;
const PLACE_HERE = /at\s*(\S+)/iy;

/** What the listing says as /error:?\s*(\w+).*?at\s*(\S+)/i (SG-9, SG-10). @param {string} output */
function error(output) {
  if (!/error/i.test(output)) return undefined; // as nearly always
  let at = searchFrom(PLACE, output, 0);
  let hopeless = 0; // no word that begins before this has an `at` behind it
  const heads = /error:?\s*(?=\w)/gi;
  while (heads.test(output)) {
    const word = heads.lastIndex;
    if (word < hopeless) continue;
    const end = searchFrom(/\W|$/g, output, word)?.index ?? word;
    const endOfLine = searchFrom(/[\n\r\u2028\u2029]|$/g, output, end)?.index ?? end;

    if (at && at.index < end) at = searchFrom(PLACE, output, end);
    if (at && at.index < endOfLine) return `error:${output.slice(word, end)}-${at[1]}`; // SG-9

    for (let place = end - 2; place > word; place--) {
      const within = searchFrom(PLACE_HERE, output, place);
      if (within) return `error:${output.slice(word, place)}-${within[1]}`; // SG-10
    }
    hopeless = endOfLine;
  }
  return undefined;
}

/** @param {string} output */
function failingTests(output) {
  if (!/\d\s*(?:tests?\s*)?fail/i.test(output)) return undefined; // SG-11
  // SG-12: a `fail` without such a place on its line takes the line along, as no other on it has one
  const places = [];
  const fails = /fail(?:.*?:\s*(\S+)|.*)/gi;
  for (let found = fails.exec(output); found && places.length < 2; found = fails.exec(output)) {
    if (found[1] !== undefined) places.push(found[0]);
  }
  return `test-fail:${places.join(",")}`;
}

/** @param {string} output */
function changedFile(output) {
  const changed = output.match(/(?:modified|changed|updated|fixed)\s+(\S+\.(?:ts|js|go|py))/i); // SG-13
  if (!changed) return undefined;
  const action = output.match(/(?:added|removed|fixed|updated|changed)\s+(\w+)/i); // SG-14
  return `file:${changed[1]}-${action ? action[1] : "modified"}`;
}
