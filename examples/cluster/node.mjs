/** One node: the same program on every node. Everything that nodes share is in Redis. */
import { setTimeout as sleep } from "node:timers/promises";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import { redisStores } from "tenon/stores/redis";
import * as z from "zod";

const {
  NAME = "node",
  PORT = "0",
  REDIS_URL = "redis://127.0.0.1:6379",
  STATE_KEY,
} = process.env;
/** Names in the URLs of clients, if other machines may reach this node. */
const { ALLOWED_HOSTS } = process.env;
/** Milliseconds for which a draining node still serves, until the balancer has noticed, and then for calls that run. */
const { DRAIN_DELAY = "1000", DRAIN_TIME = "10000" } = process.env;
if (STATE_KEY === undefined)
  throw new Error(
    "Set STATE_KEY to the same 32 or more characters on every node",
  );

const stores = redisStores({ url: REDIS_URL });
const server = new McpServer(
  { name: "cluster", version: "1.0.0" },
  { requestState: { keys: [STATE_KEY] } },
);

// Repeatable: if this node dies in the middle, another one counts again and the client gets one result.
const input = z.object({ to: z.number().int().min(1).max(100) });
server.tool(
  "count",
  { input, annotations: { idempotentHint: true } },
  async ({ to }, ctx) => {
    for (let number = 1; number <= to; number++) {
      await ctx.progress(number, to, `counted at ${NAME}`);
      await sleep(200);
    }
    return `counted to ${to} at ${NAME}`;
  },
);

// Not repeatable: if this node dies in the middle, the client gets one error that says so.
server.tool("greet", {}, async (_input, ctx) => {
  const { content } = await ctx.elicit("name", {
    message: "Your name?",
    schema: z.object({ name: z.string() }),
  });
  return `Hello ${content?.name ?? "stranger"}, from ${NAME}`;
});

server.tool("change", {}, () => {
  server.listChanged("tools");
  return `changed at ${NAME}`;
});

const node = await serveHttp(server, {
  ...(ALLOWED_HOSTS && {
    host: "0.0.0.0",
    allowedHosts: ALLOWED_HOSTS.split(","),
  }),
  port: Number(PORT),
  stores,
  health: true,
  drainDelay: Number(DRAIN_DELAY),
  streams: { after: 200 },
});
process.send?.({ port: node.port }); // to start.mjs
process.once(
  "SIGTERM",
  () => void node.drain(Number(DRAIN_TIME)).then(() => stores.close()),
);
