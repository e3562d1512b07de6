/**
 * Serves the Server Card of an endpoint at `<endpoint>/server-card`, and the catalog of its domain (SEP-2127). Loaded with the first
 * request for one of them.
 *
 * Both are public and the same for all clients, so that each is made once. Nothing of a request is in them.
 */
import { sha256Hex } from "../../../base/hash.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import { ErrorCode } from "../../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { Implementation } from "../../../protocol/capabilities.ts";
import { SUPPORTED_PROTOCOL_VERSIONS } from "../../../protocol/versions.ts";
import { refusal, type HttpRequest, type HttpResponse } from "../http-message.ts";
import { notAllowed } from "../refusals.ts";
import type { ServerCardOptions } from "./options.ts";

const SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
const CARD_TYPE = "application/mcp-server-card+json";
const CATALOG_TYPE = "application/ai-catalog+json";
/** Every page may read them, because they are public. */
const PUBLIC_HEADERS = [
  "Access-Control-Allow-Origin",
  "*",
  "Access-Control-Allow-Methods",
  "GET",
  "Access-Control-Allow-Headers",
  "Content-Type, If-None-Match",
  "Access-Control-Expose-Headers",
  "ETag",
];
const CACHED_HEADERS = ["Cache-Control", "public, max-age=3600", "Vary", "Accept", "X-Content-Type-Options", "nosniff", ...PUBLIC_HEADERS];

interface PublicDocument {
  readonly type: string;
  readonly body: string;
  readonly tag: string;
}

export class ServerCard {
  readonly #card: Promise<PublicDocument>;
  readonly #catalog: Promise<PublicDocument>;

  constructor(server: Acceptor, options: ServerCardOptions) {
    this.#card = toDocument(CARD_TYPE, cardOf(server, options));
    this.#catalog = toDocument(CATALOG_TYPE, catalogOf(options));
  }

  async respond(request: HttpRequest, which: "card" | "catalog"): Promise<HttpResponse> {
    const { method } = request;
    if (method === "OPTIONS") return { status: 204, headers: PUBLIC_HEADERS };
    if (method !== "GET" && method !== "HEAD") return notAllowed("GET, HEAD, OPTIONS");
    const { type, body, tag } = await (which === "card" ? this.#card : this.#catalog);
    if (!accepts(request.header("accept"), type))
      return refusal(406, { code: ErrorCode.InvalidRequest, message: `Not acceptable: this is ${type}` }, null, PUBLIC_HEADERS);
    const headers = [...CACHED_HEADERS, "ETag", tag];
    if (hasTag(request.header("if-none-match"), tag)) return { status: 304, headers };
    const whole = { status: 200, headers: ["Content-Type", type, ...headers] };
    return method === "HEAD" ? whole : { ...whole, body };
  }
}

function cardOf(server: Acceptor, options: ServerCardOptions): JsonObject {
  const { name, description, url, websiteUrl, repository, headers, _meta } = options;
  const info = (server as { readonly info?: Implementation }).info; // an acceptor of your own may have none
  const { version = info?.version ?? "0.0.0", title = info?.title, icons = info?.icons } = options;
  const remote = { type: "streamable-http", url, headers, supportedProtocolVersions: SUPPORTED_PROTOCOL_VERSIONS };
  // JSON omits undefined members.
  return { $schema: SCHEMA, name, version, description, title, websiteUrl, repository, icons, remotes: [remote], _meta };
}

/** A catalog with one entry. Its identifier has the domain of the name, which is written in reverse order there. */
function catalogOf({ name, url }: ServerCardOptions): JsonObject {
  const [namespace, own] = name.split("/");
  const identifier = `urn:air:${namespace!.split(".").toReversed().join(".")}:mcp:${own}`;
  const location = new URL(url);
  location.pathname = `${location.pathname.replace(/\/$/, "")}/server-card`;
  location.search = "";
  return { specVersion: "1.0", entries: [{ identifier, type: CARD_TYPE, url: location.href }] };
}

async function toDocument(type: string, value: JsonObject): Promise<PublicDocument> {
  const body = JSON.stringify(value);
  const tag = (await sha256Hex(new TextEncoder().encode(body))).slice(0, 32);
  return { type, body, tag: `"${tag}"` };
}

/** Whether a client takes the type. A missing header takes all. */
function accepts(accept: string | undefined, type: string): boolean {
  if (accept === undefined || accept.trim() === "") return true;
  const taken = new Set(
    accept
      .toLowerCase()
      .split(",")
      .map((range) => range.split(";", 1)[0]!.trim()),
  );
  return [type, "application/json", "application/*", "*/*"].some((one) => taken.has(one));
}

function hasTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((one) => ["*", tag, `W/${tag}`].includes(one.trim()));
}
