/**
 * The `fetch` of clients that name none, on platforms other than Node: the platform's own.
 *
 * `package.json` maps `#default-fetch` to this file there. On Node it is `node/fetch/default-fetch.ts`.
 */
import type { Fetch } from "./fetch.ts";

/** Reads `globalThis.fetch` at each request, because programs may replace it. */
export const defaultFetch: Fetch = (url, init) => globalThis.fetch(url, init);
