/**
 * Pages in a real browser that use `tenon/client`, bundled for browsers, against servers of other origins.
 *
 * The browser is the distribution's Chromium without windows, driven by playwright-core; nothing is downloaded.
 */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build, type Metafile } from "esbuild";
import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, onTestFinished, type TestContext } from "vitest";
import { has, leaveOut, programOf } from "../support/needs.ts";

/** Where the browser is; `CHROMIUM` names another. */
export const EXECUTABLE: string = programOf("chromium") ?? "chromium";

/** The page's script, and what went into it. */
export async function bundlePage(): Promise<{ script: string; metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL("page.mjs", import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
    conditions: ["source"],
    logLevel: "error",
  });
  return { script: outputFiles[0]!.text, metafile };
}

export function launch(): Promise<Browser> {
  // The sandbox needs rights that root in a container does not have; the pages are our own. Sites have processes of their own, as
  // they have in a browser with windows.
  const args = ["--no-sandbox", "--site-per-process", "--disable-gpu", "--disable-quic", "--no-first-run"];
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return chromium.launch({ executablePath: EXECUTABLE, args: [...args, ...quiet], timeout: 20_000 });
}

/**
 * Starts one browser for the tests of a file, or of a block of tests. Returns how a test takes it: without a browser the test is
 * skipped, and fails where nothing may be missing.
 */
export function sharedBrowser(): (context: Pick<TestContext, "skip">) => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (has("chromium")) browser = await launch();
  }, 30_000);
  afterAll(() => browser?.close());
  return ({ skip }) => browser ?? leaveOut(["chromium"], { skip });
}

/** Listens on a free port until the test has finished; resolves with the origin. */
export async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

/** Serves an empty page with that script at `/`, and nothing else. */
export function pageWith(script: string): RequestListener {
  return (request, response) => {
    if (request.url === "/")
      response.writeHead(200, { "content-type": "text/html" }).end('<script type="module" src="/page.js"></script>');
    else if (request.url === "/page.js") response.writeHead(200, { "content-type": "text/javascript" }).end(script);
    else response.writeHead(404).end();
  };
}
