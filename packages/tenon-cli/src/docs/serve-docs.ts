/**
 * `tenon-cli/docs-server`: what `tenon docs --mcp` serves, for a program of your own that serves it to others.
 *
 * It has no `check_code`: the compiler reads the files that a program imports, and strangers must not name them.
 */
import type { McpServer } from "tenon/server";
import { createDocsServer } from "./docs-server.ts";
import { readPages } from "./pages.ts";

/**
 * The documentation of the installed version as a server: `search_docs`, `get_page`, and each page as a resource.
 * @throws Error if the package was not built
 */
export async function docsServer(): Promise<McpServer> {
  return createDocsServer(await readPages());
}
