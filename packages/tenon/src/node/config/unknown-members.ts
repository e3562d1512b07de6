/**
 * Warnings about the members of a configuration that are not known, and ignored.
 *
 * Hosts write members of their own: in a server, such as `alwaysAllow`, and at the top of the file, where a host may keep all of its settings.
 */
import { nearest } from "../../base/text/nearest.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ConfigProblem } from "./config-problem.ts";

/** The member of a file, and of a server, that a gateway reads. */
export const SETTINGS = "tenon";
/** The members of a file that list its servers, the first of them that is there. */
export const SECTIONS: readonly string[] = ["mcpServers", "servers", "context_servers", "mcp_servers"];
/** Members at the top of a file. VS Code and editors write the last two. */
const KNOWN: readonly string[] = [...SECTIONS, SETTINGS, "mcp", "mcp.servers", "amp.mcpServers", "inputs", "$schema"];
/** Most members that one warning names. */
const NAMED = 10;

/** A member that is ignored, or that is read by the gateway only. */
export function ignored(field: string, known: Iterable<string>): ConfigProblem {
  if (field === SETTINGS) return { field, message: 'is read by "tenon gateway" only' };
  return { field, message: `is not known, and ignored${hint(field, known)}` };
}

/**
 * The members at the top of a file that are probably mistyped, and the others. A file of a host has many others, so they are worth a
 * warning only if the file belongs to a gateway.
 */
export function unknownAtTop(config: JsonObject): { readonly mistyped: readonly ConfigProblem[]; readonly others: readonly string[] } {
  const unknown = Object.keys(config).filter((name) => !KNOWN.includes(name));
  return {
    mistyped: unknown.filter(isMistyped).map((name) => ignored(name, KNOWN)),
    others: unknown.filter((name) => !isMistyped(name)),
  };
}

/** `not known, and ignored: "theme" (line 2)` */
export function ignoredList(names: readonly string[], lineOf: (name: string) => number | undefined): string {
  const named = names.slice(0, NAMED).map((name) => {
    const line = lineOf(name);
    return JSON.stringify(name) + (line === undefined ? "" : ` (line ${line})`);
  });
  return `not known, and ignored: ${named.join(", ")}${names.length > NAMED ? `, and ${names.length - NAMED} more` : ""}`;
}

/** What the file may mean, if it has no member that lists servers: ` Did you mean "mcpServers" by "mcpServer"?` */
export function sectionHint(config: JsonObject): string {
  for (const name of Object.keys(config)) {
    const meant = nearest(name, SECTIONS);
    if (meant !== undefined) return `. Did you mean ${JSON.stringify(meant)} by ${JSON.stringify(name)}?`;
  }
  return "";
}

function isMistyped(name: string): boolean {
  return nearest(name, KNOWN) !== undefined;
}

function hint(name: string, known: Iterable<string>): string {
  const meant = nearest(name, known);
  return meant === undefined ? "" : `. Did you mean ${JSON.stringify(meant)}?`;
}
