// The documentation site as a reader's browser shows it: every page opens without an error, every link and anchor leads somewhere, and
// nothing is wider than the window. Needs the site (`npm run docs`) and Chromium; screenshots are left in out/screenshots.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, type TestContext } from "vitest";
import { launch } from "../runtimes/browser.ts";
import { has, leaveOut } from "../support/needs.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const site = join(root, "out", "site");
const screenshots = join(root, "out", "screenshots");
const built = has("site");
const files = built ? readdirSync(site, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html")) : [];
const pages = files.map((name) => `/${name.replace(/(^|\/)index\.html$/, "$1")}`).sort();

const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".woff2": "font/woff2",
};

let server: Server;
let browser: Browser | undefined;
let origin: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, "http://site");
    const file = join(site, decodeURIComponent(pathname), pathname.endsWith("/") ? "index.html" : "");
    if (!existsSync(file) || !statSync(file).isFile()) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain" }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
  if (built && has("chromium")) browser = await launch();
  mkdirSync(screenshots, { recursive: true });
});

afterAll(async () => {
  await browser?.close();
  server.closeAllConnections();
  server.close();
});

/** The browser. Leaves the test out if there is none, or no site. */
function opened({ skip }: TestContext): Browser {
  if (!built) return leaveOut(["site"], { skip });
  return browser ?? leaveOut(["chromium"], { skip });
}

/** What a page has, as the browser shows it. */
interface Shown {
  readonly links: readonly string[];
  readonly ids: readonly string[];
}
const READ = `({
  links: [...document.querySelectorAll("a[href]")].map((link) => link.href),
  ids: [...document.querySelectorAll("[id]")].map((element) => element.id),
})`;
const shown = new Map<string, Shown>();

/** Opens pages one after the other; returns what went wrong, and keeps what they show. */
async function visit(page: Page, paths: readonly string[]): Promise<string[]> {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error.message}`));
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${page.url()}: ${response.url()} is ${response.status()}`);
  });
  for (const path of paths) {
    await page.goto(origin + path, { waitUntil: "load" });
    await page.waitForSelector("#app [data-v-app], #app > *");
    shown.set(path, await page.evaluate<Shown>(READ));
  }
  await page.close();
  return complaints;
}

/** Pages in parts, so that no test takes long. */
const PART = 20;
const parts = Array.from({ length: Math.ceil(pages.length / PART) }, (_, part) => pages.slice(part * PART, (part + 1) * PART));
const visits = new Map<readonly string[], Promise<string[]>>();

/** What went wrong on the pages of a part. Each part is visited once, by the first test that needs it. */
function visited(part: readonly string[], within: Browser): Promise<string[]> {
  const visiting = visits.get(part) ?? within.newPage().then((page) => visit(page, part));
  visits.set(part, visiting);
  return visiting;
}

/** Long enough for all pages on a busy machine: bounds a hang. */
const ALL_PAGES = { timeout: 900_000 };

/** Visits what no test has visited yet. */
async function visitAll(within: Browser): Promise<void> {
  for (const part of parts) await visited(part, within);
}

test.for(parts.map((part) => [part[0]!, part] as const))("pages from %s on open without an error", async ([, part], context) => {
  expect(await visited(part, opened(context))).toEqual([]);
});

test("every link and every anchor leads somewhere", ALL_PAGES, async (context) => {
  await visitAll(opened(context));
  expect(shown.size).toBe(pages.length);
  const dead = [...shown].flatMap(([path, { links }]) => links.filter((link) => !leads(link)).map((link) => `${path}: ${link}`));
  expect(dead).toEqual([]);
});

/** Whether a link inside the site leads to a page, to a heading of it, or to a file. Links to other sites are not followed. */
function leads(link: string): boolean {
  const { origin: to, pathname, hash } = new URL(link);
  if (to !== origin) return true;
  const page = shown.get(pathname);
  if (page === undefined) return existsSync(join(site, decodeURIComponent(pathname)));
  return hash === "" || page.ids.includes(decodeURIComponent(hash.slice(1)));
}

test("a link to a heading that is not there is found out", async (context) => {
  await visited(
    parts.find((part) => part.includes("/"))!,
    opened(context),
  );
  expect([leads(`${origin}/`), leads(`${origin}/#no-such-heading`), leads(`${origin}/no-such-page.html`)]).toEqual([true, false, false]);
});

test("llms.txt lists pages that are there", (context) => {
  opened(context);
  const links = [...readFileSync(join(site, "llms.txt"), "utf8").matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1]!);
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter((link) => !existsSync(join(site, link)))).toEqual([]);
});

test("the search finds a page by a word of it", async (context) => {
  const page = await opened(context).newPage();
  await page.goto(origin);
  await page.getByRole("button", { name: "Search" }).first().click();
  await page.locator("#localsearch-input").fill("first server");
  await page.locator(".result").first().waitFor();
  expect(await page.locator(".result").allTextContents()).toContainEqual(expect.stringContaining("Your first server"));
  await page.close();
});

const VIEWS = [
  "/",
  "/learn/first-server.html",
  "/servers/tasks.html",
  "/project/benchmarks.html",
  "/reference/",
  "/reference/server/classes/McpServer.html",
];
const WIDTHS = [1280, 400];
const THEMES = ["light", "dark"] as const;

test.for(VIEWS.flatMap((path) => WIDTHS.map((width) => [path, width] as const)))(
  "%s fits into %i pixels",
  async ([path, width], context) => {
    for (const colorScheme of THEMES) {
      const page = await opened(context).newPage({ viewport: { width, height: 900 }, colorScheme });
      await page.goto(origin + path, { waitUntil: "load" });
      const name = path.replace(/^\/|\.html$|\/$/g, "").replaceAll("/", "-") || "home";
      await page.screenshot({ path: join(screenshots, `${name}-${width}-${colorScheme}.png`) });
      expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      await page.close();
    }
  },
);
