/** What a group tells its user: what has changed, and what went wrong outside a call. */
import { reportTo } from "../base/report-to.ts";
import type { ListDifference } from "./catalog/catalog.ts";
import type { ServerState } from "./servers/server-state.ts";

/**
 * A change of a group, as `onChange` tells it (SG-29): told apart by `kind`. `server` is the server's name in the group; of a resource,
 * `name` is what it is called there and `uri` what its server calls it; of a server, `state` is how it is now.
 */
export type GroupChange =
  /** The maps have changed: by a server that came, went, or changed its list. Names are those in the group. */
  | ({ readonly kind: "list"; readonly server: string } & ListDifference)
  /** A resource that {@link ClientSessionGroup.subscribeResource} watches has changed, or may have while the server was away. */
  | { readonly kind: "resource"; readonly server: string; readonly name: string; readonly uri: string }
  /** A server is in another state now: see `group.servers`. */
  | { readonly kind: "server"; readonly server: string; readonly state: ServerState };

/** The callbacks of a group that are told what happens in it. */
export interface GroupListeners {
  /**
   * Told of everything that goes wrong with a server outside a call: it does not connect, it is lost, a tool of it is left
   * out, its lists cannot be refreshed. Messages hold no headers and no environment. Default: nobody.
   */
  onServerError?: (error: Error, server: string) => void;
  /** Told of every change, as {@link ClientSessionGroup.onChange} tells it. */
  onChange?: (change: GroupChange) => void;
}

/** Tells the listeners of a group what has changed, and the operator what went wrong. */
export class GroupEvents {
  readonly #listeners = new Set<(change: GroupChange) => void>();
  readonly #onServerError: GroupListeners["onServerError"];

  constructor({ onChange, onServerError }: GroupListeners) {
    if (onChange !== undefined) this.#listeners.add(onChange);
    this.#onServerError = onServerError;
  }

  /** Returns how to stop. */
  subscribe(listener: (change: GroupChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** No listener is told of changes any more. */
  close(): void {
    this.#listeners.clear();
  }

  emit(change: GroupChange): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(change);
      } catch (error) {
        this.report(error, change.server);
      }
    }
  }

  report(error: unknown, server: string): void {
    reportTo((known) => this.#onServerError?.(known, server), error);
  }
}
