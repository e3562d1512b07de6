/**
 * The `fetch` of clients that name none, on Node: `nodeFetch`, because it is several times faster than the runtime's `fetch`.
 *
 * The runtime's `fetch` sends the request if the program has changed what it does (`program-fetch.ts` decides), if it may refuse the
 * port, and if undici cannot be loaded. Bun and Deno resolve the condition `node` as well: they keep their own `fetch`.
 */
import process from "node:process";
import type { Fetch } from "../../client/http/fetch.ts";
import { loadNodeFetch, nodeFetch } from "./node-fetch.ts";
import { hasProgramFetch, mayBeBlocked } from "./program-fetch.ts";

const { bun, deno } = process.versions;
const isNode = bun === undefined && deno === undefined;
/** Whether undici can be used; undefined before it is loaded. */
let isLoaded: boolean | undefined = isNode ? undefined : false;

/** Decides at each request, because the program may replace `fetch` or its dispatcher at any time. */
export const defaultFetch: Fetch = (url, init) => {
  if (isLoaded === false || hasProgramFetch() || mayBeBlocked(url)) return globalThis.fetch(url, init);
  return isLoaded === undefined ? load().then(() => defaultFetch(url, init)) : nodeFetch(url, init);
};

async function load(): Promise<void> {
  try {
    await loadNodeFetch();
    isLoaded = true;
  } catch (error) {
    // Such as a bundle of ES modules, which cannot hold the CommonJS of undici.
    if (isLoaded === undefined) process.emitWarning(`Cannot load undici, so HTTP requests use the slower fetch of Node: ${String(error)}`);
    isLoaded = false;
  }
}
