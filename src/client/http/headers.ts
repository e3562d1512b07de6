/**
 * The headers of each HTTP request: those of the user, then those that repeat what the message says.
 *
 * A stateless message says in itself which revision it is written in, so its headers can never disagree with it (F2.3).
 */
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { type Outgoing } from "../../jsonrpc/incoming.ts";
import { isBatch } from "../../jsonrpc/message.ts";
import { isJsonObject, type JsonObject, type JSONRPCRequest } from "../../jsonrpc/message.ts";
import { PROTOCOL_VERSION_KEY } from "../../protocol/meta-keys.ts";
import { methodsOf, type HeaderNames } from "../../protocol/methods.ts";
import { STATELESS_VERSIONS, type ProtocolVersion } from "../../protocol/versions.ts";
import { codecFor } from "../../wire/revisions.ts";
import { encodeHeaderValue } from "./header-value.ts";
import type { HttpHeaders, HttpServerParameters } from "./options.ts";

const NONE: HttpHeaders = {};

/** The revision a stateless message says it is written in; undefined for all others. */
export function statelessVersionOf(params: JsonObject | undefined): ProtocolVersion | undefined {
  const meta = params?.["_meta"];
  const version = isJsonObject(meta) ? meta[PROTOCOL_VERSION_KEY] : undefined;
  return STATELESS_VERSIONS.find((known) => known === version);
}

/** `MCP-Protocol-Version`, `Mcp-Method` and `Mcp-Name` of a stateless message; undefined for all others (F2.1). `names` are those of extensions. */
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

/** What every message of a session carries. */
export function sessionHeaders(version: string | undefined, sessionId: string | undefined): HttpHeaders {
  const headers: { [name: string]: string } = {};
  if (version !== undefined && codecFor(version)?.namesVersionInHeader) headers["mcp-protocol-version"] = version;
  if (sessionId !== undefined) headers["mcp-session-id"] = sessionId;
  return headers;
}

const OURS = /^(accept|content-type|last-event-id|mcp-(protocol-version|session-id|method|name|param-.*))$/;

/** The user's headers for one request, without those that are ours. */
export function userHeaders(headers: HttpServerParameters["headers"]): () => MaybePromise<HttpHeaders> {
  if (typeof headers !== "function") {
    const fixed = withoutOurs(headers ?? {});
    return () => fixed;
  }
  return () => {
    const made = headers();
    return isPromise(made) ? made.then(withoutOurs) : withoutOurs(made);
  };
}

/** Headers of the user's, in lower case, without those the protocol defines (F3.8). One without a value is none, and not the text "undefined". */
export function withoutOurs(headers: { readonly [name: string]: string | null | undefined }): HttpHeaders {
  const kept: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (value !== undefined && value !== null && !OURS.test(lower)) kept[lower] = value;
  }
  return kept;
}

/** What of a connection its headers depend on. */
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
      ...withoutOurs(own),
      ...(stateless ?? session.headers),
      ...mirrored,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    };
  }

  /** Of a request without a message. */
  async plain(own: HttpHeaders = NONE): Promise<HttpHeaders> {
    return { ...(await this.#user()), ...withoutOurs(own), ...this.#facts.session.headers };
  }
}
