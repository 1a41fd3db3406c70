// Keeps what was loaded, so that the site works without a network afterwards. What is named by its content comes from the
// store; all else is asked for first, so that nobody is shown an old page.
const store = "loopstone-1";

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("message", ({ data }) => {
  caches.open(store).then((cache) => Promise.allSettled(data.keep.map((url) => cache.add(url))));
});

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  event.respondWith(request.url.includes("/assets/") ? kept(request).then((r) => r ?? fresh(request)) : newest(request));
});

const kept = async (request) => (await caches.open(store)).match(request, { ignoreSearch: true });

async function fresh(request) {
  const response = await fetch(request);
  if (response.ok) (await caches.open(store)).put(request, response.clone());
  return response;
}

async function newest(request) {
  try {
    return await fresh(request);
  } catch (error) {
    const response = await kept(request);
    if (response) return response;
    throw error;
  }
}
