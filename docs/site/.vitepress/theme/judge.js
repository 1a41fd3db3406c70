// Asks the worker that runs the reference, which starts with the first question.
import { withBase } from "vitepress";

let worker;
let last = 0;
const waiting = new Map();

function start() {
  worker = new Worker(withBase("/play/worker.js"));
  worker.onmessage = ({ data: { id, results, gone } }) => {
    const answer = waiting.get(id);
    waiting.delete(id);
    answer?.(results);
    if (gone) end("the reference failed on an earlier trace");
  };
  worker.onerror = ({ message }) => end(`The playground did not load. It is loaded again with the next change: ${message ?? "the worker did not start"}`);
}

// end gives up the worker; the next question starts another, which has read nothing yet.
function end(error) {
  worker.terminate();
  worker = undefined;
  for (const answer of waiting.values()) answer([{ error }, { error }]);
  waiting.clear();
}

// isNew says whether the worker has yet to read a trace.
export const isNew = () => worker === undefined;

// ask returns the answers to calls, in their order: each {result} or {error}.
export function ask(...calls) {
  if (!worker) start();
  return new Promise((answer) => {
    waiting.set(++last, answer);
    worker.postMessage({ id: last, calls });
  });
}

// keepOffline stores what the page has loaded, for when there is no network.
export async function keepOffline() {
  if (!navigator.serviceWorker) return;
  await navigator.serviceWorker.register(withBase("/sw.js"));
  const { active } = await navigator.serviceWorker.ready;
  const loaded = performance.getEntriesByType("resource").map((entry) => entry.name).filter((url) => url.startsWith(location.origin));
  const own = ["worker.js", "wasm_exec.js", "playground.bin"].map((name) => new URL(withBase(`/play/${name}`), location.href).href);
  active.postMessage({ keep: [...new Set([location.href.split("#")[0], ...loaded, ...own])] });
}
