/** `fetch`, as far as a client of MCP uses it: what users may put in its place. */

/** A response as far as it is used here. Every `Response` is one. */
export interface HttpResponse {
  /** The HTTP status; 0 for a redirect that a browser hides. */
  readonly status: number;
  /** Whether the status is 200 to 299. */
  readonly ok: boolean;
  /** `"opaqueredirect"` for a redirect that a browser hides. */
  readonly type: string;
  /** Found by name, in any case. */
  readonly headers: { get(name: string): string | null; has(name: string): boolean };
  /** What comes, as it comes; `null` where nothing does. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** All of the body as text. */
  text(): Promise<string>;
}

/**
 * `fetch` as far as it is used here: headers are a plain object with names in lower case, a body is a string. Security: it must
 * not follow redirects by itself, which `redirect: "manual"` tells the platform's own (R16).
 */
export type Fetch = (url: string, init: HttpRequestInit & typeof FETCH_SETTINGS) => Promise<HttpResponse>;

/** A request as far as it is used here. */
export interface HttpRequestInit {
  /** `GET`, `POST` or `DELETE`. */
  readonly method: string;
  /** Names are in lower case. Tokens may be among the values: not for logs. */
  readonly headers: { readonly [name: string]: string };
  /** JSON; absent where there is none. */
  readonly body?: string;
  /** Aborts when nobody wants the answer, or its time is over. */
  readonly signal: AbortSignal;
}

/** What keeps `fetch` from following redirects, and from answering out of a cache. */
export const FETCH_SETTINGS = {
  /** Security: a redirect must not be followed by `fetch`, which would take headers along (R16). */
  redirect: "manual",
  /** What may be kept, and for whom, the protocol says itself. */
  cache: "no-store",
} as const;
