/** Starts Redis if there is none, three nodes, and a balancer in front of them. A node that ends is started again after five seconds. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Front } from "./front.mjs";

const RESTART_MS = 5_000;
const folder = mkdtempSync(join(tmpdir(), "tenon-cluster-"));
const children = new Map();
let ending = false;

function startRedis() {
  // Systems give ports from 32768 on to connections, so one below is rarely taken.
  const port = 16_000 + Math.floor(Math.random() * 16_000);
  const settings = [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--dir",
    folder,
    "--appendonly",
    "yes",
    "--maxmemory-policy",
    "noeviction",
  ];
  const redis = spawn("redis-server", settings, { stdio: "ignore" });
  redis.once("error", () => {
    console.error(
      "There is no redis-server here: install it, or set REDIS_URL to one that runs",
    );
    void end(1);
  });
  redis.once("exit", () => {
    if (ending) return;
    console.error(`Redis on port ${port} has ended`);
    void end(1);
  });
  children.set("Redis", redis);
  return `redis://127.0.0.1:${port}`;
}

/** Starts a node, which chooses a free port and reports it. */
function startNode(name, env) {
  const program = [fileURLToPath(new URL("node.mjs", import.meta.url))];
  const child = spawn(process.execPath, program, {
    env: { ...process.env, ...env, NAME: name, PORT: "0" },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  children.set(name, child);
  child.once("message", ({ port }) => {
    front.setPort(name, port);
    console.log(
      `${name} listens on port ${port}. To kill it: kill -9 ${child.pid}`,
    );
  });
  child.once("exit", () => {
    if (ending) return;
    front.setPort(name, undefined);
    console.log(
      `${name} has ended, and starts again in ${RESTART_MS / 1000} s`,
    );
    setTimeout(() => ending || startNode(name, env), RESTART_MS);
  });
}

async function killed(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** Ends the nodes before Redis, so that none complains that its store is gone. */
async function end(code) {
  if (ending) return;
  ending = true;
  front.close();
  const redis = children.get("Redis");
  await Promise.all(
    [...children.values()].filter((child) => child !== redis).map(killed),
  );
  if (redis !== undefined) await killed(redis);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exitCode = code;
}

const front = new Front();
const env = {
  REDIS_URL: process.env["REDIS_URL"] ?? startRedis(),
  STATE_KEY: process.env["STATE_KEY"] ?? randomBytes(32).toString("hex"),
};
for (const name of ["Oslo", "Rome", "Bern"]) startNode(name, env);

front.server.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  const { port } = front.server.address();
  console.log(
    `All nodes together: http://127.0.0.1:${port}/mcp. To end everything: Ctrl+C`,
  );
});
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => void end(0));
