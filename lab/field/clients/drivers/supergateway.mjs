// supergateway: serves a program over HTTP+SSE, its default. It starts the program once for all clients, so the questions come
// from the second client: that of the first one is closed before.
import { fileURLToPath } from "node:url";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { connectTo, start, through } from "./bridge.mjs";

const command = fileURLToPath(new URL("node_modules/.bin/supergateway", import.meta.url));

export async function open({ program, port }) {
  const bridge = start(command, ["--stdio", [program.command, ...program.args].join(" "), "--port", String(port)]);
  const connect = () => connectTo(() => new SSEClientTransport(new URL(`http://127.0.0.1:${port}/sse`)));
  const first = await connect();
  await first.listTools();
  await first.close();
  const second = await connect();
  return through(second, async () => {
    await second.close();
    bridge.kill();
  });
}
