/**
 * Decides which URLs of a peer may be used, before a socket opens.
 *
 * Metadata, redirects and challenges name URLs, and their authors may be hostile. A URL is checked as written and as the
 * platform reads it. {@link UrlPolicy.refusesAddress} checks the addresses of a name after its look-up. URLs to open in a
 * browser are checked here too.
 */
import type { OptionKeys } from "../base/known-options.ts";
import { contains, isLoopback, isPublic, parseAddress, parseNetwork, type Network } from "./ip-address.ts";

/**
 * Which URLs of a peer may be used, beside https URLs at public addresses. Security: each option lets servers point this program
 * at more targets.
 */
export interface UrlPolicyOptions {
  /**
   * Allows URLs on this machine, also `http:`, for tests and local work. Security: a server can then make this program call any
   * service on this machine. Default: only if the MCP server itself is on this machine.
   */
  readonly allowLoopback?: boolean;
  /** Networks (`"10.0.0.0/8"`) and host names (`"login.corp.example"`) inside a company that may be called. Default: none. */
  readonly allowPrivateNetwork?: readonly string[];
  /** Ports beside 443, 8443 and the port of the MCP server. On this machine every port is allowed. Default: none. */
  readonly allowedPorts?: readonly number[];
}

export const URL_POLICY_OPTIONS: OptionKeys<UrlPolicyOptions> = { allowLoopback: 1, allowPrivateNetwork: 1, allowedPorts: 1 };

/** Most characters of a URL. */
const MAX_URL = 8 * 1024;
/** The ports of https that are usual; a URL does not spell 443 out. */
const PORTS: readonly string[] = ["", "8443"];
/** Names that exist only inside a network (RFC 6762, RFC 8375, ICANN's `internal`). */
const PRIVATE_NAME = /(^|\.)(local|localdomain|internal|intranet|lan|home\.arpa|corp|private)$/;

export class UrlPolicy {
  readonly allowLoopback: boolean;
  readonly #networks: readonly Network[];
  readonly #names: ReadonlySet<string>;
  readonly #ports: ReadonlySet<string>;
  /** The server that the user connects to, whose address is trusted. */
  readonly #server: URL | undefined;

  /**
   * @param server the MCP server for which URLs are fetched; its own origin is allowed
   * @throws RangeError if a network or a port is invalid
   */
  constructor(options: UrlPolicyOptions = {}, server?: URL) {
    const { allowPrivateNetwork = [], allowedPorts = [] } = options;
    this.allowLoopback = options.allowLoopback ?? (server !== undefined && isLoopbackName(server.hostname));
    this.#networks = allowPrivateNetwork.filter(isNetwork).map(parseNetwork);
    this.#names = new Set(allowPrivateNetwork.filter((entry) => !isNetwork(entry)).map((name) => withoutDot(name.toLowerCase())));
    for (const port of allowedPorts) {
      if (!Number.isInteger(port) || port < 1 || port > 65_535)
        throw new RangeError(`Option "allowedPorts" must hold ports from 1 to 65535, not ${port}`);
    }
    this.#ports = new Set([...PORTS, ...allowedPorts.map(String), ...(server === undefined ? [] : [server.port])]);
    this.#server = server;
  }

  /** Why the URL must not be used, as the end of a sentence that begins with it; undefined if it may be used. */
  refuses(reference: string | URL): string | undefined {
    const text = typeof reference === "string" ? reference : reference.href;
    const malformed = findMalformation(text);
    if (malformed !== undefined) return malformed;
    const url = new URL(text);
    if (url.protocol !== "https:" && url.protocol !== "http:") return "is neither https: nor http:";
    if (url.username !== "" || url.password !== "") return "has a user name or password in it";
    if (url.hash !== "" || text.includes("#")) return "has a fragment";
    return this.#refusesHost(url);
  }

  #refusesHost(url: URL): string | undefined {
    const { hostname, protocol, port } = url;
    const loopback = isLoopbackName(hostname);
    if (loopback && this.allowLoopback) return undefined;
    if (loopback) return 'leads to this machine (option "allowLoopback")';
    if (protocol === "http:") return "is not https:";
    if (url.origin === this.#server?.origin) return undefined;
    if (!this.#ports.has(port)) return `has port ${port} (option "allowedPorts")`;
    const address = parseAddress(hostname);
    if (address !== undefined) return this.refusesAddress(hostname, hostname);
    const name = withoutDot(hostname);
    const isPrivate = PRIVATE_NAME.test(name) || !name.includes(".");
    return isPrivate && !this.#names.has(name) ? 'names a host inside a private network (option "allowPrivateNetwork")' : undefined;
  }

  /** Why an address of a URL's host must not be used; undefined if it may be used. */
  refusesAddress(hostname: string, address: string): string | undefined {
    if (this.#names.has(withoutDot(hostname)) || hostname === this.#server?.hostname) return undefined;
    const parsed = parseAddress(address);
    if (parsed === undefined) return "leads to an invalid address";
    if (isPublic(parsed) || this.#networks.some((network) => contains(network, parsed))) return undefined;
    if (isLoopback(parsed)) return this.allowLoopback ? undefined : 'leads to this machine (option "allowLoopback")';
    return 'leads into a private or reserved network (option "allowPrivateNetwork")';
  }
}

/** Whether an entry of `allowPrivateNetwork` is a network and not a name. */
function isNetwork(entry: string): boolean {
  return entry.includes("/") || parseAddress(entry) !== undefined;
}

/** Why a URL is malformed. The platform would repair some of these, but an attacker may count on two parsers to repair them differently. */
function findMalformation(text: string): string | undefined {
  if (text.length > MAX_URL) return `is longer than ${MAX_URL} characters`;
  if (!/^[\x21-\x7E]*$/.test(text)) return "has spaces, control characters or other characters that a URL cannot have";
  if (/["'<>\\^`{|}]/.test(text)) return "has characters that must be encoded";
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return "has a % that is not an escape";
  if (/^https?:/i.test(text) && !/^https?:\/\/[^/?#]/i.test(text)) return "names no host";
  return URL.canParse(text) ? undefined : "is not an absolute URL";
}

/** Whether a host is this machine by its name or address. */
export function isLoopbackName(hostname: string): boolean {
  const name = withoutDot(hostname.toLowerCase());
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  const address = parseAddress(hostname);
  return address !== undefined && isLoopback(address);
}

/** Removes the root label: a name with it is the same name. */
function withoutDot(name: string): string {
  return name.replace(/\.$/, "");
}
