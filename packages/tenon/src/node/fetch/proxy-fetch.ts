/**
 * `proxyFetch`: a `fetch` for clients on Node that uses the proxies of the environment.
 *
 * undici's `ProxyAgent` speaks to them, and is loaded with the first request that needs one.
 */
import type { Dispatcher } from "undici";
import type { Fetch } from "../../client/http/fetch.ts";
import { CONNECT_TIMEOUT, dispatch, loadNodeFetch, nodeFetch } from "./node-fetch.ts";
import { describeProxy, proxyOf, type NamedProxy } from "./proxies.ts";

/** A request did not get through a proxy. `cause` is undici's error. */
export class ProxyError extends Error {
  override name = "ProxyError";
  /** `"ERR_PROXY_TUNNEL"` if the proxy refused to connect, so that nothing was sent; else undefined. */
  readonly code: string | undefined;

  /** @internal */
  constructor(message: string, code: string | undefined, options: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const agents = new Map<string, Promise<Dispatcher>>();

/**
 * A `fetch` that sends requests through the proxies of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, read at each request, and everything
 * else like `nodeFetch`: `connect({ url, fetch: proxyFetch })`, and for the login `oauth({ fetch: proxyFetch })`. The command uses it by itself;
 * a program does for all its clients if `NODE_USE_ENV_PROXY` is `1`. A server on this machine is never asked through a proxy. Security:
 * the proxy looks host names up, so their addresses cannot be checked here.
 * Rejects with undici's errors, and with a `ProxyError` if the proxy is the reason; with a TypeError if a variable is not the URL of a proxy.
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { proxyFetch } from "tenon/node";
 *
 * const target = { url: "https://mcp.example.com/mcp", fetch: proxyFetch };
 * console.log(typeof connect, target.fetch === proxyFetch); // function true
 * ```
 */
export const proxyFetch: Fetch = async (url, init) => {
  const proxy = proxyOf(url);
  if (proxy === undefined) return nodeFetch(url, init);
  const [{ Response }, agent] = await Promise.all([loadNodeFetch(), agentFor(proxy)]);
  try {
    return await dispatch({ agent, Response }, url, init);
  } catch (cause) {
    init.signal.throwIfAborted();
    const reason = reasonOf(cause);
    const message = `it was asked through ${describeProxy(proxy)}${reason ?? ""}`;
    throw new ProxyError(message, reason === undefined ? undefined : "ERR_PROXY_TUNNEL", { cause });
  }
};

function reasonOf(cause: unknown): string | undefined {
  const status = cause instanceof Error ? /Proxy response \((\d+)\)/.exec(cause.message)?.[1] : undefined;
  if (status === "407") return ", which wants a user and a password: http://user:password@…";
  return status === undefined ? undefined : `, which refuses that with HTTP ${status}`;
}

function agentFor({ url }: NamedProxy): Promise<Dispatcher> {
  const known = agents.get(url.href) ?? createAgent(url.href);
  agents.set(url.href, known);
  return known;
}

/** Without a tunnel where there is no TLS, because many proxies allow tunnels to port 443 only. */
async function createAgent(uri: string): Promise<Dispatcher> {
  const [{ default: ProxyAgent }, { default: Pool }, { default: openTunnel }] = await Promise.all([
    import("undici/lib/dispatcher/proxy-agent.js"),
    import("undici/lib/dispatcher/pool.js"),
    import("undici/lib/api/api-connect.js"), // the main module, which is not loaded, gives it to every dispatcher
  ]);
  const clientFactory = (origin: URL, options: object): Dispatcher => Object.assign(new Pool(origin, options), { connect: openTunnel });
  const connect = { timeout: CONNECT_TIMEOUT };
  return new ProxyAgent({ uri, clientFactory, proxyTunnel: false, connect, headersTimeout: 0, bodyTimeout: 0 });
}
