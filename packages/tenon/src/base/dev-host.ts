/**
 * What `tenon dev` offers to the file that it runs: a way to serve, a key, and state that outlives a reload.
 *
 * It is found under a global symbol, because the file may import another copy of this package. Without `tenon dev` there is none.
 */

/** The process of `tenon dev` that runs one version of a file. */
export interface DevHost {
  /** Serves `server` to the connections of `tenon dev`, in place of a stream or a port. Resolves when this version ends. */
  serve(server: object): Promise<void>;
  /** The URL of `tenon dev`; port 0 if it serves on stdio. */
  readonly url: string;
  /** The key that seals the state of calls, the same in every version. */
  readonly stateKey: Uint8Array;
  /** The value of `name` from the version before, or else a new one. */
  keep<T>(name: string, version: number, make: () => T): T;
  /** Calls `callback` before this version ends. */
  onReload(callback: () => unknown): void;
}

const KEY: unique symbol = Symbol.for("tenon.dev") as never;

/** Returns undefined outside of `tenon dev`. */
export function devHost(): DevHost | undefined {
  return (globalThis as { [KEY]?: DevHost })[KEY];
}

export function setDevHost(host: DevHost): void {
  (globalThis as { [KEY]?: DevHost })[KEY] = host;
}
