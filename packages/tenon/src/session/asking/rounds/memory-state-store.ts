/** The states and claims of one process: see `StateStore`. Two tables, so that large states never use the room of claims. */
import { assertKnown, type OptionKeys } from "../../../base/known-options.ts";
import { systemClock, wallNow, type Clock } from "../../../base/clock.ts";
import { assertAtLeast } from "../../../base/number-options.ts";
import { ErrorCode, LimitExceededError } from "../../../jsonrpc/mcp-error.ts";
import { ExpiringTable } from "../../../base/bounds/expiring-table.ts";
import type { StateStore } from "../../../storage/state-store.ts";

/** Options of {@link MemoryStateStore}. */
export interface MemoryStateStoreOptions {
  /** Characters of all states together. Default 16 Mi. One owner may use half. */
  maxSize?: number;
  /** Claims that are kept, about 300 bytes each. Default 200 000. One owner may have half. */
  maxClaims?: number;
  /** The clock that entries expire by. Default: the system's clock. */
  clock?: Clock;
}

const STORE_OPTIONS: OptionKeys<MemoryStateStoreOptions> = { maxSize: 1, maxClaims: 1, clock: 1 };

const MAX_SIZE = 16 * 2 ** 20;
const MAX_CLAIMS = 200_000;
/** Characters that an entry counts beside its value. */
const OVERHEAD = 128;

/**
 * A store for one process: the default. It is empty after a restart.
 *
 * Nothing is dropped before it expires: if there is no room, new states and claims are refused.
 */
export class MemoryStateStore implements StateStore {
  readonly #states: ExpiringTable<string>;
  readonly #claims: ExpiringTable<true>;

  /** @throws RangeError if a limit is not a number >= 1 */
  constructor(options: MemoryStateStoreOptions = {}) {
    assertKnown("new MemoryStateStore()", options, STORE_OPTIONS);
    const { maxSize = MAX_SIZE, maxClaims = MAX_CLAIMS, clock = systemClock } = options;
    const now = (): number => wallNow(clock);
    this.#states = new ExpiringTable({ full: limit("maxSize", maxSize), max: maxSize, now });
    this.#claims = new ExpiringTable({ full: limit("maxClaims", maxClaims), max: maxClaims, now });
  }

  /** @throws LimitExceededError -32603 if there is no room */
  put(key: string, value: string, ms: number, owner?: string): void {
    this.#states.set(key, value, ms, { owner, size: value.length + OVERHEAD });
  }

  get(key: string): string | undefined {
    return this.#states.get(key);
  }

  /** @throws LimitExceededError -32603 if there is no room */
  claim(key: string, ms: number, owner?: string): boolean {
    return this.#claims.claim(key, true, ms, { owner });
  }
}

function limit(option: string, max: number): () => LimitExceededError {
  assertAtLeast(option, max, 1);
  return () => new LimitExceededError(`MemoryStateStore.${option}`, max, undefined, ErrorCode.InternalError);
}
