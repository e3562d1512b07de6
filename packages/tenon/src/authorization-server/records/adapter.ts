/**
 * The store of `oidc-provider`: one adapter for each of its models, over {@link Records}.
 *
 * Codes and refresh tokens are consumed atomically: of two requests with the same code one gets tokens. A grant is revoked by removing
 * its record, because the library reads the grant before it accepts a code or a refresh token.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Records } from "./records.ts";

/** Milliseconds that a record outlives its own expiry, because clocks of nodes differ. */
const TOLERANCE = 15_000;

/** The methods that `oidc-provider` calls, by its names. Times are in seconds. */
export interface ModelAdapter {
  upsert(id: string, payload: JsonObject, expiresIn?: number): Promise<void>;
  find(id: string): Promise<JsonObject | undefined>;
  findByUid(uid: string): Promise<JsonObject | undefined>;
  findByUserCode(code: string): Promise<undefined>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
}

export class RecordAdapter implements ModelAdapter {
  readonly #model: string;
  readonly #records: Records;
  readonly #used: () => Error;

  /** @param used makes the error for what was consumed already */
  constructor(model: string, records: Records, used: () => Error) {
    this.#model = model;
    this.#records = records;
    this.#used = used;
  }

  async upsert(id: string, payload: JsonObject, expiresIn?: number): Promise<void> {
    const ms = millisecondsOf(payload, expiresIn);
    await this.#records.write(this.#key(id), payload, ms);
    if (this.#model === "Session") await this.#records.write(this.#uidKey(String(payload["uid"])), { id }, ms);
  }

  async find(id: string): Promise<JsonObject | undefined> {
    return (await this.#records.read(this.#key(id)))?.value;
  }

  async findByUid(uid: string): Promise<JsonObject | undefined> {
    const entry = await this.#records.read(this.#uidKey(uid));
    return entry && this.find(String(entry.value["id"]));
  }

  async findByUserCode(): Promise<undefined> {
    return undefined; // codes of devices are not issued
  }

  async consume(id: string): Promise<void> {
    for (;;) {
      const entry = await this.#records.read(this.#key(id));
      if (entry === undefined || entry.value["consumed"] !== undefined) throw this.#used();
      const value = { ...entry.value, consumed: Math.floor(Date.now() / 1_000) };
      if (await this.#records.swap(this.#key(id), entry.version, value, millisecondsOf(value))) return;
    }
  }

  async destroy(id: string): Promise<void> {
    await this.#records.remove(this.#key(id));
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.#records.remove(`Grant/${grantId}`);
  }

  #key(id: string): string {
    return `${this.#model}/${id}`;
  }

  #uidKey(uid: string): string {
    return `${this.#model} uid/${uid}`;
  }
}

/** How long a record lives. The library says it, or the record has its expiry in it. */
function millisecondsOf({ exp }: JsonObject, expiresIn?: number): number {
  const ms = expiresIn === undefined ? Number(exp) * 1_000 - Date.now() : expiresIn * 1_000;
  return Math.max(ms, 0) + TOLERANCE;
}
