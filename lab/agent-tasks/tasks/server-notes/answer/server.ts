import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";

const notes = new Map<string, string>();
const server = new McpServer({ name: "notes", version: "1.0.0" });

server.tool(
  "add_note",
  { description: "Keeps a note", input: z.object({ name: z.string(), text: z.string() }) },
  ({ name, text }) => {
    notes.set(name, text);
    server.listChanged("resources");
    return `Kept ${name}`;
  },
);
server.resourceTemplate(
  "note://{name}",
  { mimeType: "text/plain", list: () => [...notes.keys()].map((name) => ({ name, uri: `note://${name}` })) },
  ({ name }) => notes.get(name),
);

await serveStdio(server);
