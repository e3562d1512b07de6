// The example of several nodes: its nodes are killed while a client calls through its balancer. Needs a build, and redis-server.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "tenon/client";
import { missing } from "../runtimes/running.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Starts the example. Resolves with its address, and collects the process of each node by name. */
async function start(pids: Map<string, number>): Promise<string> {
  const { REDIS_URL: _, ...env } = process.env;
  const child = spawn(process.execPath, ["examples/cluster/start.mjs"], {
    cwd: root,
    env: { ...env, PORT: "0", NODE_OPTIONS: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    const ended = once(child, "exit");
    child.kill("SIGINT");
    await ended;
  });
  return new Promise((resolve, reject) => {
    createInterface(child.stdout).on("line", (line) => {
      const [, name, pid] = /^(\w+) listens on .* kill -9 (\d+)$/.exec(line) ?? [];
      if (name !== undefined) pids.set(name, Number(pid));
      const url = /http:\S+mcp/.exec(line)?.[0];
      if (url !== undefined) resolve(url);
    });
    child.once("exit", () => reject(new Error("The example has ended")));
  });
}

test("a client counts on while the nodes that it counts at are killed, and gets each number once", async ({ skip }) => {
  if (!existsSync("/usr/bin/redis-server")) missing("redis-server is not installed", skip);
  const pids = new Map<string, number>();
  const url = await start(pids);
  await expect
    .poll(async () => (await fetch(new URL("/readyz", url)).catch(() => undefined))?.status, { timeout: 120_000, interval: 100 })
    .toBe(200);
  const client = await connect(url, { revision: "2025-11-25" });
  onTestFinished(() => client.close());
  const numbers: number[] = [];
  const places: string[] = [];
  const counting = client.callTool(
    "count",
    { to: 10 },
    {
      onProgress: ({ progress, message }) => {
        numbers.push(progress);
        places.push(message!.replace("counted at ", ""));
      },
    },
  );
  counting.catch(() => undefined);
  await expect.poll(() => numbers.length, { timeout: 60_000 }).toBeGreaterThan(2);
  const [first] = places;
  process.kill(pids.get(first!)!, "SIGKILL");
  const { text } = await counting;
  expect(text).toMatch(/^counted to 10 at (Oslo|Rome|Bern)$/);
  expect(text).not.toContain(first);
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});
