import { MCPClient } from "mcp-use/client";

const mcpServers = { numbers: { url: process.env.URL } };
const client = new MCPClient({ mcpServers });
const session = await client.createSession("numbers");
const { structuredContent } = await session.callTool("next", { a: 1 });
console.log(structuredContent.b);
await client.closeAllSessions();
process.exit();
