/**
 * What a caller may see and use: by the policy, by the definitions of tools that the operator has approved, and by the headers of HTTP.
 *
 * An entry that a caller may not use does not exist for it: the error is the same.
 */
import { decisionOf } from "../../base/decision.ts";
import { someInTurns } from "../../base/turns.ts";
import { plainUri } from "../../base/uri-template/spelled-uris.ts";
import type { AuthInfo } from "../../auth/resource-server/auth-info.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { mayMirror } from "../../schema/mirrored-arguments.ts";
import type { Policy, PolicyFacts } from "../options.ts";
import type { Settings } from "../settings.ts";
import { deniedError, unlistedError } from "./denial.ts";
import { type Listing } from "./listing.ts";
import { KIND_ROWS, KINDS, type Kind } from "../../upstream/listing.ts";
import { inVersionOf, listedVersion, namesOf, UNKNOWN_ANNOTATIONS } from "../../upstream/older-versions.ts";

/** What the policy gets about a caller without a token. */
export const NO_AUTH: Pick<AuthInfo, "scopes" | "claims"> = { scopes: [], claims: {} };

/** What a policy says. @throws what it throws; TypeError if it says neither yes nor no, such as a promise */
export function saysOf(policy: Policy, facts: PolicyFacts): boolean {
  return decisionOf("A policy", policy(facts), "load what it needs before, in auth or in the claims of a token");
}

interface EntryServer {
  readonly name: string;
  report(error: unknown, method?: string): void;
}

interface PolicyEntry {
  readonly kind: Kind;
  readonly server: EntryServer;
  /** Its name or URI at the server. */
  readonly id: string;
  readonly item: JsonObject;
}

interface FoundEntry {
  readonly server: EntryServer;
  readonly lane: { readonly listing: Listing; readonly owner?: { readonly principal: string } | undefined };
  /** Its name or URI at the server. */
  readonly id: string;
}

export class Access {
  readonly #settings: Pick<Settings, "policy" | "pins">;
  /** The schemas of called tools whose arguments are repeated in headers; undefined for other tools. */
  readonly #mirrored = new WeakMap<JsonObject, JsonObject | undefined>();

  constructor(settings: Pick<Settings, "policy" | "pins">) {
    this.#settings = settings;
  }

  /**
   * Compares the arguments of a call with the headers that repeat them, if its tool names such headers.
   * @throws McpError -32020 if they differ
   */
  assertSameArguments({ transport }: RequestContext, { lane, id }: FoundEntry): void {
    const { requirements } = transport;
    if (requirements === undefined) return;
    const tool = lane.listing.tool.find(({ name }) => name === id);
    const inputSchema = tool && this.#mirroring(tool);
    if (inputSchema !== undefined) requirements.check({ scopes: [], inputSchema });
  }

  #mirroring(tool: JsonObject): JsonObject | undefined {
    if (!this.#mirrored.has(tool)) {
      const schema = tool["inputSchema"] as JsonObject; // as listed
      this.#mirrored.set(tool, mayMirror(schema) ? schema : undefined);
    }
    return this.#mirrored.get(tool);
  }

  isAllowed(context: RequestContext, { kind, server, id, item }: PolicyEntry): boolean {
    const { policy } = this.#settings;
    if (policy === undefined) return true;
    const annotations = isJsonObject(item["annotations"]) ? item["annotations"] : {};
    const version = listedVersion(item);
    const { principal, auth } = context;
    const { scopes, claims } = auth ?? NO_AUTH;
    try {
      const entry = { server: server.name, kind, name: id, annotations };
      return saysOf(policy, { principal, scopes, claims, ...entry, ...(version !== undefined && { version }) });
    } catch (error) {
      server.report(error, "policy");
      return false;
    }
  }

  /** Whether the caller may see an entry of a list. Of a list that is not known it sees none. */
  async seesAny(context: RequestContext, server: EntryServer, listing: Listing | undefined): Promise<boolean> {
    if (this.#settings.policy === undefined) return true;
    const sees = (kind: Kind, item: JsonObject): boolean =>
      this.isAllowed(context, { kind, server, id: item[KIND_ROWS[kind].id] as string, item });
    for (const kind of KINDS) if (await someInTurns(listing?.[kind] ?? [], (item) => sees(kind, item))) return true;
    return false;
  }

  /** @throws McpError -32602 as for a name that does not exist; -32602 if the tool or prompt is withheld */
  assertAllowed(context: RequestContext, kind: Kind, name: string, found: FoundEntry): void {
    const { policy, pins } = this.#settings;
    if (policy === undefined && pins === undefined) return;
    if (!this.allows(context, kind, found)) throw deniedError(kind, name, found.server.name);
    // Only the listed version has a definition that could be approved.
    const { server, lane } = found;
    if (kind !== "tool" && kind !== "prompt") return;
    const place = { server: server.name, listing: lane.listing, owner: lane.owner?.principal, name };
    pins?.assertApproved(kind, namesIn(context, kind, found).at(-1)!, place);
  }

  /**
   * With a policy a caller gets one text for what is denied and for what its server does not have, so the gateway refuses what is not listed.
   * @throws McpError -32602 as for a name that does not exist
   */
  assertListed(context: RequestContext, kind: "tool" | "prompt", name: string, found: FoundEntry): void {
    if (this.#settings.policy !== undefined && !this.isListed(context, kind, found)) throw unlistedError(kind, name);
  }

  /** Whether its server lists a tool or prompt, or another version of it. */
  isListed(context: RequestContext, kind: "tool" | "prompt", found: FoundEntry): boolean {
    const { lane, id } = found;
    return namesIn(context, kind, found).length > 1 || lane.listing[kind].some(({ name }) => name === id);
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
      return isOlder ? inVersionOf(entry, names) : entry; // the call runs another version than the listed one
    };
    return names.every((one) => this.isAllowed(context, { kind, server, id: one, item: itemOf(one) }));
  }
}

/** The names of an entry at its server: two for an older version of a tool or prompt. */
function namesIn({ params }: RequestContext, kind: Kind, { lane, id }: FoundEntry): readonly string[] {
  if (kind === "tool" || kind === "prompt") return namesOf(id, params, lane.listing[kind]);
  const isListed = lane.listing[kind].some((item) => item[KIND_ROWS[kind].id] === id);
  return [isListed ? id : plainUri(id)];
}
