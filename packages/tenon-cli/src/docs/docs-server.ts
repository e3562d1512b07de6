/** The documentation as an MCP server: search and pages, and a check of code for the user whose project it is. */
import { McpServer, ToolError } from "tenon/server";
import { packageVersion } from "../version.ts";
import { checkCode, NoCompilerError } from "./check-code.ts";
import { PageSearch } from "./page-search.ts";
import { pageAt, type DocPage } from "./pages.ts";

const INSTRUCTIONS = `The documentation of Tenon, the TypeScript SDK for the Model Context Protocol, in the version that is installed.
Search before you write code with Tenon, read the page that fits, and check what you have written with check_code if it is offered.`;

const TEXT = { type: "string" } as const;
const object = <const Properties extends object, const Required extends readonly string[]>(properties: Properties, required: Required) =>
  ({ type: "object", properties, required, additionalProperties: false }) as const;
/** Most characters of a program. */
const MAX_CODE = 100_000;

/** @param folder the project in which code is checked; without it there is no `check_code` */
export function createDocsServer(pages: readonly DocPage[], folder?: string): McpServer {
  const search = new PageSearch(pages);
  const server = new McpServer(
    { name: "tenon-docs", title: "Tenon documentation", version: packageVersion() },
    { instructions: INSTRUCTIONS },
  );
  const readOnly = { readOnlyHint: true, openWorldHint: false };
  server.tool(
    "search_docs",
    {
      description: "Searches the documentation of Tenon. Returns sections with the paths of their pages, the best first.",
      input: object(
        { query: { ...TEXT, description: "what you look for, in a few words" }, limit: { type: "integer", minimum: 1, maximum: 20 } },
        ["query"],
      ),
      annotations: readOnly,
    },
    ({ query, limit = 6 }) => {
      const found = search.find(String(query), Number(limit));
      if (found.length === 0) return "Nothing was found. Use other words, or fewer.";
      return found.map(({ path, title, heading, excerpt }) => `## ${title}: ${heading}\npage: ${path}\n\n${excerpt}`).join("\n\n");
    },
  );
  server.tool(
    "get_page",
    {
      description: "Returns one page of the documentation as Markdown. search_docs gives the paths.",
      input: object({ path: { ...TEXT, description: "such as servers/tools.md" } }, ["path"]),
      annotations: readOnly,
    },
    ({ path }) => {
      const found = pageAt(pages, String(path));
      if (found === undefined) throw new ToolError(`There is no page ${JSON.stringify(path)}. Search for it with search_docs.`);
      return found.text;
    },
  );
  if (folder !== undefined) offerCheck(server, folder);
  for (const { path, title, description, text } of pages)
    server.resource(`tenon-docs:///${path}`, { title, description, mimeType: "text/markdown" }, () => text);
  return server;
}

function offerCheck(server: McpServer, folder: string): void {
  server.tool(
    "check_code",
    {
      description:
        "Compiles one TypeScript file against the installed version of Tenon, strictly, and returns what the compiler says. Nothing is run.",
      input: object({ code: { ...TEXT, maxLength: MAX_CODE, description: "the whole file, with its imports" } }, ["code"]),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ code }, ctx) => {
      try {
        const faults = await checkCode(String(code), folder, ctx.signal);
        if (faults.length === 0) return "It compiles.";
        return faults.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`).join("\n");
      } catch (error) {
        if (error instanceof NoCompilerError) throw new ToolError(error.message);
        throw error;
      }
    },
  );
}
