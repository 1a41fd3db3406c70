// One run at a time: the keys move through its steps and mark loops, and each mark is saved before the next key counts.
"use strict";

const $ = (id) => document.getElementById(id);
let shown; // the run, as the server sends it
let cursor = 1; // the step that the keys mean, from 1
let alike = null; // how each step resembles the one at the cursor, once somebody asks
let busy = Promise.resolve(); // the last key's work

async function ask(path, options) {
  const response = await fetch(path, options);
  if (!response.ok) throw new Error((await response.text()).trim());
  return response.json();
}

async function open(number) {
  shown = await ask(`run/${number}`);
  history.replaceState(null, "", `#${number}`);
  cursor = shown.label.begun?.first ?? 1;
  alike = null;
  $("steps").replaceChildren(...shown.steps.map(item));
  draw();
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
  li.addEventListener("click", () => { cursor = i + 1; draw(); });
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
  $("steps").children[cursor - 1]?.scrollIntoView({ block: "center" });
}

// save sends a label. What the server refuses is not taken over.
async function save(change) {
  const next = { ...shown.label, finished: false, ...change };
  shown.label = await ask(`run/${shown.number}`, { method: "PUT", body: JSON.stringify(next) });
  draw();
}

function mark(kind) {
  const { begun, spans } = shown.label;
  if (!begun) return save({ begun: { first: cursor, last: 0, kind } });
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

// Keys that come while one is being saved wait for it.
document.addEventListener("keydown", (event) => {
  const act = keys[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  busy = busy.then(() => attempt(act));
});

async function attempt(act) {
  $("problem").textContent = "";
  try {
    await act();
  } catch (error) {
    $("problem").textContent = error instanceof TypeError ? "Not saved: loopstone is not running any more." : `Not saved: ${error.message}`;
  }
}

busy = attempt(async () => open(Number(location.hash.slice(1)) || (await ask("next")) || 1));
