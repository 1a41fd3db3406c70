// The worker that runs the reference. The program travels compressed and is unpacked here, so that it is small whatever the
// server does.
importScripts("wasm_exec.js");

const ready = (async () => {
  const response = await fetch("playground.bin");
  if (!response.ok) throw new Error(`the playground's program could not be loaded: ${response.status}`);
  const unpacked = response.body.pipeThrough(new DecompressionStream("gzip"));
  const program = new Response(unpacked, { headers: { "Content-Type": "application/wasm" } });
  const go = new Go();
  const { instance } = await WebAssembly.instantiateStreaming(program, go.importObject);
  go.run(instance);
})();

const why = (error) => {
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
