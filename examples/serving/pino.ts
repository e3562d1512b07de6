// Logs each request and each failure with pino. Run it with `npx tsx
// pino.ts`.
import { pino } from "pino";
import { connect } from "tenon/client";
import { log } from "tenon/middleware";
import { McpServer } from "tenon/server";

const logger = pino({ base: null });

const server = new McpServer(
  { name: "shop", version: "1.0.0" },
  { onError: (err, report) => logger.error({ err, ...report }, "failed") },
);
server.use(
  "tools/call",
  log({ write: (entry) => logger.info(entry, "request") }),
);
server.tool("order", {}, () => "Ordered");
server.tool("pay", {}, () => {
  throw new Error("card 4111 was refused");
});

const client = await connect(server);
await client.callTool("order");
const { text } = await client.callTool("pay");
logger.info({ text }, "what the client gets");
await client.close();
