/**
 * Decides who sees what. A caller sees a feature if its own rule, the rule of each mount on the way and the rule of the server all say
 * so, and if it is not hidden for the session of the caller. What `ctx.show` shows must still pass the rules.
 */
import type { Clock } from "../../base/clock.ts";
import { decisionOf } from "../../base/decision.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Caller, Visible } from "../../session/caller.ts";
import type { Connection } from "../../session/connection.ts";
import type { ListPage } from "../../session/list-page.ts";
import type { FeatureKind, VisibilityChange } from "../../session/feature-filter.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { ListKind } from "../features/change.ts";
import type { OnError } from "../serving/failures.ts";
import type { Feature, ServerRule } from "../features/feature-source.ts";
import type { Guard, GuardedDefinition, GuardedEntry, GuardedPage } from "../guard.ts";
import { SessionChoices, type ChoiceOwner } from "./session-choices.ts";
import { signatureOf, VisiblePages } from "./visible-pages.ts";

export interface GuardedServer {
  readonly clock: Clock;
  readonly onError: OnError;
  /** The rule for all features; undefined if there is none. */
  readonly rule: () => ServerRule | undefined;
  readonly own: {
    registered(kind: FeatureKind): readonly GuardedEntry[];
    valueOf(kind: FeatureKind, entry: GuardedEntry): Feature;
  };
}

/** A caller, as a request or a connection has it. */
type Asking = Caller & { readonly connection?: Connection; readonly codec?: { readonly stateless: boolean } };

/** Outcomes of rules that are shared by the entries of one list. */
type Outcomes = Map<Visible, boolean>;

/** What a caller saw of a kind: the entries, and a bit for each. */
interface Seen {
  readonly entries: readonly GuardedEntry[];
  readonly signature: string;
}

const KINDS_OF: Readonly<Record<ListKind, readonly FeatureKind[]>> = {
  tools: ["tool"],
  prompts: ["prompt"],
  resources: ["resource", "template"],
};

const KINDS: readonly FeatureKind[] = Object.values(KINDS_OF).flat();

export class Visibility implements Guard {
  readonly #server: GuardedServer;
  readonly #choices: SessionChoices;
  readonly #pages = new Map<FeatureKind, { entries: readonly GuardedEntry[]; pages: VisiblePages }>();
  /** What each connection and each stream of changes saw last. */
  readonly #seen = new WeakMap<object, Map<FeatureKind, Seen>>();
  readonly #admitted = new WeakMap<Caller, "sessions" | "rules">();
  #toldOfCache = false;

  constructor(server: GuardedServer) {
    this.#server = server;
    this.#choices = new SessionChoices(server.clock);
  }

  allows(kind: FeatureKind, entry: GuardedEntry, caller: Caller, outcomes?: Outcomes): boolean {
    const admitted = this.#admitted.get(caller);
    if (admitted === "rules" || entry.definition.own === true) return true;
    if (admitted === undefined && !this.#isShown(kind, entry, caller)) return false;
    return this.#permits(kind, entry, caller, outcomes);
  }

  permits(kind: FeatureKind, entry: GuardedEntry, { principal, auth, client, transport }: Caller, lifespan: unknown): boolean {
    return this.#permits(kind, entry, { principal, auth, client, transport, lifespan });
  }

  #permits(kind: FeatureKind, entry: GuardedEntry, caller: Caller, outcomes?: Outcomes): boolean {
    const { options, mountRule } = entry.definition;
    const rule = this.#server.rule();
    const isVisible = (own: Visible | undefined): boolean => own === undefined || this.#outcomeOf(own, caller, outcomes);
    return (
      isVisible(options.visible) && isVisible(mountRule) && (!rule || this.#ask(() => rule(caller, this.#server.own.valueOf(kind, entry))))
    );
  }

  page<E extends GuardedEntry>(kind: FeatureKind, { entries, cursor, make }: GuardedPage<E>, caller: Caller): ListPage {
    const visible = this.#outcomes(kind, entries, caller);
    const signature = signatureOf(visible);
    if (ownerOf(caller) !== caller) this.#seenOf(caller).set(kind, { entries, signature });
    let view = this.#pages.get(kind);
    if (view?.entries !== entries) this.#pages.set(kind, (view = { entries, pages: new VisiblePages() }));
    const shown = entries.filter((_, index) => visible[index]);
    return view.pages.get(signature, cursor, shown.length, () => make(shown));
  }

  meet(context: RequestContext): void {
    const { principal, auth, client, transport, lifespan, connection, codec } = context;
    const caller: Asking = { principal, auth, client, transport: { kind: transport.kind }, lifespan, connection, codec };
    if (!codec.stateless) connection.caller = caller;
  }

  admit(context: RequestContext, past: "sessions" | "rules"): void {
    this.#admitted.set(context, past);
  }

  watch(caller: Caller): void {
    this.#remember(caller, KINDS);
  }

  concerns(kind: FeatureKind, key: string, definitions: readonly (GuardedDefinition | undefined)[], caller: Caller): boolean {
    const concerned = definitions.some((definition) => definition && this.allows(kind, { key, definition }, caller));
    if (this.#seenOf(caller).has(kind)) this.#remember(caller, [kind]);
    return concerned;
  }

  differs(list: ListKind, caller: Caller): boolean {
    const lists = this.#seenOf(caller);
    const before = KINDS_OF[list].map((kind) => lists.get(kind));
    this.#remember(caller, KINDS_OF[list]);
    return KINDS_OF[list].some((kind, index) => {
      const now = lists.get(kind)!;
      return before[index]?.signature !== now.signature || before[index]?.entries !== now.entries;
    });
  }

  privately(method: string, result: JsonObject): JsonObject {
    if (result["cacheScope"] !== "public" || !LISTS.has(method)) return result;
    const why = `"cacheScope" of "${method}" was changed to "private": this server has rules of visibility, so its lists differ by caller`;
    if (!this.#toldOfCache) this.#server.onError(new TypeError(why), { method });
    this.#toldOfCache = true;
    return { ...result, cacheScope: "private" };
  }

  change(context: Asking, change: VisibilityChange): (caller: Caller) => boolean {
    const owner = this.#ownerOfChoices(context)!; // checked by the context
    const unseen = KINDS.filter((kind) => !this.#seenOf(context).has(kind));
    if (context.codec?.stateless === false) this.#remember(context, unseen);
    this.#choices.change(owner, change);
    return (caller) => this.#ownerOfChoices(caller) === owner;
  }

  #isShown(kind: FeatureKind, entry: GuardedEntry, caller: Caller): boolean {
    const owner = this.#ownerOfChoices(caller);
    const chosen = owner === undefined ? undefined : this.#choices.of(owner, () => this.#server.own.valueOf(kind, entry));
    return chosen ?? entry.definition.options.hidden !== true;
  }

  #ownerOfChoices({ codec, connection, principal }: Asking): ChoiceOwner | undefined {
    return codec?.stateless === true ? principal : connection;
  }

  #outcomeOf(own: Visible, caller: Caller, outcomes: Outcomes | undefined): boolean {
    const known = outcomes?.get(own);
    if (known !== undefined) return known;
    const outcome = this.#ask(() => own(caller));
    outcomes?.set(own, outcome);
    return outcome;
  }

  /** Runs a rule. One that fails shows nothing, because it may protect something. */
  #ask(rule: () => unknown): boolean {
    try {
      return decisionOf("A rule of visibility", rule(), "load what it needs in middleware or in auth");
    } catch (error) {
      this.#server.onError(error, { method: "visibility" });
      return false;
    }
  }

  #outcomes(kind: FeatureKind, entries: readonly GuardedEntry[], caller: Caller): boolean[] {
    const outcomes: Outcomes = new Map();
    return entries.map((entry) => this.allows(kind, entry, caller, outcomes));
  }

  #seenOf(caller: Caller): Map<FeatureKind, Seen> {
    const owner = ownerOf(caller);
    const lists = this.#seen.get(owner) ?? new Map<FeatureKind, Seen>();
    this.#seen.set(owner, lists);
    return lists;
  }

  #remember(caller: Caller, kinds: readonly FeatureKind[]): void {
    const lists = this.#seenOf(caller);
    for (const kind of kinds) {
      const entries = this.#server.own.registered(kind);
      lists.set(kind, { entries, signature: signatureOf(this.#outcomes(kind, entries, caller)) });
    }
  }
}

const LISTS: ReadonlySet<string> = new Set(["tools/list", "resources/list", "resources/templates/list", "prompts/list", "resources/read"]);

/** What a caller's last view belongs to: its connection, or its stream of changes. */
function ownerOf(caller: Asking): object {
  return caller.codec?.stateless === false && caller.connection !== undefined ? caller.connection : caller;
}
