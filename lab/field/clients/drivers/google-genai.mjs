// Google's model SDK: the tools of an official client as functions of a model.
import { mcpToTool } from "@google/genai";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

export async function open({ program, url }) {
  const client = new Client({ name: "field", version: "1.0.0" });
  await client.connect(url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport(program));
  const callable = mcpToTool(client);
  return {
    list: async () => (await callable.tool()).functionDeclarations.map(({ name }) => name),
    call: (name, args) => callable.callTool([{ name, args }]),
    close: () => client.close(),
  };
}
