/**
 * Limits how much of a store one owner of states and claims may use, so that one owner never keeps out the others.
 *
 * Engines count members of sets and no characters. So an owner has one set for each size of states, with an equal part of the owner's share,
 * and each state counts as the largest of its size. A member leaves at the time of its state, also if the state could not be stored.
 */
import { ErrorCode, LimitExceededError } from "../jsonrpc/mcp-error.ts";
import { engineKey, type KeyedEngine } from "./keyed-engine.ts";

/** Limits of `states`. */
export interface StateLimits {
  /** Characters of states that the engine has room for. Default 256 Mi. One owner may use half. */
  readonly maxSize?: number;
  /** Claims that the engine has room for, about 300 bytes each. Default 1 000 000. One owner may have half. */
  readonly maxClaims?: number;
}

const MAX_SIZE = 256 * 2 ** 20;
const MAX_CLAIMS = 1_000_000;
/** Characters of the largest state of each size. */
const SIZES = [2 ** 11, 2 ** 14, 2 ** 17, 2 ** 20, 2 ** 22] as const;

interface Wanted {
  readonly key: string;
  readonly ms: number;
  readonly owner: string;
}

export class OwnerShares {
  readonly #engine: KeyedEngine;
  readonly #maxSize: number;
  readonly #maxClaims: number;

  /** @throws RangeError if a limit is not a number >= 1 */
  constructor(engine: KeyedEngine, { maxSize = MAX_SIZE, maxClaims = MAX_CLAIMS }: StateLimits) {
    assertLimits({ maxSize, maxClaims });
    this.#engine = engine;
    this.#maxSize = maxSize;
    this.#maxClaims = maxClaims;
  }

  /** @throws (rejects) LimitExceededError -32603 if the owner's share is used */
  async admitState(state: Wanted, length: number): Promise<void> {
    const size = SIZES.find((largest) => length <= largest) ?? SIZES.at(-1)!;
    const max = this.#maxSize / 2 / SIZES.length / size;
    if (!(await this.#join(`states of ${size}`, state, max))) throw usedError("maxSize", this.#maxSize);
  }

  /** A claim that is there already needs no more room. @throws (rejects) LimitExceededError -32603 if the owner's share is used */
  async admitClaim(claim: Wanted): Promise<void> {
    if (!(await this.#join("claims", claim, this.#maxClaims / 2))) throw usedError("maxClaims", this.#maxClaims);
  }

  async #join(kind: string, { key, ms, owner }: Wanted, max: number): Promise<boolean> {
    const set = await engineKey("share", `${kind} ${owner}`);
    return this.#engine.join(set, await engineKey("member", key), ms, Math.floor(max));
  }
}

function assertLimits(limits: Required<StateLimits>): void {
  for (const [name, max] of Object.entries(limits)) {
    if (!(max >= 1)) throw new RangeError(`Option "states.${name}" must be a number >= 1, not ${max}`);
  }
}

function usedError(option: keyof StateLimits, max: number): LimitExceededError {
  return new LimitExceededError(`states.${option}`, max, undefined, ErrorCode.InternalError);
}
