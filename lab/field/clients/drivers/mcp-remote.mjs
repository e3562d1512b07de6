// mcp-remote: makes a program on stdio of a server over HTTP, for hosts that start programs.
import { fileURLToPath } from "node:url";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { connectTo, through } from "./bridge.mjs";

const command = fileURLToPath(new URL("node_modules/.bin/mcp-remote", import.meta.url));

export async function open({ url }) {
  const client = await connectTo(
    () => new StdioClientTransport({ command, args: [url, "--allow-http"], env: process.env, stderr: "ignore" }),
  );
  return through(client, () => client.close());
}
