// mcp-use: sessions by the name of a server.
import { MCPClient } from "mcp-use";

export async function open({ program, url }) {
  const client = MCPClient.fromDict({ mcpServers: { s: url ? { url } : program } });
  const session = await client.createSession("s");
  return {
    list: async () => (await session.listTools()).map(({ name }) => name),
    call: (name, args) => session.callTool(name, args),
    close: () => client.closeAllSessions(),
  };
}
