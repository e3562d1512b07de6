// What a hostile server sends is text on the page: it runs nothing, loads nothing, and stays readable; and the page is
// accessible.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { McpServer } from "tenon";
import { apps } from "tenon/ext/apps";
import { browserOf, inspect, PageFiles, show } from "./support.ts";
import { testServer } from "../../../tenon/test/support/test-server.ts";

const files = new PageFiles();
let browser: Browser | undefined;

beforeAll(async () => {
  [browser] = await Promise.all([browserOf(), files.build()]);
});
afterAll(() => Promise.all([browser?.close(), files.remove()]));

const EVIL =
  "<img src=http://evil.example/x onerror=alert(1)><script>alert(2)</script>" +
  "<svg onload=alert(3)>[x](javascript:alert(4))</script>\u202E";
const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(5)"><script>alert(6)</script>' +
    '<image href="http://evil.example/y"/></svg>',
).toString("base64");

function hostile(): McpServer {
  const server = new McpServer({ name: EVIL, version: EVIL, title: EVIL }, { instructions: EVIL, extensions: [apps()] });
  const schema = {
    type: "object",
    title: EVIL,
    properties: {
      ["__proto__"]: { type: "string", title: EVIL, description: EVIL, default: EVIL },
      [EVIL]: { enum: [EVIL, null, 1, "1"] },
      endless: { $ref: "#" },
      slow: { type: "string", pattern: "^(a+)+$" },
    },
  } as const;
  server.tool("evil", { title: EVIL, description: EVIL, input: schema as { type: "object" } }, () => ({
    content: [
      { type: "text", text: EVIL },
      { type: "image", data: SVG, mimeType: "text/html" },
      { type: "image", data: Buffer.from("<html><script>alert(7)</script>").toString("base64"), mimeType: "image/png" },
      { type: "resource_link", uri: "javascript:alert(8)", name: EVIL },
      { type: "resource", resource: { uri: "http://evil.example/z", mimeType: "text/html", text: EVIL } },
    ],
    structuredContent: { ["__proto__"]: EVIL, rows: [{ a: EVIL }] },
  }));
  server.tool("visit", {}, async (_input, ctx) =>
    JSON.stringify(await ctx.elicitUrl("q", { message: EVIL, url: "https://evil.example/%22onclick=alert(9)" })),
  );
  server.resource("data:text/html,<script>alert(10)</script>", { name: EVIL, description: EVIL }, () => EVIL);
  server.prompt("evil", { description: EVIL }, () => EVIL);
  return server;
}

async function visitAll(page: Page, visit: (view: string) => Promise<void>): Promise<void> {
  for (const view of ["Overview", "Tools", "Resources", "Prompts", "Wire", "Asked", "Activity", "Access", "Recording"]) {
    await page.getByRole("link", { name: new RegExp(`^${view}`) }).click();
    await visit(view);
  }
}

test.for(["2025-11-25", "2026-07-28"] as const)(
  "on %s nothing that a server sends runs, loads or hides [R22 R20]",
  async (revision, context) => {
    const target = { name: "hostile", typed: "hostile.ts", server: hostile(), options: { revision } };
    const { page, complaints, elsewhere } = await show(browser, context, await inspect(files.folder, [target]));
    await page.getByRole("option", { name: /^evil/ }).click();
    await page.getByRole("button", { name: /^Call/ }).click();
    await page
      .getByText("1 required object")
      .or(page.getByRole("tab", { name: "Table" }))
      .waitFor();
    expect(await page.getByRole("tabpanel").innerText()).toContain("<script>alert(2)</script>");
    expect(await page.getByRole("tabpanel").innerText()).toContain(String.raw`\u{202e}`);
    for (const tab of ["Structured", "Table", "Raw"]) await page.getByRole("tab", { name: tab }).click();
    await page.getByRole("option", { name: /^visit/ }).click();
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByRole("button", { name: "Answer" }).click();
    expect(await page.getByRole("link", { name: "Open" }).getAttribute("rel")).toBe("noopener noreferrer");
    await visitAll(page, async (view) => {
      expect(await page.locator("main").innerHTML(), view).not.toContain("<script");
    });
    expect(await page.locator("a[href^='javascript'], iframe, object, embed, main script").count()).toBe(0);
    expect(elsewhere).toEqual([]);
    expect(complaints).toEqual([]);
  },
);

const MARKDOWN = `# Title <script>alert(11)</script>

**bold** and \`code\`, <b onclick=alert(12)>raw</b>, ![picture](http://evil.example/p.png), [run](javascript:alert(13)),
[docs](https://docs.example/a?b "hidden"), <mailto:ada@example.com>, [data](data:text/html,<script>alert(14)</script>)

- [x] done
  - <iframe src=http://evil.example/f></iframe>

| a | b |
|---|---|
| *1* | <img src=http://evil.example/t onerror=alert(15)> |

[ref]: http://evil.example/r "a definition"

~~~html
<script>alert(16)</script>
~~~
`;

test("Markdown is formatted; HTML in it is text, no picture is loaded, and a link shows its address [R22]", async (context) => {
  const server = testServer({ name: "markdown" });
  server.tool("page", {}, () => MARKDOWN);
  server.tool("deep", {}, () => `# deep\n${"> ".repeat(5_000)}x`);
  server.tool("slow", {}, () => `# slow\n${"[a](".repeat(2_000)}${"*a_".repeat(2_000)}`);
  server.tool("plain", {}, () => "two\nlines, snake_case_name");
  const { page, complaints, elsewhere } = await show(
    browser,
    context,
    await inspect(files.folder, [{ name: "m", typed: "m.ts", server }]),
  );
  const call = async (name: string): Promise<string> => {
    await page.getByRole("option", { name: new RegExp(`^${name}`) }).click();
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByText("✓ done").waitFor();
    return page.getByRole("tabpanel").innerText();
  };
  const shown = await call("page");
  for (const text of [
    "Title <script>alert(11)</script>",
    "<b onclick=alert(12)>",
    "![picture](http://evil.example/p.png)",
    "☑ done",
    "alert(16)",
  ])
    expect(shown).toContain(text);
  expect(shown).toContain('[ref]: http://evil.example/r "a definition"');
  expect(shown).toMatch(/run\s+javascript:alert\(13\)/);
  expect(shown).toMatch(/docs\s+https:\/\/docs\.example\/a\?b/);
  const panel = page.getByRole("tabpanel");
  expect(await panel.locator("strong").innerText()).toBe("bold");
  expect(await panel.locator("td em").innerText()).toBe("1");
  const links = await panel.locator("a").evaluateAll((all) => all.map((one) => one.getAttribute("href")));
  expect(links).toEqual(["https://docs.example/a?b", "mailto:ada@example.com"]);
  expect(await panel.locator("script, img, iframe, b").count()).toBe(0);
  await page.getByRole("button", { name: "as sent" }).click();
  expect(await panel.innerText()).toContain("**bold**");
  expect(await call("deep")).toContain("> > >");
  expect(await call("slow")).toContain("slow");
  expect(await call("plain")).toBe("two\nlines, snake_case_name");
  expect(elsewhere).toEqual([]);
  expect(complaints).toEqual([]);
});

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

test.for([
  [1280, false],
  [1280, true],
  [800, false],
  [400, true],
] as const)("axe finds nothing wrong at %i pixels, dark: %s", async ([width, dark], context) => {
  const target = { name: "hostile", typed: "hostile.ts", server: hostile(), options: { revision: "2026-07-28" as const } };
  target.server.tool(
    "framed",
    { ui: `<!doctype html><html lang="en"><title>View</title><main><h1>A view</h1></main>` },
    () => "text",
  );
  const { page } = await show(browser, context, await inspect(files.folder, [target]), { width, dark });
  await page.getByRole("option", { name: /^evil/ }).click();
  await page.getByRole("button", { name: /^Call/ }).click();
  await page.getByRole("tab", { name: "Raw" }).waitFor();
  const found: unknown[] = [];
  const check = async (view: string): Promise<void> => {
    // Evaluated by the debugger, which the page's policy does not bind.
    const violations = await page.evaluate(
      `${AXE}; axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => ` +
        "violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 160))]))",
    );
    found.push(...(violations as unknown[]).map((one) => [view, one]));
  };
  await check("tool");
  if (width === 400) await page.getByRole("button", { name: "← Tools" }).click();
  await page.getByRole("option", { name: /^framed/ }).click();
  await page.getByRole("button", { name: /^Call/ }).click();
  await page.frameLocator(".app iframe").frameLocator("iframe").getByText("A view").waitFor();
  await check("view");
  if (width === 400) await page.getByRole("button", { name: "← Tools" }).click();
  await page.getByRole("option", { name: /^visit/ }).click();
  await page.getByRole("button", { name: /^Call/ }).click();
  await page.getByRole("list", { name: "Rounds of the call" }).waitFor();
  await check("rounds");
  await visitAll(page, check);
  expect(found).toEqual([]);
});
