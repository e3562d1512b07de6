// The official client, 1.x.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

export async function open({ program, url }) {
  const client = new Client({ name: "field", version: "1.0.0" });
  await client.connect(url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport(program));
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
}
