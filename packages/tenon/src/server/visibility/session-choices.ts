/**
 * What handlers have hidden and shown for one client: `ctx.hide`, `ctx.show`, `ctx.resetVisibility`.
 *
 * On stateful revisions it belongs to the connection and ends with it. On stateless ones it belongs to the principal, because there is
 * no session: at most 10 000 principals, each for 24 hours after its last change.
 */
import { BoundedMap } from "../../base/bounds/bounded-map.ts";
import type { Clock } from "../../base/clock.ts";
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import type { Connection } from "../../session/connection.ts";
import type { Selection, VisibilityChange } from "../../session/feature-filter.ts";
import { isSelected, type Feature } from "../features/feature-source.ts";

/** Principals whose choices are kept, and for how many milliseconds. */
const MAX_PRINCIPALS = 10_000;
const KEPT_FOR = 86_400_000;
/** Choices of one client. */
const MAX_CHOICES = 1_000;

/** Whose choices: a connection's, or a principal's. */
export type ChoiceOwner = Connection | string;

interface Choices {
  /** Whether each selection is shown, by its JSON: the last one that selects a feature decides. */
  readonly shown: Map<string, { readonly selection: Selection; readonly shown: boolean }>;
  until: number;
}

export class SessionChoices {
  readonly #clock: Clock;
  readonly #ofConnections = new WeakMap<Connection, Choices>();
  /** The least recently changed first. */
  readonly #ofPrincipals = new BoundedMap<string, Choices>(MAX_PRINCIPALS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a feature is shown or hidden for an owner; undefined if no choice selects it. */
  of(owner: ChoiceOwner, featureOf: () => Feature): boolean | undefined {
    const choices = this.#find(owner);
    if (choices === undefined) return undefined;
    const feature = featureOf();
    let decided: boolean | undefined;
    for (const { selection, shown } of choices.shown.values()) if (selects(selection, feature)) decided = shown;
    return decided;
  }

  /** Records a change. @throws LimitExceededError for more than 1 000 choices of one client */
  change(owner: ChoiceOwner, { action, selections }: VisibilityChange): void {
    if (action === "reset") return this.#reset(owner);
    const { shown } = this.#open(owner);
    for (const selection of selections) {
      const key = JSON.stringify(selection);
      shown.delete(key); // the newest is the last
      if (shown.size >= MAX_CHOICES) throw new LimitExceededError("hidden and shown selections of a session", MAX_CHOICES);
      shown.set(key, { selection, shown: action === "show" });
    }
  }

  #find(owner: ChoiceOwner): Choices | undefined {
    if (typeof owner !== "string") return this.#ofConnections.get(owner);
    const choices = this.#ofPrincipals.get(owner);
    return choices !== undefined && choices.until > this.#clock.now() ? choices : undefined;
  }

  #open(owner: ChoiceOwner): Choices {
    const choices = this.#find(owner) ?? { shown: new Map(), until: 0 };
    choices.until = this.#clock.now() + KEPT_FOR;
    if (typeof owner === "string") this.#ofPrincipals.set(owner, choices);
    else this.#ofConnections.set(owner, choices);
    return choices;
  }

  #reset(owner: ChoiceOwner): void {
    if (typeof owner === "string") this.#ofPrincipals.delete(owner);
    else this.#ofConnections.delete(owner);
  }
}

function selects(selection: Selection, feature: Feature): boolean {
  return typeof selection === "string" ? selection === feature.id : isSelected(selection, feature);
}
