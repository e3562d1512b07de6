// What a host reads of a server before it shows a view: in a real browser, because the host runs there.
import type { Browser } from "playwright-core";
import type { JsonObject } from "tenon";
import { afterAll, beforeAll, expect, test, type TestContext } from "vitest";
import { launch } from "../../../runtimes/browser.ts";
import { has, leaveOut } from "../../../support/needs.ts";
import { bundle, openHost, type Opened } from "./pages.ts";
import { testServer } from "../../../support/test-server.ts";

let browser: Browser | undefined;
let hostScript: string;
beforeAll(async () => {
  hostScript = await bundle("host-page.ts");
  if (has("chromium")) browser = await launch();
}, 60_000);
afterAll(() => browser?.close());

const MIME = "text/html;profile=mcp-app";
const URI = "ui://show/view.html";

/** A host of a server without the extension's help: its tool names a view, and these are the contents. */
async function open(
  { skip }: TestContext,
  contents: readonly JsonObject[],
  listed: JsonObject = {},
  limits = {},
): Promise<Opened> {
  if (browser === undefined) return leaveOut(["chromium"], { skip });
  const server = testServer({ name: "raw" });
  server.tool("show", { _meta: { ui: { resourceUri: URI } } }, () => "shown");
  server.tool("plain", {}, () => "plain");
  server.resource(URI, { name: "view", _meta: listed }, () => ({
    contents: contents.map((content) => ({ uri: URI, ...content })) as never,
  }));
  return openHost(browser, hostScript, server, { limits });
}

const mount = (opened: Opened, name = "show"): Promise<string> =>
  opened.page.evaluate(
    (tool) =>
      harness.mount(tool).then(
        () => "mounted",
        (error: Error) => `${error.name}: ${error.message}`,
      ),
    name,
  );

test.for<[string, JsonObject, RegExp]>([
  ["another media type", { mimeType: "text/html", text: "<p>x" }, /InvalidViewError: .* must have the media type/],
  ["no media type", { text: "<p>x" }, /InvalidViewError/],
  ["bytes that are not UTF-8", { mimeType: MIME, blob: "/w==" }, /InvalidViewError: .* UTF-8/],
  ["more bytes than the limit", { mimeType: MIME, text: "x".repeat(101) }, /limits.maxHtmlBytes" of 100 exceeded/],
  [
    "more bytes in base64 than the limit",
    { mimeType: MIME, blob: btoa("x".repeat(120)) },
    /limits.maxHtmlBytes" of 100 exceeded/,
  ],
  ["rights that are a list", { mimeType: MIME, text: "x", _meta: { ui: [] } }, /InvalidViewError: _meta.ui/],
  [
    "a policy in an origin",
    { mimeType: MIME, text: "x", _meta: { ui: { csp: { connectDomains: ["https://a.example; script-src *"] } } } },
    /InvalidViewError: csp.connectDomains/,
  ],
  [
    "an asterisk as origin",
    { mimeType: MIME, text: "x", _meta: { ui: { csp: { frameDomains: ["*"] } } } },
    /InvalidViewError: csp.frameDomains/,
  ],
])("a view with %s is not shown [P2 P5 P6]", async ([, content, reason], context) => {
  const opened = await open(context, [content], {}, { maxHtmlBytes: 100 });
  expect(await mount(opened)).toMatch(reason);
  expect(await opened.page.$$("iframe")).toEqual([]);
});

test("a tool without a view is not mounted, and two contents are not a view [P2]", async (context) => {
  const opened = await open(context, [
    { mimeType: MIME, text: "a" },
    { mimeType: MIME, text: "b" },
  ]);
  expect(await mount(opened, "plain")).toBe('McpUsageError: Tool "plain" has no view');
  expect(await mount(opened)).toMatch(/InvalidViewError: The server returned 2 contents/);
});

test("a view in base64 is shown, with the rights of its contents rather than of the list [P2 P5]", async (context) => {
  const own = { csp: { connectDomains: ["https://own.example"] } };
  const listed = { ui: { csp: { connectDomains: ["https://listed.example"] } } };
  const blob = btoa("<!doctype html><title>encoded</title>");
  const opened = await open(context, [{ mimeType: 'Text/HTML; profile="mcp-app"', blob, _meta: { ui: own } }], listed);
  expect(await mount(opened)).toBe("mounted");
  expect(await (await opened.inner()).title()).toBe("encoded");
  expect(await opened.page.$eval("iframe", ({ src }) => new URL(src).searchParams.get("csp"))).toContain("https://own.example");
  const fallback = await open(context, [{ mimeType: MIME, blob }], listed);
  expect(await mount(fallback)).toBe("mounted");
  expect(await fallback.page.$eval("iframe", ({ src }) => new URL(src).searchParams.get("csp"))).toContain(
    "https://listed.example",
  );
});
