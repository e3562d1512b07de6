/**
 * `fetch` for URLs that a peer named, on Node. Security: it checks every address of the host before a socket opens, and
 * connects only to those addresses, so that a second look-up cannot lead elsewhere.
 *
 * The Host header and the TLS name stay the URL's. Connections are not reused, so that each request is checked. It
 * uses `node:http` and not undici, because Bun and Deno support choosing the address there too.
 */
import { lookup } from "node:dns/promises";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { decompressed, decompressorsOf } from "./decompress.ts";
import { proxyOf, usesProxies } from "./proxies.ts";
import type { FetchInit } from "../../client/http/fetch.ts";
import { AddressRefusedError, type AuthResponse, type CheckedRequestInit, type JudgeAddress } from "../../auth/web-fetch.ts";

interface FoundAddress {
  readonly address: string;
  readonly family: number;
}

/** @throws AddressRefusedError if any address of the host is refused; Node's own errors */
export async function checkedFetch(url: string, init: CheckedRequestInit, judge: JudgeAddress): Promise<AuthResponse> {
  const { hostname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (usesProxies() && proxyOf(url) !== undefined)
    return throughProxy(url, init, () => (isIP(host) === 0 ? undefined : judge(hostname, host)));
  const addresses = await addressesOf(host);
  for (const { address } of addresses) {
    const problem = judge(hostname, address);
    if (problem !== undefined) throw new AddressRefusedError(problem);
  }
  return send(url, init, createPinnedLookup(addresses));
}

/** The proxy looks the name up, in a network where this machine often cannot. Only an address in the URL itself can be judged. */
async function throughProxy(url: string, init: CheckedRequestInit, judge: () => string | undefined): Promise<AuthResponse> {
  const refusal = judge();
  if (refusal !== undefined) throw new AddressRefusedError(refusal);
  const { proxyFetch } = await import("./proxy-fetch.ts");
  return proxyFetch(url, init as FetchInit); // undici takes a body of bytes, too
}

async function addressesOf(host: string): Promise<readonly FoundAddress[]> {
  const family = isIP(host);
  return family === 0 ? lookup(host, { all: true, verbatim: true }) : [{ address: host, family }];
}

/** Returns a look-up function that always gives the checked addresses. */
function createPinnedLookup(addresses: readonly FoundAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses;
    if (first === undefined) callback(Object.assign(new Error("No address"), { code: "ENOTFOUND" }), "", 0);
    else if (options.all === true) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

function send(url: string, { method, headers, body, signal }: CheckedRequestInit, pinned: LookupFunction): Promise<AuthResponse> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = url.startsWith("https:") ? httpsRequest : httpRequest;
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const options = { method, headers: { ...headers, ...length, "accept-encoding": "identity" }, agent: false, lookup: pinned, signal };
    request(url, options, (incoming) => resolve(toResponse(incoming)))
      .once("error", reject)
      .end(body);
  });
}

function toResponse(incoming: IncomingMessage): AuthResponse {
  const { statusCode = 0, headers } = incoming;
  const get = (name: string): string | null => {
    const value = headers[name];
    return value === undefined ? null : String(value);
  };
  const body = decompressed(incoming, decompressorsOf(headers["content-encoding"]));
  // Node types its web streams differently from the web, but they are the same.
  return { status: statusCode, headers: { get }, body: Readable.toWeb(body) as unknown as ReadableStream<Uint8Array> };
}
