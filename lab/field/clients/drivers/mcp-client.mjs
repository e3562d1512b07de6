// The client of the author of FastMCP for TypeScript.
import { MCPClient } from "mcp-client";

export async function open({ program, url }) {
  const client = new MCPClient({ name: "field", version: "1.0.0" });
  await client.connect(url ? { type: "httpStream", url } : { type: "stdio", ...program });
  return {
    list: async () => (await client.getAllTools()).map(({ name }) => name),
    call: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
}
