/**
 * `fetch` for clients on Node that make many calls: over `undici`'s dispatcher, without the web streams, headers and
 * signals that the runtime's own `fetch` builds for each request.
 *
 * Only what Tenon's client asks of it; for `connect({ url, fetch: nodeFetch })`. It knows no proxies and no global
 * dispatcher: where those are needed, leave it out.
 */
import type { Dispatcher } from "undici";
import type { Fetch, HttpResponse } from "../../client/http/fetch.ts";
import type { NodeResponse } from "./node-response.ts";

/** Milliseconds in which a connection must be made. */
const CONNECT_TIMEOUT = 10_000;

/** What sending takes, loaded with the first request. */
interface Loaded {
  readonly agent: Dispatcher;
  readonly Response: typeof NodeResponse;
}

let loading: Promise<Loaded> | undefined;
let ready: Loaded | undefined;

/** Answers may take as long as they like: what a request may take is the caller's to say. */
function load(): Promise<Loaded> {
  loading ??= Promise.all([import("undici"), import("./node-response.ts")]).then(([{ Agent }, { NodeResponse: Response }]) => {
    const agent = new Agent({ connect: { timeout: CONNECT_TIMEOUT }, headersTimeout: 0, bodyTimeout: 0 });
    return (ready = { agent, Response });
  });
  return loading;
}

/**
 * `fetch` for clients on Node that make many calls: `connect({ url, fetch: nodeFetch })`. Connections must be made within 10 000
 * milliseconds; it knows no proxies. Rejects with undici's own errors; their codes tell whether anything was sent.
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
