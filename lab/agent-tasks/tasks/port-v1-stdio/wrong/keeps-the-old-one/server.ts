import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import * as z from "zod";

const server = new McpServer({ name: "library", version: "2.1.0" }, { instructions: "Find books." });
const books = new Map([
  ["b1", "Emma"],
  ["b2", "Persuasion"],
]);

server.registerTool(
  "find",
  {
    title: "Find a book",
    description: "Finds books whose title contains a text",
    inputSchema: { text: z.string().min(1) },
    outputSchema: { ids: z.array(z.string()) },
    annotations: { readOnlyHint: true },
  },
  async ({ text }, extra) => {
    const token = extra._meta?.progressToken;
    if (token !== undefined)
      await extra.sendNotification({ method: "notifications/progress", params: { progressToken: token, progress: 1, total: 1 } });
    const ids = [...books].filter(([, title]) => title.includes(text)).map(([id]) => id);
    const structuredContent = { ids };
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  },
);

server.registerTool("lend", { description: "Lends a book", inputSchema: { id: z.string() } }, async ({ id }) => {
  const title = books.get(id);
  if (title === undefined) return { content: [{ type: "text", text: `There is no book ${id}` }], isError: true };
  return { content: [{ type: "text", text: `Lent: ${title}` }] };
});

server.registerResource(
  "book",
  new ResourceTemplate("book://{id}", {
    list: () => ({ resources: [...books].map(([id, name]) => ({ uri: `book://${id}`, name })) }),
  }),
  { mimeType: "text/plain" },
  async (uri, { id }) => ({ contents: [{ uri: uri.href, mimeType: "text/plain", text: books.get(String(id)) ?? "" }] }),
);

server.registerPrompt("praise", { description: "Praise a book", argsSchema: { title: z.string() } }, ({ title }) => ({
  messages: [{ role: "user", content: { type: "text", text: `Praise ${title}.` } }],
}));

await server.connect(new StdioServerTransport());
