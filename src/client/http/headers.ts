/**
 * The headers of each HTTP request: those of the user, then those that repeat what the message says.
 *
 * A stateless message says in itself which revision it is written in, so its headers can never disagree with it.
 */
import { toBase64 } from "../../base/base64.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { Outgoing } from "../../jsonrpc/incoming.ts";
import { isBatch, isJsonObject, type JsonObject, type JSONRPCRequest } from "../../jsonrpc/message.ts";
import { PROTOCOL_VERSION_KEY } from "../../protocol/meta-keys.ts";
import { methodsOf, type HeaderNames } from "../../protocol/methods.ts";
import { STATELESS_VERSIONS, type ProtocolVersion } from "../../protocol/versions.ts";
import { codecFor } from "../../wire/revisions.ts";
import type { HttpHeaders, HttpServerParameters } from "./options.ts";

const NONE: HttpHeaders = {};

// ---- what repeats the message ----

/** The revision a stateless message says it is written in; undefined for all others. */
export function statelessVersionOf(params: JsonObject | undefined): ProtocolVersion | undefined {
  const meta = params?.["_meta"];
  const version = isJsonObject(meta) ? meta[PROTOCOL_VERSION_KEY] : undefined;
  return STATELESS_VERSIONS.find((known) => known === version);
}

/** `MCP-Protocol-Version`, `Mcp-Method` and `Mcp-Name` of a stateless message; undefined for all others. `names` are those of extensions. */
export function statelessHeaders(message: Outgoing, names?: HeaderNames): HttpHeaders | undefined {
  if (isBatch(message) || !("method" in message)) return undefined;
  const { method, params } = message;
  const version = statelessVersionOf(params);
  if (version === undefined) return undefined;
  const headers: { [name: string]: string } = { "mcp-protocol-version": version, "mcp-method": method };
  const member = methodsOf(version).get(method)?.httpName ?? names?.get(method);
  const name = member && params?.[member];
  if (typeof name === "string") headers["mcp-name"] = encodeHeaderValue(name);
  return headers;
}

const PREFIX = "=?base64?";
const SUFFIX = "?=";
const PLAIN = /^(?! )[\x20-\x7E]*(?<! )$/;

/**
 * A value of a header that repeats what the message says (spec 2026-07-28 basic/transports, standard headers). What cannot
 * stand in a header as it is travels as `=?base64?…?=`; so does a value that looks as if it had.
 */
export function encodeHeaderValue(value: string): string {
  const looksEncoded = value.startsWith(PREFIX) && value.endsWith(SUFFIX);
  return PLAIN.test(value) && !looksEncoded ? value : PREFIX + toBase64(new TextEncoder().encode(value)) + SUFFIX;
}

/** What every message of a session carries. */
export function sessionHeaders(version: string | undefined, sessionId: string | undefined): HttpHeaders {
  const headers: { [name: string]: string } = {};
  if (version !== undefined && codecFor(version)?.namesVersionInHeader) headers["mcp-protocol-version"] = version;
  if (sessionId !== undefined) headers["mcp-session-id"] = sessionId;
  return headers;
}

// ---- those of the user ----

/** Headers that the protocol defines: a user's header of such a name is left out. */
const RESERVED = /^(accept|content-type|last-event-id|mcp-(protocol-version|session-id|method|name|param-.*))$/;

/** Makes the user's headers for one request. */
export function userHeaders(headers: HttpServerParameters["headers"]): () => MaybePromise<HttpHeaders> {
  if (typeof headers === "function") return async () => withoutReserved(await headers());
  const fixed = withoutReserved(headers ?? {});
  return () => fixed;
}

/** A user's headers, in lower case and without those the protocol defines. One without a value is left out, and not the text "undefined". */
function withoutReserved(headers: { readonly [name: string]: string | null | undefined }): HttpHeaders {
  const kept: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (value !== undefined && value !== null && !RESERVED.test(lower)) kept[lower] = value;
  }
  return kept;
}

// ---- all of them ----

/** The parts of a connection that its headers depend on. */
interface HeaderFacts {
  readonly session: { readonly headers: HttpHeaders };
  readonly tools: { headersOf(params: JsonObject | undefined): HttpHeaders | undefined };
}

/** The headers of all requests of one connection. */
export class ConnectionHeaders {
  readonly #facts: HeaderFacts;
  readonly #user: () => MaybePromise<HttpHeaders>;
  readonly #names: HeaderNames | undefined;

  /** `names` are those of extensions. */
  constructor(facts: HeaderFacts, user: HttpServerParameters["headers"], names?: HeaderNames) {
    this.#facts = facts;
    this.#user = userHeaders(user);
    this.#names = names;
  }

  /** Of a POST of that message; `own` are those its caller has given with it. */
  async of(message: Outgoing, own: HttpHeaders = NONE): Promise<HttpHeaders> {
    const { session, tools } = this.#facts;
    const stateless = statelessHeaders(message, this.#names);
    const mirrored = stateless?.["mcp-method"] === "tools/call" ? tools.headersOf((message as JSONRPCRequest).params) : undefined; // only requests have that method
    return {
      ...(await this.#user()),
      ...withoutReserved(own),
      ...(stateless ?? session.headers),
      ...mirrored,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    };
  }

  /** Of a request without a message. */
  async plain(own: HttpHeaders = NONE): Promise<HttpHeaders> {
    return { ...(await this.#user()), ...withoutReserved(own), ...this.#facts.session.headers };
  }
}

/** Longest id of a session or an event, in characters. */
const MAX_ID = 1024;

/** Whether a server may give that id to a session or an event: visible ASCII, at most 1 KiB. The client sends it back in a header. */
export function isHeaderId(value: string): boolean {
  return value.length <= MAX_ID && /^[\x21-\x7E]+$/.test(value);
}
