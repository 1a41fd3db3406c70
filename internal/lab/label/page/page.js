// One run at a time: keys, and buttons that do the same, move through its steps and mark loops. Each mark is saved before
// the next key counts.
"use strict";

const $ = (id) => document.getElementById(id);
let shown; // the run, as the server sends it
let cursor = 1; // the step that the keys mean, from 1
let alike = null; // how each step resembles the one at the cursor, once somebody asks
let busy = Promise.resolve(); // the last key's work

const most = 60_000; // milliseconds for an answer: a large log is read for each
const soon = 5_000; // milliseconds after which the page says that it waits

// ask returns the answer to a request. Its error says what did not happen, and why.
async function ask(path, options) {
  const begun = setTimeout(() => { $("problem").textContent = "Loopstone has not answered yet."; }, soon);
  const say = (why, status) => Object.assign(new Error(`Not ${options ? "saved" : "shown"}: ${why}`), { status });
  try {
    const response = await fetch(path, { ...options, signal: AbortSignal.timeout(most) });
    const text = await response.text();
    if (!response.ok) throw say(text.trim(), response.status);
    $("problem").textContent = "";
    return JSON.parse(text);
  } catch (error) {
    if (error.name === "TimeoutError") throw say("loopstone does not answer.");
    throw error instanceof TypeError ? say("loopstone is not running any more.") : error;
  } finally {
    clearTimeout(begun);
  }
}

async function open(number) {
  shown = await ask(`run/${number}`);
  history.replaceState(null, "", `#${number}`);
  cursor = shown.label.begun?.first ?? 1;
  alike = null;
  $("steps").replaceChildren(...shown.steps.map(item));
  draw();
  look();
}

// look scrolls to the step at the cursor; to the head of the page if it is the first, for the task stands there. The header
// and, on a phone, the buttons cover a part of the window.
function look() {
  if (cursor === 1) return scrollTo(0, 0);
  const step = $("steps").children[cursor - 1];
  const head = document.querySelector("header").offsetHeight;
  const below = getComputedStyle($("keys")).position === "fixed" ? $("keys").offsetHeight : 0;
  Object.assign(document.documentElement.style, { scrollPaddingTop: `${head}px`, scrollPaddingBottom: `${below}px` });
  step?.scrollIntoView({ block: step.offsetHeight < innerHeight - head - below ? "center" : "start" });
}

function element(name, text, props) {
  return Object.assign(document.createElement(name), { textContent: text }, props);
}

function item(step, i) {
  const li = document.createElement("li");
  for (const text of step.before ?? []) li.append(element("p", text, { className: "before" }));
  const head = element("h2", `${i + 1}  ${step.tool} `);
  head.append(element("span", "", { className: "alike" }));
  li.append(head, element("pre", step.args, { tabIndex: 0 }));
  li.append(element("pre", step.result ?? "(no result)", { tabIndex: 0 }));
  for (const text of step.after ?? []) li.append(element("p", text, { className: "before" }));
  li.addEventListener("click", () => queue(() => { cursor = i + 1; draw(); }));
  return li;
}

const words = { same: "same", in_vain: "in vain" };
const spanHere = (step) => shown.label.spans.find((s) => s.first <= step && step <= s.last);

// draw shows what has changed: the cursor, the marks, the label in words.
function draw() {
  const { label } = shown;
  [...$("steps").children].forEach((li, i) => {
    const span = spanHere(i + 1) ?? (label.begun?.first === i + 1 ? label.begun : undefined);
    li.className = span?.kind ?? "";
    if (i + 1 === cursor) li.setAttribute("aria-current", "true");
    else li.removeAttribute("aria-current");
    const { call, result } = alike?.[i] ?? {};
    const said = [call && `call ${call}`, result && `result ${result}`].filter(Boolean).join(", ");
    li.querySelector(".alike").textContent = alike && i + 1 !== cursor ? said : "";
  });
  const marks = label.spans.map((s) => `${s.first} to ${s.last} ${words[s.kind]}`);
  if (label.begun) marks.push(`from ${label.begun.first} ${words[label.begun.kind]}, and the last step is not marked yet`);
  if (marks.length === 0) marks.push("no loop");
  if (label.unsure) marks.push("unsure");
  $("run").textContent = shown.run;
  $("place").textContent = `run ${shown.number} of ${shown.of}, ${shown.finished} finished; step ${cursor} of ${shown.steps.length}`;
  $("label").textContent = `${label.finished ? "Finished" : "Open"}: ${marks.join("; ")}`;
}

function move(by) {
  cursor = Math.min(Math.max(cursor + by, 1), Math.max(shown.steps.length, 1));
  alike = null;
  draw();
  look();
}

// save sends a label. What the server refuses is not taken over.
async function save(change) {
  const next = { ...shown.label, finished: false, ...change };
  const options = { method: "PUT", body: JSON.stringify(next), headers: { "If-Match": shown.version } };
  try {
    Object.assign(shown, await ask(`run/${shown.number}`, options));
  } catch (error) {
    if (error.status !== 409) throw error;
    await open(shown.number);
    throw new Error(`${error.message}. The page now shows the run as it is.`);
  }
  draw();
}

function mark(kind) {
  const { begun, spans } = shown.label;
  if (!begun) return save({ begun: { first: cursor, last: 0, kind } });
  if (begun.kind !== kind) throw new Error(`the loop that begins at ${begun.first} is ${words[begun.kind]}: mark its last step so, or remove it with x`);
  const [first, last] = [begun.first, cursor].sort((a, b) => a - b);
  const sorted = [...spans, { first, last, kind }].sort((a, b) => a.first - b.first);
  return save({ spans: sorted, begun: null });
}

function remove() {
  if (shown.label.begun) return save({ begun: null });
  const span = spanHere(cursor);
  if (!span) throw new Error(`no loop is marked at step ${cursor}`);
  return save({ spans: shown.label.spans.filter((s) => s !== span) });
}

async function finish() {
  const { begun } = shown.label;
  if (begun) throw new Error(`mark the last step of the loop that begins at ${begun.first}, or remove it with x`);
  await save({ finished: true });
  const next = await ask("next");
  if (next) return open(next);
  shown.finished = shown.of;
  draw();
  $("problem").textContent = "All runs are finished.";
}

const to = (number) => open(Math.min(Math.max(number, 1), shown.of));
const keys = {
  ArrowDown: () => move(1), j: () => move(1), ArrowUp: () => move(-1), k: () => move(-1),
  s: () => mark("same"), v: () => mark("in_vain"), x: remove, u: () => save({ unsure: !shown.label.unsure }),
  e: async () => { alike = alike ? null : await ask(`run/${shown.number}/alike/${cursor}`); draw(); },
  Enter: finish, "[": () => to(shown.number - 1), "]": () => to(shown.number + 1),
};

const moves = new Set(["ArrowDown", "j", "ArrowUp", "k", "[", "]"]);

// queue does a thing after all that was asked before it; what marks, only if the page then still shows the same run: the
// next one, nobody has seen. Where no run could be shown, it is tried again.
function queue(act, always = false) {
  const seen = shown;
  busy = busy.then(() => {
    if (!shown) return attempt(begin);
    return always || seen === shown ? attempt(act) : undefined;
  });
}

const press = (key) => queue(keys[key], moves.has(key));

document.addEventListener("keydown", (event) => {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key; // CapsLock
  if (!Object.hasOwn(keys, key) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter" && event.target.closest("button")) return; // it presses the button that has the focus
  event.preventDefault();
  if (!event.repeat || moves.has(key)) press(key); // a key that is held marks once
});

for (const button of document.querySelectorAll("button")) {
  button.addEventListener("mousedown", (event) => event.preventDefault()); // so that Enter stays the key that it was
  button.addEventListener("click", (event) => {
    const again = event.detail > 1 && button.dataset.key === "Enter"; // a second tap would finish a run that nobody has seen
    if (!again) press(button.dataset.key);
  });
}

async function attempt(act) {
  $("problem").textContent = "";
  try {
    await act();
  } catch (error) {
    $("problem").textContent = error.message;
  }
}

// begin shows the run that the address names, or else the first that is not finished.
async function begin() {
  const named = location.hash.slice(1);
  if (/^[1-9]\d{0,8}$/.test(named)) {
    try {
      return await open(Number(named));
    } catch (error) {
      if (error.status !== 400) throw error; // there is no such run
    }
  }
  return open((await ask("next")) || 1);
}

addEventListener("hashchange", () => queue(begin, true));
busy = attempt(begin);
