/** The tool that a caller sees of a server before the login: it asks for the login, by any client. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { EMPTY_LISTING, type Listing } from "../catalog/listing.ts";

/** The name of the tool at its server. A tool of the server itself with this name is passed on. */
export const LOGIN_TOOL = "log_in";

/** The entries of a server whose user has not logged in. */
export function listingBeforeLogin(server: string): Listing {
  const tool = {
    name: LOGIN_TOOL,
    title: `Log in to ${server}`,
    description: `Asks the user to log in to "${server}". Its tools are listed after the login.`,
    inputSchema: { type: "object", properties: {} },
    // What a tool does not declare counts as true: a policy that denies destructive tools would leave no way to the login.
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  };
  return Object.freeze({ ...EMPTY_LISTING, tool: [tool], key: `login ${server}` });
}

/** The result of the tool after the login; undefined if the server has a tool of this name itself. */
export function loginResult(server: string, id: string, listing: Listing): JsonObject | undefined {
  if (id !== LOGIN_TOOL || listing.tool.some(({ name }) => name === LOGIN_TOOL)) return undefined;
  return { content: [{ type: "text", text: `The user is logged in to "${server}". Its tools are listed now.` }] };
}
