// The server fixture over HTTP as a process, with the job client, every family of revisions, and its end. Needs a build.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
let folder: string;
let server: ChildProcess;
let url: string;

/** Starts the fixture; it says where it listens. */
async function start(): Promise<{ child: ChildProcess; at: string }> {
  const child = spawn(process.execPath, ["packages/tenon/test/conformance/server.mjs"], {
    cwd: root,
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [said] = (await once(child.stderr!, "data")) as [Buffer];
  return { child, at: /http:\S+/.exec(String(said))![0] };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tenon-fixture-http-"));
  ({ child: server, at: url } = await start());
});
afterAll(() => {
  server.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

test.each([
  { era: "auto", speaks: "2026-07-28" },
  { era: "2026-07-28", speaks: "2026-07-28" },
  { era: "2025-11-25", speaks: "2025-11-25" },
])("a job over HTTP, era $era: lists, progress, headers, changes, a call that is aborted", ({ era, speaks }) => {
  const file = join(folder, `${era}.json`);
  const steps = [
    { op: "listTools" },
    { op: "callTool", name: "test_tool_with_progress" },
    { op: "callTool", name: "test_x_mcp_header", arguments: { region: " Zürich ", level: 3 } },
    { op: "listen", filter: { toolsListChanged: true, resourceSubscriptions: ["test://watched-resource"] } },
    { op: "callTool", name: "test_trigger_tool_change" },
    { op: "callTool", name: "test_tool_with_progress", abortAfterMs: 20 },
    { op: "callTool", name: "test_reconnection" }, // long enough for the changes to arrive
    { op: "together", steps: Array.from({ length: 3 }, () => ({ op: "callTool", name: "test_simple_text" })) },
  ];
  writeFileSync(file, JSON.stringify({ server: { type: "http", url }, era, steps }));
  const job = spawnSync(process.execPath, ["packages/tenon/test/conformance/job.mjs", file], {
    cwd: root,
    encoding: "utf8",
    timeout: 100_000,
  });
  expect([job.status, job.stderr]).toEqual([0, ""]);
  const lines = job.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines[0]).toMatchObject({
    connected: true,
    protocolVersion: speaks,
    capabilities: { tools: {}, prompts: {}, resources: {} },
  });
  expect(lines.filter(({ ok }) => ok === false)).toMatchObject([{ step: 5, error: { kind: "abort" } }]);
  expect(lines.find(({ step }) => step === 1)).toMatchObject({
    progress: [{ progress: 0 }, { progress: 50 }, { progress: 100 }],
  });
  expect(lines.find(({ step }) => step === 2)).toMatchObject({ result: { content: [{ text: "region= Zürich " }] } });
  const { notifications } = lines.at(-1) as { notifications: { method: string }[] };
  expect(notifications.map(({ method }) => method)).toContain("notifications/tools/list_changed");
});

test("SIGTERM ends the server, with a stream open and a call that runs", async () => {
  const { child, at } = await start();
  const exited = once(child, "exit");
  // Each resolves with the head of a stream: by then it is open.
  const listening = await post(at, "subscriptions/listen", { notifications: { toolsListChanged: true } });
  const running = await post(at, "tools/call", { name: "test_tool_with_progress", _meta: { progressToken: 1 } });
  child.kill("SIGTERM");
  expect(await textOf(running)).toContain("All steps completed");
  expect(await textOf(listening)).toContain('"resultType":"complete"');
  expect(await exited).toEqual([0, null]);
});

async function textOf(response: IncomingMessage): Promise<string> {
  return (await response.setEncoding("utf8").toArray()).join("");
}

function post(at: string, method: string, params: Record<string, unknown>): Promise<IncomingMessage> {
  const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
  const body = {
    jsonrpc: "2.0",
    id: 1,
    method,
    params: { ...params, _meta: { ...meta, ...(params["_meta"] as object | undefined) } },
  };
  const headers = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(typeof params["name"] === "string" && { "mcp-name": params["name"] }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(at, { method: "POST", headers }, resolve);
    sent.on("error", reject);
    sent.end(JSON.stringify(body));
  });
}
