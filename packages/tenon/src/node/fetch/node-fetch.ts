/**
 * `nodeFetch`: a `fetch` for clients on Node. It uses `undici`'s dispatcher, without the web streams, headers and signals that
 * the runtime's `fetch` creates for each request.
 *
 * It implements only what Tenon's client uses. It supports no proxies and no global dispatcher: `default-fetch.ts` decides
 * whether clients use it that name no `fetch`.
 */
import type { Dispatcher } from "undici";
import { remembering } from "../../base/bounds/remembering.ts";
import type { Fetch, HttpRequestInit, HttpResponse } from "../../client/http/fetch.ts";
import type { NodeResponse } from "./node-response.ts";

/** Milliseconds to open a connection. */
export const CONNECT_TIMEOUT = 10_000;

export interface LoadedUndici {
  readonly agent: Dispatcher;
  readonly Response: typeof NodeResponse;
}

let loading: Promise<LoadedUndici> | undefined;
let ready: LoadedUndici | undefined;

/**
 * Loads undici: its agent alone, because its main module loads four times as much and changes the dispatcher of the runtime's
 * `fetch`. The agent has no time limits for responses, because callers set their own.
 */
export function loadNodeFetch(): Promise<LoadedUndici> {
  loading ??= Promise.all([import("undici/lib/dispatcher/agent.js"), import("./node-response.ts")]).then(
    ([{ default: Agent }, { NodeResponse: Response }]) => {
      const agent = new Agent({ connect: { timeout: CONNECT_TIMEOUT }, headersTimeout: 0, bodyTimeout: 0 });
      return (ready = { agent, Response });
    },
  );
  return loading;
}

/**
 * The `fetch` of undici for clients on Node: `connect({ url, fetch: nodeFetch })`. Clients use it by themselves, unless the program
 * has changed what `fetch` does; name it to use it even then. A connection must open within 10 000 milliseconds. It uses no
 * proxies: `proxyFetch` does. Rejects with undici's errors, whose codes show whether the request was sent.
 */
export const nodeFetch: Fetch = (url, init) =>
  ready === undefined ? loadNodeFetch().then((loaded) => dispatch(loaded, url, init)) : dispatch(ready, url, init);

export function dispatch({ agent, Response }: LoadedUndici, url: string, init: Parameters<Fetch>[1]): Promise<HttpResponse> {
  const { method, headers, body = null } = init;
  const abort = init.abort ?? init.signal;
  return new Promise((resolve, reject) => {
    abort.throwIfAborted();
    const { origin, path, isEncrypted } = addressOf(url);
    const request = { origin, path, method, headers: toHeaders(headers, isEncrypted), body };
    agent.dispatch(request, new Response(abort, resolve, reject));
  });
}

/** Where a request goes. Clients send to few URLs, so what was found in them is remembered. */
const addressOf = remembering((url: string) => {
  const { origin, pathname, search, protocol } = new URL(url);
  return { origin, path: pathname + search, isEncrypted: protocol === "https:" };
});

/** The headers as names and values in turn, with those that the runtime's `fetch` adds and servers expect. */
function toHeaders(headers: HttpRequestInit["headers"], isEncrypted: boolean): string[] {
  const list: string[] = [];
  for (const name in headers) list.push(name, headers[name]!.trim()); // `fetch` removes white space around values, too
  if (headers["user-agent"] === undefined) list.push("user-agent", "node");
  if (headers["accept-encoding"] === undefined) list.push("accept-encoding", isEncrypted ? "br, gzip, deflate" : "gzip, deflate");
  return list;
}
