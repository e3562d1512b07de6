/** What every engine offers: one store for each interface of the SDK, over one connection. */
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

export function logError(error: unknown): void {
  // oxlint-disable-next-line no-console -- the operator must hear of it
  console.error("tenon: a store:", error);
}
