// @ts-check
/** What the ports do with texts: order, beginnings, words. */
import { is } from "../loopstone.js";

/** @import * as kit from "../loopstone.js" */

/** Orders texts by code points. Where two UTF-16 units differ, a surrogate stands for a larger one. @param {string} a @param {string} b */
export function byCodePoint(a, b) {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return Number(isSurrogate(x)) - Number(isSurrogate(y)) || x - y;
  }
  return a.length - b.length;
}

/** @param {number} unit */
const isSurrogate = (unit) => unit >= 0xd800 && unit <= 0xdfff;

/** Whether JSON has a text as it is, between quotes: most need no escape, and JSON.stringify takes longer. @param {string} text */
export const isPlain = (text) => !/[^ !#-[\]-~]/.test(text);

/** The beginning of a text. @param {string} text @param {number} length in code points */
export const start = (text, length) => [...text.slice(0, 2 * length)].slice(0, length).join("");

/** The words of a command: what stands between U+0009 to U+000D and U+0020 (FP-12, HI-21). @param {string} command */
export const words = (command) => command.match(/[^\t-\r ]+/g) ?? [];

/** The first word of a command. @param {kit.Json | undefined} command */
export const firstWord = (command) => (is("string", command) ? command.match(/[^\t-\r ]+/)?.[0] : undefined);
