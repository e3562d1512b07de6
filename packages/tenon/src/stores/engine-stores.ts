/** What the stores of all engines have in common: their options, and the stores that are made over one `KeyedEngine`. */
import type { OptionKeys } from "../base/known-options.ts";
import { type KeyedEngine, engineKey, VERSION_LENGTH, type Kind } from "./keyed-engine.ts";
import { EngineLoginStore } from "./login-store.ts";
import type { StoreOptions, Stores } from "./stores.ts";
import { randomId } from "../base/bytes.ts";
import { DamagedEntryError, parseStored } from "../storage/damaged-entry.ts";
import { assertLifetime, assertValue, MAX_VALUE, assertText } from "../storage/limits.ts";
import type { Joining, KeyedEntry, KeyedStore, KeyedValue, Version } from "../storage/keyed-store.ts";
import { ErrorCode, LimitExceededError } from "../jsonrpc/mcp-error.ts";
import type { ProofStore } from "../auth/resource-server/dpop-options.ts";
import type { StateStore } from "../storage/state-store.ts";
import { OwnerShares, type StateLimits } from "./owner-shares.ts";

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

/**
 * A keyed store in an engine: see `KeyedStore`. An engine keeps the version in front of the value, and a version is random: so it never
 * comes back, whatever the engine has forgotten. Values are kept as JSON, because some engines cannot hold every text.
 */
class EngineKeyedStore implements KeyedStore {
  readonly #engine: KeyedEngine;

  constructor(engine: KeyedEngine) {
    this.#engine = engine;
  }

  async read(key: string): Promise<KeyedEntry | undefined> {
    const text = await this.#engine.get(await engineKey("keyed", key));
    return text === undefined ? undefined : entryOf(key, text);
  }

  async swap(key: string, version: Version | undefined, next: KeyedValue | undefined): Promise<Version | undefined> {
    if (next !== undefined) {
      assertValue(next.value);
      assertLifetime(next.ms);
    }
    const made = randomId();
    const entry = next && { value: made + JSON.stringify(next.value), ms: next.ms };
    return (await this.#engine.swap(await engineKey("keyed", key), version ?? "", entry)) ? made : undefined;
  }

  async renew(key: string, version: Version, ms: number): Promise<boolean> {
    assertLifetime(ms);
    return this.#engine.renewVersion(await engineKey("keyed", key), version, ms);
  }

  async join(set: string, member: string, { ms, max }: Joining): Promise<boolean> {
    assertLifetime(ms);
    return this.#engine.join(await engineKey("set", set), await engineKey("member", member), ms, max);
  }

  async leave(set: string, member: string): Promise<void> {
    await this.#engine.leave(await engineKey("set", set), await engineKey("member", member));
  }

  async next(counter: string, least: number): Promise<number> {
    return this.#engine.next(await engineKey("counter", counter), least);
  }

  now(): Promise<number> {
    return this.#engine.now();
  }
}

const VERSIONED = new RegExp(`^[\\w-]{${VERSION_LENGTH}}"`);

/** @throws DamagedEntryError if it is not one that `swap` wrote */
function entryOf(key: string, text: string): KeyedEntry {
  const what = `The entry "${key.split(/[ /]/, 1)[0]!.slice(0, 40)} ..." of the keyed store`;
  if (!VERSIONED.test(text)) throw new DamagedEntryError(what, "has no version");
  const value = parseStored(what, text.slice(VERSION_LENGTH));
  if (typeof value !== "string") throw new DamagedEntryError(what, "is not a text");
  if (value.length > MAX_VALUE) throw new DamagedEntryError(what, `has ${value.length} characters, and at most ${MAX_VALUE} are written`);
  return { value, version: text.slice(0, VERSION_LENGTH) };
}

/** Characters of the largest state. The server's own limit is lower. */
const MAX_STATE = 4 * 2 ** 20;

/** States and claims in an engine: see `StateStore`. Keys are never evicted: an engine that does so is refused when it connects. */
class EngineStateStore implements StateStore {
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

class EngineProofStore implements ProofStore {
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
