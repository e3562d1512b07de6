// Views of Tenon in hosts of Tenon, in a real browser: host page, sandbox page and server have an origin each.
import type { Browser, Frame } from "playwright-core";
import { afterAll, beforeAll, expect, test, type TestContext } from "vitest";
import { launch } from "../../../runtimes/browser.ts";
import { has, leaveOut } from "../../../support/needs.ts";
import { REVISIONS } from "../../../support/matrix.ts";
import type { Settings } from "./host-page.ts";
import { bundle, openHost, serverOf, withScript, type Opened } from "./pages.ts";

let browser: Browser | undefined;
let hostScript: string;
let viewScript: string;

beforeAll(async () => {
  [hostScript, viewScript] = await Promise.all([bundle("host-page.ts"), bundle("own-view.ts")]);
  if (has("chromium")) browser = await launch();
}, 60_000);
afterAll(() => browser?.close());

async function open({ skip }: TestContext, settings?: Partial<Settings>, ui?: object): Promise<Opened> {
  if (browser === undefined) return leaveOut(["chromium"], { skip });
  return openHost(browser, hostScript, serverOf(withScript(viewScript, "<p>hello</p>"), ui), settings);
}

/** Mounts the view of `show`, and waits until it has started. */
async function show(
  opened: Opened,
  call: Parameters<typeof harness.mount>[1] = { arguments: { city: "Rome" }, calls: true },
): Promise<Frame> {
  await opened.page.evaluate((given) => harness.mount("show", given), call);
  await opened.page.evaluate(() => harness.view!.ready);
  return opened.inner();
}

const eventsOf = (frame: Frame, name: string): Promise<unknown[]> =>
  frame.evaluate((wanted) => events.filter(([one]) => one === wanted).map(([, value]) => value), name);

/** What a failed request of a view says. */
const failure = (frame: Frame, run: string): Promise<unknown> =>
  frame.evaluate(`(async () => { try { return await (${run}) } catch ({ code, message }) { return { code, message } } })()`);

test.for(REVISIONS.filter((revision) => revision >= "2025-06-18"))(
  "a view shows the call of its tool over %s [P2 P8 P9]",
  async (revision, context) => {
    const opened = await open(context, { revision });
    const frame = await show(opened);
    await expect.poll(() => eventsOf(frame, "result")).toHaveLength(1);
    expect(await eventsOf(frame, "input")).toEqual([{ city: "Rome" }]);
    expect(await eventsOf(frame, "result")).toMatchObject([
      { data: { shown: { city: "Rome" } }, text: '{"shown":{"city":"Rome"}}' },
    ]);
    const order = await frame.evaluate(() => events.map(([name]) => name).filter((name) => name !== "context"));
    expect(order).toEqual(["input", "result"]);
  },
);

test("the handshake is the one of the specification, and nothing is sent before it [P7 P8]", async (context) => {
  const opened = await open(context, { context: { theme: "dark", locale: "de-DE" } });
  const frame = await show(opened);
  await expect.poll(() => eventsOf(frame, "result")).toHaveLength(1);
  const traffic = await opened.page.evaluate(() => harness.traffic);
  const methods = traffic.map(({ sender, message }) => `${sender} ${(message as { method?: string }).method ?? "response"}`);
  expect(methods.slice(0, 5)).toEqual([
    "view ui/initialize",
    "host response",
    "view ui/notifications/initialized",
    "host ui/notifications/tool-input",
    expect.stringMatching(/tool-result|size-changed/),
  ]);
  expect(traffic[0]!.message).toMatchObject({
    params: {
      appInfo: { name: "own", version: "1" },
      appCapabilities: { tools: {}, availableDisplayModes: ["inline", "fullscreen"] },
      protocolVersion: "2026-01-26",
    },
  });
  expect(traffic[1]!.message).toMatchObject({
    result: {
      protocolVersion: "2026-01-26",
      hostInfo: { name: "page", version: "1" },
      hostCapabilities: {
        openLinks: {},
        serverTools: {},
        serverResources: {},
        logging: {},
        sampling: {},
        downloadFile: {},
        message: { text: {} },
      },
      hostContext: { theme: "dark", locale: "de-DE", displayMode: "inline", toolInfo: { tool: { name: "show" } } },
    },
  });
  const outer = await opened.page.$eval("iframe", (frame) => ({
    sandbox: frame.getAttribute("sandbox"),
    origin: new URL(frame.src).origin,
  }));
  expect(outer).toEqual({ sandbox: "allow-scripts allow-same-origin allow-forms", origin: opened.sandbox });
  expect(await (await opened.outer()).$eval("iframe", (frame) => frame.getAttribute("sandbox"))).toBe(
    "allow-scripts allow-forms",
  );
});

test("partial arguments come before the complete ones and never after; a result waits for them [P9]", async (context) => {
  const opened = await open(context);
  const frame = await show(opened, {});
  const refused = await opened.page.evaluate(() => {
    const shown = harness.view!;
    shown.sendResult({ content: [], structuredContent: { early: true } });
    shown.sendPartialInput({ city: "R" });
    shown.sendPartialInput({ city: "Ro" });
    shown.sendInput({ city: "Rome" });
    shown.sendCancelled("late");
    const errors: string[] = [];
    for (const send of [() => shown.sendPartialInput({}), () => shown.sendInput({})]) {
      try {
        send();
      } catch (error) {
        errors.push((error as Error).name);
      }
    }
    return errors;
  });
  expect(refused).toEqual(["McpUsageError", "McpUsageError"]);
  await expect.poll(() => eventsOf(frame, "result")).toHaveLength(1);
  const order = await frame.evaluate(() => events.filter(([name]) => name !== "context"));
  expect(order.map(([name, value]) => [name, (value as { city?: string }).city])).toEqual([
    ["partialInput", "R"],
    ["partialInput", "Ro"],
    ["input", "Rome"],
    ["result", undefined],
  ]);
  expect(await eventsOf(frame, "cancelled")).toEqual([]);
});

test("the view learns that its call was cancelled, and why [P9]", async (context) => {
  const opened = await open(context);
  const frame = await show(opened, { arguments: {} });
  await opened.page.evaluate(() => harness.view!.sendCancelled("user action"));
  await expect.poll(() => eventsOf(frame, "cancelled")).toEqual(["user action"]);
});

test("a view calls tools and reads resources of its server, if they are for views and approved [P4 P10 P12]", async (context) => {
  const opened = await open(context);
  const frame = await show(opened);
  expect(await frame.evaluate(() => view.callTool("refresh", { a: 1 }))).toMatchObject({ data: { refreshed: { a: 1 } } });
  expect(await frame.evaluate(`view.call.refresh({ b: 2 })`)).toEqual({ refreshed: { b: 2 } });
  expect(await failure(frame, `view.call.fails()`)).toMatchObject({ code: -32000 });
  expect(await failure(frame, `view.callTool("model_only")`)).toEqual({
    code: -32000,
    message: "This view may not call that tool",
  });
  expect(await failure(frame, `view.callTool("none")`)).toEqual({ code: -32000, message: "This view may not call that tool" });
  expect(await frame.evaluate(() => view.readResource("note://today"))).toMatchObject({ contents: [{ text: "Buy milk" }] });
  expect(await opened.heard("approve tool")).toEqual(["refresh", "refresh", "fails"]);
  expect(await opened.heard("approve resource")).toEqual(["note://today"]);
});

test("what the host program does not approve is refused with -32000 [P10 P12]", async (context) => {
  const opened = await open(context, { refused: ["tool", "resource"] });
  const frame = await show(opened);
  const refusal = { code: -32000, message: "The host refused" };
  expect(await failure(frame, `view.callTool("refresh")`)).toEqual(refusal);
  expect(await failure(frame, `view.readResource("note://today")`)).toEqual(refusal);
  expect(await failure(frame, `view.openLink("https://refused.example/")`)).toEqual(refusal);
});

test("a view that is not approved is not shown, and its frame never exists [P6 P12]", async (context) => {
  const opened = await open(context, { refused: ["view"] }, { csp: { connectDomains: ["https://api.example.com"] } });
  const message = await opened.page.evaluate(() => harness.mount("show").catch((error: Error) => error.message));
  expect(message).toBe("The view ui://show/view.html was not approved");
  expect(await opened.page.$$("iframe")).toEqual([]);
});

test("messages, context, links, logs and pings reach the host; wrong ones are refused [P10]", async (context) => {
  const opened = await open(context);
  const frame = await show(opened);
  await frame.evaluate(async () => {
    await view.sendMessage("Hello");
    await view.updateModelContext({ structuredContent: { row: 3 } });
    await view.updateModelContext({ content: [{ type: "text", text: "row 4" }] });
    await view.openLink("https://example.com/a?b#c");
    view.log("warning", { a: 1 });
  });
  expect(await opened.heard("message")).toEqual([[{ type: "text", text: "Hello" }]]);
  expect(await opened.heard("context")).toEqual([
    { structuredContent: { row: 3 } },
    { content: [{ type: "text", text: "row 4" }] },
  ]);
  expect(await opened.heard("link")).toEqual(["https://example.com/a?b#c"]);
  await expect.poll(() => opened.heard("log")).toEqual([{ level: "warning", data: { a: 1 } }]);
  for (const url of ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "/relative"])
    expect(await failure(frame, `view.openLink(${JSON.stringify(url)})`)).toMatchObject({ code: -32000 });
  expect(await failure(frame, `view.sendMessage([{ text: "no type" }])`)).toMatchObject({ code: -32602 });
  expect(await failure(frame, `view.updateModelContext({ structuredContent: [] })`)).toMatchObject({ code: -32602 });
});

test("what the host does not do is neither declared nor served [P10 P13]", async (context) => {
  const without = ["onOpenLink", "onMessage", "onModelContext", "onDownload", "onSample", "onLog"];
  const opened = await open(context, { without });
  const frame = await show(opened);
  expect(Object.keys(await frame.evaluate(() => view.hostCapabilities)).sort()).toEqual([
    "sandbox",
    "serverResources",
    "serverTools",
  ]);
  for (const call of [
    `view.openLink("https://a.example")`,
    `view.sendMessage("a")`,
    `view.updateModelContext({})`,
    `view.downloadFile([])`,
    `view.sample({})`,
  ])
    expect(await failure(frame, call)).toMatchObject({ code: -32601 });
});

test("a view is shown only in modes that it declared and the host has, and gets its mode [P11]", async (context) => {
  const opened = await open(context, { context: { availableDisplayModes: ["inline", "fullscreen", "pip"] } });
  const frame = await show(opened);
  expect(await frame.evaluate(() => view.requestDisplayMode("fullscreen"))).toBe("fullscreen");
  expect(await frame.evaluate(() => view.context.displayMode)).toBe("fullscreen");
  expect(await failure(frame, `view.requestDisplayMode("pip")`)).toEqual({
    code: -32602,
    message: 'The view does not have the display mode "pip"',
  });
  const usage = await opened.page.evaluate(() => {
    try {
      harness.view!.setContext({ displayMode: "pip" });
      return "switched";
    } catch (error) {
      return (error as Error).name;
    }
  });
  expect(usage).toBe("McpUsageError");
  expect(await opened.heard("mode")).toEqual(["fullscreen"]);
  // A view that asks without the library's check stays as it is.
  await frame.evaluate(() =>
    parent.postMessage({ jsonrpc: "2.0", id: "raw", method: "ui/request-display-mode", params: { mode: "pip" } }, "*"),
  );
  const responses = (): Promise<unknown[]> =>
    opened.page.evaluate(() =>
      harness.traffic
        .filter(({ sender, message }) => sender === "host" && (message as { id?: unknown }).id === "raw")
        .map(({ message }) => message),
    );
  await expect.poll(responses).toMatchObject([{ result: { mode: "fullscreen" } }]);
});

test("a change of the context is merged, and styles the page [P11]", async (context) => {
  const opened = await open(context, { context: { theme: "light", locale: "de-DE" } });
  const frame = await show(opened);
  await opened.page.evaluate(() =>
    harness.host!.setContext({
      theme: "dark",
      styles: { variables: { "--color-text-primary": "rgb(1, 2, 3)" }, css: { fonts: "@font-face { font-family: x }" } },
    }),
  );
  await expect
    .poll(() => frame.evaluate(() => view.context))
    .toMatchObject({ theme: "dark", locale: "de-DE", displayMode: "inline" });
  const page = await frame.evaluate(() => {
    const { dataset, style } = document.documentElement;
    return [
      dataset["theme"],
      style.colorScheme,
      style.getPropertyValue("--color-text-primary"),
      document.querySelector("style")?.textContent,
    ];
  });
  expect(page).toEqual(["dark", "dark", "rgb(1, 2, 3)", "@font-face { font-family: x }"]);
});

test("the frame follows the height of the view, up to the limit [P12]", async (context) => {
  const opened = await open(context, { limits: { maxHeight: 600 } });
  const frame = await show(opened);
  const height = (): Promise<number> => opened.page.$eval("iframe", (frame) => frame.clientHeight);
  for (const [wanted, shown] of [
    [300, 300],
    [100, 100],
    [5_000, 600],
  ] as const) {
    await frame.evaluate(
      (pixels) => (document.body.style.cssText = `display: flow-root; margin: 0; height: ${pixels}px`),
      wanted,
    );
    await expect.poll(height).toBe(shown);
  }
});

test("a fixed height stays as the host set it [P12]", async (context) => {
  const opened = await open(context, { context: { containerDimensions: { height: 200 } } });
  const frame = await show(opened);
  await frame.evaluate(() => (document.body.style.height = "500px"));
  await frame.evaluate(() => view.sendMessage("after the size")); // arrives after it
  expect(await opened.page.$eval("iframe", (frame) => frame.style.height)).toBe("200px");
});

test("a view learns of its end before it is removed, and the host waits for it, but not for long [P11]", async (context) => {
  const opened = await open(context, { limits: { closeTimeout: 200 } });
  const frame = await show(opened);
  await opened.page.evaluate(() => harness.view!.close());
  expect(await opened.heard("log")).toEqual([{ level: "info", data: "closing" }]);
  expect(await opened.page.$$("iframe")).toEqual([]);
  expect(frame.isDetached()).toBe(true);
  const silent = await show(opened);
  await silent.evaluate(() => view.on("close", () => new Promise(() => undefined)));
  await opened.page.evaluate(() => harness.host!.close());
  expect(await opened.page.$$("iframe")).toEqual([]);
});

test("a view may ask to be closed, save files, sample, and have tools of its own [P13]", async (context) => {
  const opened = await open(context);
  const frame = await show(opened);
  await frame.evaluate(() => view.downloadFile([{ type: "resource_link", uri: "note://today", name: "note" }]));
  expect(await opened.heard("download")).toEqual([[{ type: "resource_link", uri: "note://today", name: "note" }]]);
  expect(await frame.evaluate(() => view.sample({ messages: [], maxTokens: 5 }))).toMatchObject({ content: { text: "sampled" } });
  const tools = await opened.page.evaluate(() => harness.view!.listTools());
  expect(tools[0]).toEqual({ name: "shout", description: "Shouts", inputSchema: { type: "object" } });
  const call = (name: string): Promise<unknown> =>
    opened.page.evaluate(
      (tool) => harness.view!.callTool(tool, { word: "hey" }).catch(({ code }: { code: number }) => code),
      name,
    );
  expect(await call("shout")).toEqual({ content: [{ type: "text", text: "HEY" }] });
  expect(await call("fail")).toEqual({ content: [{ type: "text", text: "no" }], isError: true });
  expect(await call("toString")).toBe(-32602);
  await opened.page.evaluate(() => harness.view!.callTool("wait", {}, { signal: AbortSignal.timeout(1) }).catch(() => undefined));
  await expect.poll(() => frame.title()).toBe("cancelled");
  await frame.evaluate(() => view.requestClose());
  await expect.poll(() => opened.page.$$("iframe")).toEqual([]);
});

test("a request of a view that is cancelled or late is cancelled at the host [P10]", async (context) => {
  const opened = await open(context);
  const frame = await show(opened);
  expect(await failure(frame, `view.callTool("refresh", {}, { timeout: 0 })`)).toMatchObject({ code: -32001 });
  const aborted = `{ signal: AbortSignal.abort({ code: 7, message: "mine" }) }`;
  expect(await failure(frame, `view.callTool("refresh", {}, ${aborted})`)).toEqual({ code: 7, message: "mine" });
  await frame.evaluate(() => view.sendMessage("last"));
  const sent = await opened.page.evaluate(() => harness.traffic.map(({ message }) => (message as { method?: string }).method));
  expect(sent.filter((method) => method === "notifications/cancelled")).toHaveLength(1);
});

test("a form of a view works, and sends nothing [P6]", async (context) => {
  const opened = await open(context);
  const frame = await show(opened);
  const submitted = await frame.evaluate(() => {
    const form = document.body.appendChild(document.createElement("form"));
    let seen = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      seen = true;
    });
    form.requestSubmit();
    return seen;
  });
  expect(submitted).toBe(true);
});
