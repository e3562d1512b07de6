/**
 * Which server has which name in the group, and the maps that users read.
 *
 * A change is made as a whole or not at all, and a map that was handed out never changes. Nothing here sends or waits. A
 * server that is down keeps its names without showing them, so that no other server can take its place meanwhile.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { Tool } from "../../protocol/tools.ts";
import { KIND_ROWS, KINDS, type Kind } from "../../upstream/listing.ts";
import { pinKeyOf, pinnedKindOf, type PinnedKind } from "../../upstream/pins.ts";
import { NO_CLAIMS, type Claims, type ComponentList, type Components, type HeldReason } from "./components.ts";

/** A change of one list of a group, by names in the group. */
export interface ListDifference {
  /** The list that has changed. */
  readonly list: ComponentList;
  /** Names that were not there before. */
  readonly added: readonly string[];
  /** Names that are not there any more. */
  readonly removed: readonly string[];
  /** Names whose definition has changed. */
  readonly changed: readonly string[];
}

export interface FoundComponent<Owner, One extends Kind> {
  readonly owner: Owner;
  readonly component: Components[One];
  /** False while the server is down. */
  readonly shown: boolean;
  /** Why it is held back, if its current definition is not approved. */
  readonly held: HeldReason | undefined;
}

interface OwnerEntry {
  readonly claims: Claims;
  /** What is held back and not shown, by what it is pinned under. */
  readonly held: ReadonlyMap<string, HeldReason>;
  readonly shown: boolean;
}

const EMPTY_ENTRY: OwnerEntry = { claims: NO_CLAIMS, held: new Map(), shown: false };

export class Catalog<Owner extends { readonly name: string }> {
  /** In the order in which the servers joined. All maps have this order, whichever server responds first. */
  readonly #entries = new Map<Owner, OwnerEntry>();
  /** The components of all servers that are shown. */
  #views: Claims = NO_CLAIMS;

  /** Gives a server its place in the order. */
  add(owner: Owner): void {
    if (!this.#entries.has(owner)) this.#entries.set(owner, EMPTY_ENTRY);
  }

  view<One extends Kind>(kind: One): Claims[One] {
    return this.#views[kind];
  }

  /** Tools of connected servers whose current definition is not approved. */
  held(): ReadonlyMap<string, Tool> {
    const all = [...this.#entries.values()].filter(({ shown }) => shown);
    return new Map(all.flatMap(({ claims, held }) => [...claims.tool].filter(([name]) => held.has(name))));
  }

  /** What is held back of connected servers. */
  heldComponents(): { readonly key: string; readonly kind: PinnedKind; readonly owner: Owner; readonly component: Components[Kind] }[] {
    return [...this.#entries].flatMap(([owner, { claims, held, shown }]) =>
      !shown || held.size === 0
        ? []
        : KINDS.flatMap((kind) =>
            [...claims[kind]].flatMap(([name, component]) => {
              const pinned = pinnedKindOf(kind, component);
              const key = pinned && pinKeyOf(pinned, name);
              return pinned === undefined || !held.has(key!) ? [] : [{ key: key!, kind: pinned, owner, component }];
            }),
          ),
    );
  }

  /** The component of that name, whether its server is down or not. */
  find<One extends Kind>(kind: One, name: string): FoundComponent<Owner, One> | undefined {
    for (const [owner, { claims, held, shown }] of this.#entries) {
      const component = claims[kind].get(name);
      if (component !== undefined) return { owner, component, shown, held: heldReason(held, kind, name, component) };
    }
    return undefined;
  }

  /** All resources or templates that are shown, with their owners. */
  *shown<One extends "resource" | "template">(kind: One): Generator<FoundComponent<Owner, One>> {
    for (const [owner, { claims, shown }] of this.#entries) {
      if (shown) for (const component of claims[kind].values()) yield { owner, component, shown, held: undefined };
    }
  }

  /**
   * Replaces all claims of `owner` and shows them, except what is `held` back.
   * @throws McpError -32602 with the names that another server has already; then nothing has changed
   */
  commit(owner: Owner, claims: Claims, held: ReadonlyMap<string, HeldReason> = EMPTY_ENTRY.held): readonly ListDifference[] {
    for (const kind of KINDS) this.#assertFree(owner, kind, claims[kind]);
    return this.#put(owner, { claims, held, shown: true });
  }

  /** Shows what was held back under that key. */
  release(owner: Owner, key: string): readonly ListDifference[] {
    const entry = this.#entries.get(owner) ?? EMPTY_ENTRY;
    return this.#put(owner, { ...entry, held: new Map([...entry.held].filter(([one]) => one !== key)) });
  }

  /** Hides the components of a server that is down, and keeps its names. */
  hide(owner: Owner): readonly ListDifference[] {
    return this.#put(owner, { ...(this.#entries.get(owner) ?? EMPTY_ENTRY), shown: false });
  }

  /** Removes a server that has left, and frees its names. */
  remove(owner: Owner): readonly ListDifference[] {
    return this.#put(owner, undefined);
  }

  /** Frees the names of a server that stays in the group. */
  clear(owner: Owner): readonly ListDifference[] {
    return this.#put(owner, EMPTY_ENTRY);
  }

  #put(owner: Owner, entry: OwnerEntry | undefined): readonly ListDifference[] {
    const before = shownOf(this.#entries.get(owner));
    const after = shownOf(entry);
    if (entry === undefined) this.#entries.delete(owner);
    else this.#entries.set(owner, entry);
    const differences = differencesOf(before, after);
    if (differences.length > 0 || KINDS.some((kind) => !hasSameOrder(before[kind], after[kind]))) this.#views = this.#join();
    return differences;
  }

  #join(): Claims {
    const all = [...this.#entries.values()].map(shownOf);
    return {
      tool: new Map(all.flatMap(({ tool }) => [...tool])),
      prompt: new Map(all.flatMap(({ prompt }) => [...prompt])),
      resource: new Map(all.flatMap(({ resource }) => [...resource])),
      template: new Map(all.flatMap(({ template }) => [...template])),
    };
  }

  #assertFree(owner: Owner, kind: Kind, names: ReadonlyMap<string, unknown>): void {
    const { member: list } = KIND_ROWS[kind];
    for (const [other, { claims }] of this.#entries) {
      const taken = other === owner ? [] : [...names.keys()].filter((name) => claims[kind].has(name));
      if (taken.length > 0) throw collisionError(list, taken, { server: owner.name, other: other.name });
    }
  }
}

/** Most names that an error lists; the others are counted. */
const SHOWN_NAMES = 10;

interface Rivals {
  /** The server that cannot join. */
  readonly server: string;
  /** The server that has the names. */
  readonly other: string;
}

function collisionError(list: ComponentList, names: readonly string[], { server, other }: Rivals): McpError {
  const more = names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : "";
  const listed = names.slice(0, SHOWN_NAMES).join(", ") + more;
  return new McpError(
    ErrorCode.InvalidParams,
    `${listed} already exist in group ${list}. Server "${other}" has what server "${server}" offers: give them other names (option "nameHook")`,
    { list, names, servers: [server, other] },
  );
}

function shownOf(entry: OwnerEntry | undefined): Claims {
  if (entry?.shown !== true) return NO_CLAIMS;
  const { claims, held } = entry;
  if (held.size === 0) return claims;
  const free = <One extends Kind>(kind: One): Claims[One] =>
    new Map([...claims[kind]].filter(([name, component]) => heldReason(held, kind, name, component) === undefined)) as Claims[One]; // its own
  return { ...claims, tool: free("tool"), prompt: free("prompt"), resource: free("resource") };
}

function heldReason(held: ReadonlyMap<string, HeldReason>, kind: Kind, name: string, component: object): HeldReason | undefined {
  const pinned = held.size === 0 ? undefined : pinnedKindOf(kind, component);
  return pinned && held.get(pinKeyOf(pinned, name));
}

function differencesOf(before: Claims, after: Claims): readonly ListDifference[] {
  return KINDS.map((kind) => differenceOf(KIND_ROWS[kind].member, before[kind], after[kind])).filter(
    ({ added, removed, changed }) => added.length + removed.length + changed.length > 0,
  );
}

function differenceOf(list: ComponentList, before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): ListDifference {
  const common = [...after.keys()].filter((name) => before.has(name));
  return {
    list,
    added: [...after.keys()].filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed: before === after ? [] : common.filter((name) => JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name))),
  };
}

/** Whether two maps of the same names list them in the same order. */
function hasSameOrder(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): boolean {
  const names = before.keys();
  for (const name of after.keys()) if (names.next().value !== name) return false;
  return true;
}
