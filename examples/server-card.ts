// A server that publishes its card, and a client that finds it by the domain alone. The domain is this machine, on a free port.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "tenon/client";
import { toNodeHandler } from "tenon/node";
import { McpServer } from "tenon/server";

const server = new McpServer({ name: "weather", version: "1.0.0" });
server.tool("rain", {}, () => "It rains.");

const http = createServer().listen(0, "127.0.0.1");
await once(http, "listening");
const { port } = http.address() as AddressInfo; // it listens on a port
const domain = `http://127.0.0.1:${port}`;
const handler = toNodeHandler(server, {
  card: {
    name: "local/weather",
    description: "Weather reports",
    url: `${domain}/mcp`, // on the network: the https: URL that clients use
    catalog: true,
  },
});
http.on("request", handler);

const client = await connect(domain);
console.log((await client.callTool("rain")).text);
await client.close();
await handler.close();
http.close();
