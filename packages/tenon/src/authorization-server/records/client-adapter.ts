/**
 * The store of clients that have registered. Anyone may register, so their number is bounded, and a client that no user has allowed
 * is dropped after a day.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ModelAdapter } from "./adapter.ts";
import type { Records } from "./records.ts";

/** Milliseconds that a client without a user is kept. */
const UNUSED = 24 * 60 * 60_000;
/** Milliseconds that a client is kept after it was used last. */
const USED = 90 * 24 * 60 * 60_000;

export class ClientAdapter implements ModelAdapter {
  readonly #records: Records;
  readonly #max: number;
  readonly #full: () => Error;

  /** @param full makes the error for a client that finds no room */
  constructor(records: Records, max: number, full: () => Error) {
    this.#records = records;
    this.#max = max;
    this.#full = full;
  }

  async upsert(id: string, payload: JsonObject): Promise<void> {
    if (!(await this.#counts(id, UNUSED))) throw this.#full();
    await this.#records.write(keyOf(id), { client: payload, used: false }, UNUSED);
  }

  async find(id: string): Promise<JsonObject | undefined> {
    const entry = await this.#records.read(keyOf(id));
    if (entry === undefined) return undefined;
    if (entry.value["used"] === true) {
      await this.#records.renew(keyOf(id), entry.version, USED);
      await this.#counts(id, USED);
    }
    return entry.value["client"] as JsonObject; // `upsert` wrote it
  }

  /** Notes that a user has allowed the client. A client whose id is a URL has no record. */
  async keep(id: string): Promise<void> {
    const entry = await this.#records.read(keyOf(id));
    if (entry === undefined || entry.value["used"] === true) return;
    await this.#records.swap(keyOf(id), entry.version, { ...entry.value, used: true }, USED); // if it fails, another request did it
    await this.#counts(id, USED);
  }

  async destroy(id: string): Promise<void> {
    await this.#records.remove(keyOf(id));
  }

  async findByUid(): Promise<undefined> {
    return undefined;
  }

  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  async consume(): Promise<void> {}

  async revokeByGrantId(): Promise<void> {}

  #counts(id: string, ms: number): Promise<boolean> {
    return this.#records.join("clients", id, { ms, max: this.#max });
  }
}

const keyOf = (id: string): string => `Client/${id}`;
