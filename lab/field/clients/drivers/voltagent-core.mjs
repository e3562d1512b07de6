// VoltAgent's configuration of servers.
import { MCPConfiguration } from "@voltagent/core";

export async function open({ program, url }) {
  const servers = new MCPConfiguration({ servers: { s: url ? { type: "http", url } : { type: "stdio", ...program } } });
  const tools = await servers.getTools();
  return {
    list: () => tools.map(({ name }) => name),
    call: (name, args) => tools.find((tool) => tool.name.endsWith(name)).execute(args),
    close: () => servers.disconnect(),
  };
}
