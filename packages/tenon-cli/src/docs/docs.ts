/** `tenon docs`: searches the documentation, and serves it to coding agents. Its code is loaded when it runs. */
import { portOf, type Command } from "../invocation.ts";
import { UsageError } from "../failure.ts";
import type { Paint } from "tenon/internal";
import type { FoundSection } from "./page-search.ts";

export const docs: Command = {
  summary: "search the documentation, print a page, or serve all to coding agents over MCP",
  usage: ["docs <words ...>", "docs <path of a page>", "docs --mcp [--http] [--port <number>]"],
  options: ["mcp", "http", "port", "json"],
  about:
    "--mcp serves search_docs, get_page and the pages on stdin and stdout, with check_code for the project in this folder; over HTTP without check_code.",
  examples: [
    "tenon docs ask the user",
    "tenon docs servers/asking.md",
    "tenon docs --mcp",
    "tenon install tenon-docs --host cursor -- npx tenon docs --mcp",
  ],
  async run(invocation) {
    const { values, positionals, shell } = invocation;
    const { pageAt, readPages } = await import("./pages.ts");
    const pages = await readPages();
    if (values.mcp === true) {
      const { createDocsServer } = await import("./docs-server.ts");
      if (values.http !== true) return void (await (await import("tenon/node")).serveStdio(createDocsServer(pages, shell.cwd)));
      const { runHttp } = await import("../commands/run.ts");
      return runHttp(createDocsServer(pages), { file: "the documentation", port: portOf(values) }, invocation);
    }
    if (positionals.length === 0)
      throw new UsageError('Say what to look for, such as: tenon docs "ask the user". To serve the pages: --mcp');
    const words = positionals.join(" ");
    const page = pageAt(pages, words);
    if (page !== undefined) return { json: page, text: () => page.text };
    const { PageSearch } = await import("./page-search.ts");
    const found = new PageSearch(pages).find(words, 6);
    return { json: { found }, text: (paint) => textOf(found, paint), foundFaults: found.length === 0 };
  },
};

function textOf(found: readonly FoundSection[], paint: Paint): string {
  const [first] = found;
  if (first === undefined) return "No page has these words. Try others, such as the name of a function or of an option.";
  const sections = found.map(({ path, heading, excerpt }) => `${paint("bold", heading)}  ${paint("dim", path)}\n${excerpt}`);
  return [...sections, `The whole page: tenon docs ${first.path}`].join("\n\n");
}
