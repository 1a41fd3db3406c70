// Asks the worker that runs the reference, which starts with the first question.
import { withBase } from "vitepress";

let worker;
let last = 0;
const waiting = new Map();

function start() {
  worker = new Worker(withBase("/play/worker.js"));
  worker.onmessage = ({ data: { id, results } }) => {
    waiting.get(id)?.(results);
    waiting.delete(id);
  };
  worker.onerror = ({ message }) => {
    for (const answer of waiting.values()) answer([{ error: message ?? "the worker did not start" }]);
    waiting.clear();
  };
}

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
