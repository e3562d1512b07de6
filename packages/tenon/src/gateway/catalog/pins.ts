/**
 * The option `pins`: a gateway passes on what a model reads of a server only if the operator has approved it, because a server
 * may turn malicious after its approval.
 *
 * What a server says is pinned at first sight, or withheld until it is approved. What has changed is withheld: no list has it, no call
 * reaches it, and no page of it is shown. `upstream/pins.ts` says what is pinned.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { BoundedMap } from "../../base/bounds/bounded-map.ts";
import { filterInTurns } from "../../base/turns.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { definitionOf, digestOf, pageDefinitionOf, pinKeyOf, pinnedKindOf, type PinnedKind } from "../../upstream/pins.ts";
import { KIND_ROWS, KINDS, type Kind } from "../../upstream/listing.ts";
import type { Words } from "../servers/words.ts";
import type { Listing } from "./listing.ts";
import { PinTable, type PinnedForCallers, type PinnedTools } from "./pin-table.ts";

/** A definition that a gateway sees for the first time, or that is not the approved one. */
export interface SeenTool {
  /** The name of the server in the configuration. */
  readonly server: string;
  /**
   * Under what it is pinned: the name of a tool as its server writes it, and so on. The others are `prompt:` and the name of a prompt,
   * `resource:` and the URI of the listed entry of a page, `page:` and the URI of a page, and `instructions:`.
   */
  readonly tool: string;
  /** What it is. */
  readonly kind: PinnedKind;
  /** The name of a tool or a prompt, or the URI of a page, as its server writes it. Empty for instructions. */
  readonly name: string;
  /** The digest of its definition. */
  readonly digest: string;
  /** What is pinned: what a model reads, what decides what a call does, what a page may do, and the digests of its texts. */
  readonly definition: JsonObject;
  /** The principal for whom it is pinned or withheld, if the credentials of the server differ by caller. Absent if it is for all callers. */
  readonly principal?: string;
}

/** The option `pins` of {@link createGateway}. */
export interface PinOptions {
  /** The approved definitions, for all callers. Default: none. */
  approved?: PinnedTools;
  /** What was pinned for one caller at first sight, of servers whose credentials differ by caller. Default: none. */
  callers?: PinnedForCallers;
  /**
   * What happens to what is not in `approved`: it is pinned unchanged, or withheld until it is approved. Default `"pin"`. If the credentials of
   * a server differ by caller, each caller sees a list of its own, and what one caller sees first is pinned for that caller only.
   */
  unknown?: "pin" | "withhold";
  /** Called with each definition that was pinned at first sight. Keep its digest for the next start. */
  onPinned?: (seen: SeenTool) => void;
  /** Called with each definition that is withheld, once for each definition. */
  onWithheld?: (seen: SeenTool) => void;
}

/** Entries whose digests are made before other calls get a turn. */
const CHUNK = 50;
/** Most definitions of one server that the operator hears of. */
const MAX_TOLD = 10_000;
/** Most callers whose view of one list is kept. */
const MAX_VIEWERS = 256;

/** For whom something is judged: the principal whose credentials the server gets; undefined if they are the same for all callers. */
type Owner = string | undefined;

export class Pins {
  readonly #options: PinOptions;
  readonly #table: PinTable;
  readonly #digests = new WeakMap<Listing, ReadonlyMap<string, SeenTool>>();
  readonly #said = new WeakMap<Words, SeenTool>();
  #visible = new WeakMap<Listing, BoundedMap<Owner, Promise<Listing>>>();
  /** Definitions that were withheld, by server. */
  readonly #told = new Map<string, Set<string>>();

  constructor(options: PinOptions) {
    this.#options = options;
    this.#table = new PinTable(options.approved, options.callers);
  }

  /** Replaces the approved definitions, and the callers' definitions if they are given. */
  replace(approved: PinnedTools, callers?: PinnedForCallers): void {
    this.#table.replace(approved, callers);
    this.#visible = new WeakMap();
    this.#told.clear();
  }

  // ---- lists ----

  /** Computes the digests of a list that was read, before it is served. */
  async learn(server: string, listing: Listing): Promise<void> {
    const digests = new Map<string, SeenTool>();
    for (const kind of KINDS)
      for (let at = 0; at < listing[kind].length; at += CHUNK) {
        const some = listing[kind].slice(at, at + CHUNK).flatMap((item) => {
          const pinned = pinnedKindOf(kind, item);
          return pinned === undefined ? [] : [seenOf(server, pinned, { name: nameOf(kind, item), definition: definitionOf(pinned, item) })];
        });
        for (const one of await Promise.all(some)) digests.set(one.tool, one);
      }
    this.#digests.set(listing, digests);
  }

  /** The list without what is withheld from a caller. The promise is shared by all who ask for the same list. */
  visible(listing: Listing, owner: Owner): Promise<Listing> {
    let lists = this.#visible.get(listing);
    if (lists === undefined) this.#visible.set(listing, (lists = new BoundedMap(MAX_VIEWERS)));
    const known = lists.get(owner);
    if (known !== undefined) return known;
    const visible = this.#approvedOf(listing, owner);
    lists.set(owner, visible);
    visible.catch(() => lists.delete(owner));
    return visible;
  }

  /** The list with the entries that are approved; the list itself if all are. */
  async #approvedOf(listing: Listing, owner: Owner): Promise<Listing> {
    const lists = await Promise.all(
      KINDS.map(
        async (kind) => [kind, await filterInTurns(listing[kind], (item) => this.#isServed(listing, { kind, item, owner }))] as const,
      ),
    );
    if (lists.every(([kind, approved]) => approved.length === listing[kind].length)) return listing;
    return Object.freeze({ ...listing, ...Object.fromEntries(lists), key: `${listing.key}\n${owner ?? ""}` });
  }

  #isServed(listing: Listing, { kind, item, owner }: { kind: Kind; item: JsonObject; owner: Owner }): boolean {
    const pinned = pinnedKindOf(kind, item);
    return pinned === undefined || this.#isApproved(this.#digests.get(listing)?.get(pinKeyOf(pinned, nameOf(kind, item))), owner);
  }

  /** @throws McpError -32602 if the tool or prompt is withheld, or if its server does not list it */
  assertApproved(kind: "tool" | "prompt", id: string, { server, listing, owner, name }: PinnedPlace): void {
    const tool = this.#digests.get(listing)?.get(pinKeyOf(kind, id));
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown ${kind}: ${name}`);
    if (!this.#isApproved(tool, owner)) throw withheldError(`The definition of ${kind} "${name}"`, server);
  }

  // ---- instructions ----

  /** Computes the digest of what a server says of itself, before it is passed on, and judges it for the callers of that connection. */
  async learnWords(server: string, words: Words, owner: Owner): Promise<void> {
    const { instructions: text } = words;
    if (text === undefined) return;
    this.#said.set(words, await seenOf(server, "instructions", { name: "", definition: definitionOf("instructions", { text }) }));
    this.maySay(words, owner);
  }

  /** Whether the instructions of a server are approved for a caller. */
  maySay(words: Words, owner: Owner): boolean {
    return this.#isApproved(this.#said.get(words), owner);
  }

  // ---- pages ----

  /** Judges the result of reading a resource, if it is a page that hosts show. @throws McpError -32602 if the page is withheld */
  async assertPage(uri: string, result: JsonObject, { server, owner, name }: Omit<PinnedPlace, "listing">): Promise<void> {
    const definition = await pageDefinitionOf(uri, result);
    if (definition === undefined) return;
    const page = await seenOf(server, "page", { name: uri, definition });
    if (!this.#isApproved(page, owner)) throw withheldError(`The page "${name}"`, server);
  }

  // ---- judging ----

  #isApproved(seen: SeenTool | undefined, owner: Owner): boolean {
    if (seen === undefined) return false;
    const verdict = this.#table.judge(seen, owner, this.#options.unknown !== "withhold");
    if (verdict === "approved") return true;
    const told = owner === undefined ? seen : { ...seen, principal: owner };
    if (verdict === "pinned") this.#options.onPinned?.(told);
    else this.#tell(told);
    return verdict === "pinned";
  }

  #tell(seen: SeenTool): void {
    let noted = this.#told.get(seen.server);
    if (noted === undefined) this.#told.set(seen.server, (noted = new Set()));
    const what = `${seen.digest} ${seen.tool}`;
    if (noted.has(what) || noted.size >= MAX_TOLD) return;
    noted.add(what);
    this.#options.onWithheld?.(seen);
  }
}

/** Where something pinned is, and what a caller calls it. */
interface PinnedPlace {
  readonly server: string;
  readonly listing: Listing;
  readonly owner: Owner;
  /** Its name or URI as the caller wrote it. */
  readonly name: string;
}

async function seenOf(
  server: string,
  kind: PinnedKind,
  { name, definition }: { readonly name: string; readonly definition: JsonObject },
): Promise<SeenTool> {
  return { server, tool: pinKeyOf(kind, name), kind, name, digest: await digestOf(definition), definition };
}

function nameOf(kind: Kind, item: JsonObject): string {
  return item[KIND_ROWS[kind].id] as string; // as listed
}

function withheldError(what: string, server: string): McpError {
  const message = `${what} is not the approved one: it is withheld until it is approved`;
  return new McpError(ErrorCode.InvalidParams, message, { server, reason: "changed" });
}
