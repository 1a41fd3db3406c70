// Runs the suite of Loopstone in vitest or node:test: each test of the port in loopstone.yaml is a test of the runner.
//
//   import { describe, test } from 'vitest'; // or 'node:test'
//   import { suite } from 'loopstone/suite';
//   suite({ describe, test });
//
// The tests that the runner selects, by -t or --test-name-pattern for example, are run by one `loopstone test`.
import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const wrapper = fileURLToPath(new URL('loopstone.cjs', import.meta.url));
const longest = 30_000; // characters of a selection on a command line, on every system; a longer one is the whole suite
const options = { timeout: 660_000, concurrency: 100_000 }; // node:test begins all tests at once

/** Defines the tests of the port whose loopstone.yaml is in the folder, or in one above it. */
export function suite({ describe, test, folder = process.cwd() }) {
  const listed = spawnSync(process.execPath, [wrapper, 'test', '--list', '--json'],
    { cwd: folder, encoding: 'utf8', maxBuffer: Infinity });
  if (listed.status !== 0) throw listed.error ?? new Error(listed.stderr.trim());
  const tests = listed.stdout.trimEnd().split('\n').map((line) => JSON.parse(line));
  const run = runner(folder, tests);
  describe('loopstone', options, () => {
    for (const one of tests) {
      test(titleOf(one), options, async (context) => {
        if (one.not_checked) return context.skip(`not checked: ${one.not_checked}`);
        const { results, printed } = await run(one, context);
        const result = results.get(nameOf(one));
        if (result?.status === 'skipped') return context.skip(`not checked: ${result.reason}`);
        if (result?.status === 'known') return context.skip(`known failure: ${result.excuse}`);
        if (result?.status !== 'passed') fail(result?.explanation || printed || 'loopstone test reports no result');
      });
    }
    test('summary: the run as a whole', options, async (context) => {
      const { results, summary, printed } = await run(undefined, context);
      if (summary?.exit === 0 || [...results.values()].some((r) => !quiet.has(r.status))) return;
      fail(summary?.explanation || printed || 'loopstone test reports nothing');
    });
  });
}

const quiet = new Set(['passed', 'skipped', 'known']);

const nameOf = (one) => one.case + (one.reading ? ` (${one.reading})` : '');

const titleOf = (one) => `${nameOf(one)}: ${one.title}`;

/** Fails a test with a text; a stack would only show this file. */
function fail(text) {
  const error = new Error(text);
  error.stack = text;
  throw error;
}

/** Returns a function that runs a test together with all others that the runner has selected. */
function runner(folder, tests) {
  const checked = new Map(tests.filter((one) => !one.not_checked).map((one) => [titleOf(one), one]));
  let batch; // the tests that wait for the next run
  return (one, { task }) => {
    if (!batch) {
      // vitest names the tests that it is going to run. node:test does not, but begins them all before the run.
      const known = task?.suite.tasks.filter((t) => t.mode === 'run').map((t) => checked.get(t.name));
      const mine = (batch = { tests: new Set(known?.filter(Boolean)) }); // the summary is none
      mine.done = new Promise((resolve) => setTimeout(resolve, known ? 0 : 50)).then(() => {
        if (!known) batch = undefined; // one that begins later is in another run
        return loopstone(folder, [...mine.tests], checked.size);
      });
    }
    if (one) batch.tests.add(one);
    return batch.done;
  };
}

/** Runs some tests of so many. */
function loopstone(folder, tests, count) {
  const cases = [...new Set(tests.map((one) => one.case))].join(',');
  const some = tests.length > 0 && tests.length < count && cases.length < longest ? ['--case', cases] : [];
  const args = [wrapper, 'test', '--verbose', '--for', '10m', '--report', 'jsonl', ...some];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, maxBuffer: Infinity }, (_, stdout, stderr) => {
      const lines = stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line));
      resolve({
        results: new Map(lines.filter((line) => line.type === 'result').map((line) => [nameOf(line), line])),
        summary: lines.find((line) => line.type === 'summary'),
        printed: stderr.trim(),
      });
    });
  });
}
