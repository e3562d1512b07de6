/** The official clients of both generations in front of a gateway, and real servers of others behind it. Needs a build. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../../../scripts/free-port.mjs";

const program = fileURLToPath(new URL("fixtures/official.mjs", import.meta.url));
const everything = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");

let everythingChild: ChildProcess;
let url: string;

/** The everything server over HTTP, in a process of its own. Each test has a session of its own at it. */
beforeAll(async () => {
  const port = await freePort();
  const child = spawn(process.execPath, [everything, "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  everythingChild = child;
  let said = "";
  for await (const text of child.stderr.setEncoding("utf8")) {
    said += text as string;
    if (said.includes("listening on port")) break;
  }
  if (!said.includes("listening on port")) throw new Error(`The everything server has not started: ${said}`);
  url = `http://127.0.0.1:${port}/mcp`;
});

afterAll(async () => {
  if (everythingChild.exitCode !== null) return;
  everythingChild.kill("SIGKILL");
  await once(everythingChild, "exit");
});

async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "tenon-gateway-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

it.each([
  ["1", "stdio", "2025-11-25"],
  ["1", "http", "2025-11-25"],
  ["2", "stdio", "2026-07-28"],
  ["2", "http", "2026-07-28"],
])(
  "the official client of generation %s uses real servers through the gateway, over %s, %s",
  async (generation, how, revision) => {
    const args = [program, generation, how, revision, await temporaryFolder(), url];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 110_000 });
    expect(JSON.parse(stdout)).toEqual({
      revision,
      servers: ["everything", "files", "memory", "web"],
      annotated: true,
      echo: "Echo: hi",
      structured: true,
      file: "Buy milk",
      outside: true,
      memory: [{ name: "Ada", entityType: "person", observations: ["counts"] }],
      step: 1,
      "everything form": true,
      "everything sample": true,
      "everything roots": true,
      "web form": true,
      "web sample": true,
      "web roots": true,
      prompt: 1,
      read: true,
      updated: true,
    });
  },
);
