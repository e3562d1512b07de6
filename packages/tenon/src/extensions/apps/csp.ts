/**
 * The Content Security Policy of a view, built from the origins that its server declared.
 *
 * Every origin is parsed and written anew: nothing that a server sent reaches the header unchanged. Servers check what they declare with
 * the same code, so that a mistake fails where it was made.
 */
import { isJsonObject } from "../../jsonrpc/message.ts";
import type { ViewCsp } from "../../session/tools/tool-ui.ts";

/** Entries of one list, and characters of one entry. */
const MAX_ORIGINS = 64;
const MAX_ORIGIN_LENGTH = 256;
const LISTS = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"] as const;
const HOST = /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/;
const LOCAL = /^(localhost|127\.0\.0\.1)(:\d{1,5})?$/;

/** A list of origins, or another member of `_meta.ui`, is not allowed. */
export class InvalidViewError extends Error {
  override name = "InvalidViewError";
}

/**
 * The origins of a declaration, normalised. Lists that are missing are empty.
 * @throws InvalidViewError that names the list and the entry
 */
export function parseCsp(csp: unknown): Required<ViewCsp> {
  if (csp !== undefined && !isJsonObject(csp)) throw new InvalidViewError("csp must be an object of lists");
  const lists = LISTS.map((name) => [name, parseList(name, csp?.[name])] as const);
  return Object.fromEntries(lists) as unknown as Required<ViewCsp>; // has every list
}

function parseList(name: string, list: unknown): string[] {
  if (list === undefined) return [];
  if (!Array.isArray(list) || list.length > MAX_ORIGINS)
    throw new InvalidViewError(`csp.${name} must be a list of at most ${MAX_ORIGINS} origins`);
  return [...new Set(list.map((origin: unknown) => parseOrigin(name, origin)))];
}

function parseOrigin(list: string, value: unknown): string {
  const refuse = (): never => {
    const shown = JSON.stringify(value)?.slice(0, 80);
    throw new InvalidViewError(
      `csp.${list} has ${shown}: an origin is https:// or wss:// and a host, as in "https://api.example.com" or "https://*.example.com"; http:// and ws:// only for localhost`,
    );
  };
  if (typeof value !== "string" || value.length > MAX_ORIGIN_LENGTH) return refuse();
  const [, scheme, host] = /^(https|wss|http|ws):\/\/([^/]*)\/?$/.exec(value.toLowerCase()) ?? refuse();
  const isSecure = scheme === "https" || scheme === "wss";
  if (!(isSecure ? HOST : LOCAL).test(host!)) return refuse();
  return `${scheme}://${host}`;
}

const and = (first: string, origins: readonly string[]): string => [first, ...origins].join(" ");
const only = (origins: readonly string[]): string => origins.join(" ") || "'none'";

/** The policy as the value of a header. Origins that are not declared are blocked. */
export function policyOf({ connectDomains, resourceDomains, frameDomains, baseUriDomains }: Required<ViewCsp>): string {
  return [
    "default-src 'none'",
    `script-src ${and("'self' 'unsafe-inline'", resourceDomains)}`,
    `style-src ${and("'self' 'unsafe-inline'", resourceDomains)}`,
    `img-src ${and("'self' data:", resourceDomains)}`,
    `media-src ${and("'self' data:", resourceDomains)}`,
    `font-src ${only(resourceDomains)}`,
    `connect-src ${only(connectDomains)}`,
    `frame-src ${only(frameDomains)}`,
    `base-uri ${baseUriDomains.length === 0 ? "'self'" : baseUriDomains.join(" ")}`,
    "object-src 'none'",
    "form-action 'none'",
    "worker-src 'none'",
    "manifest-src 'none'",
  ].join("; ");
}
