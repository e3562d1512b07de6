import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";

const server = new McpServer({ name: "library", version: "2.1.0" }, { instructions: "Find books." });
const books = new Map([
  ["b1", "Emma"],
  ["b2", "Persuasion"],
]);

server.tool(
  "find",
  {
    title: "Find a book",
    description: "Finds books whose title contains a text",
    input: z.object({ text: z.string().min(1) }),
    output: z.object({ ids: z.array(z.string()) }),
    annotations: { readOnlyHint: true },
  },
  async ({ text }, ctx) => {
    await ctx.progress(1, 1);
    return { ids: [...books].filter(([, title]) => title.includes(text)).map(([id]) => id) };
  },
);

server.tool("lend", { description: "Lends a book", input: z.object({ id: z.string() }) }, ({ id }, ctx) => {
  const title = books.get(id);
  return title === undefined ? ctx.fail(`There is no book ${id}`) : `Lent: ${title}`;
});

server.resourceTemplate(
  "book://{id}",
  { mimeType: "text/plain", list: () => [...books].map(([id, name]) => ({ uri: `book://${id}`, name })) },
  ({ id }) => books.get(id) ?? "",
);

const praise = { description: "Praise a book", input: z.object({ title: z.string() }) };
server.prompt("praise", praise, ({ title }) => `Praise ${title}.`);

await serveStdio(server);
