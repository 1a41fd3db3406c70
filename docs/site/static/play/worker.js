// The worker that runs the reference. The program travels compressed and is unpacked here, so that it is small whatever the
// server does.
importScripts("wasm_exec.js");

const most = 120_000; // milliseconds for the program, of 2 MB

// Unloaded is the error of a program that did not start: no trace is to blame.
class Unloaded extends Error {}

async function load() {
  const response = await fetch("playground.bin", { signal: AbortSignal.timeout(most) });
  if (!response.ok) throw new Error(`playground.bin: ${response.status}`);
  const unpacked = response.body.pipeThrough(new DecompressionStream("gzip"));
  const program = new Response(unpacked, { headers: { "Content-Type": "application/wasm" } });
  const go = new Go();
  const { instance } = await WebAssembly.instantiateStreaming(program, go.importObject);
  go.run(instance);
}

const ready = load().catch((error) => {
  throw new Unloaded(error.message);
});

const why = (error) => {
  if (error instanceof Unloaded) return `The playground did not load. It is loaded again with the next change: ${error.message}`;
  if (error instanceof RangeError) return "The trace is nested too deeply: at most 100 levels can be read.";
  return `The reference failed on this trace. It starts again with the next trace: ${error.message}`;
};

// A request is {id, calls: [[method, …], …]}; its answer {id, results} has for each call {result} or {error}. What is
// thrown is no answer of the program, which may have exited: then the answer says that the worker is of no more use.
addEventListener("message", async ({ data: { id, calls } }) => {
  try {
    await ready;
    postMessage({ id, results: calls.map((call) => JSON.parse(loopstone(...call))) });
  } catch (error) {
    postMessage({ id, results: calls.map(() => ({ error: why(error) })), gone: true });
  }
});
