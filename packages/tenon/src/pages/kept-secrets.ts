/**
 * The secrets of users: sealed, each bound to its user, its server and its name.
 *
 * Security: who reads the store learns which names there are, and no secret. A secret that was copied to another user or name does not open.
 */
import { canonicalJson } from "../base/json-values.ts";
import type { KeyRing } from "../session/asking/rounds/key-ring.ts";
import type { PagePlace, PageRecord, PageRecords } from "./page-records.ts";

/** A secret, or what is in its place. */
export interface FoundSecret {
  readonly secret?: string;
  /** A secret that does not open: its key was removed, or it was damaged. */
  readonly damaged?: PageRecord;
}

export class KeptSecrets {
  readonly #records: PageRecords;
  readonly #ring: () => KeyRing;

  /** @param ring finds the keys, which depend on where secrets are kept */
  constructor(records: PageRecords, ring: () => KeyRing) {
    this.#records = records;
    this.#ring = ring;
  }

  /** Finds the secret of a place. @throws what the store throws */
  async find(at: PagePlace): Promise<FoundSecret> {
    const record = await this.#records.read(at);
    if (record?.state !== "kept") return {};
    try {
      return { secret: await this.#ring().open(record.sealed, bindingOf(at)) };
    } catch {
      return { damaged: record };
    }
  }

  /** Keeps the secret that a page was answered with. False if the page is not open any more. */
  async keep(at: PagePlace, id: string, secret: string): Promise<boolean> {
    return this.#records.answer(at, id, { state: "kept", sealed: await this.#ring().seal(secret, bindingOf(at)) });
  }
}

/** The place of a secret among all of a user. */
export function placeOfSecret(server: string, name: string): string {
  return JSON.stringify([server, name]);
}

function bindingOf({ user, place }: PagePlace): string {
  return canonicalJson([user, place]);
}
