/** `userPages()`: the pages of a server at which users answer what their client cannot ask. */
import { assertKnown } from "../base/known-options.ts";
import type { UserPages } from "../session/asking/user-pages.ts";
import { EndpointPages } from "./endpoint-pages.ts";
import { checkUserPages, userPagesKeys, type UserPagesOptions } from "./options.ts";

/**
 * Pages at which users give a secret (`ctx.secret`), or say yes or no if their client shows no form (`ctx.confirm`, and `confirm` of a tool).
 * Give them to a server as its option `pages`. The server that clients reach has the pages, also for the servers that it has mounted.
 *
 * Security: a page is shown only to the user whose call asked, and answered once. Secrets are kept sealed.
 * @throws TypeError, RangeError if an option is missing, unknown or has a wrong value
 * @example
 * ```ts
 * import { userPages } from "tenon/pages";
 * import { McpServer } from "tenon/server";
 *
 * const pages = userPages({
 *   url: "https://example.com/ask",
 *   identityProvider: { issuer: "https://id.example.com", client: { id: "pages" } },
 * });
 * const server = new McpServer({ name: "issues", version: "1.0.0" }, { pages });
 * server.tool("list", {}, async (_input, ctx) => {
 *   const token = await ctx.secret("github", { message: "A token that reads issues" });
 *   return `Asked with a token of ${token.length} characters`;
 * });
 * ```
 */
export function userPages(options: UserPagesOptions = {}): UserPages {
  assertKnown("userPages()", options, userPagesKeys());
  const settings = checkUserPages(options);
  return { serve: (host) => new EndpointPages(settings, host) };
}
