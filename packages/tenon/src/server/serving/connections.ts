/**
 * The open connections of a server: prepares the server before the first one, sends them changes, and closes them.
 *
 * The state of one connection is in `session/connection.ts`.
 */
import { andThen, isPromise } from "../../base/maybe-promise.ts";
import type { ChangeRelay, SharedChange, SharedServing } from "../../dispatch/acceptor.ts";
import { ClosedServerError, type ClosedBy } from "../../dispatch/closed-server.ts";
import type { Dispatcher } from "../../dispatch/dispatcher.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { readClient } from "../../session/connection-reading.ts";
import { Connection, type SessionVisibility } from "../../session/connection.ts";
import type { VisibilityChange } from "../../session/feature-filter.ts";
import type { Caller } from "../../session/caller.ts";
import { serveConnection } from "../../session/handle-request.ts";
import type { SharedStores } from "../../storage/shared-stores.ts";
import { LIST_CHANGED, type Change, type Concern, type ListKind } from "../features/change.ts";
import type { RequestChain, ServerParts } from "./request-chain.ts";
import { notifyOf, notifyOfLoss } from "./subscriptions.ts";

const LIST_KINDS = Object.keys(LIST_CHANGED) as ListKind[]; // its keys

export class Connections implements SharedServing {
  readonly #parts: ServerParts;
  readonly #chain: RequestChain;
  readonly #logging: boolean | undefined;
  readonly #open = new Set<Connection>();
  readonly #visibility: SessionVisibility = { change: (caller, change) => this.#changeVisibility(caller, change) };
  #serving = false;
  /** Set once the server is closed: the refusal of later connections. */
  #refusal: ClosedServerError | undefined;
  #hasReportedRefusal = false;

  /** @param logging whether log messages reach clients */
  constructor(parts: ServerParts, chain: RequestChain, logging: boolean | undefined) {
    this.#parts = parts;
    this.#chain = chain;
    this.#logging = logging;
    const notifyAll = (change: Change): void => {
      for (const connection of this.#open) notifyOf(change, connection, parts.features);
    };
    const onLost = (): void => {
      for (const connection of this.#open) notifyOfLoss(connection, parts.features);
    };
    parts.changes.subscribe(notifyAll, { onLost });
  }

  get serving(): boolean {
    return this.#serving;
  }

  accept(dispatcher: Dispatcher): Promise<void> {
    // Not `async`: a session lasts for hours, and each of thousands would keep one more promise.
    try {
      return this.#prepare()?.then(() => this.#serve(dispatcher)) ?? this.#serve(dispatcher);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async begin(): Promise<void> {
    await this.#prepare();
    if (!this.#serving) this.#begin();
  }

  /** Compiles the schemas and opens the lifespan; undefined if there is nothing to do. @throws the error of either */
  #prepare(): Promise<void> | undefined {
    this.#assertNotClosed();
    const { features, lifespan, mounts } = this.#parts;
    const ready = this.#serving || !(features.uncompiled.waiting || features.guard || lifespan || mounts.size > 0);
    return ready ? undefined : this.#prepareNow();
  }

  async #prepareNow(): Promise<void> {
    await this.#openWhatIsShared(this);
    this.#assertNotClosed();
  }

  /** Compiles the schemas, and opens what handlers share. @param holder keeps it open */
  async #openWhatIsShared(holder: object): Promise<void> {
    const { features, lifespan, mounts } = this.#parts;
    const [unusable] = features.uncompiled.waiting ? await features.uncompiled.compile() : [];
    if (unusable) throw unusable.error;
    if (features.guard) await features.guard.get();
    await lifespan?.open(holder);
    await Promise.all([...mounts].map((mount) => mount.open(holder)));
  }

  /** Opens what handlers share for a server that has mounted this one. Returns a function that closes it. @throws as {@link accept} */
  async openFor(holder: object): Promise<() => Promise<void>> {
    this.#assertNotClosed();
    await this.#openWhatIsShared(holder);
    const { lifespan, mounts } = this.#parts;
    return async () => {
      await Promise.all([...mounts].map((mount) => mount.close(holder)));
      await lifespan?.dispose(holder);
    };
  }

  #begin(): void {
    const { uncompiled, extensions } = this.#parts.features;
    this.#serving = true;
    if (uncompiled.waiting) void this.#withdrawUnusable(); // registered while the lifespan was opened
    extensions?.begin();
  }

  #serve(dispatcher: Dispatcher): Promise<void> {
    if (!this.#serving) this.#begin();
    const connection = new Connection(dispatcher, this.#logging);
    connection.visibility = this.#visibility;
    connection.home = this.#parts.rounds;
    readClient(connection, this.#parts.reading, (error) => this.#parts.onError(error, { method: "deviation" }));
    const served = serveConnection(this.#chain, connection, (method, params) => {
      if (method === "notifications/roots/list_changed") this.#rootsChanged(connection);
      this.#chain.notified(method, params);
    });
    this.#open.add(connection);
    const ended = (): void => {
      this.#open.delete(connection);
      connection.end();
    };
    return served.then(ended, (error: unknown) => {
      ended();
      throw error;
    });
  }

  #rootsChanged(connection: Connection): void {
    const told = andThen(this.#parts.roots.get(), (roots) => roots.changed(connection));
    if (isPromise(told)) told.catch((error: unknown) => this.#parts.onError(error, { method: "roots" }));
  }

  #assertNotClosed(): void {
    if (this.#refusal === undefined) return;
    // An endpoint that still listens need not have an `onError` of its own.
    if (!this.#hasReportedRefusal) this.#parts.onError(this.#refusal, { method: "initialize" });
    this.#hasReportedRefusal = true;
    throw this.#refusal;
  }

  /** Publishes a change that clients can see, and compiles what was registered with it. */
  changed(change: Change | undefined): void {
    if (this.#serving && this.#parts.features.uncompiled.waiting) void this.#withdrawUnusable();
    if (change && (this.#open.size > 0 || this.#parts.changes.relay)) this.#parts.changes.publish(change);
  }

  // ---- with other processes ----

  useStores(stores: SharedStores): void {
    this.#parts.rounds.share(stores);
  }

  leaveStores(ms: number): Promise<void> {
    return this.#parts.rounds.leave(ms);
  }

  /** A tool says it with `annotations.idempotentHint` or `readOnlyHint`. */
  isRepeatable(method: string, params: JsonObject): boolean {
    const tool = method === "tools/call" ? this.#parts.features.tools.get(String(params["name"])) : undefined;
    const { idempotentHint, readOnlyHint } = tool?.options.annotations ?? {};
    return idempotentHint === true || readOnlyHint === true;
  }

  shareChanges(relay: ChangeRelay | undefined): void {
    this.#parts.changes.relay = relay;
  }

  deliverChange(change: SharedChange, only?: Dispatcher): void {
    const { changes, features } = this.#parts;
    if (only === undefined) return change.kind === "everything" ? changes.lost() : changes.deliver([change]);
    for (const connection of this.#open) {
      if (connection.dispatcher !== only) continue;
      if (change.kind === "everything") notifyOfLoss(connection, features);
      else notifyOf(change, connection, features);
    }
  }

  // ---- changes of what a caller sees ----

  visibilityChanged(isOf: Concern = () => true): void {
    void andThen(this.#parts.features.guard?.get(), (guard) => {
      for (const kind of LIST_KINDS) this.changed({ kind, concerns: [(caller) => isOf(caller) && guard?.differs(kind, caller) !== false] });
    });
  }

  /** Hides or shows features for the session of a handler. @throws LimitExceededError if the session has too many selections */
  #changeVisibility(caller: Caller, change: VisibilityChange): void {
    const { features, onError } = this.#parts;
    features.protect();
    const changed = andThen(features.guard!.get(), (guard) => this.visibilityChanged(guard.change(caller, change)));
    if (isPromise(changed)) changed.catch((error: unknown) => onError(error, { method: "visibility" }));
  }

  /** Compiles what was registered while the server serves. What cannot be used is disabled and reported to `onError`. */
  async #withdrawUnusable(): Promise<void> {
    const { features, onError } = this.#parts;
    for (const { error, handle } of await features.uncompiled.compile()) {
      if (!handle.enabled) continue; // an earlier change has disabled it
      handle.disable();
      onError(error, { method: "schemas" });
    }
  }

  async close(by: ClosedBy = "close()"): Promise<void> {
    const { changes, rounds, features, lifespan, mounts } = this.#parts;
    this.#refusal ??= new ClosedServerError("server", by);
    changes.close();
    const left = rounds.close();
    await features.extensions?.close();
    await this.#chain.listens.ended(this.#parts.clock);
    await Promise.all([...this.#open].map(({ dispatcher }) => dispatcher.close()));
    await Promise.all([...mounts].map((mount) => mount.close(this)));
    await left;
    await lifespan?.dispose(this);
  }
}
