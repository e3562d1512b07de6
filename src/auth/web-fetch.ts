/**
 * The `fetch` that authorization needs, as little as it is, and the platform's own behind it.
 *
 * `package.json` maps `#checked-fetch` to this where the runtime cannot look names up: browsers and workers. There the
 * address a name leads to is not seen, and `judge` is not asked; on Node it is `node/fetch/checked-fetch.ts`.
 */

/** A response as far as it is used here. Every `Response` is one. */
export interface AuthResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Found by name, in any case. */
  readonly headers: { get(name: string): string | null };
  /** What comes, as it comes; `null` where nothing does. */
  readonly body: ReadableStream<Uint8Array> | null;
}

/** A request as far as it is used here. */
export interface AuthRequestInit {
  /** Documents are got, everything else is posted. */
  readonly method: "GET" | "POST";
  /** Names are in lower case. Secrets may be among the values: not for logs. */
  readonly headers: { readonly [name: string]: string };
  /** A form or JSON; `content-type` says which. May hold secrets. */
  readonly body?: string;
  /** Aborts when nobody wants the answer, or its time is over. */
  readonly signal: AbortSignal;
  /** Security: a redirect is judged before it is followed, so `fetch` must not follow it (R16). */
  readonly redirect: "manual";
  /** Answers out of a cache are of no use here. */
  readonly cache: "no-store";
}

/** `fetch` as far as it is used here. It must not follow redirects. The runtime's own is one. */
export type AuthFetch = (url: string, init: AuthRequestInit) => Promise<AuthResponse>;

/** Why an address must not be connected to; undefined where it may. */
export type JudgeAddress = (hostname: string, address: string) => string | undefined;

/** What a judge found before a socket was opened. `message` ends the sentence "<URL> …". */
export class AddressRefusedError extends Error {
  override name = "AddressRefusedError";
}

/** Fetches from addresses the judge agrees to, where the platform shows them. @throws AddressRefusedError */
export function checkedFetch(url: string, init: AuthRequestInit, _judge: JudgeAddress): Promise<AuthResponse> {
  return globalThis.fetch(url, init);
}
