/** The events of a group: changes, and errors outside a call. */
import { reportTo } from "../base/report-to.ts";
import type { ListDifference } from "./catalog/catalog.ts";
import type { ServerState } from "./servers/server-state.ts";

/**
 * A change of a group, by `kind` (MCP 2026-07-28, list changes and resource updates). `server` is the server's name in the group.
 * Of a resource, `name` is its name in the group and `uri` its own URI. Of a server, `state` is its new state.
 */
export type GroupChange =
  /** A map has changed, because a server came, went, or changed its list. Names are those in the group. */
  | ({ readonly kind: "list"; readonly server: string } & ListDifference)
  /** A resource that {@link ClientSessionGroup.subscribeResource} watches has changed, or may have while the server was away. */
  | { readonly kind: "resource"; readonly server: string; readonly name: string; readonly uri: string }
  /** A server is in another state now: see `group.servers`. */
  | { readonly kind: "server"; readonly server: string; readonly state: ServerState };

/** Callbacks for the events of a group. */
export interface GroupListeners {
  /**
   * Called with every error of a server outside a call: it does not connect, it is lost, one of its tools is left out, its lists
   * cannot be refreshed. Messages hold no headers and no environment. Default: errors are ignored.
   */
  onServerError?: (error: Error, server: string) => void;
  /** Called with every change, as a listener of {@link ClientSessionGroup.onChange}. */
  onChange?: (change: GroupChange) => void;
}

/** Sends changes to the listeners of a group, and errors to `onServerError`. */
export class GroupEvents {
  readonly #listeners = new Set<(change: GroupChange) => void>();
  readonly #onServerError: GroupListeners["onServerError"];

  constructor({ onChange, onServerError }: GroupListeners) {
    if (onChange !== undefined) this.#listeners.add(onChange);
    this.#onServerError = onServerError;
  }

  /** Returns a function that unsubscribes the listener. */
  subscribe(listener: (change: GroupChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Removes all listeners. */
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
