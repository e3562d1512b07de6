/** `tenon/dev`: state that outlives a reload of `tenon dev`, and work to do before one. Without `tenon dev` both do almost nothing. */
import { devHost } from "../base/dev-host.ts";

/** Options of {@link kept}. */
export interface KeptOptions {
  /** The version of the value's form. A value of another version is not taken over. Default 1. */
  version?: number;
}

/**
 * Keeps a value when `tenon dev` reloads the file; elsewhere it only makes the value. Changes by calls that still run the old code are lost.
 * The value is copied as `structuredClone` copies: a Map, a Date and cycles survive, a function or a socket does not, and then `make`
 * is called again and a warning names the value.
 * @param name unique in the server
 * @param make makes the first value
 * @throws TypeError if the name is empty
 * @example
 * ```ts
 * import { kept } from "tenon/dev";
 *
 * const drafts = kept("drafts", () => new Map<string, string>());
 * drafts.set("1", "Buy milk");
 * console.log(drafts.size); // 1
 * ```
 */
export function kept<T>(name: string, make: () => T, { version = 1 }: KeptOptions = {}): T {
  if (typeof name !== "string" || name === "") throw new TypeError("kept() needs a name that is not empty");
  const host = devHost();
  return host === undefined ? make() : host.keep(name, version, make);
}

/**
 * Calls `callback` before `tenon dev` ends this version of the file, after its last call has ended. Elsewhere it is never called.
 * All callbacks together have two seconds. An error is printed and ends nothing.
 * @example
 * ```ts
 * import { onReload } from "tenon/dev";
 *
 * const timer = setInterval(() => undefined, 60_000);
 * onReload(() => clearInterval(timer));
 * clearInterval(timer);
 * ```
 */
export function onReload(callback: () => unknown): void {
  devHost()?.onReload(callback);
}
