// Genkit's host: tools as actions.
import { createMcpHost } from "@genkit-ai/mcp";
import { genkit } from "genkit";

export async function open({ program, url }) {
  const ai = genkit({});
  const host = createMcpHost({ name: "field", mcpServers: { s: url ? { url } : program } });
  const tools = await host.getActiveTools(ai);
  const nameOf = (tool) => tool.__action.name;
  return {
    list: () => tools.map(nameOf),
    call: (name, args) => tools.find((tool) => nameOf(tool).endsWith(`/${name}`))(args),
    close: () => host.close(),
  };
}
