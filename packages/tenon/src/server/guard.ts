/**
 * What decides who sees what: the interface of `visibility/visibility.ts`, which is loaded only if a server has a rule.
 *
 * A server without a rule has no guard. Each look-up then costs one check for `undefined`.
 */
import type { Late } from "../base/late.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Caller, Visible } from "../session/caller.ts";
import type { ListPage } from "../session/list-page.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { FeatureKind, VisibilityChange } from "../session/feature-filter.ts";
import type { FeatureOptions } from "./features/feature-options.ts";
import type { ListKind } from "./features/change.ts";

export interface GuardedEntry {
  readonly key: string;
  readonly definition: GuardedDefinition;
}

export interface GuardedDefinition {
  readonly options: FeatureOptions;
  /** Whether it belongs to the server itself: no rule hides it. */
  readonly own?: boolean | undefined;
  /** The rule of the mount that it came by. */
  readonly mountRule?: Visible | undefined;
}

/** A page to make: the entries in order, and what makes the page of those that its caller sees. */
export interface GuardedPage<E extends GuardedEntry> {
  readonly entries: readonly E[];
  readonly cursor: unknown;
  readonly make: (visible: readonly E[]) => ListPage;
}

export interface Guard {
  /** Whether a caller may know of an entry. */
  allows(kind: FeatureKind, entry: GuardedEntry, caller: Caller): boolean;
  /**
   * The rules of an entry as one, without what sessions have hidden: for a server that mounts this one.
   * @param lifespan what the rules read as the lifespan of their server
   */
  permits(kind: FeatureKind, entry: GuardedEntry, caller: Caller, lifespan: unknown): boolean;
  page<E extends GuardedEntry>(kind: FeatureKind, page: GuardedPage<E>, caller: Caller): ListPage;
  /** Remembers who is at the other end of a connection. */
  meet(context: RequestContext): void;
  /** Lets a request of another server or of a task pass: the server that received it, or the one that began it, has decided. */
  admit(context: RequestContext, past: "sessions" | "rules"): void;
  /** Remembers what the caller of a stream of changes sees now. */
  watch(caller: Caller): void;
  /** Whether a change of an entry concerns a caller: whether the caller sees it before or after. */
  concerns(kind: FeatureKind, key: string, definitions: readonly (GuardedDefinition | undefined)[], caller: Caller): boolean;
  /** Whether a list of a caller is another than when it was seen last. */
  differs(list: ListKind, caller: Caller): boolean;
  /** A result that no cache may share among callers. */
  privately(method: string, result: JsonObject): JsonObject;
  /** Applies what a handler does to its session. Returns what tells the callers of the session. @throws LimitExceededError */
  change(asking: Caller, change: VisibilityChange): (caller: Caller) => boolean;
}

export type LateGuard = Late<Guard>;
