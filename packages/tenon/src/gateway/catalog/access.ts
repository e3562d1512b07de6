/**
 * What a caller may see and use: by the policy, by the definitions of tools that the operator has approved, and by the headers of HTTP.
 *
 * An entry that a caller may not use does not exist for it: the error is the same.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { ResourceNotFoundError } from "../../protocol/errors.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { Settings } from "../options.ts";
import { type Listing } from "./listing.ts";
import { KIND_ROWS, type Kind } from "../../upstream/listing.ts";
import { listedVersion, namesOf, UNKNOWN_ANNOTATIONS, withoutVersion } from "../../upstream/older-versions.ts";

/** Marks an argument that a header repeats. */
const MIRRORED = '"x-mcp-header"';

/** The server of an entry. */
interface EntryServer {
  readonly name: string;
  report(error: unknown, method?: string): void;
}

/** An entry that the policy is asked about. */
interface PolicyEntry {
  readonly kind: Kind;
  readonly server: EntryServer;
  /** Its name or URI at the server. */
  readonly id: string;
  readonly item: JsonObject;
}

/** Where the request for an entry goes. */
interface FoundEntry {
  readonly server: EntryServer;
  readonly lane: { readonly listing: Listing };
  /** Its name or URI at the server. */
  readonly id: string;
}

export class Access {
  readonly #settings: Pick<Settings, "policy" | "pins">;
  readonly #mirrored = new WeakMap<Listing, ReadonlyMap<string, JsonObject>>();

  constructor(settings: Pick<Settings, "policy" | "pins">) {
    this.#settings = settings;
  }

  /**
   * Compares the arguments of a call with the headers that repeat them, if its tool names such headers.
   * @throws McpError -32020 if they differ
   */
  assertSameArguments({ transport }: RequestContext, { lane, id }: FoundEntry): void {
    const { policy } = transport;
    if (policy === undefined) return;
    const inputSchema = this.#mirroring(lane.listing).get(id);
    if (inputSchema !== undefined) policy.check({ scopes: [], inputSchema });
  }

  /** The schemas of the tools whose arguments are repeated in headers. */
  #mirroring(listing: Listing): ReadonlyMap<string, JsonObject> {
    let schemas = this.#mirrored.get(listing);
    if (schemas === undefined) {
      const all = listing.tool.map(({ name, inputSchema }) => [name as string, inputSchema as JsonObject] as const); // as listed
      schemas = new Map(all.filter(([, schema]) => JSON.stringify(schema).includes(MIRRORED)));
      this.#mirrored.set(listing, schemas);
    }
    return schemas;
  }

  /** Whether the caller may see and use an entry. */
  isAllowed(context: RequestContext, { kind, server, id, item }: PolicyEntry): boolean {
    const { policy } = this.#settings;
    if (policy === undefined) return true;
    const annotations = isJsonObject(item["annotations"]) ? item["annotations"] : {};
    const version = listedVersion(item);
    const { principal, auth } = context;
    const scopes = auth?.scopes ?? [];
    try {
      return policy({ principal, scopes, server: server.name, kind, name: id, annotations, ...(version !== undefined && { version }) });
    } catch (error) {
      server.report(error, "policy");
      return false;
    }
  }

  /** @throws McpError -32602 as for a name that does not exist; -32602 if the tool is withheld */
  assertAllowed(context: RequestContext, kind: Kind, name: string, found: FoundEntry): void {
    const { policy, pins } = this.#settings;
    if (policy === undefined && pins === undefined) return;
    if (!this.allows(context, kind, found)) throw unlistedError(kind, name);
    // Only the listed version has a definition that could be approved.
    const { server, lane } = found;
    if (kind === "tool") pins?.assertApproved(server.name, lane.listing, namesIn(context, kind, found).at(-1)!, name);
  }

  /** Whether the policy allows an entry, now, by all names that the request gives it. */
  allows(context: RequestContext, kind: Kind, found: FoundEntry): boolean {
    const { server, lane } = found;
    const listed = lane.listing[kind];
    const names = namesIn(context, kind, found);
    const isOlder = names.length > 1;
    const itemOf = (one: string): JsonObject => {
      const entry = listed.find((item) => item[KIND_ROWS[kind].id] === one);
      if (entry === undefined) return isOlder ? { annotations: UNKNOWN_ANNOTATIONS } : {};
      return isOlder ? withoutVersion(entry) : entry; // the call runs another version than the listed one
    };
    return names.every((one) => this.isAllowed(context, { kind, server, id: one, item: itemOf(one) }));
  }
}

/** The names of an entry at its server: two for an older version of a tool or prompt. */
function namesIn({ params }: RequestContext, kind: Kind, { lane, id }: FoundEntry): readonly string[] {
  return kind === "tool" || kind === "prompt" ? namesOf(id, params, lane.listing[kind]) : [id];
}

/** What a caller gets for an entry that does not exist, or that it may not use. */
export function unlistedError(kind: Kind, name: string): McpError {
  if (kind !== "tool" && kind !== "prompt") return new ResourceNotFoundError(name);
  return new McpError(ErrorCode.InvalidParams, `Unknown ${kind}: ${name}`);
}
