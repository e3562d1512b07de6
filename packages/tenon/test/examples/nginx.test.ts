// The configuration of nginx on docs/serving/deploying.md, letter by letter but for its ports: calls, streams and sessions pass,
// under the public name.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as send } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "tenon/client";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import { expect, onTestFinished, test, vi } from "vitest";
import { needs, programOf } from "../support/needs.ts";
import { freePort } from "../../../../scripts/free-port.mjs";

vi.setConfig({ testTimeout: 60_000 });

needs("nginx");
const NGINX = programOf("nginx") ?? "nginx";
const page = readFileSync(fileURLToPath(new URL("../../../../docs/serving/deploying.md", import.meta.url)), "utf8");
const [, block = ""] = /```text\n(server \{\n.*?)```/s.exec(page) ?? [];

/** Starts nginx in front of a server. @param change of its configuration */
async function inFront(server: number, change = (text: string): string => text): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "tenon-nginx-"));
  const port = await freePort();
  const own = change(block).replace("listen 80;", `listen 127.0.0.1:${port};`).replace("127.0.0.1:3000", `127.0.0.1:${server}`);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join("\n");
  const file = join(folder, "nginx.conf");
  writeFileSync(file, `daemon off;\npid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${own}}\n`);
  const child = spawn(NGINX, ["-p", folder, "-c", file, "-e", join(folder, "error.log")], { stdio: "ignore" });
  const ended = once(child, "close");
  onTestFinished(async () => {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  await expect.poll(() => statusOf(port), { timeout: 20_000 }).toBeGreaterThan(0);
  return port;
}

/** The status of a call under the public name; 0 if nothing listens. */
function statusOf(port: number): Promise<number> {
  return new Promise((resolve) => {
    const headers = {
      host: "api.example.com",
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const request = send({ host: "127.0.0.1", port, path: "/mcp", method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", () => resolve(0));
    request.end('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  });
}

async function serve(allowedHosts: string[]): Promise<number> {
  const server = new McpServer({ name: "s", version: "1" }, { onError: () => undefined });
  server.tool("steps", {}, async (_input, ctx) => {
    for (const step of [1, 2, 3]) await ctx.progress(step, 3);
    return (await ctx.confirm("sure", "Sure?")) ? "done" : "not done";
  });
  const endpoint = await serveHttp(server, { port: 0, allowedHosts, clientAddress: "x-forwarded-for", onError: () => undefined });
  onTestFinished(() => endpoint.close());
  return endpoint.port;
}

test("calls, progress, questions and sessions pass through nginx as the page configures it", async () => {
  const port = await inFront(await serve(["api.example.com", "127.0.0.1"]));
  for (const revision of ["2025-11-25", "2026-07-28"] as const) {
    const onElicit = () => ({ action: "accept", content: {} }) as const;
    const seen: number[] = [];
    const client = await connect(`http://127.0.0.1:${port}/mcp`, { revision, onElicit });
    const { text } = await client.callTool("steps", {}, { onProgress: ({ progress }) => void seen.push(progress) });
    expect([revision, text, seen.at(-1)]).toEqual([revision, "done", 3]);
    await client.close();
  }
});

test("without the line that keeps the host, the public name is refused with 421, as the page says", async () => {
  const server = await serve(["api.example.com"]);
  const line = "    proxy_set_header Host $host;\n";
  expect(block).toContain(line);
  expect(await statusOf(await inFront(server))).not.toBe(421);
  expect(await statusOf(await inFront(server, (text) => text.replace(line, "")))).toBe(421);
});
