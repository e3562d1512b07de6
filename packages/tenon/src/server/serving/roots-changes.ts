/**
 * Calls the listeners of a server when a client says that its roots have changed (MCP, Roots; stateful revisions).
 *
 * For one session the listeners run one after the other. Changes that come meanwhile are one more run, so a client that sends many does not
 * make many runs wait. Loaded with the first change.
 */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { Connection } from "../../session/connection.ts";
import { sendNotification } from "../../session/send-notification.ts";
import { ContextLog } from "../../session/context-log.ts";
import { ServerSession } from "../../session/server-session.ts";
import type { FeatureSource } from "../features/feature-source.ts";
import type { OnError } from "./failures.ts";

/** Called with the session of a client whose roots have changed. */
export type RootsListener = (session: ServerSession) => MaybePromise<void>;

export class RootsChanges {
  readonly #listeners: Iterable<RootsListener>;
  readonly #mounts: Iterable<{ readonly features: FeatureSource }>;
  readonly #onError: OnError;
  /** Sessions whose listeners run, and whether the roots have changed again meanwhile. */
  readonly #running = new Map<Connection, boolean>();

  constructor(listeners: Iterable<RootsListener>, mounts: Iterable<{ readonly features: FeatureSource }>, onError: OnError) {
    this.#listeners = listeners;
    this.#mounts = mounts;
    this.#onError = onError;
  }

  /** Tells the listeners. Never fails. */
  changed(connection: Connection): void {
    if (this.#running.has(connection)) this.#running.set(connection, true);
    else void this.#run(connection);
  }

  async #run(connection: Connection): Promise<void> {
    const session = sessionOf(connection);
    do {
      this.#running.set(connection, false);
      await this.tell(session);
    } while (this.#running.get(connection) === true);
    this.#running.delete(connection);
  }

  /** Runs all listeners, and the listeners of mounted servers. Resolves when they have ended; a failure is reported and stops no other one. */
  async tell(session: ServerSession): Promise<void> {
    const sources = [...this.#mounts].map(
      ({ features }): RootsListener =>
        (one) =>
          features.rootsChanged?.(one),
    );
    for (const listener of [...this.#listeners, ...sources]) {
      try {
        await listener(session);
      } catch (error) {
        this.#onError(error, { method: "notifications/roots/list_changed" });
      }
    }
  }
}

/** The session of a client, on the channel that belongs to no request. */
function sessionOf(connection: Connection): ServerSession {
  const { codec, client, dispatcher } = connection;
  const notify = (method: string, params: Parameters<typeof sendNotification>[3]): MaybePromise<void> =>
    sendNotification(codec, dispatcher, method, params);
  const known = { codec, client, connection };
  return new ServerSession({ ...known, log: new ContextLog({ ...known, notify }) }, dispatcher);
}
