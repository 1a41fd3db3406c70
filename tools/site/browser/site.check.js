// The site: links, search, complaints, accessibility, sizes. SHOTS names a folder for pictures of it.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { test } from "node:test";
import { few, file, opened, pages, root, site, violations } from "./site.js";

test("every internal link and anchor leads somewhere", () => {
  const texts = new Map(pages.map((name) => [name, readFileSync(join(root, `${name}.html`), "utf8")]));
  const ids = new Map([...texts].map(([name, text]) => [name, new Set([...text.matchAll(/\sid="([^"]+)"/g)].map((m) => m[1]))]));
  const broken = new Set();
  let links = 0;
  for (const [name, text] of texts) {
    for (const [, href] of text.matchAll(/<a\s[^>]*?href="([^"]+)"/g)) {
      const to = new URL(href.replaceAll("&amp;", "&"), `http://site/${name}`);
      if (to.host !== "site") continue;
      links++;
      const found = file(decodeURIComponent(to.pathname));
      const target = found && relative(root, found).slice(0, -5);
      const anchor = decodeURIComponent(to.hash.slice(1));
      if (!found) broken.add(`${name}: ${href}`);
      else if (anchor && target !== "playground" && !ids.get(target).has(anchor)) broken.add(`${name}: no anchor ${href}`);
    }
  }
  assert.ok(links > 10_000, `only ${links} links were found`);
  assert.deepEqual([...broken].slice(0, 20), []);
});

// idsOf returns every id that a person may look for, with the page that has it.
function idsOf() {
  const named = (folder, mark) =>
    pages.filter((name) => name.startsWith(`${folder}/`)).map((name) => [mark + name.slice(folder.length + 1), `/${name}`]);
  const claims = pages.filter((name) => name.startsWith("claims/")).flatMap((name) => {
    const headings = readFileSync(join(root, `${name}.html`), "utf8").matchAll(/<h2 id="([^"]+)"/g);
    return [...headings].map(([, id]) => [id.toUpperCase(), `/${name}#${id}`]);
  });
  return { clauses: named("c", ""), cases: named("case", ""), profiles: named("profile", "@"), claims };
}

// The index is the site's own, read as the search of the site reads it, with the settings that the page has.
test("every id is found by search: clauses, profiles and claims first of all, cases among the first ten", async () => {
  const chunks = join(root, "assets/chunks");
  const { default: index } = await import(join(chunks, readdirSync(chunks).find((n) => n.startsWith("@localSearch"))));
  const { resolve } = createRequire(new URL("../../../docs/site/package.json", import.meta.url));
  const { default: MiniSearch } = await import(resolve("minisearch"));
  const { page, close } = await opened("");
  const settings = await page.evaluate(() => window.__VP_SITE_DATA__.themeConfig.search.options.miniSearch);
  await close();
  const fields = { fields: ["title", "titles", "text"], storeFields: ["title", "titles"] };
  const search = MiniSearch.loadJSON(index, { ...fields, ...settings });
  const late = [];
  for (const [kind, ids] of Object.entries(idsOf())) {
    assert.ok(ids.length > 10, `only ${ids.length} ${kind}`);
    for (const [id, page] of ids) {
      const places = search.search(id).map((found) => found.id.replace(".html", ""));
      const at = places.findIndex((place) => place === page || (!page.includes("#") && place.startsWith(`${page}#`)));
      if (at < 0 || at >= (kind === "cases" ? 10 : 1)) late.push(`${id} is at ${at}`);
    }
  }
  assert.deepEqual(late, []);
});

test("who types an id into the search is led to its page", async () => {
  const { page, complaints, close } = await opened("");
  const some = [["HI-13", "c/HI-13"], ["crow-cycles-two", "case/crow-cycles-two"], ["@roo", "profile/roo"]];
  for (const [id, path] of some) {
    await page.goto(site);
    const box = page.locator("#localsearch-input");
    for (let tries = 0; tries < 600 && !(await box.isVisible()); tries++) { // until the page listens, if it is busy
      await page.keyboard.press("Control+k");
      await page.waitForTimeout(200);
    }
    await box.fill(id);
    await page.locator(".result .title").getByText(id, { exact: true }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname === `/${path}`);
  }
  assert.deepEqual(complaints, []);
  await close();
});

test("pages load without complaint, and axe finds nothing, in light and in dark", async () => {
  const wrong = [];
  let axed = 0;
  const met = {}; // pages, by their template
  const { page, complaints, close } = await opened("", { bypassCSP: true });
  for (const name of few) {
    complaints.length = 0;
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(site + name);
    await page.locator("main h1").waitFor();
    if (name === "playground") await page.locator(".judged").waitFor();
    const template = name.startsWith("docs/") ? name : name.split("/")[0];
    met[template] = (met[template] ?? 0) + 1;
    if (met[template] % 4 !== 1) { // axe looks at the first page of a template, and at every fourth
      wrong.push(...complaints.map((problem) => `${name}: ${problem}`));
      continue;
    }
    axed++;
    const light = await violations(page);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator("html.dark").waitFor({ state: "attached" });
    await page.evaluate(() => Promise.all(document.getAnimations().map((change) => change.finished))); // of colours
    for (const problem of [...complaints, ...light, ...(await violations(page, "color-contrast"))]) wrong.push(`${name}: ${problem}`);
  }
  await close();
  assert.ok(axed > 45, `only ${axed} pages`);
  assert.deepEqual(wrong, []);
});

test("the policy lets nothing else in, and the page still works", async () => {
  for (const name of ["index", "detector/history", "playground"]) {
    const { page, complaints, close } = await opened(name);
    await page.locator("main h1").waitFor();
    if (name === "playground") await page.locator(".judged").waitFor();
    assert.deepEqual(complaints, [], name);
    const ran = await page.evaluate(() => {
      document.body.append(Object.assign(document.createElement("script"), { textContent: "window.ran = true" }));
      return window.ran === true;
    });
    assert.equal(ran, false, "a script that the page does not have ran");
    await close();
  }
});

test("a page needs less than 200 kB, compressed, before the playground", async () => {
  const { gzipSync } = await import("node:zlib");
  const loaded = new Set();
  const { page, close } = await opened("");
  // What is fetched ahead, for the pages that this one links to, is not needed by this one.
  const ahead = (request) => "purpose" in request.headers() || "sec-purpose" in request.headers();
  page.on("request", (request) => ahead(request) || loaded.add(new URL(request.url()).pathname));
  await page.reload();
  await page.waitForLoadState("networkidle");
  await close();
  // The browser forgets the bodies of a page that it has left, so the files are read from the folder that is served.
  const sizes = [...loaded].map((path) => gzipSync(readFileSync(file(path))).length);
  const total = sizes.reduce((a, b) => a + b, 0);
  console.log(`# ${loaded.size} files, ${total} bytes`);
  assert.ok(total > 10_000 && total < 200_000, `${total} bytes`);
});

const shown = ["index", "implementations", "detector/history", "profile/roo", "c/HI-13", "case/crow-cycles-two", "docs/results", "docs/choose-a-detector", "docs/dev/field", "docs/dev/strength", "docs/dev/floor", "playground"];
test("no page is wider than its window", async () => {
  for (const name of shown) {
    const { page, close } = await opened(name);
    await page.locator("main h1").waitFor();
    if (name === "playground") await page.locator(".judged").waitFor();
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.locator(colorScheme === "dark" ? "html.dark" : "html:not(.dark)").waitFor({ state: "attached" });
      for (const width of [360, 768, 1280, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        const shot = `${name.replace("/", "-")}-${width}-${colorScheme}.png`;
        if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, shot), fullPage: true });
        const [needed, has] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
        assert.equal(has, width);
        assert.ok(needed <= has, `${name}, ${colorScheme}, is ${needed} px wide in a window of ${has} px`);
      }
    }
    await close();
  }
});
