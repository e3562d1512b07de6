// `tenon doctor` for files and commands, and how it is ended and misused.
import { expect, test, vi } from "vitest";
import { listen } from "../../../tenon/test/runtimes/browser.ts";
import { examine, type Diagnosis } from "./examine.ts";
import { runCommand } from "./run-command.ts";
import { fixture } from "./start-command.ts";

// Several processes a test, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

test("a program: it starts, what it speaks, its stdout, its end", async () => {
  const { ok, code, by, hop, environment } = await examine(runCommand, [fixture("sums.mjs")]);
  expect({ ok, code, hops: by("ok") }).toEqual({
    ok: true,
    code: 0,
    hops: ["start", "conversation", "stdout", "messages", "end"],
  });
  expect(hop("conversation").detail).toMatch(
    /^sums 1\.0\.0 speaks 2026-07-28: tools, resources, prompts.*; \d+ ms after its start$/,
  );
  expect(environment).toEqual({
    tenon: expect.stringMatching(/^\d/) as string,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
  });
});

const SERVE = `
  process.stdin.on("data", (text) => {
    for (const line of String(text).trim().split("\\n")) {
      const { id, method } = JSON.parse(line);
      if (method === "initialize") {
        const result = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "bare", version: "1" } };
        console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
      } else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }));
    }
  });`;

test.each([
  ["that is not there", ["no-such-command-anywhere"], "start", "No such command"],
  ["that dies at once", [process.execPath, "-e", "process.exit(7)"], "start", "it ended at once, with code 7"],
  ["that says nothing", [process.execPath, "-e", "process.stdin.resume()"], "conversation", "no response within 700 ms"],
  ["that logs to stdout", [process.execPath, "-e", `console.log("Server started");${SERVE}`], "stdout", "Server started"],
  ["that does not end", [process.execPath, "-e", `setInterval(() => {}, 1000);${SERVE}`], "end", "after its input was closed"],
])("a program %s", async (what, command, failed, wrong) => {
  const timeout = what === "that says nothing" ? "700" : "30000";
  const { code, stdout } = await runCommand(["doctor", "--json", "--timeout", timeout, "--", ...command]);
  const found = JSON.parse(stdout) as Diagnosis;
  expect(found).toMatchObject({ ok: false, failed });
  expect(found.hops.find(({ hop }) => hop === failed)).toMatchObject({
    detail: expect.stringContaining(wrong) as string,
    fix: expect.any(String) as string,
  });
  expect(code).toBe(1);
});

// Written so by servers in C#, PHP and Go.
const ODD = `
  const say = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const serverInfo = { name: "odd", version: "1", title: null };
  const opened = { protocolVersion: "2025-06-18", capabilities: { tools: [] }, serverInfo };
  const listed = { tools: [{ name: "a", inputSchema: { type: "object", properties: [] } }, { name: "bad" }], nextCursor: "" };
  const results = { initialize: opened, "tools/list": listed };
  process.stdin.on("data", (text) => {
    for (const line of String(text).trim().split("\\n")) {
      const { id, method } = JSON.parse(line);
      const result = results[method];
      if (id !== undefined) say(result ? { id, result } : { id, error: { code: -32601, message: "no" } });
    }
  });`;

test("messages that deviate are counted; with --strict they are a fault, and all of them are listed [FD-35 FD-38]", async () => {
  const command = ["--", process.execPath, "-e", ODD];
  const counted = await runCommand(["doctor", "--json", ...command]);
  expect(counted.code).toBe(0);
  const found = JSON.parse(counted.stdout) as Diagnosis;
  expect(found.hops.find(({ hop }) => hop === "messages")).toMatchObject({
    status: "ok",
    detail: "5 places deviate from 2025-06-18: empty-list, null, left-out, empty-cursor; --strict lists all",
  });
  const strict = await runCommand(["doctor", "--strict", ...command]);
  expect(strict.code).toBe(1);
  for (const place of [
    "result.capabilities.tools",
    "result.serverInfo.title",
    "result.tools[0].inputSchema.properties",
    '"bad"',
    "result.nextCursor",
  ])
    expect(strict.stdout).toContain(place);
  expect(await runCommand(["doctor", "--strict", fixture("sums.mjs")])).toMatchObject({ code: 0 });
});

test("Ctrl-C ends an examination", async () => {
  const url = `${await listen(() => undefined)}/mcp`;
  let asked = false;
  const ended = runCommand(["doctor", "--", process.execPath, "-e", "console.error('up'); process.stdin.resume()"], {
    onStderr: (_text, kill) => {
      if (!asked) kill("SIGINT");
      asked = true;
    },
  });
  expect(await ended).toMatchObject({ code: 130, stdout: "" });
  expect(await runCommand(["doctor", url, "--scope", "a"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("takes no --scope") as string,
  });
  expect(await runCommand(["doctor"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("The server is missing.") as string,
  });
});
