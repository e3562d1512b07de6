/** `fetch`, as far as a client of MCP uses it: what users may put in its place. */

/** A response as far as it is used here. Every `Response` is one. */
export interface HttpResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly type: string;
  readonly headers: { get(name: string): string | null; has(name: string): boolean };
  readonly body: ReadableStream<Uint8Array> | null;
  text(): Promise<string>;
}

/** `fetch` as far as it is used here: headers are a plain object with names in lower case, a body is a string. */
export type Fetch = (url: string, init: HttpRequestInit & typeof OURSELVES) => Promise<HttpResponse>;

export interface HttpRequestInit {
  readonly method: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** What keeps `fetch` from following redirects, and from answering out of a cache. */
export const OURSELVES = { redirect: "manual", cache: "no-store" } as const;
