// What may stand where a person writes: types of events, their members, the values of these. All of it is from the schema.

const furthest = 10_000; // characters before the caret in which an event begins

// completions returns what the word before the caret may become: {from, choices: [{text, doc}]}, where from is the place at
// which the word begins. There are none within a text, nor where a value may be anything.
export function completions(text, caret, events) {
  const before = text.slice(Math.max(0, caret - furthest), caret);
  const lines = before.split("\n");
  const item = lines.slice(Math.max(0, lines.findLastIndex((l) => /^[ \t]*-[ \t]/.test(l)))).join("\n");
  const [, space, word] = /(^|[^\w"'])(\w*)$/.exec(before) ?? [];
  if (word === undefined || inText(item)) return none;
  const from = caret - word.length;
  const line = lines.at(-1);
  const type = events.find((e) => new RegExp(`\\b${e.type}\\b`).test(item.slice(0, item.length - word.length)));
  if (!type) return /^[ \t]*-[ \t]+\{?\w*$/.test(line) ? found(from, word, typesOf(events)) : none;
  const value = /(\w+)"?:[ \t]+\w*$/.exec(line);
  if (value) {
    const member = type.members.find((m) => m.name === value[1]);
    return found(from, word, (member?.values ?? []).map((text) => ({ text, doc: "" })));
  }
  if (depth(item) > 1 || !/[{,][ \t]*\w*$|^[ \t]+\w*$/.test(line)) return none;
  const named = new Set([...item.slice(0, item.length - word.length).matchAll(/(\w+)"?:/g)].map((m) => m[1]));
  const missing = type.members.filter((m) => !named.has(m.name));
  return found(from, word, missing.map((m) => ({ text: `${m.name}: `, doc: m.doc, first: m.required })));
}

const none = { from: 0, choices: [] };

const typesOf = (events) => events.map((e) => ({ text: e.template.replace(/^- \{"(\w+)":/, "$1: ").replace(/\}$/, ""), doc: "" }));

// found keeps the choices that the word begins, those first that an event must have.
function found(from, word, choices) {
  const begun = choices.filter(({ text }) => text.startsWith(word) && text !== word);
  return { from, choices: begun.sort((a, b) => Boolean(b.first) - Boolean(a.first)) };
}

// inText says whether a text ends within quotes.
function inText(text) {
  return (text.replaceAll(/\\./g, "").match(/"/g) ?? []).length % 2 === 1;
}

// depth counts the braces and brackets that a text leaves open.
function depth(text) {
  const plain = text.replaceAll(/"(?:\\.|[^"\\])*"/g, "");
  return (plain.match(/[{[]/g) ?? []).length - (plain.match(/[}\]]/g) ?? []).length;
}
