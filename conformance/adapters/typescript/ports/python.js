// @ts-check
/** How Python writes JSON values: `json.dumps(value, sort_keys=True)` and `repr(value)`. */
import { byCodePoint, isPlain } from "./text.js";

/** @import * as kit from "../loopstone.js" */

/** The text of a value with its names sorted (HI-7). @param {kit.Json} value @returns {string} */
export function dumps(value) {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") return number(value, "Infinity");
  if (typeof value !== "object" || value === null) return String(value);
  let inside = "";
  if (Array.isArray(value)) {
    for (const item of value) inside += (inside === "" ? "" : ", ") + dumps(item);
    return `[${inside}]`;
  }
  for (const name of sortedNames(value)) inside += `${inside === "" ? "" : ", "}${quoted(name)}: ${dumps(value[name])}`;
  return `{${inside}}`;
}

/** Most objects have few names, and many have them sorted. @param {kit.JsonObject} value */
function sortedNames(value) {
  const names = Object.keys(value);
  for (let i = 1; i < names.length; i++) {
    if (byCodePoint(names[i - 1], names[i]) > 0) return names.sort(byCodePoint);
  }
  return names;
}

/** JSON.stringify escapes as HI-8 says, but only what JSON demands: DEL and all beyond ASCII follow. @param {string} text */
function quoted(text) {
  if (isPlain(text)) return `"${text}"`;
  return JSON.stringify(text).replace(/[\x7f-\uffff]/g, (unit) => `\\u${hexadecimal(unit.charCodeAt(0), 4)}`);
}

/**
 * A number as Python writes it (HI-9). JavaScript has no 1.0 beside 1: what is integral is written as an integer. So
 * no exponent of sixteen or more is left, and a fraction differs from JavaScript's only below 1e-4.
 * @param {number} value @param {string} infinity
 */
export function number(value, infinity) {
  if (Number.isSafeInteger(value)) return String(value);
  if (Number.isInteger(value)) return String(BigInt(value));
  if (!Number.isFinite(value)) return value < 0 ? `-${infinity}` : infinity;
  if (Math.abs(value) >= 1e-4) return String(value);
  return value.toExponential().replace(/-(\d)$/, "-0$1");
}

/** The text that Python prints for a value, members in the order received (CR-51). @param {kit.Json} value @returns {string} */
export function repr(value) {
  if (typeof value === "string") return printed(value);
  if (typeof value === "number") return number(value, "inf");
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`;
  return `{${Object.entries(value)
    .map(([name, item]) => `${printed(name)}: ${repr(item)}`)
    .join(", ")}}`;
}

/** @type {Record<string, string>} */
const SHORT = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A string as Python prints it (CR-51, CR-52). @param {string} text */
function printed(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  // Not printable are the categories Other and Separator, but for the blank.
  const inside = text.replace(/[\\'"]|(?! )[\p{C}\p{Z}]/gu, (character) => {
    if (character === "\\" || character === quote) return `\\${character}`;
    if (character === "'" || character === '"') return character;
    return SHORT[character] ?? escaped(/** @type {number} */ (character.codePointAt(0)));
  });
  return quote + inside + quote;
}

/** @param {number} codePoint */
function escaped(codePoint) {
  if (codePoint <= 0xff) return `\\x${hexadecimal(codePoint, 2)}`;
  if (codePoint <= 0xffff) return `\\u${hexadecimal(codePoint, 4)}`;
  return `\\U${hexadecimal(codePoint, 8)}`;
}

/** @param {number} value @param {number} digits */
const hexadecimal = (value, digits) => value.toString(16).padStart(digits, "0");
