// The client of Vercel's AI SDK: tools that a model calls.
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";

export async function open({ program, url }) {
  const client = await createMCPClient({ transport: url ? { type: "http", url } : new Experimental_StdioMCPTransport(program) });
  const tools = await client.tools();
  return {
    list: () => Object.keys(tools),
    call: (name, args) => tools[name].execute(args, { toolCallId: "1", messages: [] }),
    close: () => client.close(),
  };
}
