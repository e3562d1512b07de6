/** A host page, a sandbox page and a server for tests in a browser, each on an origin of its own; and scripts for views. */
import type { RequestListener } from "node:http";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, Frame, Page } from "playwright-core";
import { createSandboxHandler } from "tenon/ext/apps/host";
import { apps } from "tenon/ext/apps";
import type { McpServer } from "tenon/server";
import { serveHttp } from "tenon/node";
import { onTestFinished } from "vitest";
import { listen } from "../../../runtimes/browser.ts";
import type { Settings } from "./host-page.ts";
import { testServer } from "../../../support/test-server.ts";

/** Bundles a script of this folder for browsers. */
export async function bundle(name: string, alias: { readonly [name: string]: string } = {}): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(name, import.meta.url))],
    alias,
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    conditions: ["source"],
    logLevel: "error",
  });
  return outputFiles[0]!.text;
}

/** A document with that script as a module. */
export function withScript(script: string, body = ""): string {
  return (
    `<!doctype html><title>View</title><body>${body}` +
    `<script type="module">${script.replaceAll("</script", "<\\/script")}</script>`
  );
}

/** Serves the sandbox page as a fetch handler, to hosts of that origin. */
export function sandboxListener(host: string): RequestListener {
  const handler = createSandboxHandler({ hosts: [host] });
  return async ({ url, method }, response) => {
    const served = handler(new Request(`http://sandbox${url}`, { method: method! }));
    response.writeHead(served.status, Object.fromEntries(served.headers)).end(await served.text());
  };
}

/** A host page that shows views of `server`. */
export interface Opened {
  readonly page: Page;
  /** The origin of the host page. */
  readonly origin: string;
  readonly sandbox: string;
  /** The frame of the view: inside the sandbox page. */
  readonly inner: () => Promise<Frame>;
  /** The frame of the sandbox page. */
  readonly outer: () => Promise<Frame>;
  readonly heard: (name: string) => Promise<unknown[]>;
}

export const HOST_HTML = `<!doctype html><title>Host</title><div id="views"></div><script type="module" src="/page.js"></script>`;

/** Serves a page and its script. */
export function pageListener(html: string, script: string): RequestListener {
  return ({ url }, response) => {
    if (url === "/") response.writeHead(200, { "content-type": "text/html" }).end(html);
    else if (url === "/page.js") response.writeHead(200, { "content-type": "text/javascript" }).end(script);
    else response.writeHead(404).end();
  };
}

export async function openHost(
  browser: Browser,
  script: string,
  server: McpServer,
  settings: Partial<Settings> = {},
): Promise<Opened> {
  const origin = await listen(pageListener(HOST_HTML, script));
  const sandbox = await listen(sandboxListener(origin));
  const endpoint = await serveHttp(server, { port: 0, cors: { origins: [origin] } });
  onTestFinished(() => endpoint.close());
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.goto(origin);
  await page.waitForFunction(() => "harness" in globalThis);
  await page.evaluate((given) => harness.start(given), { url: endpoint.url, sandbox, ...settings });
  const outer = async (): Promise<Frame> => frameOf(page.mainFrame());
  return {
    page,
    origin,
    sandbox,
    outer,
    inner: async () => frameOf(await outer()),
    heard: (name) => page.evaluate((wanted) => harness.heard.filter(([one]) => one === wanted).map(([, value]) => value), name),
  };
}

/** The content of the first frame inside a frame. */
async function frameOf(frame: Frame): Promise<Frame> {
  const element = await frame.waitForSelector("iframe", { state: "attached" });
  const content = await element.contentFrame();
  await content!.waitForLoadState("load");
  return content!;
}

/** A server of one tool whose view is that document. */
export function serverOf(html: string, ui: object = {}): McpServer {
  const server = testServer({ name: "office", extensions: [apps()] });
  server.tool("show", { ui: { view: html, ...ui } }, (args) => ({ shown: args }));
  server.tool("refresh", { ui: { visibility: ["app"] } }, (args) => ({ refreshed: args }));
  server.tool("model_only", { ui: { visibility: ["model"] } }, () => "secret");
  server.tool("fails", {}, () => {
    throw new Error("internal");
  });
  server.resource("note://today", {}, () => "Buy milk");
  return server;
}
