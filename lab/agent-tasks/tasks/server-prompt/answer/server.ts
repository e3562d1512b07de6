import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";

const LANGUAGES = ["TypeScript", "Tcl", "Python", "Rust"];
const server = new McpServer({ name: "reviews", version: "1.0.0" });
server.prompt(
  "review",
  {
    input: z.object({ language: z.string() }),
    complete: { language: (start) => LANGUAGES.filter((name) => name.toLowerCase().startsWith(start.toLowerCase())) },
  },
  ({ language }) => `Review this ${language} code.`,
);

await serveStdio(server);
