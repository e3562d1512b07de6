// examples/apps in a real browser: a user asks, sees the view, and changes it. Screenshots are left in out/screenshots.
import { existsSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test, type TestContext } from "vitest";
import { launch } from "../runtimes/browser.ts";
import { has, leaveOut } from "../support/needs.ts";

// Examples are compiled by themselves: types come from inference there.
const program: string = "../../../../examples/apps/serve.ts";
const { serve } = (await import(program)) as { serve: () => Promise<{ url: string; close: () => Promise<void> }> };

const screenshots = fileURLToPath(new URL("../../../../out/screenshots/", import.meta.url));
let browser: Browser | undefined;

beforeAll(async () => {
  // The example bundles its scripts as a user's project does: with the built package.
  if (!existsSync(new URL("../../dist/extensions/apps/view/index.js", import.meta.url)))
    throw new Error("There is no dist/: run `npm run build` first");
  mkdirSync(screenshots, { recursive: true });
  if (has("chromium")) browser = await launch();
}, 60_000);
afterAll(() => browser?.close());

async function open({ skip }: TestContext, width: number, colorScheme: "light" | "dark"): Promise<Page> {
  if (browser === undefined) return leaveOut(["chromium"], { skip });
  const { url, close } = await serve();
  onTestFinished(close);
  const page = await browser.newPage({ viewport: { width, height: 700 }, colorScheme });
  onTestFinished(() => page.close());
  await page.goto(url);
  return page;
}

test.for([
  ["wide", 1000, "light"],
  ["narrow", 360, "dark"],
] as const)(
  "the example shows its view on a %s page, and the view changes it [P1 P6 P9]",
  async ([name, width, scheme], context) => {
    const page = await open(context, width, scheme);
    await page.click("button:enabled");
    const view = page.frameLocator("iframe").frameLocator("iframe");
    await view.locator("li").nth(4).waitFor();
    expect(await view.locator("h1").textContent()).toBe("Lisbon");
    const text = page.locator(".note").first();
    expect(await text.textContent()).toMatch(/^The model reads: \{"city":"Lisbon","days":\[/);
    await view.locator("input").fill("Oslo");
    await view.locator("button").click();
    await view.locator("h1", { hasText: "Oslo" }).waitFor();
    await page.locator(".note", { hasText: 'The view told the model: {"shownCity":"Oslo"}' }).waitFor();
    expect(await view.locator("html").getAttribute("data-theme")).toBe(scheme);
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    expect(widths[0]).toBe(widths[1]);
    const heights = async (): Promise<number[]> => [
      await page.locator("iframe").evaluate((frame) => frame.clientHeight),
      await view.locator("html").evaluate((html) => Math.ceil(html.getBoundingClientRect().height)),
    ];
    await expect.poll(async () => new Set(await heights()).size).toBe(1);
    await page.screenshot({ path: `${screenshots}apps-${name}.png` });
  },
);
