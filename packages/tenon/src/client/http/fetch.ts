/** The part of `fetch` that an MCP client uses. Users may pass their own implementation. */
import type { LazyAbort } from "../../base/lazy-abort.ts";

/** The part of a response that the client uses. Every `Response` is one. */
export interface HttpResponse {
  /** The HTTP status; 0 for a redirect that a browser hides. */
  readonly status: number;
  /** Whether the status is 200 to 299. */
  readonly ok: boolean;
  /** `"opaqueredirect"` for a redirect that a browser hides. */
  readonly type: string;
  /** Headers by name, case-insensitively. Without `getSetCookie` the client keeps no cookies of the server. */
  readonly headers: { get(name: string): string | null; has(name: string): boolean; getSetCookie?(): readonly string[] };
  /** The body as a stream; `null` if there is none. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** All of the body as text. */
  text(): Promise<string>;
}

/**
 * The `fetch` that the client calls: headers are a plain object with names in lower case, a body is a string. Security: it must
 * not follow redirects by itself; `redirect: "manual"` tells the platform's `fetch` so.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<HttpResponse>;

/** A request as {@link Fetch} gets it. */
export type FetchInit = HttpRequestInit & typeof FETCH_SETTINGS;

/** The request that the client passes to {@link Fetch}. */
export interface HttpRequestInit {
  /** `GET`, `POST` or `DELETE`. */
  readonly method: string;
  /** Names are in lower case. Values may hold tokens: do not log them. */
  readonly headers: { readonly [name: string]: string };
  /** JSON; absent if there is no body. */
  readonly body?: string;
  /** Aborts when the caller abandons the request, or when its time limit is over. */
  readonly signal: AbortSignal;
  /** @internal What `signal` aborts with, for a `fetch` that needs no signal. */
  readonly abort?: LazyAbort;
}

/** Settings of every request: `fetch` must neither follow redirects nor use its cache. */
export const FETCH_SETTINGS = {
  /** Security: `fetch` would send the headers along with a redirect, so it must not follow one. */
  redirect: "manual",
  /** MCP has its own caching rules. */
  cache: "no-store",
} as const;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** A request that `abort` ends. Its signal is made when it is read. */
export class AbortableRequest implements HttpRequestInit {
  readonly method: string;
  readonly headers: HttpRequestInit["headers"];
  readonly body: string;
  readonly abort: LazyAbort;

  constructor(method: string, headers: HttpRequestInit["headers"], body: string, abort: LazyAbort) {
    this.method = method;
    this.headers = headers;
    this.body = body;
    this.abort = abort;
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }
}

/** The request as `fetch` gets it. Its signal is still made when it is read. */
export function fetchInit(request: HttpRequestInit, headers: HttpRequestInit["headers"]): FetchInit {
  const { method, body, abort } = request;
  const init: Writable<FetchInit> = {
    method,
    headers,
    ...FETCH_SETTINGS,
    get signal() {
      return request.signal;
    },
  };
  if (body !== undefined) init.body = body;
  if (abort !== undefined) init.abort = abort;
  return init;
}
