/**
 * Remembers the servers that do not speak a stateless revision, so that the client does not probe them at every connect.
 *
 * An entry expires, because servers are updated. It belongs to one endpoint and one set of headers, because a server may
 * treat users differently, and to one `fetch`, which may lead to a socket. An entry holds only hashes of headers.
 */
import { shortHash } from "../../base/hash.ts";
import type { HttpServerParameters } from "./options.ts";

/** What a server supports: the handshake over Streamable HTTP, or HTTP+SSE only. */
export type HttpFamily = "stateful" | "sse";

/** Milliseconds an entry is valid. */
const LIFETIME = 10 * 60_000;
const MAX_FAMILIES = 1_000;

const families = new Map<string, { readonly family: HttpFamily; readonly until: number }>();
/** Makes keys differ from one process to the next. */
const salt = Math.floor(Math.random() * 2 ** 32);

export function familyKey(url: URL, { headers, auth, fetch }: Omit<HttpServerParameters, "url">): string {
  const caller = typeof headers === "function" ? numberOf(headers) : shortHash(JSON.stringify(headers ?? null), salt);
  return `${url.origin}${url.pathname}${url.search} ${typeof headers} ${caller} ${auth === undefined ? "" : numberOf(auth)} ${fetch === undefined ? "" : numberOf(fetch)}`;
}

/** Numbers for header functions, auth providers and `fetch`: each counts as a user of its own. */
const makers = new WeakMap<object, number>();
let lastMaker = 0;

function numberOf(maker: object): number {
  const number = makers.get(maker) ?? ++lastMaker;
  makers.set(maker, number);
  return number;
}

/** The known families by {@link familyKey}. When it is full, the oldest entry is evicted. */
export const knownFamilies = {
  get(key: string): HttpFamily | undefined {
    const known = families.get(key);
    if (known === undefined) return undefined;
    if (known.until > performance.now()) return known.family;
    families.delete(key);
    return undefined;
  },

  set(key: string, family: HttpFamily): void {
    families.delete(key);
    families.set(key, { family, until: performance.now() + LIFETIME });
    if (families.size <= MAX_FAMILIES) return;
    for (const oldest of families.keys()) return void families.delete(oldest);
  },

  delete(key: string): void {
    families.delete(key);
  },

  clear(): void {
    families.clear();
  },
};
