/**
 * The option `pins`: a gateway serves a tool only as long as its definition is the one that the operator approved, because a server may turn
 * malicious after its approval.
 *
 * The tools of a server are pinned at first sight, or withheld until they are approved. A tool that has changed is withheld: no list has
 * it, and no call reaches it.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { definitionOf, digestOf, MAX_PINS } from "../../upstream/tool-pins.ts";
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

export class ToolPins {
  readonly #options: PinOptions;
  /** Approved digests, by server and tool. */
  #known: Map<string, string>;
  readonly #digests = new WeakMap<Listing, ReadonlyMap<string, SeenTool>>();
  #visible = new WeakMap<Listing, Listing>();
  readonly #told = new Set<string>();

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
    const seen = await Promise.all(
      listing.tool.map(async (item) => {
        const definition = definitionOf(item);
        const tool = item["name"] as string; // as listed
        return [tool, { server, tool, digest: await digestOf(definition), definition }] as const;
      }),
    );
    this.#digests.set(listing, new Map(seen));
  }

  /** The list without the tools that are withheld. */
  visible(server: string, listing: Listing): Listing {
    let visible = this.#visible.get(listing);
    if (visible === undefined) {
      const tool = listing.tool.filter(({ name }) => this.#isApproved(server, listing, name as string)); // as listed
      visible = tool.length === listing.tool.length ? listing : Object.freeze({ ...listing, tool, key: `${listing.key}\n${tool.length}` });
      this.#visible.set(listing, visible);
    }
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
    const key = keyOf(server, tool);
    const known = this.#known.get(key);
    if (known === seen.digest) return true;
    // A tool that cannot be remembered is withheld, because a change would go unnoticed.
    if (known === undefined && this.#options.unknown !== "withhold" && this.#known.size < MAX_PINS) {
      this.#known.set(key, seen.digest);
      this.#options.onPinned?.(seen);
      return true;
    }
    this.#tell(key, seen);
    return false;
  }

  #tell(key: string, seen: SeenTool): void {
    const what = `${key}\n${seen.digest}`;
    if (this.#told.has(what) || this.#told.size >= MAX_PINS) return;
    this.#told.add(what);
    this.#options.onWithheld?.(seen);
  }
}

function keyOf(server: string, tool: string): string {
  return JSON.stringify([server, tool]);
}

function entriesOf(pins: PinnedTools = {}): Map<string, string> {
  const all = Object.entries(pins).flatMap(([server, tools]) =>
    Object.entries(tools).map(([tool, digest]) => [keyOf(server, tool), digest] as const),
  );
  return new Map(all);
}
