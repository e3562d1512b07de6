// The fixtures as processes, without the suite: what a host or a user of another SDK would see. Needs a build.
import { spawn, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const server = {
  type: "stdio",
  command: process.execPath,
  args: ["packages/tenon/test/conformance/server.mjs", "--stdio"],
  cwd: root,
};
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tenon-fixtures-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function node(args: string[], env: Record<string, string> = {}): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", timeout: 100_000, env: { ...process.env, ...env } });
}

interface Line {
  [member: string]: unknown;
}

/** Runs a job and returns its lines, each of which must be JSON, and its exit status. */
function run(job: object): { lines: Line[]; status: number | null } {
  const file = join(folder, "job.json");
  writeFileSync(file, JSON.stringify(job));
  const { stdout, status } = node(["packages/tenon/test/conformance/job.mjs", file]);
  const lines = stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
  return { lines, status };
}

const ANSWERS = {
  sampling: { text: "A city" },
  elicitation: { action: "accept", content: { username: "ada", email: "ada@example.com" } },
};

test("a job at the handshake: calls, progress, questions, failures, and its end", () => {
  const { lines, status } = run({
    server,
    era: "2025-11-25",
    answers: ANSWERS,
    steps: [
      { op: "ping" },
      { op: "listTools" },
      { op: "callTool", name: "test_tool_with_progress" },
      { op: "callTool", name: "test_sampling", arguments: { prompt: "Where?" } },
      { op: "callTool", name: "test_elicitation", arguments: { message: "Who?" } },
      { op: "callTool", name: "test_error_handling" },
      { op: "callTool", name: "test_tool_with_logging", abortAfterMs: 20 },
      { op: "callTool", name: "test_tool_with_logging", timeoutMs: 20 },
      { op: "readResource", uri: "test://nowhere" },
      { op: "subscribe", uri: "test://watched-resource" },
      { op: "unsubscribe", uri: "test://watched-resource" },
      { op: "listen", filter: { toolsListChanged: true } },
      { op: "together", steps: [{ op: "callTool", name: "test_trigger_tool_change" }, { op: "listPrompts" }] },
      { op: "fly" },
    ],
  });
  expect(status).toBe(0);
  const [connected, ...steps] = lines;
  const closed = steps.pop();
  expect(connected).toMatchObject({ connected: true, protocolVersion: "2025-11-25", serverInfo: { name: "tenon-everything" } });
  const outcomes = Object.fromEntries(steps.map((line) => [line["step"], line]));
  expect((outcomes[1]!["result"] as { tools: object[] }).tools[0]).toMatchObject({ name: "test_simple_text" });
  expect(outcomes[2]).toMatchObject({ ok: true, progress: [0, 50, 100].map((progress) => ({ progress, total: 100 })) });
  expect(outcomes[3]).toMatchObject({ result: { content: [{ text: "LLM response: A city" }] } });
  expect(outcomes[4]).toMatchObject({ result: { content: [{ text: expect.stringContaining('"username":"ada"') as string }] } });
  expect(outcomes[5]).toMatchObject({ ok: true, result: { isError: true } });
  expect(outcomes[6]).toMatchObject({ ok: false, error: { kind: "abort" } });
  expect(outcomes[7]).toMatchObject({ ok: false, error: { kind: "timeout", code: -32001 } });
  expect(outcomes[8]).toMatchObject({ ok: false, error: { kind: "rpc", code: -32002, data: { uri: "test://nowhere" } } });
  expect([9, 10, 11, "12.0", "12.1"].map((step) => outcomes[step]!["ok"])).toEqual([true, true, true, true, true]);
  expect(outcomes[13]).toMatchObject({ ok: false });
  expect(closed).toMatchObject({
    closed: true,
    requests: [{ method: "sampling/createMessage" }, { method: "elicitation/create" }],
  });
  const heard = (closed!["notifications"] as { method: string }[]).map(({ method }) => method);
  expect(heard).toContain("notifications/tools/list_changed");
  expect(heard).toContain("notifications/message");
});

test("a job finds the newest revision by itself, and the server tells only those who listen", () => {
  const { lines, status } = run({
    server,
    steps: [
      { op: "callTool", name: "test_trigger_prompt_change" },
      { op: "listen", filter: { toolsListChanged: true } },
      { op: "callTool", name: "test_trigger_tool_change" },
      { op: "wait", ms: 200 }, // changes that follow each other closely go out together, a little later
      { op: "readResource", uri: "test://nowhere" },
      { op: "callTool", name: "test_missing_capability" },
      {
        op: "complete",
        ref: { type: "ref/prompt", name: "test_prompt_with_arguments" },
        argument: { name: "arg1", value: "par" },
      },
    ],
  });
  expect(status).toBe(0);
  expect(lines[0]).toMatchObject({ connected: true, protocolVersion: "2026-07-28" });
  expect(lines.filter(({ op }) => op === "callTool").map(({ ok }) => ok)).toEqual([true, true, false]);
  expect(lines.find(({ step }) => step === 4)).toMatchObject({
    error: { kind: "rpc", code: -32602, data: { uri: "test://nowhere" } },
  });
  expect(lines.find(({ step }) => step === 5)).toMatchObject({
    error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } },
  });
  expect(lines.find(({ step }) => step === 6)).toMatchObject({ result: { completion: { values: ["paris", "park", "party"] } } });
  const heard = (lines.at(-1)!["notifications"] as { method: string }[]).map(({ method }) => method);
  expect(new Set(heard)).toEqual(new Set(["notifications/subscriptions/acknowledged", "notifications/tools/list_changed"]));
});

test("a job without a server says so and exits with 1", () => {
  const { lines, status } = run({
    server: { type: "stdio", command: process.execPath, args: ["-e", ""] },
    steps: [{ op: "ping" }],
  });
  expect(lines).toMatchObject([{ connected: false, error: { kind: "transport" } }]);
  expect(status).toBe(1);
});

test("the authorization server has the requested issuer, and ends on its signal", async () => {
  // The port is any that is free, as the fixture says on its error output.
  const child = spawn("npm", ["run", "-s", "fixture:as"], {
    cwd: root,
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  let issuer: string | undefined;
  for await (const line of createInterface(child.stderr)) {
    issuer = /^issuer: (http:\/\/localhost:\d+)$/.exec(line)?.[1];
    if (issuer !== undefined) break;
  }
  const metadata = (await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json()) as { issuer: string };
  expect(metadata.issuer).toBe(issuer);
  child.kill("SIGTERM");
  await exited;
  await expect(fetch(issuer!)).rejects.toThrow("fetch failed");
});

test("the client knows the scenarios it knows", () => {
  const { status, stderr } = node(["packages/tenon/test/conformance/client.mjs", "http://localhost:9/mcp"], {
    MCP_CONFORMANCE_SCENARIO: "fly-to-the-moon",
  });
  expect(stderr).toContain("No such scenario: fly-to-the-moon");
  expect(status).toBe(1);
});

test("the job is one module for browsers too: bundled, it needs nothing of Node's", async () => {
  const { warnings, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["packages/tenon/test/conformance/run-job.mjs"],
    bundle: true,
    platform: "browser",
    format: "esm",
    write: false,
    metafile: true,
  });
  expect(warnings).toEqual([]);
  expect(Object.keys(metafile.inputs)).toContain("packages/tenon/dist/client/program/no-child-process.js");
  expect(Object.keys(metafile.inputs).filter((path) => path.startsWith("packages/tenon/dist/node/"))).toEqual([]);
  expect(Object.values(metafile.outputs).flatMap(({ exports }) => exports)).toEqual(["runJob"]);
});
