// A protected endpoint in a bundle for workers: nothing of Node's is in it, and it takes and refuses tokens.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { createTestAuthorizationServer } from "tenon/testing";
import { AUDIENCE, bearing, mirrored, statelessBody } from "./support.ts";

const PROGRAM = `
import { bearer } from "tenon/auth";
import { createFetchHandler, McpServer } from "tenon/server";
export function serve(issuer, audience, fetch) {
  const server = new McpServer({ name: "worker", version: "1" });
  server.tool("who", {}, (_input, ctx) => ctx.auth.subject);
  return createFetchHandler(server, { auth: bearer({ issuer, audience, fetch, dpop: true }) });
}`;

interface Worker {
  readonly serve: (issuer: string, audience: string, fetch: typeof globalThis.fetch) => (request: Request) => Promise<Response>;
}

test("bearer() runs on the web's own globals [fault Z7]", async () => {
  const root = fileURLToPath(new URL("../../../..", import.meta.url));
  const folder = join(root, "out", `worker-auth-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { outputFiles, metafile } = await build({
    stdin: { contents: PROGRAM, resolveDir: root, loader: "js" },
    bundle: true,
    format: "esm",
    conditions: ["source", "workerd", "worker"],
    write: false,
    metafile: true,
    logLevel: "error",
  });
  expect(Object.keys(metafile.inputs).filter((file) => file.includes("src/node/"))).toEqual([]);
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  const file = join(folder, "worker.mjs");
  writeFileSync(file, outputFiles[0]!.text);
  const { serve } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Worker; // as written above
  const login = await createTestAuthorizationServer("https://login.example", { subject: "ann" });
  const handle = serve(login.issuer, AUDIENCE, login.fetch);
  const call = (token?: string): Promise<Response> => {
    const params = { name: "who", arguments: {} };
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...mirrored("tools/call", params),
      ...bearing(token),
    };
    return handle(
      new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(statelessBody("tools/call", params)) }),
    );
  };
  expect((await call()).status).toBe(401);
  expect((await call(await login.issueAccessToken({ audience: "https://other.example" }))).status).toBe(401);
  expect(await (await call(await login.issueAccessToken({ audience: AUDIENCE }))).json()).toMatchObject({
    result: { content: [{ text: "ann" }] },
  });
});

test("a server and its HTTP edge load no door, no state and no effect at once: all of it comes with its first use", async () => {
  const root = fileURLToPath(new URL("../../../..", import.meta.url));
  const contents = `
    export * from "tenon/server";
    export { serveHttp, serveStdio } from "tenon/node";`;
  const { metafile } = await build({
    stdin: { contents, resolveDir: root, loader: "js" },
    bundle: true,
    splitting: true,
    outdir: "out/unused",
    format: "esm",
    platform: "node",
    packages: "bundle",
    external: ["jose", "oauth4webapi", "undici", "@modelcontextprotocol/*"],
    conditions: ["source"],
    write: false,
    metafile: true,
    logLevel: "error",
  });
  const [entry] = Object.keys(metafile.outputs).filter(
    (file) => metafile.outputs[file]!.entryPoint !== undefined && file.includes("stdin"),
  );
  const atOnce = new Set<string>();
  const add = (file: string): void => {
    if (atOnce.has(file)) return;
    atOnce.add(file);
    for (const { path, kind } of metafile.outputs[file]?.imports ?? []) if (kind === "import-statement") add(path);
  };
  add(entry!);
  const loaded = [...atOnce].flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {}));
  expect(loaded.some((file) => file.endsWith("src/server/features/call-tool.ts"))).toBe(true);
  const late =
    /src\/(?:providers|api-keys|authorization-server|state|stores|gateway)\/|src\/effects\/once|src\/effects\/confirm|resource-server\/(?:bearer|any-of)\.ts/;
  expect(loaded.filter((file) => late.test(file))).toEqual([]);
});
