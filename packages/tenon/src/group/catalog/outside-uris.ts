/**
 * URIs of the servers of a group where they could lead to another server: the pages of tools always have an alias, which names the server, and
 * links in results have one if several servers have the URI.
 */
import { prefixOf } from "../../base/text/naming.ts";
import { aliasOf, fromAlias, hasMetaUri, schemeOf, withMetaUris } from "../../session/uris.ts";
import type { Tool } from "../../protocol/tools.ts";

export function schemeOfServer(name: string): string {
  return schemeOf(prefixOf(name));
}

export function outsideUri(server: string, uri: string): string {
  return aliasOf(schemeOfServer(server), uri);
}

/** The tools of a server, by name, with the pages that the group can read. */
export function toolsOutside(server: string, tools: ReadonlyMap<string, Tool>): ReadonlyMap<string, Tool> {
  if (![...tools.values()].some((tool) => hasMetaUri(tool._meta))) return tools;
  return new Map([...tools].map(([name, tool]) => [name, withPages(tool, (uri) => outsideUri(server, uri))]));
}

/** A tool of the group as its server defines it. */
export function toolInside(tool: Tool): Tool {
  return withPages(tool, (uri) => fromAlias(uri)?.uri ?? uri);
}

function withPages(tool: Tool, page: (uri: string) => string): Tool {
  return hasMetaUri(tool._meta) ? (withMetaUris({ ...tool }, page) as unknown as Tool) : tool; // a tool with other texts
}
