// Views of tools on the page of `tenon inspect`: what a view gets, what it must ask for, and what a hostile one does not reach.
import type { Browser, Frame, FrameLocator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi, type TestContext } from "vitest";
import type { McpServer } from "tenon";
import { apps } from "tenon/ext/apps";
import { listen } from "../../../tenon/test/runtimes/browser.ts";
import { browserOf, inspect, PageFiles, show, type Shown } from "./support.ts";
import { testServer } from "../../../tenon/test/support/test-server.ts";

vi.setConfig({ testTimeout: 120_000 });

const files = new PageFiles();
let browser: Browser | undefined;

beforeAll(async () => {
  [browser] = await Promise.all([browserOf(), files.build()]);
});
afterAll(() => Promise.all([browser?.close(), files.remove()]));

/** A view that speaks the protocol by hand, and writes into its list what it gets. */
const VIEW = `<!doctype html><html lang="en"><title>View</title><body><ul id="got"></ul><script>
  const tell = (text) => document.getElementById("got").appendChild(document.createElement("li")).append(text);
  const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const request = (id, method, params = {}) => send({ id, method, params });
  addEventListener("message", ({ data: { id, method, params, result, error } }) =>
    tell(JSON.stringify(method === undefined ? [id, result ?? error] : [method, params])));
  request("init", "ui/initialize", { appInfo: { name: "v", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26" });
  send({ method: "ui/notifications/initialized", params: {} });
</script>`;

interface Office {
  readonly server: McpServer;
  readonly called: string[];
}

function office(ui: object = {}): Office {
  const called: string[] = [];
  const server = testServer({ name: "office", extensions: [apps()] });
  server.tool("show", { ui: { view: VIEW, ...ui } }, (args) => ({ shown: args }));
  server.tool("change", { ui: { visibility: ["app"] } }, (args) => {
    called.push(JSON.stringify(args));
    return { changed: true };
  });
  server.tool("look", { annotations: { readOnlyHint: true } }, () => ({ looked: true }));
  server.tool("model_only", { ui: { visibility: ["model"] } }, () => {
    called.push("model_only");
    return "secret";
  });
  return { server, called };
}

interface ShownView extends Shown, Office {
  readonly view: FrameLocator;
  /** Runs a line of script in the view. */
  readonly run: (script: string) => Promise<unknown>;
  /** Waits until the view has got a message with this text. */
  readonly got: (text: string) => Promise<void>;
}

async function showView(context: TestContext, revision: "2025-11-25" | "2026-07-28", ui: object = {}): Promise<ShownView> {
  const made = office(ui);
  const target = { name: "office", typed: "office.ts", server: made.server, options: { revision } };
  const shown = await show(browser, context, await inspect(files.folder, [target]));
  const { page } = shown;
  await page.getByRole("option", { name: /^show/ }).click();
  await page.getByRole("button", { name: /^Call/ }).click();
  const view = page.frameLocator(".app iframe").frameLocator("iframe");
  const run = async (script: string): Promise<unknown> => (await frameOf(view)).evaluate(script);
  const got = (text: string): Promise<void> => view.getByText(text).first().waitFor();
  return { ...shown, ...made, view, run, got };
}

async function frameOf(view: FrameLocator): Promise<Frame> {
  const element = await view.owner().elementHandle();
  return (await element!.contentFrame())!; // a frame in the page
}

/** What the view would send to the page's server. */
const call = (id: number, name: string, args = "{}"): string =>
  `request(${id}, "tools/call", { name: "${name}", arguments: ${args} })`;

test.for(["2025-11-25", "2026-07-28"] as const)(
  "on %s a view gets the arguments and the result of its call, and calls tools of its server after the user has agreed [P7]",
  async (revision, context) => {
    const { page, run, got, called, complaints } = await showView(context, revision);
    await got('"theme":"light"');
    await got('["ui/notifications/tool-input",{"arguments":{}}]');
    await got('"structuredContent":{"shown":{}}');
    await run(call(1, "look"));
    await got('"looked":true');
    await run(call(2, "change", '{"n":1}'));
    await page.getByText("The view wants to call change").waitFor();
    expect(called).toEqual([]);
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await got('"changed":true');
    expect(called).toEqual(['{"n":1}']);
    await run(call(3, "change", '{"n":2}'));
    await page.getByRole("button", { name: "Refuse" }).click();
    await got('[3,{"code":-32000');
    await run(call(4, "change", '{"n":3}'));
    await page.getByRole("button", { name: "Allow while it is shown" }).click();
    await run(call(5, "change", '{"n":4}'));
    await got("[5,{");
    expect(called).toEqual(['{"n":1}', '{"n":3}', '{"n":4}']);
    await run(`request(6, "ui/message", { role: "user", content: [{ type: "text", text: "Book it <b>now</b>" }] })`);
    await page.getByRole("list", { name: "What the view said" }).getByText("Book it <b>now</b>").waitFor();
    await page.getByRole("link", { name: /^Wire/ }).click();
    await page.getByLabel("Filter messages").fill("method:tools/call name:change");
    await page.getByText("6 messages").waitFor();
    expect(await page.locator("iframe").count()).toBe(0);
    expect(complaints).toEqual([]);
  },
);

test("a link of a view opens only by a click of the user, and only if it is an address of the web [P7]", async (context) => {
  const { page, run, got, view } = await showView(context, "2026-07-28");
  const popups: Page[] = [];
  page.context().on("page", (popup) => popups.push(popup));
  const origin = await listen((_request, response) => void response.end("<title>elsewhere</title>"));
  await got("tool-result");
  await run(`request(1, "ui/open-link", { url: "javascript:alert(1)" })`);
  await got('[1,{"code":-32000');
  await run(`request(2, "ui/open-link", { url: "${origin}/docs?a" })`);
  const open = page.getByRole("link", { name: "Open", exact: true });
  await open.waitFor();
  expect([await open.getAttribute("href"), await open.getAttribute("rel")]).toEqual([`${origin}/docs?a`, "noopener noreferrer"]);
  expect([popups.length, await view.getByText("[2,").count()]).toEqual([0, 0]);
  await open.click();
  await got("[2,{}]");
  await expect.poll(() => popups.length).toBe(1);
  expect(await popups[0]!.evaluate(() => window.opener === null)).toBe(true);
});

test("a view that wants the network is shown only after the user has read which origins it names", async (context) => {
  const asked: string[] = [];
  const origin = await listen((request, response) => {
    asked.push(request.url!);
    response.writeHead(200, { "access-control-allow-origin": "*" }).end("there");
  });
  const { page, run, got } = await showView(context, "2026-07-28", { csp: { connectDomains: [origin] } });
  await page.getByText(`The view wants to use the network: ${origin}`).waitFor();
  expect(await page.locator(".app iframe").count()).toBe(0);
  await page.getByRole("button", { name: "Allow", exact: true }).click();
  await got("tool-result");
  expect(await run(`fetch("${origin}/declared").then((response) => response.text())`)).toBe("there");
  expect(asked).toEqual(["/declared"]);
});

test("a hostile view reaches neither the page nor its key, another server, the network or a window [P7 R22]", async (context) => {
  const { page, run, got, called, complaints } = await showView(context, "2026-07-28");
  const { origin } = new URL(page.url());
  const arrived: string[] = [];
  const stranger = await listen((request, response) => void (arrived.push(request.url!), response.end()));
  const opened: string[] = [];
  for (const name of ["popup", "download", "dialog"] as const) page.on(name as "popup", () => opened.push(name));
  await got("tool-result");
  const outcome = (script: string): Promise<unknown> =>
    run(`(async () => { try { ${script}; return "done" } catch (error) { return error.name } })()`);
  for (const script of [
    "top.document.body.remove()",
    "parent.document.title",
    "top.sessionStorage.length",
    "sessionStorage.length",
    "top.location = 'about:blank'",
    `await fetch("${origin}/api/do", { method: "POST", body: "{}" })`,
    `await fetch("${stranger}/fetch", { mode: "no-cors" })`,
  ])
    expect([script, await outcome(script)]).toEqual([script, expect.stringMatching(/SecurityError|TypeError/)]);
  await run(`open("about:blank"); alert(1); new Image().src = "${stranger}/image";
    document.body.appendChild(Object.assign(document.createElement("a"), { href: "data:text/plain,x", download: "x" })).click()`);
  await run(call(1, "model_only"));
  await got("[1,{");
  await run(`request(2, "tools/list"); request(3, "speak", { target: 0 }); request(4, "sampling/createMessage", {})`);
  await got('[4,{"code":-32601');
  // Messages that pose as those of the sandbox page, and more wishes than a user can read.
  await run(`send({ method: "ui/notifications/sandbox-resource-ready", params: { html: "<script>alert(2)</script>" } });
    const text = "<img src=x onerror=alert(3)>";
    for (let at = 0; at < 60; at++) request(100 + at, "tools/call", { name: "change", arguments: { at, text } })`);
  await got('[159,{"code":-32000');
  expect(await page.getByText("The view wants to call change").count()).toBe(20);
  await page.getByText("<img src=x onerror=alert(3)>").first().waitFor();
  expect({ called, opened, arrived, path: new URL(page.url()).origin }).toEqual({
    called: [],
    opened: [],
    arrived: [],
    path: origin,
  });
  expect(
    complaints.filter((text) => !/(?:Content Security Policy|sandboxed|Failed to (?:fetch|load)|Unsafe attempt)/i.test(text)),
  ).toEqual([]);
});

test("a view runs in a process of its own, and ends if it leaves for another page [P7]", async (context) => {
  const { page, run, got, view } = await showView(context, "2026-07-28");
  await got("tool-result");
  // The browser gives a frame a session only if it runs in another process than its page: a script without an end stops only the
  // view.
  const session = await page.context().newCDPSession(await frameOf(view));
  await session.detach();
  await run(`setTimeout(() => (location = "data:text/html,<h1>stranger</h1>"))`);
  await page.getByText("The view left its page for another").waitFor();
  await page.getByRole("button", { name: /^Again/ }).click();
  await got("tool-result");
  expect(await page.locator(".app iframe").count()).toBe(1);
});

test("a view of a server reaches no tool of another server on the page", async (context) => {
  const [one, other] = [office(), office()];
  other.server.tool("only_there", { annotations: { readOnlyHint: true } }, () => {
    other.called.push("only_there");
    return "";
  });
  const targets = [one, other].map(({ server }, at) => ({ name: `office-${at}`, typed: "office.ts", server }));
  const { page } = await show(browser, context, await inspect(files.folder, targets));
  await page.getByRole("option", { name: /^show/ }).click();
  await page.getByRole("button", { name: /^Call/ }).click();
  const view = page.frameLocator(".app iframe").frameLocator("iframe");
  await view.getByText("tool-result").first().waitFor();
  await (await frameOf(view)).evaluate(call(1, "only_there"));
  await view.getByText('[1,{"code":-32000').waitFor();
  expect([...one.called, ...other.called]).toEqual([]);
});
