/**
 * Everything that a server lists, as it wrote it: unknown members are kept.
 *
 * A list that breaks the protocol is left out and reported; the others are served.
 */
import { pages } from "../../client/call/pages.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { ServerCapabilities } from "../../protocol/capabilities.ts";

/** What a server offers: a tool, a prompt, a resource or a resource template. */
export type Kind = "tool" | "prompt" | "resource" | "template";
/** The list whose change a server announces. */
export type ListName = "tools" | "prompts" | "resources";

/** How each kind is listed: by which method, in which member, and under what each entry is known. */
export const KIND_ROWS = {
  tool: { method: "tools/list", member: "tools", id: "name", list: "tools" },
  prompt: { method: "prompts/list", member: "prompts", id: "name", list: "prompts" },
  resource: { method: "resources/list", member: "resources", id: "uri", list: "resources" },
  template: { method: "resources/templates/list", member: "resourceTemplates", id: "uriTemplate", list: "resources" },
} as const;
export const KINDS = Object.keys(KIND_ROWS) as readonly Kind[]; // its keys

/** The entries of one server by kind, and one text for equal entries. Frozen: many callers share it. */
export interface Listing extends Readonly<Record<Kind, readonly JsonObject[]>> {
  readonly key: string;
}

export const EMPTY_LISTING: Listing = Object.freeze({ tool: [], prompt: [], resource: [], template: [], key: "" });

/** A server as its lists are read. */
interface ListedServer {
  readonly capabilities: ServerCapabilities;
  /** Requests one page, without the entries that break the protocol. */
  request(method: string, params: JsonObject): Promise<JsonObject>;
  report(error: unknown): void;
}

/** Reads the lists of a server again: those that have changed, or all. */
export async function readListing(server: ListedServer, known: Listing, changed?: ReadonlySet<ListName>): Promise<Listing> {
  const kinds = KINDS.filter((kind) => changed === undefined || changed.has(KIND_ROWS[kind].list));
  const read = await Promise.all(kinds.map(async (kind) => [kind, await readKind(server, kind, known[kind])] as const));
  const lists = { ...known, ...Object.fromEntries(read) } as Listing; // one member for each kind
  return Object.freeze({ ...lists, key: JSON.stringify(KINDS.map((kind) => lists[kind])) });
}

async function readKind(server: ListedServer, kind: Kind, known: readonly JsonObject[]): Promise<readonly JsonObject[]> {
  const { method, member, list } = KIND_ROWS[kind];
  if (server.capabilities[list] === undefined) return [];
  const found: JsonObject[] = [];
  try {
    const fetchPage = (cursor: string | undefined): Promise<JsonObject> => server.request(method, cursor === undefined ? {} : { cursor });
    for await (const page of pages(fetchPage)) found.push(...(page[member] as readonly JsonObject[])); // checked by the codec
    return found;
  } catch (error) {
    // Servers without templates often lack the method.
    if (kind === "template" && McpError.isMcpError(error) && error.code === ErrorCode.MethodNotFound) return [];
    server.report(error);
    return found.length > 0 ? found : known;
  }
}
