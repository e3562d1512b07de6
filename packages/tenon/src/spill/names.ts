/** What clients see of kept results: the tool `read_more` and the URIs of links. */
import type { JsonObject } from "../jsonrpc/message.ts";

export const READ_MORE = "read_more";
const SCHEME = "spill:///";
/** The URIs of kept results. */
export const SPILL_TEMPLATE: string = `${SCHEME}{id}`;

export function uriOf(id: string): string {
  return SCHEME + id;
}

/** The id in the URI of a kept result; undefined if it is another URI. */
export function idIn(uri: unknown): string | undefined {
  return typeof uri === "string" && uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : undefined;
}

/** Whether a URI is one of kept results, in any spelling: readers of URLs leave out spaces before it and line breaks within. */
export function isSpillUri(uri: string): boolean {
  return /^spill:/i.test(uri.replace(/[^!-~]+/g, ""));
}

/**
 * The id in the URI of a kept result as a client may write it: a gateway in front of the server puts its name for the server before the
 * scheme, `issues+spill:///…`.
 */
export function idInAlias(uri: unknown): string | undefined {
  return typeof uri === "string" ? idIn(uri.replace(/^[a-z][a-z0-9.-]*\+(?=spill:)/i, "")) : undefined;
}

export const READ_MORE_OPTIONS = {
  description:
    "Reads more of a result that was too long: the characters from `from` up to `to`. Give the uri of its link. Results are kept for a while.",
  annotations: { readOnlyHint: true, openWorldHint: false },
} as const;

export const READ_MORE_INPUT: JsonObject = {
  type: "object",
  properties: {
    uri: { type: "string", description: "The uri of the link in the result" },
    from: { type: "integer", minimum: 0, description: "The first character; default 0" },
    to: { type: "integer", minimum: 1, description: "The character after the last; default: as many as one call returns" },
  },
  required: ["uri"],
};
