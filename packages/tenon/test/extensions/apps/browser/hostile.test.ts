// Hostile views, and hostile frames beside them, in a real browser: what they try, and what the host and the sandbox page do.
import type { Browser, Frame } from "playwright-core";
import { afterAll, beforeAll, expect, test, type TestContext } from "vitest";
import { launch, listen } from "../../../runtimes/browser.ts";
import { has, leaveOut } from "../../../support/needs.ts";
import type { Settings } from "./host-page.ts";
import { bundle, openHost, serverOf, type Opened } from "./pages.ts";

/** A view that speaks the protocol by hand: `send` posts anything, `start` makes the handshake, `received` is what came back. */
const HOSTILE = `<!doctype html><title>Hostile</title><body><script>
  var received = [];
  addEventListener("message", ({ data }) => received.push(data));
  var send = (message) => parent.postMessage(message, "*");
  var request = (id, method, params = {}) => send({ jsonrpc: "2.0", id, method, params });
  var notify = (method, params = {}) => send({ jsonrpc: "2.0", method, params });
  var start = () => {
    const appInfo = { name: "hostile", version: "1" };
    request("init", "ui/initialize", { appInfo, appCapabilities: {}, protocolVersion: "2026-01-26" });
    notify("ui/notifications/initialized");
  };
</script>`;

let browser: Browser | undefined;
let hostScript: string;

beforeAll(async () => {
  hostScript = await bundle("host-page.ts");
  if (has("chromium")) browser = await launch();
}, 60_000);
afterAll(() => browser?.close());

async function open(
  { skip }: TestContext,
  { html = HOSTILE, ui = {}, ...settings }: Partial<Settings> & { html?: string; ui?: object } = {},
): Promise<Opened> {
  if (browser === undefined) return leaveOut(["chromium"], { skip });
  return openHost(browser, hostScript, serverOf(html, ui), settings);
}

/** Mounts the hostile view; its handshake is made unless `raw`. */
async function show(opened: Opened, { raw = false } = {}): Promise<Frame> {
  await opened.page.evaluate(() => harness.mount("show", { arguments: {} }));
  const frame = await opened.inner();
  if (raw) return frame;
  await frame.evaluate("start()");
  await opened.page.evaluate(() => harness.view!.ready);
  return frame;
}

/** The response to a request of the view. */
async function responseTo(frame: Frame, id: string | number): Promise<Record<string, unknown>> {
  const read = (): Promise<Record<string, unknown> | null> =>
    frame.evaluate(`received.find((message) => message.id === ${JSON.stringify(id)}) ?? null`);
  await expect.poll(read).not.toBeNull();
  return (await read())!;
}

/** Runs a script in the frame; resolves with "done" or the name of the error. */
const tryIn = (frame: Frame, script: string): Promise<string> =>
  frame.evaluate(`(async () => { try { ${script}; return "done" } catch (error) { return error.name } })()`);

/** A server that records what arrives. */
async function recorder(): Promise<{ origin: string; arrived: string[] }> {
  const arrived: string[] = [];
  const origin = await listen(({ url }, response) => {
    arrived.push(url!);
    response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/html" }).end("<title>stranger</title>");
  });
  return { origin: origin.replace("127.0.0.1", "localhost"), arrived };
}

test.for([
  ["the host's document", "top.document.title"],
  ["the sandbox page's document", "parent.document.title"],
  ["the host's storage", "top.localStorage.length"],
  ["its own storage", "localStorage.length"],
  ["its own cookies", "document.cookie = 'a=b'"],
  ["the frame element", "frameElement.remove()"],
  ["the address of the host", "top.location.href.length"],
  ["navigation of the host", "top.location = 'about:blank'"],
])("a view does not reach %s [P7]", async ([, script], context) => {
  const opened = await open(context);
  const frame = await show(opened);
  expect(await tryIn(frame, script!)).toMatch(/SecurityError|TypeError/);
  expect(new URL(opened.page.url()).origin).toBe(opened.origin);
});

test("a view opens no window, no dialog and no download [P7]", async (context) => {
  const opened = await open(context);
  const frame = await show(opened);
  const events: string[] = [];
  for (const name of ["popup", "dialog", "download"] as const) opened.page.on(name as "popup", () => events.push(name));
  const tried = await frame.evaluate(`(() => {
    const link = document.body.appendChild(document.createElement("a"));
    link.href = "data:text/plain,x"; link.download = "x.txt"; link.click();
    alert("x");
    return [open("about:blank"), confirm("x"), prompt("x")];
  })()`);
  expect(tried).toEqual([null, false, null]);
  await frame.evaluate(`request("after", "ping")`);
  await responseTo(frame, "after");
  expect(events).toEqual([]);
});

test("a view without declared origins has no network, of any kind [P6]", async (context) => {
  const { origin, arrived } = await recorder();
  const opened = await open(context);
  const frame = await show(opened);
  await frame.evaluate(
    'globalThis.blocked = []; addEventListener("securitypolicyviolation", ' +
      "({ effectiveDirective }) => blocked.push(effectiveDirective))",
  );
  const url = JSON.stringify(origin);
  expect(await tryIn(frame, `await fetch(${url} + "/fetch", { mode: "no-cors" })`)).toBe("TypeError");
  await tryIn(frame, `new WebSocket(${JSON.stringify(origin.replace("http", "ws"))} + "/socket")`);
  await tryIn(frame, `navigator.sendBeacon(${url} + "/beacon")`);
  await tryIn(frame, `new EventSource(${url} + "/events")`);
  await tryIn(frame, `new Worker(${url} + "/worker")`);
  await tryIn(frame, `new Worker(URL.createObjectURL(new Blob(["fetch(" + ${JSON.stringify(url)} + ")"])))`);
  await tryIn(frame, `await import(${url} + "/module.js")`);
  await frame.evaluate(`(() => {
    const origin = ${url};
    const add = (html) => document.body.insertAdjacentHTML("beforeend", html);
    add('<img src="' + origin + '/img"><video src="' + origin + '/video"></video><iframe src="' + origin + '/frame"></iframe>');
    add('<object data="' + origin + '/object"></object><embed src="' + origin + '/embed">');
    add('<link rel="stylesheet" href="' + origin + '/link.css">');
    add('<link rel="prefetch" href="' + origin + '/prefetch"><link rel="manifest" href="' + origin + '/manifest">');
    add('<link rel="icon" href="' + origin + '/icon">');
    add('<style>@import "' + origin + '/import.css"; @font-face { font-family: f; src: url(' + origin + '/font) }' +
      ' p { font-family: f; background: url(' + origin + '/css) }</style><p>x</p>');
    add('<svg><image href="' + origin + '/svg"/><use href="' + origin + '/use#a"/></svg>');
    const script = document.createElement("script"); script.src = origin + "/script"; document.body.append(script);
    const policy = document.createElement("meta"); policy.httpEquiv = "Content-Security-Policy";
    policy.content = "default-src *"; document.head.append(policy);
    new Image().src = origin + "/late";
  })()`);
  await expect.poll(() => frame.evaluate("blocked.length")).toBeGreaterThan(12);
  await frame.evaluate(`request("after", "ping")`);
  await responseTo(frame, "after");
  const page = await browser!.newPage(); // what follows the tries on the network arrives
  await page.goto(`${origin}/last`);
  await page.close();
  expect(arrived.filter((path) => path !== "/favicon.ico")).toEqual(["/last"]);
});

test("no script is made from text under the policy [P6]", async (context) => {
  const opened = await open(context);
  const frame = await show(opened);
  expect(await frame.evaluate(() => document.title)).toBe("Hostile");
  const ran = await open(context, {
    html:
      `<!doctype html><title>no</title><script>try { document.title = eval("'yes'") } catch (error) { ` +
      "document.title = error.name }</script>",
  });
  await ran.page.evaluate(() => harness.mount("show", {}));
  expect(await (await ran.inner()).title()).toBe("EvalError");
});

test("an origin that is declared works, and no other [P5 P6]", async (context) => {
  const allowed = await recorder();
  const other = await recorder();
  const opened = await open(context, { ui: { csp: { connectDomains: [allowed.origin], resourceDomains: [allowed.origin] } } });
  const frame = await show(opened);
  expect(await tryIn(frame, `await fetch("${allowed.origin}/yes")`)).toBe("done");
  expect(await tryIn(frame, `await fetch("${other.origin}/no")`)).toBe("TypeError");
  expect(allowed.arrived).toEqual(["/yes"]);
  expect(other.arrived).toEqual([]);
  const [approved] = await opened.heard("approve view");
  expect(approved).toBe("ui://show/view.html");
});

test("a view that leaves its page is removed, and receives nothing more [P7]", async (context) => {
  const stranger = await recorder();
  for (const target of [
    `location = "about:blank"`,
    `location.reload()`,
    `document.open(); document.write("new"); document.close()`,
  ]) {
    const opened = await open(context);
    const frame = await show(opened);
    await frame.evaluate(`setTimeout(() => { ${target} })`);
    await expect.poll(() => opened.page.$$("iframe")).toEqual([]);
    expect(await opened.heard("error")).toEqual(["ProtocolViolationError: The view left its page for another"]);
  }
  // The policy of the sandbox page does not let its frame show another origin at all.
  const url = JSON.stringify(`${stranger.origin}/stranger`);
  for (const leave of [
    `location = ${url}`,
    `Object.assign(document.body.appendChild(document.createElement("form")), { action: ${url} }).submit()`,
    `document.head.insertAdjacentHTML("beforeend", '<meta http-equiv="refresh" content="0;url=' + ${url} + '">')`,
  ]) {
    const opened = await open(context);
    const frame = await show(opened);
    await frame.evaluate(`setTimeout(() => { ${leave} })`);
    await expect.poll(() => opened.page.$$("iframe")).toEqual([]);
  }
  expect(stranger.arrived).toEqual([]);
});

test("messages of other frames and windows reach neither the view's connection nor the view [P12]", async (context) => {
  const opened = await open(context);
  const frame = await show(opened);
  const forged = { jsonrpc: "2.0", id: "forged", method: "tools/call", params: { name: "refresh" } };
  const before = await opened.page.evaluate(() => harness.traffic.length);
  await opened.page.evaluate((message) => {
    const neighbour = document.createElement("iframe");
    neighbour.srcdoc = `<script>for (const target of [parent, parent.frames[0]]) {
      target.postMessage(${JSON.stringify(message)}, "*");
      target.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-view-left", params: {} }, "*");
      target.postMessage({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: {} }, "*");
      target.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-resource-ready", params: { html: "taken" } }, "*");
    }
    parent.postMessage("neighbour done", "*");</script>`;
    const done = new Promise<void>((resolve) =>
      addEventListener("message", ({ data }) => data === "neighbour done" && resolve()),
    );
    document.body.append(neighbour);
    return done;
  }, forged);
  await frame.evaluate(`request("after", "ping")`);
  await responseTo(frame, "after");
  const after = await opened.page.evaluate(
    (from) => harness.traffic.slice(from).map(({ message }) => (message as { id?: string }).id),
    before,
  );
  expect(after).toEqual(["after", "after"]);
  expect(await frame.evaluate("received.filter(({ method }) => method === 'ui/notifications/tool-result')")).toEqual([]);
  expect(await opened.heard("approve tool")).toEqual([]);
});

test("a view cannot pose as the sandbox page, nor the host's page reach a view through it [P7]", async (context) => {
  const opened = await open(context);
  const frame = await show(opened);
  await frame.evaluate(
    'for (const name of ["proxy-ready", "view-left", "resource-ready", "other"]) ' +
      'notify("ui/notifications/sandbox-" + name, { html: "x" }); request("after", "ping")',
  );
  await responseTo(frame, "after");
  const methods = await opened.page.evaluate(() =>
    harness.traffic.map(({ message }) => (message as { method?: string }).method ?? ""),
  );
  expect(methods.filter((method) => method.includes("sandbox"))).toEqual([]);
  expect(await opened.page.$$("iframe")).toHaveLength(1);
});

test("before the handshake a view gets nothing, and its requests are refused [P8 P12]", async (context) => {
  const opened = await open(context);
  const frame = await show(opened, { raw: true });
  await frame.evaluate(
    'request("early", "tools/call", { name: "refresh" }); notify("ui/notifications/size-changed", { height: 900 }); ' +
      'notify("ui/notifications/initialized"); request("half", "resources/read", { uri: "note://today" })',
  );
  expect(await responseTo(frame, "early")).toMatchObject({ error: { code: -32600 } });
  expect(await responseTo(frame, "half")).toMatchObject({ error: { code: -32600 } });
  expect(await frame.evaluate("received.filter(({ method }) => method)")).toEqual([]);
  expect(await opened.page.$eval("iframe", (element) => element.clientHeight)).toBe(0);
  await frame.evaluate("start()");
  await expect.poll(() => frame.evaluate("received.filter(({ method }) => method).length")).toBe(1);
  await frame.evaluate(`request("again", "ui/initialize", { appInfo: { name: "x", version: "1" } })`);
  expect(await responseTo(frame, "again")).toMatchObject({
    error: { code: -32600, message: "The view was initialized already" },
  });
  const told = await opened.heard("error");
  expect(told.join()).toContain('The view sent "ui/notifications/size-changed" before it was ready');
});

test.for([
  ["no name", { appInfo: {} }],
  ["no appInfo", {}],
  ["capabilities that are a list", { appInfo: { name: "a" }, appCapabilities: [] }],
])("a handshake with %s is refused [P8]", async ([, params], context) => {
  const opened = await open(context);
  const frame = await show(opened, { raw: true });
  await frame.evaluate(`request("init", "ui/initialize", ${JSON.stringify(params)})`);
  expect(await responseTo(frame, "init")).toMatchObject({ error: { code: -32602 } });
});

test.for([
  ["a message of 300 000 characters", `{ text: "x".repeat(300_000) }`, /limits.maxMessageSize/],
  ["10 MB in many values", `{ list: Array.from({ length: 1_000_000 }, () => "0123456789") }`, /limits.maxMessageSize/],
  ["an array of four billion holes", `{ list: Object.assign([], { length: 4294967295 }) }`, /limits.maxMessageSize/],
  [
    "a value that is shared 2^40 times",
    `(() => { let value = "x"; for (let i = 0; i < 40; i++) value = [value, value]; return { value } })()`,
    /limits.maxMessageSize/,
  ],
  ["a cycle", `(() => { const value = {}; value.value = value; return value })()`, /deeper than 64/],
  [
    "1 000 levels",
    `(() => { let value = {}; for (let i = 0; i < 1000; i++) value = { value }; return value })()`,
    /deeper than 64/,
  ],
  ["a map", `{ value: new Map([[1, 2]]) }`, /JSON has not/],
  ["a buffer", `{ value: new Uint8Array(100_000_000) }`, /JSON has not/],
  ["a big integer", `{ value: 1n }`, /JSON has not/],
])("%s is refused by name, and the view continues [P12]", async ([, value, reason], context) => {
  const opened = await open(context);
  const frame = await show(opened);
  await frame.evaluate(`request("bad", "tools/call", { name: "refresh", arguments: ${String(value)} })`);
  expect(JSON.stringify(await responseTo(frame, "bad"))).toMatch(reason as RegExp);
  await frame.evaluate(`request("good", "tools/call", { name: "refresh", arguments: { a: 1 } })`);
  expect(await responseTo(frame, "good")).toMatchObject({ result: { structuredContent: { refreshed: { a: 1 } } } });
});

test("what is not a message is refused or dropped, and pollutes nothing [P12]", async (context) => {
  const opened = await open(context);
  const frame = await show(opened);
  await frame.evaluate(`for (const value of ["text", 7, null, [], [{ jsonrpc: "2.0", id: 1, method: "ping" }], {},
      { jsonrpc: "1.0", id: 2, method: "ping" }, { jsonrpc: "2.0", id: {}, method: "ping" },
      { jsonrpc: "2.0", id: "nobody", result: {} }]) send(value);
    request("proto", "tools/call", JSON.parse('{ "name": "refresh", "arguments": { "__proto__": { "polluted": 1 } } }'));
    request("unknown", "toString"); request("model", "tools/list");`);
  expect(await responseTo(frame, "unknown")).toMatchObject({ error: { code: -32601 } });
  expect(await responseTo(frame, "model")).toMatchObject({ error: { code: -32601 } });
  await responseTo(frame, "proto");
  expect(await opened.page.evaluate(() => ({}) as { polluted?: number })).toEqual({});
  expect(await opened.page.evaluate(() => "polluted" in {})).toBe(false);
  await frame.evaluate(`request("after", "ping")`);
  expect(await responseTo(frame, "after")).toMatchObject({ result: {} });
});

test("a flood is dropped and told once; a view that does not stop is removed [P12]", async (context) => {
  const opened = await open(context, { limits: { messagesPerSecond: 20 } });
  const frame = await show(opened);
  await frame.evaluate(`for (let i = 0; i < 100; i++) notify("ui/notifications/size-changed", { height: i })`);
  await expect.poll(() => opened.heard("error")).toEqual(['LimitExceededError: Limit "limits.messagesPerSecond" of 20 exceeded']);
  expect(await opened.page.$$("iframe")).toHaveLength(1);
  await frame.evaluate(`for (let i = 0; i < 1000; i++) notify("ui/notifications/size-changed", { height: i })`);
  await expect.poll(() => opened.page.$$("iframe")).toEqual([]);
});

test("more requests at the same time than the limit are refused [P12]", async (context) => {
  const opened = await open(context, { limits: { maxInFlight: 2 } });
  const frame = await show(opened);
  await frame.evaluate(`for (let i = 0; i < 10; i++) request("many" + i, "tools/call", { name: "refresh" })`);
  const responses = await Promise.all(Array.from({ length: 10 }, (_, i) => responseTo(frame, `many${i}`)));
  const refused = responses.filter(({ error }) => error !== undefined);
  expect(refused.length).toBeGreaterThan(0);
  expect(responses.length - refused.length).toBeGreaterThanOrEqual(2);
});

test("absurd sizes change nothing [P12]", async (context) => {
  const opened = await open(context);
  const frame = await show(opened);
  await frame.evaluate(
    'for (const height of [-5, NaN, Infinity, "100%; position: fixed", null, {}]) ' +
      'notify("ui/notifications/size-changed", { height }); request("after", "ping")',
  );
  await responseTo(frame, "after");
  await frame.evaluate(`notify("ui/notifications/size-changed", { height: 50 })`);
  await expect.poll(() => opened.page.$eval("iframe", (element) => element.getAttribute("style"))).toContain("height: 50px");
  expect(await opened.page.$eval("iframe", (element) => getComputedStyle(element).position)).toBe("static");
});

test("a view gets only the permissions that it asks for and the host grants [P5 P6]", async (context) => {
  const opened = await open(context, {
    permissions: ["clipboardWrite", "camera"],
    ui: { permissions: ["clipboardWrite", "geolocation"] },
  });
  const frame = await show(opened);
  expect(await opened.page.$eval("iframe", (element) => element.allow)).toBe("clipboard-write");
  expect(await (await opened.outer()).$eval("iframe", (element) => element.allow)).toBe("clipboard-write *");
  expect(await responseTo(frame, "init")).toMatchObject({
    result: { hostCapabilities: { sandbox: { permissions: { clipboardWrite: {} } } } },
  });
});

test("a host refuses a sandbox of its own origin, and a sandbox page of its own origin refuses to work [P7]", async (context) => {
  const opened = await open(context);

  const refused = await opened.page.evaluate(
    (url) =>
      harness.start({ url, sandbox: `${location.origin}/sandbox` }).catch((error: Error) => `${error.name}: ${error.message}`),
    await endpointOf(opened),
  );
  expect(refused).toMatch(/RangeError: Option "sandbox" must be a URL of another origin/);
  const page = await browser!.newPage();
  await page.goto(`${opened.sandbox}/?host=${opened.origin}`);
  expect(await page.textContent("body")).toContain("another origin");
  await page.close();
});

const endpointOf = (opened: Opened): Promise<string> => opened.page.evaluate(() => harness.url);

test("a sandbox page that is not there fails in time, and leaves no frame [P7]", async (context) => {
  const opened = await open(context, {
    sandbox: await listen((_request, response) => void response.end("<p>no")),
    limits: { sandboxTimeout: 100 },
  });
  const failure = await opened.page.evaluate(() => harness.mount("show").catch((error: Error) => error.message));
  expect(failure).toMatch(
    /was not ready after 100 ms \(option "limits.sandboxTimeout"\): is it served by createSandboxHandler\(\)/,
  );
  expect(await opened.page.$$("iframe")).toEqual([]);
});
