// The official client (1.x) as the comparison asks it: every list to its end, results as it returns them. Capabilities: none, so
// that a server offers all clients the same.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

/** Where the members of each list are, and which method of the client reads a page. */
const LISTS = {
  tools: "listTools",
  resources: "listResources",
  resourceTemplates: "listResourceTemplates",
  prompts: "listPrompts",
};

/** Its errors begin with their code; ours have it in a member only. */
const plain = (error) => ({ code: error.code, message: String(error.message).replace(/^MCP error -?\d+: /, "") });

/** Connects to a program that it starts, or to a URL. */
export async function connectOfficial(program) {
  const client = new Client({ name: "field", version: "1.0.0" });
  const { url } = program;
  const transport =
    url === undefined
      ? new StdioClientTransport({ ...program, stderr: "ignore" })
      : new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport);
  return {
    about: () => ({
      serverInfo: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
    }),
    async list(kind) {
      const all = [];
      let cursor;
      do {
        const page = await client[LISTS[kind]]({ cursor });
        all.push(...page[kind]);
        cursor = page.nextCursor;
      } while (cursor);
      return all;
    },
    call: (name, args) => client.callTool({ name, arguments: args }),
    read: (uri) => client.readResource({ uri }),
    prompt: (name) => client.getPrompt({ name }),
    plain,
    close: () => client.close(),
  };
}
