/** Mistakes other SDKs made and mended: those with servers that are programs. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { connect } from "tenon";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** A program that serves one tool over stdio, from the built package. */
const PROGRAM = `
import { McpServer } from "tenon/server";
import { serveStdio } from "tenon/node";
const server = new McpServer({ name: "s", version: "1" });
server.tool("env", {}, () => process.env.TENON_CANARY ?? "none");
setInterval(() => undefined, 1_000);
await serveStdio(server);`;
const ARGS = ["--input-type=module", "-e", PROGRAM];

function assertBuilt(): void {
  if (!existsSync(`${root}/packages/tenon/dist/node/index.js`)) throw new Error("There is no dist/: run `npm run build` first");
}

it("a dozen at a time cause no warning, and leave this process unchanged [fault Z3]", async () => {
  assertBuilt();
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));
  const listeners = (): number[] =>
    ["exit", "SIGHUP", "SIGINT", "SIGTERM", "uncaughtException"].map((event) => process.listenerCount(event));
  const before = listeners();
  const target = { command: process.execPath, args: ARGS, cwd: root, stderr: "ignore" } as const;
  const clients = await Promise.all(Array.from({ length: 12 }, () => connect(target, { revision: "2025-11-25" })));
  const texts = await Promise.all(clients.map(async (client) => (await client.callTool("env")).text));
  expect(new Set(texts)).toEqual(new Set(["none"]));
  await Promise.all(clients.map((client) => client.close()));
  expect(listeners()).toEqual(before);
  expect(warnings.map(({ message }) => message)).toEqual([]);
}, 30_000);

it("one whose input has ended before it began, or was never there, ends by itself, timers or not [T1 C.6]", async () => {
  assertBuilt();
  const child = spawn(process.execPath, ARGS, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const code = await new Promise((resolve) => {
    child.on("close", resolve);
  });
  expect({ code, output }).toEqual({ code: 0, output: "" });
}, 15_000);
