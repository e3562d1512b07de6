// The official `@modelcontextprotocol/ext-apps` on either side, in a real browser: its view in a host of Tenon, a view of Tenon
// in its bridge, its server for a client of Tenon.
import type { Browser, Page } from "playwright-core";
import { connect } from "tenon/client";
import { apps, VIEW_MIME_TYPE } from "tenon/ext/apps";
import { isVisibleTo, viewUriOf } from "tenon/ext/apps/host";
import { afterAll, beforeAll, expect, onTestFinished, test, type TestContext } from "vitest";
import { launch, listen } from "../../../runtimes/browser.ts";
import { has, leaveOut } from "../../../support/needs.ts";
import { closing } from "../../../support/matrix.ts";
import { officialHandler } from "./official-server.mjs";
import { bundle, openHost, pageListener, serverOf, withScript } from "./pages.ts";

/** What the tests use of the official classes. Their own types need those of Node packages that do not compile here. */
type Method<Result = unknown> = (params?: object) => Promise<Result>;
interface OfficialView {
  readonly callServerTool: Method<{ structuredContent?: unknown }>;
  readonly readServerResource: Method<{ contents: unknown }>;
  readonly listServerResources: Method<{ resources: unknown[] }>;
  readonly createSamplingMessage: Method<{ content: unknown }>;
  readonly sendMessage: Method;
  readonly openLink: Method;
  readonly requestDisplayMode: Method;
  readonly updateModelContext: Method;
  readonly downloadFile: Method;
  getHostVersion(): { name: string };
}
interface OfficialBridge {
  readonly sendToolInputPartial: Method;
  readonly sendToolInput: Method;
  readonly sendToolResult: Method;
  readonly setHostContext: Method;
  readonly listTools: Method<{ tools: { name: string }[] }>;
  readonly callTool: Method;
  readonly teardownResource: Method;
}
declare global {
  // oxlint-disable-next-line no-var -- globals of official-view.mjs
  var app: OfficialView;
  // oxlint-disable-next-line no-var
  var told: [name: string, value: unknown][];
  // oxlint-disable-next-line no-var -- a global of official-host.mjs
  var official: { told: [name: string, value: unknown][]; bridge: OfficialBridge; mount(html: string): Promise<void> };
}

/** The scripts on one version of the official package. */
interface Official {
  readonly view: string;
  readonly host: string;
}

/** Its newest version, and the one that most hosts and views are made with. */
const VERSIONS = ["2.0", "1.7"] as const;
let browser: Browser | undefined;
let hostScript: string;
let official: ReadonlyMap<string, Official>;
let ownView: string;

async function bundleOfficial(version: string): Promise<[string, Official]> {
  const alias: { [name: string]: string } = version === "2.0" ? {} : { "@modelcontextprotocol/ext-apps": `ext-apps-${version}` };
  const [view, host] = await Promise.all([bundle("official-view.mjs", alias), bundle("official-host.mjs", alias)]);
  return [version, { view, host }];
}

beforeAll(async () => {
  [hostScript, ownView] = await Promise.all([bundle("host-page.ts"), bundle("own-view.ts")]);
  official = new Map(await Promise.all(VERSIONS.map(bundleOfficial)));
  if (has("chromium")) browser = await launch();
}, 60_000);
afterAll(() => browser?.close());

function started({ skip }: TestContext): Browser {
  return browser ?? leaveOut(["chromium"], { skip });
}

test.for(VERSIONS)("an official view of version %s works in a host of Tenon [P7 P8 P9 P10 P11 P13]", async (version, context) => {
  const opened = await openHost(started(context), hostScript, serverOf(withScript(official.get(version)!.view)), {
    context: { theme: "dark", availableDisplayModes: ["inline", "fullscreen"] },
  });
  const { page } = opened;
  await page.evaluate(() => harness.mount("show", {}));
  await page.evaluate(() => harness.view!.ready);
  const frame = await opened.inner();
  await page.evaluate(() => {
    harness.view!.sendPartialInput({ city: "R" });
    harness.view!.sendInput({ city: "Rome" });
    harness.view!.sendResult({ content: [{ type: "text", text: "sunny" }], structuredContent: { degrees: 20 } });
    harness.host!.setContext({ theme: "light" });
  });
  await expect
    .poll(() => frame.evaluate(() => told))
    .toMatchObject([
      ["partial", { arguments: { city: "R" } }],
      ["input", { arguments: { city: "Rome" } }],
      ["result", { structuredContent: { degrees: 20 } }],
      ["context", { theme: "light" }],
    ]);
  const answers = await frame.evaluate(async () => ({
    host: app.getHostVersion().name,
    tool: (await app.callServerTool({ name: "refresh", arguments: { a: 1 } })).structuredContent,
    refused: await app.callServerTool({ name: "model_only" }).catch(({ code }: { code: number }) => code),
    note: (await app.readServerResource({ uri: "note://today" })).contents,
    resources: (await app.listServerResources()).resources.length,
    message: await app.sendMessage({ role: "user", content: [{ type: "text", text: "Hello" }] }),
    link: await app.openLink({ url: "https://example.com/" }),
    mode: await app.requestDisplayMode({ mode: "fullscreen" }),
    context: await app.updateModelContext({ structuredContent: { row: 1 } }),
    file: await app.downloadFile({ contents: [{ type: "resource_link", uri: "note://today", name: "note" }] }),
    sampled: (await app.createSamplingMessage({ messages: [], maxTokens: 1 })).content,
  }));
  expect(answers).toEqual({
    host: "page",
    tool: { refreshed: { a: 1 } },
    refused: -32000,
    note: [{ uri: "note://today", text: "Buy milk" }],
    resources: 2,
    message: {},
    link: {},
    mode: { mode: "fullscreen" },
    context: {},
    file: {},
    sampled: { type: "text", text: "sampled" },
  });
  expect(await page.evaluate(() => harness.view!.callTool("shout", { word: "hey" }))).toMatchObject({
    content: [{ text: "HEY" }],
  });
  await frame.evaluate(() => (document.body.style.cssText = "display: flow-root; margin: 0; height: 321px"));
  await expect.poll(() => page.$eval("iframe", (element) => element.clientHeight)).toBe(321);
  await page.evaluate(() => harness.view!.close());
  expect(await opened.heard("log")).toMatchObject([{ data: "closing" }]);
  expect(await opened.heard("error")).toEqual([]);
});

async function bridged(context: TestContext, version: string): Promise<Page> {
  const within = started(context);
  const page = await within.newPage();
  onTestFinished(() => page.close());
  await page.goto(
    await listen(pageListener(`<!doctype html><script type="module" src="/page.js"></script>`, official.get(version)!.host)),
  );
  await page.waitForFunction(() => "official" in globalThis);
  await page.evaluate((html) => globalThis.official.mount(html), withScript(ownView));
  return page;
}

test.for(VERSIONS)("a view of Tenon works in the official bridge of version %s [P8 P9 P10 P11 P13]", async (version, context) => {
  const page = await bridged(context, version);
  const frame = (await (await page.$("iframe"))!.contentFrame())!;
  await page.evaluate(async () => {
    const bridge = globalThis.official.bridge;
    await bridge.sendToolInputPartial({ arguments: { city: "R" } });
    await bridge.sendToolInput({ arguments: { city: "Rome" } });
    await bridge.sendToolResult({ content: [{ type: "text", text: "sunny" }], structuredContent: { degrees: 20 } });
    void bridge.setHostContext({ theme: "light" });
  });
  await expect
    .poll(() => frame.evaluate(() => events.filter(([name]) => name !== "context")))
    .toMatchObject([
      ["partialInput", { city: "R" }],
      ["input", { city: "Rome" }],
      ["result", { data: { degrees: 20 }, text: "sunny" }],
    ]);
  await expect.poll(() => frame.evaluate(() => view.context.theme)).toBe("light");
  const answers = await frame.evaluate(async () => {
    await view.sendMessage("Hello");
    await view.openLink("https://example.com/");
    await view.updateModelContext({ content: [{ type: "text", text: "row" }] });
    await view.downloadFile([{ type: "resource_link", uri: "note://today", name: "note" }]);
    view.log("info", "logged");
    return {
      host: view.hostInfo.name,
      tool: (await view.callTool("refresh", { a: 1 })).data,
      note: (await view.readResource("note://today")).contents,
      mode: await view.requestDisplayMode("fullscreen"),
      refused: await view.openLink("https://refused.example/").catch(({ code }: { code: number }) => code),
      sampled: (await view.sample({ messages: [], maxTokens: 1 }))["content"],
    };
  });
  expect(answers).toEqual({
    host: "official",
    tool: { args: { a: 1 } },
    note: [{ uri: "note://today", text: "Buy milk" }],
    mode: "fullscreen",
    refused: -32000,
    sampled: { type: "text", text: "sampled" },
  });
  expect((await page.evaluate(() => globalThis.official.bridge.listTools({}))).tools.map(({ name }) => name)).toEqual([
    "shout",
    "fail",
    "wait",
  ]);
  expect(
    await page.evaluate(() => globalThis.official.bridge.callTool({ name: "shout", arguments: { word: "hey" } })),
  ).toMatchObject({
    content: [{ text: "HEY" }],
  });
  expect(await page.evaluate(() => globalThis.official.bridge.teardownResource({}))).toEqual({});
  const names = await page.evaluate(() => globalThis.official.told.map(([name]) => name));
  expect(names).toEqual(expect.arrayContaining(["message", "link", "context", "download", "log", "size"]));
});

test.for(["2025-11-25", "2026-07-28"] as const)(
  "a client of %s finds the view of an official server's tool [P1 P2 P3 P4]",
  async (revision) => {
    let declared: unknown;
    const handler = officialHandler((value) => (declared = value));
    const target = {
      url: "http://localhost/mcp",
      fetch: (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init)),
    };
    const client = await closing(connect(target, { revision, extensions: [apps()] }));
    const { tools } = await client.listTools();
    expect(tools.map((tool) => [tool.name, viewUriOf(tool), isVisibleTo(tool, "model"), isVisibleTo(tool, "app")])).toEqual([
      ["show", "ui://show/view.html", true, true],
      ["refresh", undefined, false, true],
    ]);
    expect((await client.readResource("ui://show/view.html")).contents).toMatchObject([
      { mimeType: VIEW_MIME_TYPE, text: "<p>view" },
    ]);
    await client.callTool("show");
    // its sessions of HTTP are stateless
    if (revision === "2026-07-28") expect(declared).toEqual({ mimeTypes: [VIEW_MIME_TYPE] });
  },
);
