/**
 * A program that was not installed whole: a file that is loaded late is not there. Real copies of the package, each with one
 * file moved away, served by real processes; the file is put back while they run.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import type { ProtocolVersion } from "tenon";
import { connect, type Client } from "tenon/client";
import { closing } from "../support/matrix.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const SERVER = `
import { McpServer } from "tenon/server";
import { serveStdio } from "tenon/node";
const server = new McpServer({ name: "s", version: "1" });
server.tool("plain", {}, () => "called");
server.tool("ask", {}, async (_input, ctx) => ((await ctx.confirm("sure", "Sure?")) ? "yes" : "no"));
await serveStdio(server);
`;

/** A server of a copy of the package without the chunks of that name, what it says to its operator, and what puts them back. */
async function serve(
  revision: ProtocolVersion,
  chunk: string,
): Promise<{ client: Client; stderr: () => string; restore: () => void }> {
  if (!existsSync(join(root, "packages/tenon/dist"))) throw new Error("There is no dist/: run `npm run build` first");
  const folder = mkdtempSync(join(tmpdir(), "not-whole-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const copy = join(folder, "node_modules/tenon");
  mkdirSync(copy, { recursive: true });
  for (const part of ["dist", "package.json"]) cpSync(join(root, "packages/tenon", part), join(copy, part), { recursive: true });
  writeFileSync(join(folder, "server.mjs"), SERVER);
  const chunks = join(copy, "dist/chunks");
  const missing = readdirSync(chunks).filter((name) => name.startsWith(`${chunk}-`));
  expect(missing).not.toEqual([]);
  const move = (from: string, to: string): void => missing.forEach((name) => renameSync(join(from, name), join(to, name)));
  move(chunks, folder);
  const stderr = new PassThrough();
  let said = "";
  stderr.on("data", (text) => (said += String(text)));
  const client = await closing(
    connect(
      { command: process.execPath, args: [join(folder, "server.mjs")], stderr },
      { revision, onElicit: () => ({ action: "accept" }) },
    ),
  );
  return { client, stderr: () => said, restore: () => move(folder, chunks) };
}

test.each(["2025-11-25", "2026-07-28"] as const)(
  "%s: without what asks the client the tool fails, the operator hears why, others go on, the next call retries [R11 CF-08 D12]",
  async (revision) => {
    const { client, stderr, restore } = await serve(revision, "round-engine");
    const failed = await client.callTool("ask");
    expect(failed).toMatchObject({ isError: true, text: expect.stringMatching(/^Tool "ask" failed \(error \w+\)$/) });
    await expect.poll(stderr).toContain("ERR_MODULE_NOT_FOUND");
    expect(stderr()).toContain("tenon: tools/call ask failed");
    expect((await client.callTool("plain")).text).toBe("called");
    restore();
    expect((await client.callTool("ask")).text).toBe("yes");
  },
);
