/**
 * The `fetch` of clients that name none, on Node: `nodeFetch`, because it is several times faster than the runtime's `fetch`.
 *
 * The runtime's `fetch` sends the request if the program has changed what it does, if it may refuse the port, and if undici cannot be
 * loaded. If `NODE_USE_ENV_PROXY` is set, which Node itself knows from 22.21 on, the proxies of the environment are used on every Node. Test tools and monitoring replace `fetch`; programs set a dispatcher of undici for a proxy or their own certificates. Whatever
 * this file does not recognise counts as a change, so that a request never goes past one. Bun and Deno resolve the condition `node` as
 * well: they keep their own `fetch`.
 */
import { isDeepStrictEqual } from "node:util";
import { remembering } from "../../base/bounds/remembering.ts";
import type { Fetch } from "../../client/http/fetch.ts";
import { loadNodeFetch, nodeFetch } from "./node-fetch.ts";
import { usesProxies } from "./proxies.ts";

const { bun, deno } = process.versions;
const isNode = bun === undefined && deno === undefined;
/** Whether undici can be used; undefined before it is loaded. */
let isLoaded: boolean | undefined = isNode ? undefined : false;

/** Decides at each request, because the program may replace `fetch` or its dispatcher at any time. */
export const defaultFetch: Fetch = (url, init) => {
  if (hasProgramFetch()) return globalThis.fetch(url, init);
  if (isNode && usesProxies()) return import("./proxy-fetch.ts").then(({ proxyFetch }) => proxyFetch(url, init));
  if (isLoaded === false || mayBeBlocked(url)) return globalThis.fetch(url, init);
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

/** Where undici keeps the dispatcher of every `fetch`: version 7 and older, and version 8. */
const GLOBAL_DISPATCHERS = [Symbol.for("undici.globalDispatcher.1"), Symbol.for("undici.globalDispatcher.2")] as const;
/** The source of Node's own `fetch` has the name of the module that it loads. */
const OWN_FETCH = "internal/deps/undici";

const isChangedFetch = remembering(
  (fetch: unknown) => typeof fetch !== "function" || !Function.prototype.toString.call(fetch).includes(OWN_FETCH),
);
const isChangedDispatcher = GLOBAL_DISPATCHERS.map(() =>
  remembering((dispatcher: unknown) => dispatcher !== undefined && !isDefaultAgent(dispatcher) && !leadsToNewer(dispatcher)),
);

/** Whether requests must be sent by `globalThis.fetch`. */
function hasProgramFetch(): boolean {
  return isChangedFetch(globalThis.fetch) || GLOBAL_DISPATCHERS.some((key, i) => isChangedDispatcher[i]!(globalOf(key)));
}

/** Ports above 1023 that `fetch` refuses (WHATWG Fetch, Port blocking). */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Whether `fetch` may refuse to connect to the port of a URL, because another protocol owns it. */
const mayBeBlocked: (url: unknown) => boolean = remembering((url: unknown) => {
  const port = new URL(String(url)).port;
  return port !== "" && (Number(port) < 1024 || BLOCKED_PORTS.has(Number(port)));
});

function globalOf(key: symbol): unknown {
  return (globalThis as { [key: symbol]: unknown })[key];
}

/** Whether a dispatcher is an `Agent` of undici with the options that an `Agent` has by itself. */
function isDefaultAgent(dispatcher: unknown): boolean {
  if (typeof dispatcher !== "object" || dispatcher === null || dispatcher.constructor.name !== "Agent") return false;
  const options = optionsOf(dispatcher);
  const Agent = dispatcher.constructor as new () => object; // an Agent of undici takes no arguments; it opens no connection by itself
  return options !== undefined && isDeepStrictEqual(options, optionsOf(new Agent()));
}

/**
 * Whether version 8, which Node 26 has, put this where older versions look: all that it does is to send requests through the
 * dispatcher of version 8, which is looked at as well.
 */
function leadsToNewer(dispatcher: unknown): boolean {
  const isWrapper = (dispatcher as object | null)?.constructor?.name === "Dispatcher1Wrapper"; // any value has or lacks one
  return isWrapper && globalOf(GLOBAL_DISPATCHERS[1]) !== undefined;
}

/** What an `Agent` was made with. Undefined if it is not where undici keeps it. */
function optionsOf(agent: object): readonly unknown[] | undefined {
  const keys = Object.getOwnPropertySymbols(agent).filter(({ description = "" }) => ["options", "factory"].includes(description));
  return keys.length < 2 ? undefined : keys.map((key) => (agent as { [key: symbol]: unknown })[key]);
}
