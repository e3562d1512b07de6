/** Which logins a user has at servers of the gateway, over all programs of the user: what the page of logins lists. */
import type { AuthStore } from "../../auth/login/auth-store.ts";
import { issuerSpellings } from "../../auth/issuer-name.ts";
import { isJsonObject } from "../../jsonrpc/message.ts";
import type { UserIdentity } from "../../pages/browser-identity.ts";
import { PAGE_TTL } from "../../pages/page-seals.ts";
import type { LoginLink } from "./login-seals.ts";

/** One login: a program of a user at a server. */
export type UserLoginEntry = Pick<LoginLink, "server" | "url" | "clientId" | "principal">;

/** Most logins of one user. The oldest is no longer listed; it stays valid. */
const MAX_ENTRIES = 200;

export class UserLogins {
  readonly #store: AuthStore;

  constructor(store: AuthStore) {
    this.#store = store;
  }

  async of(user: UserIdentity): Promise<readonly UserLoginEntry[]> {
    for (const key of keysOf(user)) {
      const logins: unknown = (await this.#store.get(key))?.["logins"];
      if (Array.isArray(logins)) return logins.filter(isEntry);
    }
    return [];
  }

  add(user: UserIdentity, entry: UserLoginEntry): Promise<void> {
    return this.#change(user, (logins) => [...logins.filter((other) => !isSame(other, entry)), entry].slice(-MAX_ENTRIES));
  }

  remove(user: UserIdentity, entry: UserLoginEntry): Promise<void> {
    return this.#change(user, (logins) => logins.filter((other) => !isSame(other, entry)));
  }

  #change(user: UserIdentity, change: (logins: readonly UserLoginEntry[]) => readonly UserLoginEntry[]): Promise<void> {
    const [key] = keysOf(user);
    return this.#store.lock(key, async () => this.#store.set(key, { logins: change(await this.of(user)) }));
  }

  // ---- links ----

  /** Marks a link as used. Returns false if it was used before. */
  use(link: string): Promise<boolean> {
    const key = JSON.stringify(["gateway link", link]);
    return this.#store.lock(key, async () => {
      if ((await this.#store.get(key)) !== undefined) return false;
      await this.#store.set(key, { used: true }, Date.now() + PAGE_TTL);
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
    await this.#store.set(outcomeKey(link), { outcome }, Date.now() + PAGE_TTL);
  }
}

/** The key of a user's logins, and the key that the other spelling of the issuer had. The first one is the same for both spellings. */
function keysOf({ issuer, subject }: UserIdentity): readonly [string, ...string[]] {
  const [name, ...others] = [...issuerSpellings(issuer)].toSorted((one, other) => one.length - other.length);
  const keyOf = (spelling: string): string => JSON.stringify(["gateway logins", spelling, subject]);
  return [keyOf(name!), ...others.map(keyOf)]; // there is one spelling at least
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
