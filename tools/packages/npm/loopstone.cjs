#!/usr/bin/env node
// Starts the program of the package for this machine, which npm has installed beside this one. The program gets the
// words, the input and the signals, and its exit code is that of this process.
const { spawn } = require('node:child_process');
const { constants } = require('node:os');

const machine = `${process.platform}-${process.arch}`;
const name = process.platform === 'win32' ? 'loopstone.exe' : 'loopstone';

let program;
try {
  program = require.resolve(`@loopstone/${machine}/bin/${name}`); // with slashes on Windows, too
} catch {
  console.error(`loopstone: the package @loopstone/${machine} is not installed. It is an optional dependency of the`);
  console.error('package loopstone: install loopstone again without --omit=optional. If there is no package for this');
  console.error('machine, go install builds the program: https://github.com/loopstone/loopstone');
  process.exit(64);
}

const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
  process.on(signal, () => child.kill(signal));
}
child.on('error', (problem) => {
  console.error(`loopstone: ${program} does not start: ${problem.message}`);
  process.exit(64);
});
child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
