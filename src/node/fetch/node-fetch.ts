/**
 * `nodeFetch`: a `fetch` for clients on Node that make many calls. It uses `undici`'s dispatcher, without the web streams,
 * headers and signals that the runtime's `fetch` creates for each request.
 *
 * It implements only what Tenon's client uses: `connect({ url, fetch: nodeFetch })`. It supports no proxies and no global
 * dispatcher.
 */
import type { Dispatcher } from "undici";
import type { Fetch, HttpResponse } from "../../client/http/fetch.ts";
import type { NodeResponse } from "./node-response.ts";

/** Milliseconds to open a connection. */
const CONNECT_TIMEOUT = 10_000;

/** The parts that are loaded with the first request. */
interface Loaded {
  readonly agent: Dispatcher;
  readonly Response: typeof NodeResponse;
}

let loading: Promise<Loaded> | undefined;
let ready: Loaded | undefined;

/** Loads undici. It sets no limits on responses, because callers set their own. */
function load(): Promise<Loaded> {
  loading ??= Promise.all([import("undici"), import("./node-response.ts")]).then(([{ Agent }, { NodeResponse: Response }]) => {
    const agent = new Agent({ connect: { timeout: CONNECT_TIMEOUT }, headersTimeout: 0, bodyTimeout: 0 });
    return (ready = { agent, Response });
  });
  return loading;
}

/**
 * `fetch` for clients on Node that make many calls: `connect({ url, fetch: nodeFetch })`. A connection must open within 10 000
 * milliseconds. It supports no proxies. Rejects with undici's errors, whose codes show whether the request was sent.
 */
export const nodeFetch: Fetch = (url, init) =>
  ready === undefined ? load().then((loaded) => dispatch(loaded, url, init)) : dispatch(ready, url, init);

function dispatch({ agent, Response }: Loaded, url: string, init: Parameters<Fetch>[1]): Promise<HttpResponse> {
  const { method, headers, body = null, signal } = init;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const { origin, pathname, search } = new URL(url);
    agent.dispatch({ origin, path: pathname + search, method, headers, body }, new Response(signal, resolve, reject));
  });
}
