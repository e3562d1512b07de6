// LlamaIndex's tools.
import { mcp } from "@llamaindex/tools";

export async function open({ program, url }) {
  const client = mcp(url ? { url } : program);
  const tools = await client.tools();
  return {
    list: () => tools.map(({ metadata }) => metadata.name),
    call: (name, args) => tools.find(({ metadata }) => metadata.name === name).call(args),
    close: () => client.cleanup(),
  };
}
