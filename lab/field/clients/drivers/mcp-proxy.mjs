// mcp-proxy: serves a program over Streamable HTTP.
import { fileURLToPath } from "node:url";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { connectTo, start, through } from "./bridge.mjs";

const command = fileURLToPath(new URL("node_modules/.bin/mcp-proxy", import.meta.url));

export async function open({ program, port }) {
  const bridge = start(command, ["--port", String(port), "--host", "127.0.0.1", "--", program.command, ...program.args]);
  const client = await connectTo(() => new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
  return through(client, async () => {
    await client.close();
    bridge.kill();
  });
}
