/**
 * The `fetch` that authorization needs, as little as it is, and the platform's own behind it.
 *
 * `package.json` maps `#checked-fetch` to this where the runtime cannot look names up: browsers and workers. There the
 * address a name leads to is not seen, and `judge` is not asked; on Node it is `node/checked-fetch.ts`.
 */

/** A response as far as it is used here. Every `Response` is one. */
export interface AuthResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: ReadableStream<Uint8Array> | null;
}

export interface AuthRequestInit {
  readonly method: "GET" | "POST";
  readonly headers: { readonly [name: string]: string };
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly redirect: "manual";
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
