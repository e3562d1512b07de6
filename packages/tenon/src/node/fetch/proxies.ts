/**
 * The proxies that the environment names: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in capitals or not.
 *
 * `undici` speaks to the proxy; this file only says which one, because the errors, the checks of addresses and `tenon doctor` need to
 * know it as well.
 */
import { isLoopback } from "../../server/http/endpoint/guard.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface NamedProxy {
  readonly url: URL;
  readonly variable: string;
}

const SCHEMES = /^(https?|socks5):$/;

/** Whether clients that name no `fetch` use the proxies of the environment. */
export function usesProxies(env: Environment = process.env): boolean {
  return env["NODE_USE_ENV_PROXY"] === "1";
}

export function namesProxy(env: Environment = process.env): boolean {
  return ["https", "http", "all"].some((scheme) => variableOf(`${scheme}_proxy`, env) !== undefined);
}

/**
 * The proxy for a URL; undefined if it is reached without one. A server on this machine always is: a proxy would look for it on its own.
 * @throws TypeError if the variable holds something else than the URL of a proxy
 */
export function proxyOf(target: string | URL, env: Environment = process.env): NamedProxy | undefined {
  const { protocol, hostname, port } = new URL(target);
  const name = hostname.toLowerCase().replace(/^\[|\]$/g, "");
  const found = variableOf(`${protocol.slice(0, -1)}_proxy`, env) ?? variableOf("all_proxy", env);
  if (found === undefined || isLoopback(hostname) || isExcluded(name, port === "" ? DEFAULT_PORTS[protocol] : port, env)) return undefined;
  const [variable, value] = found;
  const text = value.includes("://") ? value : `http://${value}`;
  if (!URL.canParse(text) || !SCHEMES.test(new URL(text).protocol))
    throw new TypeError(`The variable ${variable} is not the URL of a proxy, such as http://proxy.example:3128`);
  return { url: new URL(text), variable };
}

/** The proxy of a URL for messages, without its user and password. */
export function describeProxy({ url, variable }: NamedProxy): string {
  return `the proxy ${url.protocol}//${url.host} (${variable})`;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/** Small letters first, as curl does: a server may set the other spelling from a header of a request. */
function variableOf(name: string, env: Environment): readonly [name: string, value: string] | undefined {
  for (const spelling of [name, name.toUpperCase()]) {
    const value = env[spelling]?.trim();
    if (value !== undefined && value !== "") return [spelling, value];
  }
  return undefined;
}

/** Whether `NO_PROXY` lists a host: `*`, a name with all names below it, `host:port`, or an address. */
function isExcluded(host: string, port: string | undefined, env: Environment): boolean {
  const entries = (variableOf("no_proxy", env)?.[1] ?? "").toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => {
    if (entry === "*") return true;
    const [, name = "", only] =
      /^\[?(.*?)\]?(?::(\d+))?$/.exec(entry.split(":").length > 2 && !entry.startsWith("[") ? `[${entry}]` : entry) ?? [];
    const below = name.replace(/^\*?\./, "");
    return below !== "" && (only === undefined || only === port) && (host === below || host.endsWith(`.${below}`));
  });
}
