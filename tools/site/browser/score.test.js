// What loopstone score --sweep --html writes, in a real browser: without network or script, wide and narrow, light and dark.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isCut, opened, violations } from "./opened.js";

const url = new URL("../../../internal/lab/score/testdata/golden/study.html", import.meta.url);

// contrast returns how far a colour stands out from another, as WCAG 2 reckons: 1 to 21.
function contrast(...colours) {
  const [light, dark] = colours.map((colour) => {
    const [r, g, b] = colour.match(/\d+/g).map((n) => (n / 255 <= 0.04045 ? n / 255 / 12.92 : ((n / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }).sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

for (const colorScheme of ["light", "dark"]) {
  for (const width of [400, 800, 1280]) {
    test(`score, ${colorScheme}, ${width} px`, async () => {
      const { page, complaints, requests, close } = await opened(url, { colorScheme, viewport: { width, height: 900 } });
      assert.ok(!(await isCut(page)), "no line is cut");
      const cell = page.locator("td", { hasText: /^\d+ of \d+ \(/ }).first();
      assert.ok(await cell.isVisible(), "how many loops were found is there to be read");
      const named = await cell.evaluate((td) => getComputedStyle(td, "::before").content);
      assert.equal(named.includes("found"), width < 640, "where the table's head is gone, each cell says its name");
      const chart = page.locator("svg[role=img]");
      assert.ok((await chart.locator("circle").count()) > 1, "the curve has points");
      assert.ok((await chart.boundingBox()).width <= width, "the curve is as wide as the page at most");
      for (const text of await chart.locator("text").all()) {
        const { ink, paper } = await text.evaluate((t) => ({
          ink: getComputedStyle(t).fill, paper: getComputedStyle(document.body).backgroundColor,
        }));
        assert.ok(contrast(ink, paper) >= 4.5, `${await text.textContent()}: ${ink} on ${paper}`);
      }
      assert.deepEqual({ complaints, requests }, { complaints: [], requests: [] });
      await close();
    });
  }
  test(`score, ${colorScheme}: axe finds nothing`, async () => {
    assert.deepEqual(await violations(url, colorScheme), []);
  });
}
