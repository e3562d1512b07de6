/**
 * One node whose costs are measured, as a process. `none` as the engine: it keeps its sessions in memory, and has no stores.
 *   node --expose-gc node.mjs <engine> <url>
 */
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import { natsStores } from "tenon/stores/nats";
import { postgresStores } from "tenon/stores/postgres";
import { redisStores } from "tenon/stores/redis";
import type { Stores } from "tenon/stores/redis";

const URI = "figure://changed";
const MANY = 1_000_000;
/** Milliseconds for which an unused session is kept: longer than a slow machine takes to open all of them. */
const IDLE = 24 * 60 * 60_000;
/** Milliseconds for which a busy engine is waited for. */
const PATIENCE = 30_000;

const [engine, url = ""] = process.argv.slice(2) as [string, string?];
const makers: Record<string, () => Stores> = {
  redis: () => redisStores({ url, timeout: PATIENCE }),
  postgres: () => postgresStores({ url, timeout: PATIENCE }),
  nats: () => natsStores({ url, timeout: PATIENCE }),
};
const stores = makers[engine]?.();
await stores?.ready();

const requestState = { keys: ["a key that all nodes of the figures have"] };
const server = new McpServer({ name: "figures", version: "1" }, { requestState });
server.tool("echo", {}, () => "hello");
/** Its response is a stream of two events: progress, and the result. */
server.tool("stream", {}, async (_input, ctx) => {
  await ctx.progress(1);
  return "hello";
});
server.tool("change", {}, () => {
  server.resourceUpdated(URI);
  return "changed";
});
/** Microseconds of processor time since the start, and bytes of the heap after garbage collection. */
server.tool("usage", {}, () => {
  (globalThis as { gc?: () => void }).gc?.(); // from --expose-gc
  const { user, system } = process.cpuUsage();
  return JSON.stringify({ cpu: user + system, heap: process.memoryUsage().heapUsed });
});
server.resource(URI, {}, () => "text");

const { port } = await serveHttp(server, {
  port: 0,
  sessions: { max: MANY, maxPerPrincipal: MANY, idle: IDLE },
  streams: { max: MANY, maxPerPrincipal: MANY },
  ...(stores && { stores }),
});
console.log(port);
