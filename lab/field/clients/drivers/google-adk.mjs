// Google's Agent Development Kit: a toolset.
import { MCPToolset } from "@google/adk";

export async function open({ program, url }) {
  const params = url ? { type: "StreamableHTTPConnectionParams", url } : { type: "StdioConnectionParams", serverParams: program };
  const toolset = new MCPToolset(params);
  const tools = await toolset.getTools();
  return {
    list: () => tools.map(({ name }) => name),
    call: (name, args) => tools.find((tool) => tool.name === name).runAsync({ args, toolContext: {} }),
    close: () => toolset.close(),
  };
}
