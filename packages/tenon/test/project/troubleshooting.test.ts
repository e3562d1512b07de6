// docs/tools/troubleshooting.md and troubleshooting-http.md cannot rot: every message they quote is written in the source, every
// option they advise is a name there, and what people run into most is run into here.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "tenon/client";
import { serveHttp } from "tenon/node";
import type { McpServer } from "tenon/server";
import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { testServer } from "../support/test-server.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const files = ["tenon", "tenon-cli"].flatMap((name) => {
  const src = join(root, "packages", name, "src");
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => join(src, file));
});
const sources = files.map((file) => withoutComments(readFileSync(file, "utf8")));
const code = sources.join("\n");
/** The texts of each file, with `…` for what is put in. */
const texts = sources.map((source) => source.replace(/\\(["'\\])/g, "$1").replace(/\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, "…"));

const page = ["troubleshooting.md", "troubleshooting-http.md"]
  .map((name) => readFileSync(join(root, "docs/tools", name), "utf8"))
  .join("\n");
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.slice(2, -2).split(" | ") as [string, string, string]);
const spans = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

/**
 * Whether one file writes a message, or all its parts: some are made of several texts. `…` at an end is whatever stands there.
 */
function isWritten(message: string): boolean {
  const whole = message.replace(/^…\s*|…$/g, "").trim();
  const parts = whole.split("…").map((part) => part.trim());
  return texts.some((text) => text.includes(whole)) || texts.some((text) => parts.every((part) => text.includes(part)));
}

test("the page is made of rows with a message, a meaning and an advice", () => {
  expect(rows.length).toBeGreaterThan(40);
  for (const row of rows) {
    expect(row, row[0]).toHaveLength(3);
    expect(row[1], row[0]).not.toBe("");
    expect(row[2], row[0]).not.toBe("");
  }
  expect(new Set(rows.map(([message]) => message)).size).toBe(rows.length);
});

test("every message is written in the source", () => {
  const messages = rows.flatMap(([message]) => spans(message));
  expect(messages.filter((message) => !isWritten(message))).toEqual([]);
});

test("no text of the packages names a page of the docs, which are not installed with them", () => {
  expect([...code.matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([named]) => named)).toEqual([]);
});

test("every option and every name in an advice is a name of the source", () => {
  const names = rows
    .flatMap(([, meaning, advice]) => spans(`${meaning} ${advice}`))
    .flatMap((span) => span.match(/\b[a-z]+[A-Z]\w*\b/g) ?? []);
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
});

test("an explained message that no code throws fails this test", () => {
  expect(isWritten("The server has run out of tea")).toBe(false);
  expect(explained("The server has run out of tea")).not.toBe("explained");
  expect(isWritten('Request "…" timed out after … hours (option "…")')).toBe(false);
});

// ---- what people do, and what they then see ----

/** A text as the row that is about exactly that; the text itself where none is. */
function explained(text: string): string {
  const messages = rows.flatMap(([message]) => spans(message));
  const isAbout = (message: string): boolean => new RegExp(`^${message.split("…").map(escaped).join(".*")}$`, "s").test(text);
  return messages.some(isAbout) ? "explained" : text;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

async function messageOf(failing: () => unknown): Promise<string> {
  try {
    await failing();
  } catch (error) {
    return (error as Error).message; // nothing else is thrown here
  }
  return "nothing went wrong";
}

function offering(): McpServer {
  const server = testServer({ onError: () => undefined });
  const [input, output] = [z.object({ a: z.number() }), z.object({ b: z.number() })];
  server.tool("add", { input, output }, () => ({ b: "one" }) as never); // the compiler would not let it pass
  server.tool("throws", {}, () => Promise.reject(new Error("secret")));
  server.tool(
    "waits",
    {},
    (_input, ctx) => new Promise<string>((resolve) => ctx.signal.addEventListener("abort", () => resolve("late"))),
  );
  server.tool("asks", {}, async (_input, ctx) => String(await ctx.confirm("sure", "Sure?")));
  return server;
}

test.each<[what: string, failing: () => unknown]>([
  ["a command that does not exist", () => connect({ command: "no-such-program" })],
  ["a folder that does not exist", () => connect({ command: "node", cwd: "/no/such/folder" })],
  ["a program that ends", () => connect({ command: process.execPath, args: ["-e", "process.exit(3)"] })],
  ["a URL without a scheme", () => connect("example.com/mcp")],
  ["nobody listens", () => connect("http://127.0.0.1:1/mcp")],
  ["everybody may come", () => serveHttp(offering(), { host: "0.0.0.0" })],
  ["a raw shape", () => offering().tool("a", { input: { a: z.number() } as never }, () => "a")],
  ["no schema at all", () => offering().tool("a", { input: 3 as never }, () => "a")],
  ["a date", () => offering().tool("a", { input: z.object({ on: z.date() }) }, () => "a")],
  ["a name with a space", () => offering().tool("a b", {}, () => "a")],
  ["a name twice", () => offering().tool("add", {}, () => "a")],
])("%s", async (_what, failing) => {
  expect(explained(await messageOf(failing))).toBe("explained");
});

describe.each(["2025-11-25", "2026-07-28"] as const)("on %s", (revision) => {
  const calls: [what: string, call: (client: Awaited<ReturnType<typeof connect>>) => Promise<unknown>][] = [
    ["a tool that is not there", (client) => client.callTool("none")],
    ["a list of what was never offered", (client) => client.listPrompts()],
    ["a client that answers nothing", (client) => client.callTool("asks")],
    ["no time at all", (client) => client.callTool("waits", {}, { timeout: 0 })],
    ["a result that does not fit", (client) => client.callTool("add", { a: 1 })],
  ];
  test.each(calls)("%s", async (_what, call) => {
    await using client = await connect(offering(), { revision });
    expect(explained(await messageOf(() => call(client)))).toBe("explained");
  });

  test("a tool that throws, and arguments that do not fit, are read by the model", async () => {
    await using client = await connect(offering(), { revision });
    const calls = { throws: {}, add: { a: "one" } };
    for (const [name, input] of Object.entries(calls)) {
      const { isError, text } = await client.callTool(name, input);
      expect([isError, explained(text)]).toEqual([true, "explained"]);
    }
  });
});

test("what is refused over HTTP", async () => {
  const http = await serveHttp(offering(), { port: 0, limits: { maxBodyBytes: 200 } });
  onTestFinished(() => http.close());
  const send = async (status: number, headers: Record<string, string>, body: string | null, method = "POST"): Promise<void> => {
    const sent = { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers };
    const response = await fetch(http.url, { method, headers: sent, ...(body !== null && { body }) });
    const { error } = (await response.json()) as { error: { message: string } }; // every refusal has one
    expect([response.status, explained(error.message)]).toEqual([status, "explained"]);
  };
  const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  await send(403, { origin: "https://evil.example" }, list);
  await send(400, {}, null, "GET");
  await send(405, {}, null, "PUT");
  await send(415, { "content-type": "text/plain" }, list);
  await send(406, { accept: "text/html" }, list);
  await send(413, {}, " ".repeat(300));
  await send(400, {}, "{");
  await send(404, { "mcp-session-id": "gone" }, list);
  expect(explained(await messageOf(() => connect(new URL("/elsewhere", http.url))))).toBe("explained");
});
