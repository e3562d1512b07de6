// Serves the example on three origins: the host page, the sandbox page and the server. In production each has a host name of its own.
import { readFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { createSandboxHandler } from "tenon/ext/apps/host";
import { serveHttp } from "tenon/node";
import { server } from "./server.ts";

const path = (name: string): string =>
  fileURLToPath(new URL(name, import.meta.url));
const close: (() => unknown)[] = [];

/** Listens on this computer; resolves with the origin. */
async function listen(listener: RequestListener, port = 0): Promise<string> {
  const http: Server = createServer(listener);
  close.push(
    () => http.close(),
    () => http.closeAllConnections(),
  );
  await new Promise<void>((resolve) => {
    http.listen(port, "127.0.0.1", resolve);
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

/** Serves the example until `close()`. */
export async function serve(
  port = 0,
): Promise<{ url: string; close: () => Promise<void> }> {
  const bundled = await build({
    entryPoints: [path("host.ts")],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
  });
  let html = await readFile(path("host.html"), "utf8");
  const host = await listen(({ url }, response) => {
    if (url === "/host.js")
      response
        .setHeader("content-type", "text/javascript")
        .end(bundled.outputFiles[0]!.text);
    else response.setHeader("content-type", "text/html").end(html);
  }, port);

  const sandboxPage = createSandboxHandler({ hosts: [host] });
  const sandbox = await listen(({ method, url }, response) => {
    const page = sandboxPage(
      new Request(`http://sandbox${url}`, { method: method! }),
    );
    response.writeHead(page.status, Object.fromEntries(page.headers));
    void page.text().then((text) => response.end(text));
  });

  const endpoint = await serveHttp(server, {
    port: 0,
    cors: { origins: [host] },
  });
  html = html.replace("{server}", endpoint.url).replace("{sandbox}", sandbox);
  return {
    url: host,
    async close() {
      for (const step of close) step();
      await endpoint.close();
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(`Open ${(await serve(3000)).url}`);
