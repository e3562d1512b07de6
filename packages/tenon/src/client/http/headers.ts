/**
 * The headers of each HTTP request: the user's headers, and those that repeat parts of the message.
 *
 * A stateless message names its own revision, so its headers always match it.
 */
import { toBase64 } from "../../base/bytes.ts";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import type { Outgoing } from "../../jsonrpc/incoming.ts";
import { isBatch, isJsonObject, type JsonObject, type JSONRPCRequest } from "../../jsonrpc/message.ts";
import { PROTOCOL_VERSION_KEY } from "../../protocol/meta-keys.ts";
import { methodsOf, type HeaderNames } from "../../protocol/methods.ts";
import { STATELESS_VERSIONS, type ProtocolVersion } from "../../protocol/versions.ts";
import { codecFor } from "../../wire/revisions.ts";
import { assertSendable } from "./header-check.ts";
import type { HttpHeaders, HttpServerParameters } from "./options.ts";

const METHODS = /* @__PURE__ */ methodsOf(STATELESS_VERSIONS[0]);
const NONE: HttpHeaders = {};

// ---- headers that repeat the message ----

/** The revision that a stateless message names; undefined for other messages. */
export function statelessVersionOf(params: JsonObject | undefined): ProtocolVersion | undefined {
  const meta = params?.["_meta"];
  const version = isJsonObject(meta) ? meta[PROTOCOL_VERSION_KEY] : undefined;
  return STATELESS_VERSIONS.find((known) => known === version);
}

/**
 * `MCP-Protocol-Version`, `Mcp-Method` and `Mcp-Name` of a stateless message; undefined for other messages. `names` are the names of
 * extensions.
 */
export function statelessHeaders(message: Outgoing, names?: HeaderNames): HttpHeaders | undefined {
  if (isBatch(message) || !("method" in message)) return undefined;
  const { method, params } = message;
  const version = statelessVersionOf(params);
  if (version === undefined) return undefined;
  const headers: { [name: string]: string } = { "mcp-protocol-version": version, "mcp-method": method };
  const member = METHODS.get(method)?.httpName ?? names?.get(method);
  const name = member && params?.[member];
  if (typeof name === "string") headers["mcp-name"] = encodeHeaderValue(name);
  return headers;
}

const PREFIX = "=?base64?";
const SUFFIX = "?=";
const PLAIN = /^(?! )[\x20-\x7E]*(?<! )$/;

/**
 * Encodes a value for a header that repeats a part of the message (MCP 2026-07-28, Streamable HTTP, Value Encoding). A value that a
 * header cannot hold becomes `=?base64?…?=`. So does a value that looks encoded already.
 */
export function encodeHeaderValue(value: string): string {
  const looksEncoded = value.startsWith(PREFIX) && value.endsWith(SUFFIX);
  return PLAIN.test(value) && !looksEncoded ? value : PREFIX + toBase64(new TextEncoder().encode(value)) + SUFFIX;
}

export function sessionHeaders(version: string | undefined, sessionId: string | undefined): HttpHeaders {
  const headers: { [name: string]: string } = {};
  if (version !== undefined && codecFor(version)?.namesVersionInHeader) headers["mcp-protocol-version"] = version;
  if (sessionId !== undefined) headers["mcp-session-id"] = sessionId;
  return headers;
}

// ---- the user's headers ----

/** Headers that the protocol defines. A user's header of such a name is dropped. */
const RESERVED = /^(accept|content-type|last-event-id|mcp-(protocol-version|session-id|method|name|param-.*))$/;

export function userHeaders(headers: HttpServerParameters["headers"]): () => MaybePromise<HttpHeaders> {
  if (typeof headers === "function") return async () => withoutReserved(await headers());
  const fixed = withoutReserved(headers ?? {});
  return () => fixed;
}

/**
 * The user's headers, in lower case and without those the protocol defines. A header without a value is left out.
 * @throws TypeError if a header cannot be sent
 */
function withoutReserved(headers: { readonly [name: string]: string | null | undefined }): HttpHeaders {
  const rest: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (value === undefined || value === null || RESERVED.test(lower)) continue;
    assertSendable(name, value);
    rest[lower] = value;
  }
  return rest;
}

// ---- all headers ----

interface HeaderFacts {
  readonly session: { readonly headers: HttpHeaders };
  readonly tools: { headersOf(params: JsonObject | undefined): HttpHeaders | undefined };
}

export class ConnectionHeaders {
  readonly #facts: HeaderFacts;
  readonly #user: () => MaybePromise<HttpHeaders>;
  readonly #names: HeaderNames | undefined;

  /** `names` are the names of extensions. */
  constructor(facts: HeaderFacts, user: HttpServerParameters["headers"], names?: HeaderNames) {
    this.#facts = facts;
    this.#user = userHeaders(user);
    this.#names = names;
  }

  /** The headers of a POST of that message; `own` are the caller's for this message. */
  of(message: Outgoing, own: HttpHeaders = NONE): MaybePromise<HttpHeaders> {
    return andThen(this.#user(), (user) => this.#all(user, message, own));
  }

  #all(user: HttpHeaders, message: Outgoing, own: HttpHeaders): HttpHeaders {
    const { session, tools } = this.#facts;
    const stateless = statelessHeaders(message, this.#names);
    const mirrored = stateless?.["mcp-method"] === "tools/call" ? tools.headersOf((message as JSONRPCRequest).params) : undefined; // only requests have that method
    return {
      ...user,
      ...(own === NONE ? NONE : withoutReserved(own)),
      ...(stateless ?? session.headers),
      ...mirrored,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    };
  }

  /** The headers of a request without a message. */
  async plain(own: HttpHeaders = NONE): Promise<HttpHeaders> {
    return { ...(await this.#user()), ...withoutReserved(own), ...this.#facts.session.headers };
  }
}

/** Most characters of the id of a session or an event. */
const MAX_ID = 1024;

/** Whether an id of a session or an event can be sent back in a header: visible ASCII, at most 1 KiB. */
export function isHeaderId(value: string): boolean {
  return value.length <= MAX_ID && /^[\x21-\x7E]+$/.test(value);
}
