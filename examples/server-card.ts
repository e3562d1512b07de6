// A server that publishes its card, and a client that finds it by the domain alone. The domain is this machine, on a free port.
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { connect } from "tenon/client";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";

const server = new McpServer({ name: "weather", version: "1.0.0" });
server.tool("rain", {}, () => "It rains.");

const port = await freePort();
const url = `http://127.0.0.1:${port}/mcp`; // on the network: the https: URL that clients use
const endpoint = await serveHttp(server, {
  port,
  card: {
    name: "local/weather",
    description: "Weather reports",
    url,
    catalog: true,
  },
});

const client = await connect(`http://127.0.0.1:${port}`);
console.log((await client.callTool("rain")).text);
await client.close();
await endpoint.close();

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>(
    (resolve) => void probe.listen(0, "127.0.0.1", resolve),
  );
  const { port } = probe.address() as AddressInfo; // it listens on a port
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
