// How `tenon dev` and `tenon run --watch` end, and that no process of theirs outlives them. Needs a build.
import { execFileSync } from "node:child_process";
import { expect, test, vi } from "vitest";
import { assertHas } from "../../../tenon/test/support/needs.ts";
import { dial, WAYS } from "./clients.ts";
import { project, startHttp } from "./project.ts";

vi.setConfig({ testTimeout: 90_000 });

const server = (version: string, more = ""): string => `
import { McpServer } from "tenon/server";
export const server: McpServer = new McpServer({ name: "ending", version: "1.0.0" });
server.tool("version", {}, () => ${JSON.stringify(version)});
${more}
`;

test.each(WAYS)("tenon run --watch reloads at a save: $client over $how", async (way) => {
  const files = project({ "server.ts": server("old") });
  const client = await dial(way, files, "server.ts", ["run", "--watch"]);
  await client.events.next("served");
  expect(await client.call("version")).toBe("old");
  files.save("server.ts", server("new"));
  await client.events.next("served");
  expect({ version: await client.call("version"), closed: client.count("closed") }).toEqual({ version: "new", closed: 0 });
});

/** Processes by the id of their parent. */
function childrenOf(pid: number): number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  return lines
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child]) => child!);
}

function isRunning(pid: number): boolean {
  // A process that has ended may wait as a zombie for a parent that never asks.
  try {
    return !execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).startsWith("Z");
  } catch {
    return false;
  }
}

test.for([
  { signal: "SIGTERM", state: "serves", more: "" },
  { signal: "SIGTERM", state: "loads", more: "console.error('looping'); for (;;);" },
  { signal: "SIGKILL", state: "serves", more: "" },
  { signal: "SIGKILL", state: "loops", more: "setTimeout(() => { console.error('looping'); for (;;); }, 0);" },
] as const)("$signal leaves no process of a server that $state", async ({ signal, more }, context) => {
  assertHas(context, "ps");
  const files = project({ "server.ts": server("running", more) });
  const running = await startHttp(files, "server.ts");
  await (more === "" ? running.events.next("served") : vi.waitUntil(() => running.events.other.includes("looping"), 30_000));
  // One that serves or loads, and perhaps a spare.
  const children = childrenOf(running.pid);
  expect(children).not.toEqual([]);
  running.kill(signal);
  await vi.waitUntil(() => !children.some(isRunning), 30_000);
});
