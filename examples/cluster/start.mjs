/** Starts Redis if there is none, three nodes, and a balancer in front of them. A node that ends is started again after five seconds. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Front } from "./front.mjs";

const RESTART_MS = 5_000;
const folder = mkdtempSync(join(tmpdir(), "tenon-cluster-"));
const children = new Map();
let ending = false;

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

async function startRedis() {
  const port = await freePort();
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
  children.set("Redis", redis);
  return `redis://127.0.0.1:${port}`;
}

function startNode(name, port, env) {
  const program = [fileURLToPath(new URL("node.mjs", import.meta.url))];
  const child = spawn(process.execPath, program, {
    env: { ...process.env, ...env, NAME: name, PORT: String(port) },
    stdio: ["ignore", "inherit", "inherit"],
  });
  children.set(name, child);
  console.log(
    `${name} listens on port ${port}. To kill it: kill -9 ${child.pid}`,
  );
  child.once("exit", () => {
    if (ending) return;
    console.log(
      `${name} has ended, and starts again in ${RESTART_MS / 1000} s`,
    );
    setTimeout(() => ending || startNode(name, port, env), RESTART_MS);
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

const nodes = [];
for (const name of ["Oslo", "Rome", "Bern"])
  nodes.push([name, await freePort()]);
const front = new Front(nodes.map(([, port]) => port));
const env = {
  REDIS_URL: process.env["REDIS_URL"] ?? (await startRedis()),
  STATE_KEY: process.env["STATE_KEY"] ?? randomBytes(32).toString("hex"),
};
for (const [name, port] of nodes) startNode(name, port, env);

front.server.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  const { port } = front.server.address();
  console.log(
    `All nodes together: http://127.0.0.1:${port}/mcp. To end everything: Ctrl+C`,
  );
});
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => void end(0));
