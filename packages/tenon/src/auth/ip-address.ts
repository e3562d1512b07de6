/**
 * IP addresses, and which of them a peer must not make this program connect to.
 *
 * The platform's URL parser reads them, so that this check and the socket agree on spellings such as `0x7f.1` or
 * `::ffff:7f00:1`.
 */

/** Four or sixteen bytes. */
export type IpAddress = Uint8Array;

/** The addresses that share their first `prefix` bits. */
export interface Network {
  readonly base: IpAddress;
  readonly prefix: number;
}

/** Reads a host as an address, in any spelling; undefined if the host is a name. */
export function parseAddress(host: string): IpAddress | undefined {
  const bare = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  const url = bare.includes(":") ? `http://[${bare}]/` : `http://${bare}/`;
  if (!URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  if (hostname.startsWith("[")) return fromMapped(parseV6(hostname.slice(1, -1)));
  const canonical = hostname.replace(/\.$/, "");
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(canonical) ? Uint8Array.from(canonical.split("."), Number) : undefined;
}

/** @param text as the URL parser writes it: hexadecimal groups, at most one `::` */
function parseV6(text: string): IpAddress {
  const [head = "", tail] = text.split("::", 2);
  const before = groupsOf(head);
  const after = groupsOf(tail ?? "");
  const groups = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

function groupsOf(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

/** Turns an IPv4-mapped IPv6 address into the IPv4 address. */
function fromMapped(address: IpAddress): IpAddress {
  return contains(MAPPED, address) ? address.slice(12) : address;
}

const MAPPED: Network = { base: Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0]), prefix: 96 };

/** Reads a network such as `10.0.0.0/8`; a single address is a network of one. @throws RangeError if the text is neither */
export function parseNetwork(text: string): Network {
  const [host = "", bits, ...more] = text.split("/");
  const base = parseAddress(host);
  const max = (base?.length ?? 0) * 8;
  const prefix = bits === undefined ? max : Number(bits);
  if (base === undefined || more.length > 0 || !/^\d+$/.test(bits ?? "0") || prefix > max) {
    throw new RangeError(`${JSON.stringify(text)} is not a network: write an address and its prefix length, such as 10.0.0.0/8`);
  }
  return { base, prefix };
}

export function contains({ base, prefix }: Network, address: IpAddress): boolean {
  if (address.length !== base.length) return false;
  const whole = prefix >> 3;
  for (let i = 0; i < whole; i++) if (address[i] !== base[i]) return false;
  const rest = prefix & 7;
  return rest === 0 || ((address[whole] ?? 0) ^ (base[whole] ?? 0)) >> (8 - rest) === 0;
}

const LOOPBACK = ["127.0.0.0/8", "::1"].map(parseNetwork);

/** IANA's special-purpose ranges, which are not on the public internet. */
const SPECIAL_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
].map(parseNetwork);

/** The public range of IPv6, and its parts that are not public: tunnels, translations, documentation. */
const GLOBAL_V6 = parseNetwork("2000::/3");
const SPECIAL_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].map(parseNetwork);

export function isLoopback(address: IpAddress): boolean {
  return LOOPBACK.some((network) => contains(network, address));
}

export function isPublic(address: IpAddress): boolean {
  const special = address.length === 4 ? SPECIAL_V4 : SPECIAL_V6;
  return (address.length === 4 || contains(GLOBAL_V6, address)) && !special.some((network) => contains(network, address));
}
