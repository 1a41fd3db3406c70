// What nobody sees in JSON: controls, formats such as U+200B and U+FEFF, line ends such as U+2028, spaces but the usual
// one. Those above U+FFFF have no escape that all languages read.
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

// visible returns a JSON text in which each such character is escaped.
export const visible = (json) =>
  json.replace(unseen, (c) => (c.length === 1 ? `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}` : c));
