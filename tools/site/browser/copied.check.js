// What the playground copies is run: the case by the suite's own reader, the tests by Go, Python and TypeScript, the
// command by the tool; each with a detector that says what the playground said, the tests also with one that never
// speaks.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { opened, state } from "./site.js";

const project = fileURLToPath(new URL("../../..", import.meta.url));
const tool = join(project, "bin/loopstone");
const adapters = join(project, "conformance/adapters");
const all = mkdtempSync(join(tmpdir(), "copied-"));
after(() => rmSync(all, { recursive: true }));

// folder makes a folder with files, whose texts stand by their names.
function folder(name, files) {
  const made = join(all, name);
  mkdirSync(made);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(made, file), text);
  return made;
}

// A test of Node's that knows of another above it leaves the exit code to that one.
const { NODE_TEST_CONTEXT: _, ...env } = process.env;

function run(cwd, command, ...args) {
  const options = { cwd, encoding: "utf8", env: { ...env, GOFLAGS: "-mod=mod" } };
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  return { status, said: `${error ?? ""}${stdout}${stderr}` };
}

function passes(cwd, command, ...args) {
  const { status, said } = run(cwd, command, ...args);
  assert.equal(status, 0, said);
  return said;
}

// fails demands that a test tells what it found: a program that could not be built fails, too.
function fails(told, cwd, command, ...args) {
  const { status, said } = run(cwd, command, ...args);
  assert.notEqual(status, 0, "a detector that never speaks passes");
  assert.match(said, told);
}

async function copied(button) {
  const { page, context, close } = await opened("playground" + state("history"));
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByText("history reports a loop first, after event 5").waitFor();
  await page.getByRole("button", { name: button }).click();
  await page.getByText("is copied.").waitFor();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  await close();
  return text;
}

test("the case is one of the suite's, and the reference passes it", async () => {
  const made = folder("case", { "trace.yaml": await copied("Copy as case") });
  passes(made, tool, "lint", ".");
  assert.match(passes(made, tool, "test", "--reference", "--cases", "."), /1 case/);
});

test("the Go test tells a detector that loops from one that does not", async () => {
  const text = await copied("Copy as Go test");
  const speaking = `package detector

import (
	"context"

	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

type observer struct{ session spec.Session }

func newDetector() observer {
	session, err := reference.Port().Open(context.Background(), spec.History, spec.Code, spec.Value{})
	if err != nil {
		panic(err)
	}
	return observer{session}
}

func (o observer) Observe(event string) bool {
	said, err := o.session.Observe(context.Background(), []spec.Value{spec.MustParse(event)})
	if err != nil {
		panic(err)
	}
	return said[0].Get("loop").IsTrue()
}
`;
  const silent = `package detector

type observer struct{}

func newDetector() observer { return observer{} }

func (observer) Observe(string) bool { return false }
`;
  const module = `module detector

go 1.26

require github.com/loopstone/loopstone v0.0.0

replace github.com/loopstone/loopstone => ${project}
`;
  const made = folder("go", { "trace_test.go": text, "detector.go": speaking, "go.mod": module });
  cpSync(join(project, "go.sum"), join(made, "go.sum"));
  passes(made, "go", "test", ".");
  const other = folder("go-silent", { "trace_test.go": text, "detector.go": silent, "go.mod": "module detector\n" });
  fails(/after event 5: loop false, want true/, other, "go", "test", ".");
});

test("the Python test tells a detector that loops from one that does not", async () => {
  const text = await copied("Copy as Python test");
  const python = process.env.PYTHON ?? "python3";
  const speaking = `import sys

sys.path.insert(0, ${JSON.stringify(join(adapters, "python"))})
from history import History


def new_detector():
    return History("code", {})
`;
  const silent = `class Silent:
    def observe(self, event):
        return {"loop": False}


new_detector = Silent
`;
  passes(folder("python", { "test_trace.py": text, "detector.py": speaking }), python, "-m", "unittest");
  fails(/AssertionError/, folder("python-silent", { "test_trace.py": text, "detector.py": silent }), python, "-m", "unittest");
});

test("the TypeScript test compiles, and tells a detector that loops from one that does not", async () => {
  const text = await copied("Copy as TypeScript test");
  const declared = "export interface Detector { observe(event: unknown): { loop: boolean } }\n";
  const speaking = `${declared}
import { History } from ${JSON.stringify(join(adapters, "typescript/ports/history.js"))};

export function newDetector(): Detector {
  const detector = new History("code", {});
  let index = 0;
  return { observe: (event) => detector.observe(event as Parameters<History["observe"]>[0], index++) };
}
`;
  const silent = `${declared}
export const newDetector = (): Detector => ({ observe: () => ({ loop: false }) });
`;
  const options = {
    strict: true, module: "nodenext", target: "es2023", lib: ["es2023"], types: ["node"], allowJs: true, outDir: "out", rootDir: "/",
    typeRoots: [join(adapters, "typescript/node_modules/@types")],
  };
  const compiler = join(adapters, "typescript/node_modules/typescript/bin/tsc");
  for (const [name, detector] of [["typescript", speaking], ["typescript-silent", silent]]) {
    const made = folder(name, {
      "trace.test.ts": text, "detector.ts": detector, "package.json": `{"type": "module"}`,
      "tsconfig.json": JSON.stringify({ compilerOptions: options, files: ["trace.test.ts", "detector.ts"] }),
    });
    passes(made, process.execPath, compiler);
    const built = join(made, "out", made, "trace.test.js");
    if (detector === speaking) passes(made, process.execPath, "--test", built);
    else fails(/ERR_ASSERTION/, made, process.execPath, "--test", built);
  }
});

test("the command says of the downloaded events what the playground says", async () => {
  const { page, close } = await opened("playground" + state("history"));
  await page.getByText("history reports a loop first, after event 5").waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download events and command" }).click();
  const events = readFileSync(await (await download).path(), "utf8");
  const told = await page.locator(".told").textContent();
  await close();
  assert.equal(events.trim().split("\n").length, 6, "the file has a line for each event");
  const command = /loopstone (replay .*) -- YOUR PORT/.exec(told)?.[1].split(" ");
  const made = folder("command", { "trace.jsonl": events });
  assert.match(passes(made, tool, ...command, "--", tool, "serve"), /5/);
});
