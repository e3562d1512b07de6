/** States and claims in an engine: see `StateStore`. Keys are never evicted: an engine that does so is refused when it connects. */
import { randomId } from "../base/bytes.ts";
import { assertText } from "../storage/limits.ts";
import { ErrorCode, LimitExceededError } from "../jsonrpc/mcp-error.ts";
import type { ProofStore } from "../auth/resource-server/dpop-options.ts";
import type { StateStore } from "../storage/state-store.ts";
import { engineKey, type Kind, type KeyedEngine } from "./keyed-engine.ts";
import { OwnerShares, type StateLimits } from "./owner-shares.ts";

/** Characters of the largest state. The server's own limit is lower. */
const MAX_STATE = 4 * 2 ** 20;

export class EngineStateStore implements StateStore {
  readonly #engine: KeyedEngine;
  readonly #shares: OwnerShares;

  /** @throws RangeError if a limit is not a number >= 1 */
  constructor(engine: KeyedEngine, limits: StateLimits = {}) {
    this.#engine = engine;
    this.#shares = new OwnerShares(engine, limits);
  }

  async put(key: string, value: string, ms: number, owner?: string): Promise<void> {
    if (value.length > MAX_STATE) throw new LimitExceededError("StateStore.maxState", MAX_STATE, value.length, ErrorCode.InternalError);
    assertText("A state", value);
    if (owner !== undefined) await this.#shares.admitState({ key, ms, owner }, value.length);
    await this.#engine.put(await engineKey("state", key), value, ms);
  }

  async get(key: string): Promise<string | undefined> {
    return this.#engine.get(await engineKey("state", key));
  }

  async claim(key: string, ms: number, owner?: string): Promise<boolean> {
    if (owner !== undefined) await this.#shares.admitClaim({ key, ms, owner });
    return claimOnce(this.#engine, "claim", key, ms);
  }

  now(): Promise<number> {
    return this.#engine.now();
  }
}

export class EngineProofStore implements ProofStore {
  readonly #engine: KeyedEngine;

  constructor(engine: KeyedEngine) {
    this.#engine = engine;
  }

  claim(key: string, ms: number): Promise<boolean> {
    return claimOnce(this.#engine, "proof", key, ms);
  }
}

/** Each call claims under a name of its own, so only one of all calls succeeds. */
async function claimOnce(engine: KeyedEngine, kind: Kind, key: string, ms: number): Promise<boolean> {
  return engine.claim(await engineKey(kind, key), randomId(), ms);
}
