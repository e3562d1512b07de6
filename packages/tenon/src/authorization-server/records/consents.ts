/**
 * What users have allowed, for each user, client, redirect URI, resource and name of the client. If one of these differs, the user is
 * asked again.
 *
 * Security: a consent is remembered only for an `https:` redirect URI. Any program on the user's machine can use a redirect to this
 * machine or a scheme of its own (RFC 8252 section 8.6), so the user is asked about those each time.
 */
import { createHash } from "node:crypto";
import type { Records } from "./records.ts";

export interface ConsentSubject {
  readonly account: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectUri: string;
  readonly resources: readonly string[];
}

export class Consents {
  readonly #records: Records;
  readonly #ms: number;

  constructor(records: Records, ms: number) {
    this.#records = records;
    this.#ms = ms;
  }

  /** The id of the grant that the user has given. */
  async find(subject: ConsentSubject): Promise<string | undefined> {
    if (!isRemembered(subject.redirectUri)) return undefined;
    const entry = await this.#records.read(keyOf(subject));
    return entry && String(entry.value["grantId"]);
  }

  async remember(subject: ConsentSubject, grantId: string): Promise<void> {
    if (isRemembered(subject.redirectUri)) await this.#records.write(keyOf(subject), { grantId }, this.#ms);
  }
}

export function isRemembered(redirectUri: string): boolean {
  return redirectUri.startsWith("https://");
}

function keyOf({ account, clientId, clientName, redirectUri, resources }: ConsentSubject): string {
  const parts = JSON.stringify([account, clientId, clientName, redirectUri, [...resources].sort()]);
  return `consent/${createHash("sha256").update(parts).digest("base64url")}`;
}
