// The tool's label, built once for a file of tests, with a corpus to label.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("../../..", import.meta.url));
const all = mkdtempSync(join(tmpdir(), "label-"));
const running = [];
after(() => {
  for (const program of running) program.kill("SIGKILL");
  rmSync(all, { recursive: true });
});

export const tool = join(all, "loopstone");
const built = spawnSync("go", ["build", "-o", tool, "./cmd/loopstone"], { cwd: project, encoding: "utf8" });
assert.equal(built.status, 0, built.stderr);

// log returns a run: what a user says, and steps that call and result describe.
export function log(name, steps, call, result) {
  const lines = [{ run: { name } }, { type: "message", role: "user", content: "<b>Make it pass.</b>" }];
  for (let step = 1; step <= steps; step++) {
    lines.push({ type: "tool_call", id: `c${step}`, tool: "bash", args: { command: call(step) } });
    lines.push({ type: "tool_result", call: `c${step}`, content: result(step), ok: true });
  }
  return lines.map((line) => JSON.stringify(line) + "\n").join("");
}

// made makes a corpus of so many runs in a folder of its own. Each has eight steps: every other run makes the same call
// with the same result from its third step to its sixth. Of its result, started starts the tool for a labeller, in the
// folder of the labels, and returns its process with the address of its page.
export function made(count) {
  const folder = mkdtempSync(join(all, "corpus-"));
  const corpus = join(folder, "runs");
  mkdirSync(corpus);
  for (let n = 0; n < count; n++) {
    const loops = (step) => n % 2 === 0 && step >= 3 && step <= 6;
    const text = log(`run-${n}`, 8, (step) => (loops(step) ? "make" : `ls ${step}`), (step) => (loops(step) ? "error" : `file ${step}`));
    writeFileSync(join(corpus, `run-${n}.jsonl`), text);
  }
  async function started(labeller, ...flags) {
    const program = spawn(tool, ["label", "--labeller", labeller, ...flags, corpus], { cwd: folder });
    running.push(program);
    let said = "";
    for await (const chunk of program.stdout) {
      said += chunk;
      const url = said.match(/http:\S+\/\n/);
      if (url) return { program, url: new URL(url[0].trim()) };
    }
    throw new Error(`no address: ${said}`);
  }
  return { folder, corpus, started };
}

export const lines = (file) => readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line));
export const online = { offline: false };

// pressed presses keys, and waits until the page says what it then must.
export async function pressed(page, keys, says) {
  for (const key of keys) await page.keyboard.press(key);
  await page.getByText(says).first().waitFor();
}

// stop stops a process, as a debugger does, and waits until each of its threads stands still: on a busy machine, the signal
// reaches one of them, and the others answer for a while.
export async function stop(program) {
  const threads = `/proc/${program.pid}/task`;
  const state = (thread) => readFileSync(`${threads}/${thread}/stat`, "utf8").match(/.*\) (.)/)[1];
  program.kill("SIGSTOP");
  while (!readdirSync(threads).every((thread) => state(thread) === "T")) await new Promise((done) => setTimeout(done, 1));
}
