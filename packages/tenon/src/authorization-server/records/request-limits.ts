/** Limits of what anyone may do without a login, for each address and over all nodes. */
import { randomId } from "../../base/bytes.ts";
import type { Records } from "./records.ts";

/** What is limited: the option, and the milliseconds of its window. */
const WINDOWS: { readonly [name in LimitedRequest]: number } = {
  registrationsPerHour: 60 * 60_000,
  loginsPerMinute: 60_000,
  documentsPerMinute: 60_000,
};
export type LimitedRequest = "registrationsPerHour" | "loginsPerMinute" | "documentsPerMinute";

export class RequestLimits {
  readonly #records: Records;
  readonly #limits: { readonly [name in LimitedRequest]: number };

  constructor(records: Records, limits: { readonly [name in LimitedRequest]: number }) {
    this.#records = records;
    this.#limits = limits;
  }

  /** Counts a request. Returns seconds to wait if the address has sent too many, else undefined. */
  async count(what: LimitedRequest, address: string): Promise<number | undefined> {
    const ms = WINDOWS[what];
    const allowed = await this.#records.join(`${what}/${address}`, randomId(), { ms, max: this.#limits[what] });
    return allowed ? undefined : Math.ceil(ms / 1_000);
  }
}
