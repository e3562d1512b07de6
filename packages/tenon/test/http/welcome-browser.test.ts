// The page of an endpoint in a real browser: wide, narrow and dark, with nothing that the policy refuses, no sideways scrolling
// and no fault that a reader with bad eyes meets. `TENON_SCREENSHOTS` names a folder for pictures of it.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bearer } from "tenon/auth";
import { McpServer, type HttpOptions } from "tenon/server";
import { sharedBrowser } from "../runtimes/browser.ts";
import { serve } from "./support.ts";

const browserOf = sharedBrowser();

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const folder = process.env["TENON_SCREENSHOTS"];

function weather(): McpServer {
  const server = new McpServer({
    name: "weather",
    title: "Weather and wind",
    version: "1.2.3",
    description: "Forecasts for sailors: wind, waves and rain on the coasts of Europe, up to ten days ahead.",
    websiteUrl: "https://weather.example/",
  });
  server.tool("forecast", { description: "The weather of a place in the next ten days, hour by hour." }, () => "Sunny");
  server.tool("warnings", { description: "Storm warnings that hold now, for one coast or for all." }, () => "None");
  server.tool("tides", { title: "Tides of a harbour with a name that is rather long" }, () => "High");
  return server;
}

const auth = bearer({ issuer: "https://issuer.example", audience: "http://localhost/mcp", verify: () => undefined });
const VIEWS: [name: string, HttpOptions, width: number, scheme: "light" | "dark"][] = [
  ["wide", { welcome: { url: "https://weather.example/mcp" } }, 1280, "light"],
  ["narrow", { welcome: true }, 390, "light"],
  ["dark", { welcome: true }, 1280, "dark"],
  ["login", { welcome: true, auth }, 390, "dark"],
];

/** How many options of commands, such as `--host`, stand on more than one line. Runs in the page. */
function brokenOptions(): number {
  let broken = 0;
  for (const code of document.querySelectorAll(".hosts code")) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode as Text;
      for (const { index, 0: option } of text.data.matchAll(/--\w+/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + option.length);
        if (range.getClientRects().length > 1) broken += 1;
      }
    }
  }
  return broken;
}

/** What a user copies who selects the commands. Runs in the page. */
function copiedCommands(): string[] {
  return [...document.querySelectorAll(".hosts code")].map((code) => {
    getSelection()!.selectAllChildren(code);
    return getSelection()!.toString();
  });
}

test("no command breaks inside an option, however narrow the page is, and it is copied as one line", async (test) => {
  const { url } = await serve(weather(), { welcome: true });
  const page = await browserOf(test).newPage();
  await page.goto(url);
  for (let width = 320; width <= 420; width += 10) {
    await page.setViewportSize({ width, height: 800 });
    expect([width, await page.evaluate(brokenOptions)]).toEqual([width, 0]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  }
  expect(await page.evaluate(copiedCommands)).toContain(`codex mcp add weather --url ${url}`);
  await page.close();
});

test.for(VIEWS)("the page fits and can be read: %s", async ([name, options, width, colorScheme], test) => {
  const browser = browserOf(test);
  const { url } = await serve(weather(), options);
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  await page.goto(url);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  expect(await page.evaluate(() => getComputedStyle(document.querySelector("a.button")!).display)).toBe("block");
  if (folder !== undefined) await page.screenshot({ path: join(folder, `welcome-${name}.png`), fullPage: true });
  expect(complaints.filter((said) => !said.includes("favicon"))).toEqual([]);
  // The checker's script comes from the driver, which the policy of the page does not concern.
  expect(
    await page.evaluate(
      `${AXE}; axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))`,
    ),
  ).toEqual([]);
  await context.close();
});
