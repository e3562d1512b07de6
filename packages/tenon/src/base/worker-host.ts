/**
 * What a worker of `serveHttp({ workers })` shares with the other workers: its number, a key, and stores in the primary process.
 *
 * It is found under a global symbol, because the program may import another copy of this package. Other processes have none.
 * What has a default for one process takes the default from here when it is first used, and not when it is made: a program makes its
 * server before it calls `serveHttp`.
 */

/** One worker of several that run the same program. */
export interface WorkerHost {
  /** 1 to the number of workers. A worker that takes the place of one that ended has its number. */
  readonly number: number;
  /** 32 random bytes, the same in all workers. */
  readonly key: Uint8Array;
  /** The stores by their names. Their interfaces belong to higher layers. */
  readonly stores: Readonly<Record<SharedStoreName, object>>;
}

export type SharedStoreName = "keyed" | "events" | "bus" | "states" | "proofs" | "tasks" | "logins" | "rates";

const KEY: unique symbol = Symbol.for("tenon.worker") as never;

/** Returns undefined if this process is not a worker. */
export function workerHost(): WorkerHost | undefined {
  return (globalThis as { [KEY]?: WorkerHost })[KEY];
}

/** A store that all workers share; undefined if this process is not a worker. The caller names the interface that the store has by its name. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the interface
export function workerStore<T extends object>(name: SharedStoreName): T | undefined {
  return workerHost()?.stores[name] as T | undefined; // see above: layers below know no interface of a store
}

/** Whether only the workers of one program share a store. They have one key. */
export function isWorkerStore(store: object): boolean {
  return Object.values(workerHost()?.stores ?? {}).includes(store);
}

export function setWorkerHost(host: WorkerHost | undefined): void {
  (globalThis as { [KEY]?: WorkerHost | undefined })[KEY] = host;
}
