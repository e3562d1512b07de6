// `tenon dev` under load: clients of the official SDK call without pause while the author saves. `npm run reload` saves 200
// times. Needs a build.
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { dial, WAYS } from "./clients.ts";
import { project } from "./project.ts";

vi.setConfig({ testTimeout: 600_000 });

const SAVES = Number(process.env["RELOAD_SAVES"] ?? 24) / WAYS.length;
const CALLERS = 3;

const SERVER = `
import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";
import { version } from "./lib/version.ts";

const server: McpServer = new McpServer({ name: "saved", version: "1.0.0" });
server.tool("version", {}, async () => {
  await new Promise((resolve) => setImmediate(resolve));
  return version;
});
await serveStdio(server);
`;
const versionFile = (text: string): string => `export const version: string = ${JSON.stringify(text)};\n`;

test.each(WAYS)("saves while a client calls end no call and no connection: $client over $how", async (way) => {
  const files = project({ "server.ts": SERVER, "lib/version.ts": versionFile("0") });
  const client = await dial(way, files, "server.ts");
  let newest = "0";
  let calls = 0;
  const done = new AbortController();
  const seen = new Set<string>();
  const wakers = new Set<() => void>();
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!done.signal.aborted) {
      seen.add(await client.call("version"));
      calls++;
      if (seen.has(newest)) for (const wake of wakers) wake();
    }
  });
  const failure = Promise.all(callers);
  for (let save = 1; save <= SAVES; save++) {
    newest = String(save);
    // Both ways in which editors save.
    files[save % 2 === 0 ? "save" : "replace"]("lib/version.ts", versionFile(newest));
    await Promise.race([failure, new Promise<void>((resolve) => wakers.add(resolve))]);
    wakers.clear();
  }
  done.abort();
  await failure;
  expect({ closed: client.count("closed"), changes: client.count("changed"), isServed: seen.has(String(SAVES)) }).toEqual({
    closed: 0,
    changes: 0,
    isServed: true,
  });
  expect(calls).toBeGreaterThan(SAVES);
});

test("an older file that is moved in place while the first version loads is served", async () => {
  const move = `
import { existsSync, renameSync } from "node:fs";
if (existsSync("lib/older.ts")) renameSync("lib/older.ts", "lib/version.ts");
`;
  const files = project({
    "server.ts": move + SERVER,
    "lib/version.ts": versionFile("first"),
    "lib/older.ts": versionFile("moved"),
  });
  const longAgo = new Date(Date.now() - 3_600_000);
  for (const name of ["version.ts", "older.ts"]) utimesSync(join(files.folder, "lib", name), longAgo, longAgo);
  const client = await dial(WAYS[0], files, "server.ts");
  await vi.waitUntil(async () => (await client.call("version")) === "moved", { timeout: 300_000, interval: 1 });
  expect(client.count("closed")).toBe(0);
});

test.each(WAYS)("a tool that is added, changed and removed is announced once each: $client over $how", async (way) => {
  const body = (tools: string): string => SERVER.replace("await serveStdio(server);", `${tools}\nawait serveStdio(server);`);
  const files = project({ "server.ts": body(""), "lib/version.ts": versionFile("0") });
  const client = await dial(way, files, "server.ts");
  expect(await client.tools()).toEqual(["version"]);
  const steps = [
    [`server.tool("more", {}, () => "");`, ["version", "more"]],
    [`server.tool("more", { description: "More" }, () => "");`, ["version", "more"]],
    ["", ["version"]],
  ] as const;
  for (const [at, [tools, expected]] of steps.entries()) {
    files.save("server.ts", body(tools));
    await client.hear("changed", at + 1);
    expect(await client.tools()).toEqual(expected);
  }
  expect({ changes: client.count("changed"), closed: client.count("closed") }).toEqual({ changes: 3, closed: 0 });
});
