/**
 * The digests that a gateway takes as approved: the operator's digests, for all callers, and what was pinned at first sight.
 *
 * If the credentials of a server differ by caller, each caller sees a list of its own, which its account at that server may decide. So what
 * one caller sees first is pinned for that caller only. Each server uses up its own room.
 */

/** Digests of definitions, by server and by what they are pinned under: the name that the server gives the tool, `prompt:` and the name of a prompt, and so on. */
export interface PinnedTools {
  readonly [server: string]: { readonly [tool: string]: string };
}

/** Digests of what was pinned for one caller, by server and principal. */
export interface PinnedForCallers {
  readonly [server: string]: { readonly [principal: string]: { readonly [tool: string]: string } };
}

/** Most definitions of one server that are remembered for all callers, and as many for each caller. */
const MAX_SERVER_PINS = 10_000;
/** Most definitions of one server that are remembered for all its callers together. */
const MAX_CALLER_PINS = 200_000;

/** Digests, by what they are pinned under. */
type Digests = Map<string, string>;

interface CallerPins {
  readonly byPrincipal: Map<string, Digests>;
  size: number;
}

export class PinTable {
  #forAll: Map<string, Digests>;
  #forCallers: Map<string, CallerPins>;

  constructor(approved: PinnedTools = {}, callers: PinnedForCallers = {}) {
    this.#forAll = forAllOf(approved);
    this.#forCallers = forCallersOf(callers);
  }

  /** Replaces what is approved for all callers, and for some if they are given. */
  replace(approved: PinnedTools, callers?: PinnedForCallers): void {
    this.#forAll = forAllOf(approved);
    if (callers !== undefined) this.#forCallers = forCallersOf(callers);
  }

  /**
   * Whether a definition is approved, and pins it if it is new and may be pinned.
   * @param owner the principal whose credentials the server gets; undefined if they are the same for all callers
   */
  judge(
    { server, tool, digest }: { readonly server: string; readonly tool: string; readonly digest: string },
    owner: string | undefined,
    mayPin: boolean,
  ): "approved" | "pinned" | "withheld" {
    const known = this.#forAll.get(server)?.get(tool);
    const own = owner === undefined ? undefined : this.#forCallers.get(server)?.byPrincipal.get(owner)?.get(tool);
    if (known === digest || own === digest) return "approved";
    // What cannot be remembered is withheld, because a change would go unnoticed.
    if (known !== undefined || own !== undefined || !mayPin) return "withheld";
    return (owner === undefined ? this.#pin(server, tool, digest) : this.#pinFor(owner, server, [tool, digest])) ? "pinned" : "withheld";
  }

  #pin(server: string, tool: string, digest: string): boolean {
    const pins = placeIn(this.#forAll, server, () => new Map<string, string>());
    if (pins.size >= MAX_SERVER_PINS) return false;
    pins.set(tool, digest);
    return true;
  }

  #pinFor(owner: string, server: string, [tool, digest]: readonly [tool: string, digest: string]): boolean {
    const pins = placeIn(this.#forCallers, server, (): CallerPins => ({ byPrincipal: new Map(), size: 0 }));
    const own = placeIn(pins.byPrincipal, owner, () => new Map<string, string>());
    if (own.size >= MAX_SERVER_PINS || pins.size >= MAX_CALLER_PINS) return false;
    own.set(tool, digest);
    pins.size++;
    return true;
  }
}

function placeIn<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

function forAllOf(pins: PinnedTools): Map<string, Digests> {
  return new Map(Object.entries(pins).map(([server, digests]) => [server, new Map(Object.entries(digests))]));
}

function forCallersOf(pins: PinnedForCallers): Map<string, CallerPins> {
  return new Map(
    Object.entries(pins).map(([server, callers]) => {
      const byPrincipal = forAllOf(callers);
      return [server, { byPrincipal, size: [...byPrincipal.values()].reduce((sum, { size }) => sum + size, 0) }];
    }),
  );
}
