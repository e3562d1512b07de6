/** The users who have got tokens: an opaque id for each, and the claims that their tokens carry. */
import { createHash } from "node:crypto";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ProviderUser } from "../login/login-provider.ts";
import type { Records } from "./records.ts";

export interface AccountsOptions {
  readonly claims: ((user: ProviderUser) => MaybePromise<JsonObject>) | undefined;
  /** Milliseconds for which they are kept. */
  readonly ms: number;
}

export class Accounts {
  readonly #records: Records;
  readonly #options: AccountsOptions;

  constructor(records: Records, options: AccountsOptions) {
    this.#records = records;
    this.#options = options;
  }

  /** The id of a user: a hash, so that tokens say nothing about the user. The user's claims are stored for the tokens. */
  async keep(user: ProviderUser): Promise<string> {
    const id = createHash("sha256")
      .update(JSON.stringify([user.issuer, user.subject]))
      .digest("base64url");
    const claims = await this.#options.claims?.(user);
    if (claims !== undefined) await this.#records.write(keyOf(id), claims, this.#options.ms);
    return id;
  }

  async claimsOf(id: string): Promise<JsonObject | undefined> {
    return this.#options.claims === undefined ? undefined : (await this.#records.read(keyOf(id)))?.value;
  }
}

const keyOf = (id: string): string => `account/${id}`;
