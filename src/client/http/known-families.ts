/**
 * Which servers are known not to speak a stateless revision, so that they are not asked at every connect (B2.8).
 *
 * An entry expires, for servers are updated; it belongs to one endpoint and one set of headers, for what a server says
 * may depend on who asks (J8). Nothing in it can be turned back into a header (R21).
 */

import { fnv1a } from "../../base/fnv.ts";
import type { HttpServerParameters } from "./options.ts";

/** What a server answers to: the handshake over Streamable HTTP, or HTTP+SSE only. */
export type HttpVerdict = "stateful" | "sse";

/** Milliseconds a verdict holds. */
const LIFETIME = 10 * 60_000;
const MAX_VERDICTS = 1_000;

const verdicts = new Map<string, { readonly verdict: HttpVerdict; readonly until: number }>();
/** Keys differ from process to process. */
const salt = Math.floor(Math.random() * 2 ** 32);

export function verdictKey(url: URL, headers: HttpServerParameters["headers"], auth?: HttpServerParameters["auth"]): string {
  const caller = typeof headers === "function" ? numberOf(headers) : fnv1a(JSON.stringify(headers ?? null), salt);
  return `${url.origin}${url.pathname}${url.search} ${typeof headers} ${caller} ${auth === undefined ? "" : numberOf(auth)}`;
}

/** What makes headers: each counts as a caller of its own. */
const makers = new WeakMap<object, number>();
let lastMaker = 0;

function numberOf(maker: object): number {
  const number = makers.get(maker) ?? ++lastMaker;
  makers.set(maker, number);
  return number;
}

export function verdictOn(key: string): HttpVerdict | undefined {
  const known = verdicts.get(key);
  if (known === undefined) return undefined;
  if (known.until > performance.now()) return known.verdict;
  verdicts.delete(key);
  return undefined;
}

export function rememberVerdict(key: string, verdict: HttpVerdict): void {
  verdicts.delete(key);
  verdicts.set(key, { verdict, until: performance.now() + LIFETIME });
  if (verdicts.size <= MAX_VERDICTS) return;
  for (const oldest of verdicts.keys()) return void verdicts.delete(oldest);
}

export function forgetVerdict(key: string): void {
  verdicts.delete(key);
}
