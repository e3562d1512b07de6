/** What the stores of all engines have in common: their options, and the stores that are made over one `KeyedEngine`. */
import type { OptionKeys } from "../base/known-options.ts";
import type { KeyedEngine } from "./keyed-engine.ts";
import { EngineKeyedStore } from "./keyed-store.ts";
import { EngineLoginStore } from "./login-store.ts";
import { EngineProofStore, EngineStateStore } from "./state-store.ts";
import type { StoreOptions, Stores } from "./stores.ts";

export const STORE_KEYS: OptionKeys<StoreOptions> = { timeout: 1, loginKey: 1, states: { maxSize: 1, maxClaims: 1 }, onError: 1 };

export function storesOver(
  engine: KeyedEngine,
  { states, loginKey }: StoreOptions,
): Pick<Stores, "keyed" | "states" | "proofs" | "logins"> {
  return {
    keyed: new EngineKeyedStore(engine),
    states: new EngineStateStore(engine, states),
    proofs: new EngineProofStore(engine),
    logins: new EngineLoginStore(engine, loginKey),
  };
}

/** Milliseconds a command may take, if the user named no other time. */
export const DEFAULT_TIMEOUT = 1_000;

/** @throws RangeError if the time is not a number above 0 */
export function checkTimeout(timeout: number): number {
  if (!(timeout > 0)) throw new RangeError(`Option "timeout" must be a number > 0, not ${String(timeout)}`);
  return timeout;
}

/** @throws TypeError if an option is no URL with one of the schemes. The text may hold a password, so the error repeats its scheme only. */
export function assertUrl(option: string, text: string, schemes: readonly string[]): void {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(text)?.[0].toLowerCase();
  if (scheme !== undefined && schemes.includes(scheme) && URL.canParse(text)) return;
  throw new TypeError(
    `Option "${option}" must be a ${schemes.join(" or ")} URL${scheme === undefined || schemes.includes(scheme) ? "" : `, not ${scheme}`}`,
  );
}
