// Keeps what was loaded, so that the site works without a network afterwards. What is named by its content comes from the
// store; all else is asked for first, so that nobody is shown an old page.
const store = "loopstone-1";

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
const most = 500; // entries; the oldest, such as those of earlier releases, go
addEventListener("message", (event) => event.waitUntil(keep(event.data.keep)));

async function keep(urls) {
  const cache = await caches.open(store);
  await Promise.allSettled(urls.map((url) => cache.add(url)));
  const keys = await cache.keys();
  await Promise.all(keys.slice(0, -most).map((key) => cache.delete(key)));
}

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  event.respondWith(request.url.includes("/assets/") ? kept(request).then((r) => r ?? fresh(request)) : newest(request));
});

// A store that is full, or that the browser denies, must not break the site: then nothing is kept.
const kept = async (request) => {
  try {
    return await (await caches.open(store)).match(request, { ignoreSearch: true });
  } catch {
    return undefined;
  }
};

async function put(request, response) {
  const { origin, pathname } = new URL(request.url);
  await (await caches.open(store)).put(origin + pathname, response); // one entry, whatever the query
}

async function fresh(request) {
  const response = await fetch(request);
  // What is no page but is answered with one, by a login for instance, would be kept for ever.
  const isStray = request.url.includes("/assets/") && response.headers.get("Content-Type")?.startsWith("text/html");
  if (response.ok && !isStray) put(request, response.clone()).catch(() => {});
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
