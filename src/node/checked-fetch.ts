/**
 * `fetch` for URLs a peer named, on Node: every address of the name is judged before a socket opens, and the socket goes
 * to one of those addresses and to no other, so that a second look-up cannot lead elsewhere (security rule d.5.2).
 *
 * Host header and TLS name stay those of the URL. No connection is kept: each request is judged for itself.
 */
import { lookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { AddressRefusedError, type AuthRequestInit, type AuthResponse, type JudgeAddress } from "../auth/web-fetch.ts";

interface FoundAddress {
  readonly address: string;
  readonly family: number;
}

/** @throws AddressRefusedError where any address of the host is refused; undici's own errors */
export async function checkedFetch(url: string, init: AuthRequestInit, judge: JudgeAddress): Promise<AuthResponse> {
  const { hostname } = new URL(url);
  const addresses = await addressesOf(hostname.replace(/^\[|\]$/g, ""));
  init.signal.throwIfAborted();
  for (const { address } of addresses) {
    const problem = judge(hostname, address);
    if (problem !== undefined) throw new AddressRefusedError(problem);
  }
  const { Agent, fetch } = await import("undici");
  const agent = new Agent({ connect: { lookup: pinnedTo(addresses) } });
  try {
    const response = await fetch(url, { ...init, dispatcher: agent });
    return response as unknown as AuthResponse; // undici's streams are the platform's; only their types differ
  } finally {
    void agent.close(); // once the body has been read or given up
  }
}

async function addressesOf(host: string): Promise<readonly FoundAddress[]> {
  const family = isIP(host);
  return family === 0 ? lookup(host, { all: true, verbatim: true }) : [{ address: host, family }];
}

/** Answers every look-up with what was judged. */
function pinnedTo(addresses: readonly FoundAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses;
    if (first === undefined) callback(Object.assign(new Error("No address"), { code: "ENOTFOUND" }), "", 0);
    else if (options.all === true) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}
