/** What every engine offers: one store for each interface of the SDK, over one connection. */
import type { OptionKeys } from "../base/known-options.ts";
import type { AuthStore } from "../auth/login/auth-store.ts";
import type { ProofStore } from "../auth/resource-server/dpop-options.ts";
import type { TaskStore } from "../extensions/tasks/index.ts";
import type { ClusterStores } from "../storage/shared-stores.ts";
import type { StateStore } from "../storage/state-store.ts";
import type { StateLimits } from "./owner-shares.ts";

/** The stores of one engine. They share a connection, which opens with the first use. */
export interface Stores extends ClusterStores {
  /** For `requestState.store` of a server: large states, and claims of what happens once. */
  readonly states: StateStore;
  /** For `store` of `tasks()`: tasks that outlive a process. */
  readonly tasks: TaskStore;
  /** For `dpop.store` of `bearer()`: proofs that were used. */
  readonly proofs: ProofStore;
  /** For `store` of `oauth()` and the other grants: registrations and tokens. Security: secret; seal them with the option `loginKey`. */
  readonly logins: AuthStore;
  /**
   * Connects, and checks how the engine is configured. Without it the first use does both.
   * @throws StoreUnavailableError, which says why, if the engine does not answer; McpUsageError if its configuration would lose data
   */
  ready(): Promise<void>;
  /** Ends the connection. What is stored stays. */
  close(): Promise<void>;
}

/** Options that every engine has. */
export interface StoreOptions {
  /** Milliseconds that the engine has to answer one command. Default 1 000, for PGlite 30 000. Later the call fails with `StoreUnavailableError`. */
  readonly timeout?: number;
  /**
   * At least 32 random bytes that seal logins (AES-256-GCM), the same in all processes. Default: none; then everyone who can read
   * the engine can act as the users.
   */
  readonly loginKey?: Uint8Array;
  /** The room for `states`, of which one owner may use half: the principal of a call, or else the address of its client. */
  readonly states?: StateLimits;
  /** Receives failures in the background and warnings about the engine's configuration. Default: they are written to the console. */
  readonly onError?: (error: unknown) => void;
}

/** The names of `states` of the options. */
export const STATE_LIMITS: OptionKeys<StateLimits> = { maxSize: 1, maxClaims: 1 };

/** Milliseconds a command may take, if the user named no other time. */
export const DEFAULT_TIMEOUT = 1_000;

/** @throws RangeError if the time is not a number above 0 */
export function checkTimeout(timeout: number): number {
  if (!(timeout > 0)) throw new RangeError(`Option "timeout" must be a number > 0, not ${String(timeout)}`);
  return timeout;
}

/** The default of `onError`. */
export function logError(error: unknown): void {
  // oxlint-disable-next-line no-console -- the operator must hear of it
  console.error("tenon: a store:", error);
}

/** @throws TypeError if an option is no URL with one of the schemes. The text may hold a password, so the error repeats its scheme only. */
export function assertUrl(option: string, text: string, schemes: readonly string[]): void {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(text)?.[0].toLowerCase();
  if (scheme !== undefined && schemes.includes(scheme) && URL.canParse(text)) return;
  throw new TypeError(
    `Option "${option}" must be a ${schemes.join(" or ")} URL${scheme === undefined || schemes.includes(scheme) ? "" : `, not ${scheme}`}`,
  );
}
