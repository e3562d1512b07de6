/** Which logins a user has at servers of the gateway, over all programs of the user: what the page of logins lists. */
import type { AuthStore } from "../../auth/login/auth-store.ts";
import { isJsonObject } from "../../jsonrpc/message.ts";
import type { UserIdentity } from "./browser-identity.ts";
import { LOGIN_TTL } from "./login-seals.ts";

/** One login: a program of a user at a server. */
export interface UserLoginEntry {
  /** The name of the server in the configuration, and its URL. */
  readonly server: string;
  readonly url: string;
  readonly clientId: string;
  readonly principal: string;
}

/** Most logins of one user. The oldest is no longer listed; it stays valid. */
const MAX_ENTRIES = 200;

export class UserLogins {
  readonly #store: AuthStore;

  constructor(store: AuthStore) {
    this.#store = store;
  }

  async of(user: UserIdentity): Promise<readonly UserLoginEntry[]> {
    const record = await this.#store.get(keyOf(user));
    const logins: unknown = record?.["logins"];
    return Array.isArray(logins) ? logins.filter(isEntry) : [];
  }

  add(user: UserIdentity, entry: UserLoginEntry): Promise<void> {
    return this.#change(user, (logins) => [...logins.filter((other) => !isSame(other, entry)), entry].slice(-MAX_ENTRIES));
  }

  remove(user: UserIdentity, entry: UserLoginEntry): Promise<void> {
    return this.#change(user, (logins) => logins.filter((other) => !isSame(other, entry)));
  }

  #change(user: UserIdentity, change: (logins: readonly UserLoginEntry[]) => readonly UserLoginEntry[]): Promise<void> {
    const key = keyOf(user);
    return this.#store.lock(key, async () => this.#store.set(key, { logins: change(await this.of(user)) }));
  }

  // ---- links ----

  /** Marks a link as used. Returns false if it was used before. */
  use(link: string): Promise<boolean> {
    const key = doneKey(link);
    return this.#store.lock(key, async () => {
      if ((await this.#store.get(key)) !== undefined) return false;
      await this.#store.set(key, { used: true }, Date.now() + LOGIN_TTL);
      return true;
    });
  }

  /** Whether the login of a link is over: done, or refused by the user. */
  async outcome(link: string): Promise<"done" | "refused" | undefined> {
    const record = await this.#store.get(outcomeKey(link));
    const outcome: unknown = record?.["outcome"];
    return outcome === "done" || outcome === "refused" ? outcome : undefined;
  }

  async end(link: string, outcome: "done" | "refused"): Promise<void> {
    await this.#store.set(outcomeKey(link), { outcome }, Date.now() + LOGIN_TTL);
  }
}

function keyOf({ issuer, subject }: UserIdentity): string {
  return JSON.stringify(["gateway logins", issuer, subject]);
}

function doneKey(link: string): string {
  return JSON.stringify(["gateway link", link]);
}

function outcomeKey(link: string): string {
  return JSON.stringify(["gateway login", link]);
}

function isSame(one: UserLoginEntry, other: UserLoginEntry): boolean {
  return one.server === other.server && one.principal === other.principal;
}

function isEntry(value: unknown): value is UserLoginEntry {
  return isJsonObject(value) && ["server", "url", "clientId", "principal"].every((name) => typeof value[name] === "string");
}
