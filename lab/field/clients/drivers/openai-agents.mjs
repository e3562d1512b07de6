// OpenAI's Agents SDK.
import { MCPServerStdio, MCPServerStreamableHttp } from "@openai/agents";

export async function open({ program, url }) {
  const server = url ? new MCPServerStreamableHttp({ url, name: "s" }) : new MCPServerStdio({ ...program, name: "s" });
  await server.connect();
  return {
    list: async () => (await server.listTools()).map(({ name }) => name),
    call: (name, args) => server.callTool(name, args),
    close: () => server.close(),
  };
}
