// The site. Its pages are written by tools/site; here stands only how they look and what they may load.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";

const data = JSON.parse(readFileSync(new URL("../pages/data.json", import.meta.url), "utf8"));
const escaped = (text) => text.replace(/[&<>"{}]/g, (c) => `&#${c.charCodeAt(0)};`);

// slug names a heading as GitHub does, so that the links of the guides lead to it here, too.
const slug = (text) => text.toLowerCase().trim().replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-");

// unmoved is the hash of the one style that VitePress adds, while it changes between light and dark.
const unmoved = "sha256-skqujXORqzxt1aE0NNXxujEanPTX6raoqSscTV/Ww/Y=";

// policy allows what comes from the site itself, WebAssembly, and the scripts within the page, each by its hash.
function policy(html) {
  const inline = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g)].map(
    ([, script]) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' ${[...new Set(inline)].join(" ")}`,
    `style-src 'self' '${unmoved}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

// exact puts what is written as it was asked first, so that an id leads to its own page.
const exact = { combineWith: "AND", weights: { fuzzy: 0.1, prefix: 0.1 }, boost: { title: 8, text: 2, titles: 1 } };

const group = (text, ...guides) => ({ text, items: guides.map(([text, name]) => ({ text, link: `/docs/${name}` })) });

export default defineConfig({
  title: "Loopstone",
  description: "The conformance suite for agent loop detectors",
  lang: "en",
  base: process.env.SITE_BASE || "/",
  srcDir: "pages",
  outDir: process.env.SITE_OUT || "../../bin/site",
  cacheDir: "../../.cache/vitepress",
  cleanUrls: true,
  metaChunk: true,
  head: [["link", { rel: "icon", href: "data:," }]],
  markdown: {
    anchor: { slugify: slug },
    toc: { slugify: slug },
    // A wide table is scrolled within the page, by keys too.
    config(md) {
      md.renderer.rules.table_open = () => '<div class="scroll" tabindex="0">\n<table>\n';
      md.renderer.rules.table_close = () => "</table>\n</div>\n";
    },
    // Colours in code would cost each page more than its text, and a style attribute for every word.
    highlight: (code) => `<pre v-pre tabindex="0"><code>${escaped(code)}</code></pre>`,
  },
  vite: { build: { chunkSizeWarningLimit: 4000, assetsInlineLimit: 0 } },
  transformHtml(html) {
    return html.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${policy(html)}">`);
  },
  themeConfig: {
    search: { provider: "local", options: { miniSearch: { searchOptions: exact } } },
    outline: [2, 2],
    nav: [
      { text: "Playground", link: "/playground" },
      { text: "Guides", link: "/docs/README" },
      { text: "Protocol", link: "/docs/protocol" },
      { text: "Source", link: "https://github.com/loopstone/loopstone" },
    ],
    sidebar: [
      { text: "Playground", link: "/playground" },
      { text: "Implementations", link: "/implementations" },
      { text: "Detectors", items: data.detectors.map((d) => ({ text: d.id, link: `/detector/${d.id}` })) },
      { text: "Profiles", items: data.profiles.map((p) => ({ text: `@${p.id}`, link: `/profile/${p.id}` })) },
      group("Guides", ["All guides and terms", "README"], ["Replay your logs", "replay-your-logs"], ["Choose a detector", "choose-a-detector"],
        ["Results", "results"], ["Faults in the field", "faults"], ["Test a detector", "test-a-detector"], ["Recipes", "recipes"], ["CI", "ci"], ["Label runs", "label-runs"],
        ["Protocol", "protocol"], ["Troubleshooting", "troubleshooting"]),
      group("The suite", ["Cases", "cases"], ["Strength", "dev/strength"], ["Floor", "dev/floor"], ["Known agents' detectors", "dev/field"],
        ["What hides a loop", "dev/evasions"], ["@loopstone", "dev/best"]),
    ],
  },
});
