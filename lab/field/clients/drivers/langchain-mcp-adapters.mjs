// LangChain's adapters: tools that take checked input.
import { MultiServerMCPClient } from "@langchain/mcp-adapters";

export async function open({ program, url }) {
  const client = new MultiServerMCPClient({ s: url ? { transport: "http", url } : { transport: "stdio", ...program } });
  const tools = await client.getTools();
  return {
    list: () => tools.map(({ name }) => name),
    call: (name, args) => tools.find((tool) => tool.name === name).invoke(args),
    close: () => client.close(),
  };
}
