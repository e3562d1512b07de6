/** `tenon-cli/docs-server`: what `tenon docs --mcp` serves, for a program of your own. The command itself has no declarations; a test holds this file to its source. */
import type { McpServer } from "tenon/server";

/**
 * The documentation of the installed version as a server: `search_docs`, `get_page`, and each page as a resource.
 * @throws Error if the package was not built
 */
export declare function docsServer(): Promise<McpServer>;
