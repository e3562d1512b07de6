/**
 * Facts that an authorization server must not lose: clients, sessions, grants, codes, refresh tokens and logins that are under way. They
 * are in a `KeyedStore`, so that several nodes share them.
 *
 * Security: each value is sealed (AES-256-GCM) and bound to its key. A reader of the engine can neither read a token nor move a record
 * to another key.
 */
import { deriveAead } from "#aead";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { Joining, KeyedStore, Version } from "../../storage/keyed-store.ts";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Aead } from "../../session/asking/rounds/aead.ts";

export interface StoredRecord {
  readonly value: JsonObject;
  readonly version: Version;
}

/** Attempts to write a record that others write at the same time. */
const MAX_ATTEMPTS = 20;

export class Records {
  readonly #store: KeyedStore;
  readonly #aead: MaybePromise<Aead>;

  /** @param secret at least 32 random bytes, the same on all nodes */
  constructor(store: KeyedStore, secret: Uint8Array) {
    this.#store = store;
    this.#aead = deriveAead(secret, "authorization server records");
  }

  async read(key: string): Promise<StoredRecord | undefined> {
    const entry = await this.#store.read(name(key));
    if (entry === undefined) return undefined;
    return { value: JSON.parse(await this.#open(key, entry.value)) as JsonObject, version: entry.version }; // `swap` wrote it
  }

  /** Stores a record, whatever was there. @throws McpUsageError if others write it all the time */
  async write(key: string, value: JsonObject, ms: number): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const before = await this.#store.read(name(key));
      if (await this.swap(key, before?.version, value, ms)) return;
    }
    throw new McpUsageError("A record of the authorization server is written by too many requests at the same time");
  }

  /** Replaces exactly that version; undefined: only if there is no record. False if it has changed. */
  async swap(key: string, version: Version | undefined, value: JsonObject, ms: number): Promise<boolean> {
    const sealed = await (await this.#aead).seal(JSON.stringify(value), key);
    return (await this.#store.swap(name(key), version, { value: sealed, ms })) !== undefined;
  }

  /** Removes exactly that version. If several callers do this at once, one gets true. */
  async claim(key: string, version: Version): Promise<boolean> {
    return (await this.#store.swap(name(key), version, undefined)) !== undefined;
  }

  async remove(key: string): Promise<void> {
    for (let entry = await this.#store.read(name(key)); entry !== undefined; entry = await this.#store.read(name(key))) {
      if (await this.claim(key, entry.version)) return;
    }
  }

  async renew(key: string, version: Version, ms: number): Promise<void> {
    await this.#store.renew(name(key), version, ms);
  }

  /** Counts a member of a set; false if the set is full. */
  async join(set: string, member: string, joining: Joining): Promise<boolean> {
    return this.#store.join(name(set), member, joining);
  }

  /** @throws McpUsageError if the value was sealed with another secret */
  async #open(key: string, sealed: string): Promise<string> {
    try {
      return await (await this.#aead).open(sealed, key);
    } catch {
      throw new McpUsageError('A record was sealed with another secret: all nodes need the same option "secret"');
    }
  }
}

/** The keys of an authorization server beside others of the same store. */
const name = (key: string): string => `authorization-server/${key}`;
