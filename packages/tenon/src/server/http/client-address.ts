/**
 * The network address of a client, as limits count it. It identifies clients that have no principal.
 *
 * An edge knows the address of the connection. Behind a proxy this is the address of the proxy, and only the operator knows which
 * header the proxy writes: the option `clientAddress` names it, and no other header is read.
 */
import { parseAddress } from "../../auth/ip-address.ts";
import { remembering } from "../../base/bounds/remembering.ts";
import type { ClientAddress } from "./options.ts";

/** What an edge knows of a request. */
export interface AddressSource<Request> {
  readonly request: Request;
  readonly header: (name: string) => string | undefined;
  /** The address of the connection; undefined if the edge does not know it. */
  readonly peer?: string | undefined;
}

/** The most characters that are kept of an address that cannot be parsed. */
const MAX_LENGTH = 64;
/** The address of every request that lacks the expected one: together these requests have one share. */
const UNKNOWN = "unknown";

/** The address of the client of a request; undefined if the edge does not know it. */
export function addressOf<Request>(option: ClientAddress<Request> | undefined, source: AddressSource<Request>): string | undefined {
  const { request, header, peer } = source;
  const named = typeof option === "string" ? lastOf(header(option.toLowerCase())) : option?.(request);
  const address = named || (peer ?? (option === undefined ? undefined : UNKNOWN));
  return address === undefined ? undefined : toNetwork(address);
}

/** The last entry of a list. The nearest proxy wrote it; the client of that proxy sent the entries before it. */
function lastOf(list: string | undefined): string | undefined {
  return list?.slice(list.lastIndexOf(",") + 1).trim();
}

/** An IPv4 address, or the 64 bits of an IPv6 address that name a network: one client has all addresses of its network. */
const toNetwork = remembering((address: string) => {
  const bytes = parseAddress(withoutPort(address));
  if (bytes === undefined) return address.slice(0, MAX_LENGTH);
  if (bytes.length === 4) return bytes.join(".");
  const groups = [0, 2, 4, 6].map((at) => ((bytes[at]! << 8) | bytes[at + 1]!).toString(16));
  return `${groups.join(":")}::/64`;
});

/** Removes the port, which some proxies write, and the zone, which names an interface of this machine. */
function withoutPort(address: string): string {
  const [host = ""] = address.split("%", 1);
  return /^(\[.*\]|[\d.]+):\d+$/.test(host) ? host.slice(0, host.lastIndexOf(":")) : host;
}
