/**
 * The option `pins`: a gateway serves a tool only as long as its definition is the one that the operator approved, because a server may turn
 * malicious after its approval.
 *
 * The tools of a server are pinned at first sight, or withheld until they are approved. A tool that has changed is withheld: no list has
 * it, and no call reaches it.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { andThen, isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { filterInTurns } from "../../base/turns.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { definitionOf, digestOf } from "../../upstream/tool-pins.ts";
import type { Listing } from "./listing.ts";

/** Digests of the definitions of tools, by server and by the name that the server gives the tool. */
export interface PinnedTools {
  readonly [server: string]: { readonly [tool: string]: string };
}

/** A definition of a tool that a gateway sees for the first time, or that is not the approved one. */
export interface SeenTool {
  /** The name of the server in the configuration. */
  readonly server: string;
  /** The name of the tool, as its server writes it. */
  readonly tool: string;
  /** The digest of its definition. */
  readonly digest: string;
  /** What is pinned: what a model reads, both schemas, how it runs as a task, and the page that shows its result. */
  readonly definition: JsonObject;
}

/** The option `pins` of {@link createGateway}. */
export interface PinOptions {
  /** The approved definitions. Default: none. */
  approved?: PinnedTools;
  /** What happens to a tool that is in no list of `approved`: it is pinned unchanged, or withheld until it is approved. Default `"pin"`. */
  unknown?: "pin" | "withhold";
  /** Called with each tool that was pinned at first sight. Keep its digest for the next start. */
  onPinned?: (seen: SeenTool) => void;
  /** Called with each tool that is withheld, once for each definition. */
  onWithheld?: (seen: SeenTool) => void;
}

/** Tools whose digests are made before other calls get a turn. */
const CHUNK = 50;
/** Most tools of one server that are remembered, and most definitions of one that the operator hears of. */
const MAX_SERVER_PINS = 10_000;

export class ToolPins {
  readonly #options: PinOptions;
  /** Approved digests of tools, by server. */
  #known: Map<string, Map<string, string>>;
  readonly #digests = new WeakMap<Listing, ReadonlyMap<string, SeenTool>>();
  #visible = new WeakMap<Listing, MaybePromise<Listing>>();
  /** Definitions that were withheld, by server. */
  readonly #told = new Map<string, Set<string>>();

  constructor(options: PinOptions) {
    this.#options = options;
    this.#known = entriesOf(options.approved);
  }

  /** Replaces the approved definitions. */
  replace(approved: PinnedTools): void {
    this.#known = entriesOf(approved);
    this.#visible = new WeakMap();
    this.#told.clear();
  }

  /** Computes the digests of a list that was read, before it is served. */
  async learn(server: string, listing: Listing): Promise<void> {
    const seen = new Map<string, SeenTool>();
    for (let at = 0; at < listing.tool.length; at += CHUNK) {
      const some = listing.tool.slice(at, at + CHUNK).map(async (item) => {
        const definition = definitionOf(item);
        return { server, tool: item["name"] as string, digest: await digestOf(definition), definition }; // as listed
      });
      for (const one of await Promise.all(some)) seen.set(one.tool, one);
    }
    this.#digests.set(listing, seen);
  }

  /** The list without the tools that are withheld. A promise is shared by all who ask for the same list. */
  visible(server: string, listing: Listing): MaybePromise<Listing> {
    const known = this.#visible.get(listing);
    if (known !== undefined) return known;
    const approved = filterInTurns(listing.tool, ({ name }) => this.#isApproved(server, listing, name as string)); // as listed
    const lists = this.#visible;
    const visible = andThen(approved, (tool) => {
      const list =
        tool.length === listing.tool.length ? listing : Object.freeze({ ...listing, tool, key: `${listing.key}\n${tool.length}` });
      lists.set(listing, list);
      return list;
    });
    if (isPromise(visible)) lists.set(listing, visible);
    return visible;
  }

  /** @throws McpError -32602 if the tool is withheld, or if its server does not list it */
  assertApproved(server: string, listing: Listing, tool: string, name: string): void {
    if (!this.#digests.get(listing)?.has(tool)) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${name}`);
    if (this.#isApproved(server, listing, tool)) return;
    const message = `The definition of tool "${name}" is not the approved one: it is withheld until it is approved`;
    throw new McpError(ErrorCode.InvalidParams, message, { server, reason: "changed" });
  }

  #isApproved(server: string, listing: Listing, tool: string): boolean {
    const seen = this.#digests.get(listing)?.get(tool);
    if (seen === undefined) return false;
    const pins = placeIn(this.#known, server, () => new Map<string, string>());
    const known = pins.get(tool);
    if (known === seen.digest) return true;
    // A tool that cannot be remembered is withheld, because a change would go unnoticed. A server uses up its own room only.
    if (known === undefined && this.#options.unknown !== "withhold" && pins.size < MAX_SERVER_PINS) {
      pins.set(tool, seen.digest);
      this.#options.onPinned?.(seen);
      return true;
    }
    this.#tell(seen);
    return false;
  }

  #tell(seen: SeenTool): void {
    const told = placeIn(this.#told, seen.server, () => new Set<string>());
    const what = `${seen.digest} ${seen.tool}`;
    if (told.has(what) || told.size >= MAX_SERVER_PINS) return;
    told.add(what);
    this.#options.onWithheld?.(seen);
  }
}

/** What a map has for a server, made when it is needed. */
function placeIn<Value>(map: Map<string, Value>, server: string, make: () => Value): Value {
  let value = map.get(server);
  if (value === undefined) map.set(server, (value = make()));
  return value;
}

function entriesOf(pins: PinnedTools = {}): Map<string, Map<string, string>> {
  return new Map(Object.entries(pins).map(([server, tools]) => [server, new Map(Object.entries(tools))]));
}
