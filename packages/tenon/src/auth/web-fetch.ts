/**
 * The part of `fetch` that authorization needs, and the platform's own implementation.
 *
 * `package.json` maps `#checked-fetch` to this file on runtimes that cannot look names up: browsers and workers. There the
 * addresses of a name are not visible, and the check is not called. On Node it is `node/fetch/checked-fetch.ts`.
 */

/** The part of a response that authorization uses. Every `Response` is one. */
export interface AuthResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Headers by name, case-insensitively. */
  readonly headers: { get(name: string): string | null };
  /** The body as a stream; `null` if there is none. */
  readonly body: ReadableStream<Uint8Array> | null;
}

/** A request to a URL whose address is checked. */
export interface CheckedRequestInit {
  /** The method in upper case. */
  readonly method: string;
  /** Names are in lower case. Values may hold secrets: do not log them. */
  readonly headers: { readonly [name: string]: string };
  /** Text or bytes; `content-type` says which. May hold secrets. */
  readonly body?: string | Uint8Array;
  /** Aborts when the caller abandons the request, or when its time limit is over. */
  readonly signal: AbortSignal;
  /** Security: a redirect is checked before it is followed, so `fetch` must not follow it. */
  readonly redirect: "manual";
  /** Responses must not come from a cache. */
  readonly cache: "no-store";
}

/** The request that is passed to {@link AuthFetch}. */
export interface AuthRequestInit extends CheckedRequestInit {
  /** `GET` for documents, `POST` for everything else. */
  readonly method: "GET" | "POST";
  /** Names are in lower case. Values may hold secrets: do not log them. */
  readonly headers: { readonly [name: string]: string };
  /** A form or JSON; `content-type` says which. May hold secrets. */
  readonly body?: string;
  /** Aborts when the caller abandons the request, or when its time limit is over. */
  readonly signal: AbortSignal;
  /** Security: a redirect is checked before it is followed, so `fetch` must not follow it. */
  readonly redirect: "manual";
  /** Responses must not come from a cache. */
  readonly cache: "no-store";
}

/** The `fetch` that authorization calls. It must not follow redirects. The runtime's own is one. */
export type AuthFetch = (url: string, init: AuthRequestInit) => Promise<AuthResponse>;

/** Why an address must not be connected to; undefined if it may. */
export type JudgeAddress = (hostname: string, address: string) => string | undefined;

/** An address was refused before a socket was opened. `message` ends the sentence "<URL> …". */
export class AddressRefusedError extends Error {
  override name = "AddressRefusedError";
}

/** Fetches a URL. It cannot check addresses on this platform. */
export function checkedFetch(url: string, init: CheckedRequestInit, _judge: JudgeAddress): Promise<AuthResponse> {
  return globalThis.fetch(url, init as RequestInit); // bytes that are sent are never in shared memory
}
