/** Logins in an engine: see `AuthStore`. A lock is a claim that its holder renews; if it cannot, `lost` aborts before the claim ends. */
import { jsonIn } from "../jsonrpc/parse-json.ts";
import { waits } from "../base/waits.ts";
import { deriveAead } from "#aead";
import { KeyedLock, type AuthStore } from "../auth/login/auth-store.ts";
import { AuthorizationError } from "../auth/authorization-error.ts";
import { randomId } from "../base/bytes.ts";
import { sleep, systemClock } from "../base/clock.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import { assertSecretKey } from "../base/secret-key.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { Aead } from "../session/asking/rounds/aead.ts";
import { engineKey, type KeyedEngine } from "./keyed-engine.ts";

/** Milliseconds a lock outlives its last renewal. */
const LOCK_MS = 15_000;
/** Milliseconds between two renewals. */
const RENEW_MS = LOCK_MS / 5;
/** The waits between two attempts to take a lock, in milliseconds. */
const WAITS = { first: 30, longest: 375, jitter: 0.67 };
const NEVER: AbortSignal = new AbortController().signal;

export class EngineLoginStore implements AuthStore {
  readonly #engine: KeyedEngine;
  readonly #aead: MaybePromise<Aead> | undefined;
  readonly #locks = new KeyedLock();

  /** @throws TypeError, RangeError if the key is not 32 bytes or more */
  constructor(engine: KeyedEngine, key: Uint8Array | undefined) {
    if (key !== undefined) assertSecretKey("loginKey", key);
    this.#engine = engine;
    this.#aead = key && deriveAead(key, "auth store");
  }

  async get(key: string): Promise<JsonObject | undefined> {
    const name = await engineKey("login", key);
    const text = await this.#engine.get(name);
    if (text === undefined) return undefined;
    return recordOf(await this.#open(name, text));
  }

  async set(key: string, record: JsonObject, expiresAt?: number): Promise<void> {
    const ms = expiresAt === undefined || expiresAt === Infinity ? undefined : expiresAt - Date.now();
    if (ms !== undefined && ms <= 0) return this.delete(key);
    const name = await engineKey("login", key);
    const aead = await this.#aead;
    const plain = JSON.stringify(record);
    await this.#engine.put(name, aead === undefined ? plain : `sealed:${await aead.seal(plain, name)}`, ms);
  }

  async delete(key: string): Promise<void> {
    await this.#engine.remove(await engineKey("login", key));
  }

  /** Calls of this process wait in line for each other, and only the first of them asks the engine. */
  lock<T>(key: string, work: (lost: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#locks.run(key, () => this.#locked(key, work, signal ?? NEVER), signal);
  }

  async #locked<T>(key: string, work: (lost: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const [name, holder] = [await engineKey("lock", key), randomId()];
    const pauses = waits(WAITS);
    while (!(await this.#engine.claim(name, holder, LOCK_MS))) await sleep(systemClock, pauses.next(), signal);
    const lost = new AbortController();
    const stop = this.#renewing(name, holder, lost);
    try {
      return await work(lost.signal);
    } finally {
      stop();
      await this.#engine.release(name, holder).catch(() => undefined); // it ends by itself
    }
  }

  /** Renews a claim until it is stopped. A claim that was not renewed in time is lost, although the engine may still have it. */
  #renewing(name: string, holder: string, lost: AbortController): () => void {
    let renewedAt = performance.now();
    const renew = async (): Promise<void> => {
      const began = performance.now();
      const held = await this.#engine.renew(name, holder, LOCK_MS).catch(() => undefined);
      if (held === true) renewedAt = began;
      if (held === false || performance.now() - renewedAt > LOCK_MS - RENEW_MS) {
        stop();
        lost.abort(new Error("The lock of this login was lost: its store did not renew it"));
      }
    };
    const timer = setInterval(() => void renew(), RENEW_MS);
    const stop = (): void => clearInterval(timer);
    return stop;
  }

  /** @throws AuthorizationError if the record was not sealed with this key */
  async #open(name: string, text: string): Promise<string> {
    const aead = await this.#aead;
    const sealed = text.startsWith("sealed:") ? text.slice("sealed:".length) : undefined;
    if (aead === undefined && sealed === undefined) return text;
    if (aead === undefined) throw unusable("is sealed with a key");
    if (sealed === undefined) throw unusable("is not sealed with the key");
    try {
      return await aead.open(sealed, name);
    } catch {
      throw unusable("is not sealed with the key");
    }
  }
}

/** @throws AuthorizationError if it is not one that `set` wrote */
function recordOf(text: string): JsonObject {
  const record = jsonIn(text);
  if (!isJsonObject(record)) throw unusable("is damaged");
  return record;
}

function unusable(what: string): AuthorizationError {
  const remedy = 'Pass the key it was written with (option "loginKey"), or delete the record and log in again.';
  return new AuthorizationError({ hop: "store", url: "store:", problem: `The stored login ${what}`, remedy });
}
