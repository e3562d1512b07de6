// The official client, 2.x.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

export async function open({ program, url }) {
  const client = new Client({ name: "field", version: "1.0.0" });
  await client.connect(url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport(program));
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
}
