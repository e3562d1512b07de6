// The documentation site: every link and anchor leads somewhere, and a browser opens pages of each kind without an error, none of
// which is wider than the window. Needs the site (`npm run docs`) and Chromium; screenshots are left in out/screenshots.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test, type TestContext } from "vitest";
import { deadLinks } from "../../../../site/dead-links.mjs";
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

/** Opens pages one after the other; returns what went wrong. */
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
  }
  await page.close();
  return complaints;
}

/** Pages of one kind are made in the same way: by hand, or of the declarations of classes, of functions, … */
function kindOf(path: string): string {
  if (!path.startsWith("/reference/")) return "the documentation";
  return /\/(\w+)\/[^/]+$/.exec(path)?.[1] ?? "reference";
}

/** Pages of each kind that a browser opens, spread over all that there are. */
const DOZEN = 12;
const kinds = [...new Set(pages.map(kindOf))].map((kind) => {
  const all = pages.filter((path) => kindOf(path) === kind);
  const count = Math.min(DOZEN, all.length);
  return [kind, Array.from({ length: count }, (_, index) => all[Math.floor((index * all.length) / count)]!)] as const;
});

test.for(kinds)("pages of %s open without an error", async ([, some], context) => {
  expect(await visit(await opened(context).newPage(), some)).toEqual([]);
});

test("every link and every anchor of every page leads somewhere", (context) => {
  if (!built) return leaveOut(["site"], context);
  const found = deadLinks(site);
  expect(found.complaints).toEqual([]);
  expect(found.pages).toHaveLength(pages.length);
  expect(found.links).toBeGreaterThan(pages.length);
});

test("a link to a heading that is not there is found out, and one to a page that is not there", () => {
  const folder = mkdtempSync(join(tmpdir(), "tenon-site-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const links = ["/", "/#there", "/#no-such-heading", "no-such-page.html", "https://elsewhere.example/x#y"];
  writeFileSync(join(folder, "index.html"), `<h1 id="there">A</h1>${links.map((href) => `<a href="${href}">x</a>`).join("")}`);
  expect(deadLinks(folder).complaints).toEqual([
    "index.html: /#no-such-heading names a heading that is not there",
    "index.html: no-such-page.html leads nowhere",
  ]);
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

/** What people look for, and the guide that they need. */
const QUERIES = [
  ["cancel", "/clients/calling"],
  ["ctx.elicit", "/servers/asking"],
  ["session state", "/servers/state"],
  ["resource templates", "/servers/resources"],
  ["progress", "/servers/progress"],
  ["api key", "/servers/api-keys"],
  ["tasks", "/servers/tasks"],
  ["test my server", "/learn/testing"],
  ["Claude Desktop", "/learn/connect-a-host"],
  ["Express", "/serving/frameworks"],
  ["Docker", "/serving/deploying"],
  ["OpenAPI", "/servers/openapi"],
  ["gateway", "/serving/gateway"],
  ["audit", "/serving/audit"],
] as const;

test(
  "a search finds the guide within the first three, and no page of the reference before it",
  { timeout: 120_000 },
  async (context) => {
    const page = await opened(context).newPage();
    await page.goto(origin);
    await page.getByRole("button", { name: "Search" }).first().click();
    const wrong: string[] = [];
    for (const [query, guide] of QUERIES) {
      await page.locator("#localsearch-input").fill("");
      await expect.poll(() => page.locator(".result").count(), { timeout: 30_000 }).toBe(0);
      await page.locator("#localsearch-input").fill(query);
      await page.locator(".result").first().waitFor();
      const links = await page.locator(".result").evaluateAll((found) => found.map((each) => each.getAttribute("href")!));
      const top = links.slice(0, 3).map((link) => link.replace(/\.html.*|#.*/, ""));
      if (!top.includes(guide) || top.some((link) => link.startsWith("/reference/"))) wrong.push(`${query}: ${top.join(" ")}`);
    }
    await page.close();
    expect(wrong).toEqual([]);
  },
);

test("a page is copied as a prompt: what it is, its Markdown, and room for the task", async (context) => {
  const browser = opened(context);
  const window = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  const page = await window.newPage();
  await page.goto(`${origin}/servers/asking.html`);
  await page.getByRole("button", { name: "Copy as prompt" }).click();
  await page.getByText("Copied", { exact: true }).waitFor();
  const copied = await page.evaluate<string>("navigator.clipboard.readText()");
  expect(copied).toContain('<page path="servers/asking.md">');
  expect(copied).toContain("# Asking the user");
  expect(copied.endsWith("My task: ")).toBe(true);
  await window.close();
});

test("the landing page has a button for each host that takes a link, and a command for the others", async (context) => {
  const page = await opened(context).newPage();
  await page.goto(origin);
  const links = await page.locator("a.add-button").evaluateAll((found) => found.map((each) => each.getAttribute("href")!));
  expect(links.map((link) => new URL(link).protocol).toSorted()).toEqual(["cursor:", "lmstudio:", "vscode:"]);
  expect(await page.locator("button.add-button").count()).toBeGreaterThanOrEqual(2);
  expect(await page.locator(".home-thing").count()).toBeGreaterThanOrEqual(6);
  await page.close();
});

const VIEWS = [
  "/",
  "/project/compared.html",
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
