import { after, test } from "node:test";
import { opened, violations } from "./site.js";
const pages = { home: "", clause: "c/HI-10", case: "case/history-window-forgets-before-judging", matrix: "implementations", playground: "playground", replay: "replaypage.html", detector: "detector/history", profile: "profile/roo" };
test("shots", async () => {
  for (const [name, path] of Object.entries(pages)) for (const scheme of ["light", "dark"]) for (const width of [1280, 390]) {
    const { page, complaints, close } = await opened(path, { viewport: { width, height: width > 1000 ? 900 : 844 }, colorScheme: scheme });
    if (name === "playground") await page.locator(".judged").waitFor(); else await page.waitForTimeout(800);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.screenshot({ path: `/tmp/user/shots/${name}-${scheme}-${width}.png`, fullPage: true, clip: { x: 0, y: 0, width, height: Math.min(height, width > 1000 ? 1600 : 2200) } });
    const axe = scheme === "light" || width < 500 ? await violations(page) : [];
    console.log(name, scheme, width, "height", height, "overflow", over, "complaints", complaints.length, complaints.slice(0, 2), "axe", axe);
    await close();
  }
});
