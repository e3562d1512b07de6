/**
 * The network address of a client, as limits count it. It identifies clients that have no principal.
 *
 * An edge knows the address of the connection. Behind a proxy that is the proxy's, and only the operator knows which header the
 * proxy writes: no header is looked at unless the option `clientAddress` names it.
 */
import { parseAddress } from "../../auth/ip-address.ts";
import type { ClientAddress } from "./options.ts";

/** What an edge knows of a request. */
export interface AddressSource<Request> {
  readonly request: Request;
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** The address of the connection; undefined if the edge does not know it. */
  readonly peer?: string | undefined;
}

/** Characters of an address that cannot be read. */
const MAX_LENGTH = 64;
/** The address of all requests that have none where one is expected: together they have one share. */
const UNKNOWN = "unknown";

/** The address of the client of a request; undefined if nothing is known of it. */
export function addressOf<Request>(option: ClientAddress<Request> | undefined, source: AddressSource<Request>): string | undefined {
  const { request, header, peer } = source;
  const named = typeof option === "string" ? lastOf(header(option.toLowerCase())) : option?.(request);
  const address = named || (peer ?? (option === undefined ? undefined : UNKNOWN));
  return address === undefined ? undefined : toNetwork(address);
}

/** Of a list the last entry is what the nearest proxy wrote; those before it are what its client said. */
function lastOf(list: string | undefined): string | undefined {
  return list?.slice(list.lastIndexOf(",") + 1).trim();
}

/** An IPv4 address, or the 64 bits of an IPv6 address that name a network: one client has all addresses of its network. */
function toNetwork(address: string): string {
  const bytes = parseAddress(withoutPort(address));
  if (bytes === undefined) return address.slice(0, MAX_LENGTH);
  if (bytes.length === 4) return bytes.join(".");
  const groups = [0, 2, 4, 6].map((at) => ((bytes[at]! << 8) | bytes[at + 1]!).toString(16));
  return `${groups.join(":")}::/64`;
}

/** Some proxies write the port as well, and a zone names an interface of this machine. */
function withoutPort(address: string): string {
  const [host = ""] = address.split("%", 1);
  return /^(\[.*\]|[\d.]+):\d+$/.test(host) ? host.slice(0, host.lastIndexOf(":")) : host;
}
