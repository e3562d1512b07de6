/**
 * Remembers what is approved of the servers of a group. What has changed is held back until the user approves it again.
 *
 * `upstream/pins.ts` says what is pinned. Tools and prompts are judged when they are listed, pages when they are read, instructions with
 * each connection.
 */
import { BoundedMap } from "../../base/bounds/bounded-map.ts";
import { canonicalJson } from "../../base/json-values.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Tool } from "../../protocol/tools.ts";
import { KINDS } from "../../upstream/listing.ts";
import {
  definitionOf,
  digestOf,
  earlierDigestOf,
  MAX_PINS,
  pageDefinitionOf,
  pinKeyOf,
  pinnedKindOf,
  type PinnedKind,
} from "../../upstream/pins.ts";
import { DefinitionChangedError } from "../errors.ts";
import type { Catalog } from "./catalog.ts";
import type { Claims, HeldReason } from "./components.ts";
import { outsideUri, toolInside } from "./outside-uris.ts";

/**
 * Digests of definitions, by what they are pinned under: the name of a tool in the group, and so on. The others are `prompt:` and the name of
 * a prompt, `resource:` and the name of the listed entry of a page, `page:` and the URI of a page with its server's name, `instructions:` and
 * the name of a server.
 */
export type ToolPins = Iterable<readonly [name: string, digest: string]>;

/** What is held back, because it is not what was approved. */
export interface HeldDefinition {
  /** The name of its server in the group. */
  readonly server: string;
  /** What it is. */
  readonly kind: PinnedKind;
  /** What is pinned of it now: what a model reads, what decides what a call does, what a page may do, and the digests of its texts. */
  readonly definition: JsonObject;
}

export interface Verdict {
  /** What differs from the approved definition, or has no room, by what it is pinned under. */
  readonly held: ReadonlyMap<string, HeldReason>;
  readonly fresh: ReadonlyMap<string, string>;
}

export const NOTHING_HELD: Verdict = { held: new Map(), fresh: new Map() };
/** Most pages and instructions that wait for an approval. */
const MAX_HELD = 1_000;

/** Something that a server said, and is judged on its own. */
interface SaidDefinition extends HeldDefinition {
  readonly key: string;
}

export class Pins {
  readonly #known: Map<string, string>;
  /** Pages and instructions that are held back. */
  readonly #held: BoundedMap<string, HeldDefinition> = new BoundedMap(MAX_HELD);

  constructor(known: ToolPins) {
    this.#known = new Map(known);
  }

  get known(): ReadonlyMap<string, string> {
    return new Map(this.#known);
  }

  /** Pages and instructions that are held back, by what they are pinned under. */
  get held(): ReadonlyMap<string, HeldDefinition> {
    return new Map(this.#held);
  }

  async judge(claims: Claims): Promise<Verdict> {
    const held = new Map<string, HeldReason>();
    const fresh = new Map<string, string>();
    for (const { key, kind, definition, digest } of await Promise.all(pinnedIn(claims).map(withDigest))) {
      const known = this.#known.get(key);
      // What cannot be remembered is held back, because a change would go unnoticed.
      if (known === undefined && this.#known.size + fresh.size < MAX_PINS) fresh.set(key, digest);
      else if (known !== digest) held.set(key, await reasonOf(kind, definition, known));
    }
    return { held, fresh };
  }

  async instructionsOf(server: string, text: string | undefined): Promise<string | undefined> {
    const key = pinKeyOf("instructions", server);
    this.#held.delete(key);
    if (text === undefined) return undefined;
    const definition = definitionOf("instructions", { text });
    return (await this.#isApproved({ key, server, kind: "instructions", definition })) ? text : undefined;
  }

  /** Judges a resource that was read, if it is a page that hosts show. @throws DefinitionChangedError if it is held back */
  async assertPage(server: string, uri: string, result: object): Promise<void> {
    const definition = await pageDefinitionOf(uri, result);
    if (definition === undefined) return;
    const name = outsideUri(server, uri);
    const page = { key: pinKeyOf("page", name), server, kind: "page", definition } as const;
    if (!(await this.#isApproved(page))) throw new DefinitionChangedError({ name, server, kind: "page", reason: "changed" });
  }

  async #isApproved({ key, ...said }: SaidDefinition): Promise<boolean> {
    const digest = await digestOf(said.definition);
    const known = this.#known.get(key);
    if (known === undefined && this.#known.size < MAX_PINS) this.#known.set(key, digest);
    else if (known !== digest) {
      this.#held.set(key, said);
      return false;
    }
    this.#held.delete(key);
    return true;
  }

  pin(digests: ToolPins): void {
    for (const [key, digest] of digests) {
      this.#known.set(key, digest);
      this.#held.delete(key);
    }
  }
}

/** What is pinned of the components of a server, as it defines them. */
function pinnedIn(claims: Claims): { readonly key: string; readonly kind: PinnedKind; readonly definition: JsonObject }[] {
  return KINDS.flatMap((kind) =>
    [...claims[kind]].flatMap(([name, component]) => {
      const pinned = pinnedKindOf(kind, component);
      return pinned === undefined
        ? []
        : [{ key: pinKeyOf(pinned, name), kind: pinned, definition: definitionOf(pinned, { ...component }) }];
    }),
  );
}

async function withDigest<Pinned extends { readonly definition: JsonObject }>(pinned: Pinned): Promise<Pinned & { digest: string }> {
  return { ...pinned, digest: await digestOf(pinned.definition) };
}

async function reasonOf(kind: PinnedKind, definition: JsonObject, known: string | undefined): Promise<HeldReason> {
  return kind === "tool" && known === (await earlierDigestOf(definition)) ? "not covered" : "changed";
}

// ---- approving ----

/** The components of a group and what is pinned of them. */
interface PinnedGroup {
  readonly catalog: Catalog<{ readonly name: string; release(key: string): void }>;
  readonly pins: Pins | undefined;
}

/** All that is held back, by what it is pinned under. */
export function heldDefinitions({ catalog, pins }: PinnedGroup): Map<string, HeldDefinition> {
  const all = new Map<string, HeldDefinition>(pins?.held);
  for (const { key, kind, owner, component } of catalog.heldComponents())
    all.set(key, { server: owner.name, kind, definition: definitionOf(kind, { ...inside(kind, component) }) });
  return all;
}

function inside(kind: PinnedKind, component: object): object {
  return kind === "tool" ? toolInside(component as Tool) : component; // the components of that kind are tools
}

/**
 * Approves what is held back.
 * @param definition as the group shows it
 * @throws McpError -32602 if nothing is held back under that key, or if its definition is not that one any more
 */
export async function approveDefinition(parts: PinnedGroup, key: string, definition: JsonObject): Promise<void> {
  const isHeld = (): boolean => {
    const held = heldDefinitions(parts).get(key);
    return held !== undefined && canonicalJson(held.definition) === canonicalJson(definition);
  };
  if (!isHeld()) throw notHeldError(key);
  const digest = await digestOf(definition);
  if (!isHeld()) throw notHeldError(key);
  const owner = parts.catalog.heldComponents().find((one) => one.key === key)?.owner;
  parts.pins?.pin([[key, digest]]);
  owner?.release(key);
}

/**
 * Approves a tool that is held back.
 * @param tool its definition, as the group shows it
 * @throws McpError -32602 if no such tool is held back, or if its definition is not `tool` any more
 */
export async function approveTool(parts: PinnedGroup, name: string, tool: Tool): Promise<void> {
  const shown = parts.catalog.held().get(name);
  if (shown === undefined || canonicalJson(definitionOf("tool", { ...shown })) !== canonicalJson(definitionOf("tool", { ...tool })))
    throw notHeldError(name);
  await approveDefinition(parts, name, definitionOf("tool", { ...toolInside(shown) }));
}

function notHeldError(name: string): McpError {
  return new McpError(ErrorCode.InvalidParams, `No such tool is held back: ${name}`);
}
