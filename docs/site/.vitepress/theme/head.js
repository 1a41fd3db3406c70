// The beginning of a trace, which is judged before the rest, so that there soon is something to see.
const few = 10; // about as many events as a screen shows below the text

// head returns the first events of a trace that has more than twice as many; undefined where it is short, or where no
// line begins like an event or a record of a log. It may be more of a text than it looks: what cannot be read is no
// harm.
export function head(text) {
  const begins = /^(?:- |\{)/gm;
  let end;
  for (let i = 0; i <= 2 * few; i++) {
    const found = begins.exec(text);
    if (!found) return undefined;
    if (i === few) end = found.index;
  }
  return text.slice(0, end);
}
