// Mastra's client: tools with the server's name before theirs.
import { MCPClient } from "@mastra/mcp";

export async function open({ program, url }) {
  const client = new MCPClient({ servers: { s: url ? { url: new URL(url) } : program } });
  const tools = await client.getTools();
  return {
    list: () => Object.keys(tools),
    call: (name, args) => tools[`s_${name}`].execute({ context: args }, {}),
    close: () => client.disconnect(),
  };
}
