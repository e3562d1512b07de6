// The event loop of a client stands still: what arrived meanwhile counts, although the timeouts of its calls are over.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "tenon/client";
import { buildServed } from "../stdio/served.ts";
import { closing } from "../support/matrix.ts";

const REVISIONS = ["2025-11-25", "2026-07-28"] as const;
const TIMEOUT = 10_000;

/** Stops this thread for so many milliseconds. */
function stop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test("a stall is reported, and no call fails whose response arrived during it [fault Z2]", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tenon-stall-"));
  const served = await buildServed(new URL("fixtures/marking-server.ts", import.meta.url));
  const http = spawn(process.execPath, [served.file, folder, "http"], { stdio: "inherit" });
  onTestFinished(() => {
    http.kill("SIGKILL");
    served.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  const noted = (name: string): boolean => existsSync(join(folder, name));
  await expect.poll(() => noted("url") && readFileSync(join(folder, "url"), "utf8").endsWith("/mcp")).toBe(true);
  const url = readFileSync(join(folder, "url"), "utf8");
  const reports: Error[] = [];
  const ids: string[] = [];
  const calls: Promise<{ text: string }>[] = [];
  for (const target of [url, { command: process.execPath, args: [served.file, folder] }]) {
    for (const revision of REVISIONS) {
      const client = await closing(connect(target, { revision, onError: (error) => reports.push(error) }));
      const id = String(ids.push("") - 1);
      ids[Number(id)] = id;
      await client.listTools(); // what is loaded late is loaded
      calls.push(client.callTool("meet", { id }, { timeout: TIMEOUT }));
    }
  }
  const from = performance.now();
  await expect.poll(() => ids.every((id) => noted(`${id}.began`))).toBe(true);
  writeFileSync(join(folder, "go"), "");
  await new Promise((resolve) => setImmediate(resolve)); // after this phase of the event loop timers come first, then sockets
  // From here until all timeouts are over, nothing of this process runs.
  while (!ids.every((id) => noted(`${id}.done`))) stop(20);
  stop(Math.max(TIMEOUT - (performance.now() - from), 0) + 100);
  expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(["met", "met", "met", "met"]);
  const stalls = (): Error[] => reports.filter(({ message }) => message.startsWith("The event loop did not run for "));
  await expect.poll(stalls).toMatchObject([{ code: -32603, data: { stalledMs: expect.any(Number) as number } }]);
});
