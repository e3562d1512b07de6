/**
 * Finds the MCP endpoint of a domain by its catalog and Server Cards (SEP-2127). Loaded when a URL without a path turned out not to be
 * an endpoint.
 *
 * A card is not verified, so that it decides only where to connect, and only within the origin that the user named. What it says of
 * revisions and names is never used: the server itself says that.
 */
import { AuthorizationError } from "../../auth/authorization-error.ts";
import { GuardedFetch } from "../../auth/guarded-fetch.ts";
import { isStrings } from "../../auth/json-document.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { isSupportedVersion } from "../../protocol/versions.ts";
import type { CardDiscoveryOptions, DiscoveredCard } from "./card-discovery-options.ts";
import type { HttpServerParameters } from "./options.ts";

const CATALOG_PATH = "/.well-known/ai-catalog.json";
const CATALOG_TYPE = "application/ai-catalog+json";
const CARD_TYPE = "application/mcp-server-card+json";
/** Most cards of a catalog that are read, and most remotes of a card. */
const MAX_CARDS = 16;
/** Most bytes of a catalog and of a card. */
const MAX_BYTES = 256 * 1024;

/** One way to a server that a card names. */
interface Choice {
  /** For messages: the card's name, and the URL if it has one. */
  readonly label: string;
  /** Absent if the client cannot use it. */
  readonly url?: URL;
  readonly why?: string;
}

/**
 * The server that the domain of `server` names in its catalog; undefined if it has none.
 * @throws McpError if the catalog names no server that can be used, or several; `signal.reason`
 */
export async function discoverServer(
  server: HttpServerParameters,
  { allow }: CardDiscoveryOptions,
  signal: AbortSignal | undefined,
): Promise<HttpServerParameters | undefined> {
  const origin = new URL(server.url);
  const documents = new GuardedFetch({ maxDocumentBytes: MAX_BYTES, ...(server.fetch && { fetch: server.fetch }) }, origin);
  const fetchJson = (url: string, type: string): Promise<JsonObject | undefined> => fetchDocument(documents, { url, type, signal });
  const catalog = await fetchJson(new URL(CATALOG_PATH, origin).href, CATALOG_TYPE);
  const entries = catalog && entriesOf(catalog);
  if (entries === undefined || entries.length === 0) return undefined;
  const choices: Choice[] = [];
  for (const entry of entries.slice(0, MAX_CARDS)) choices.push(...(await readEntry(entry, { origin, allow, server, fetchJson })));
  const url = onlyChoice(origin, choices);
  // Security: headers and credentials are for the origin that the user named.
  const { headers: _headers, auth: _auth, ...open } = server;
  return url.origin === origin.origin ? { ...server, url } : { ...open, url };
}

/** The document at a URL; undefined if there is none. @throws McpError if the URL must not be used, or the document is too large */
async function fetchDocument(
  documents: GuardedFetch,
  { url, type, signal }: { readonly url: string; readonly type: string; readonly signal: AbortSignal | undefined },
): Promise<JsonObject | undefined> {
  try {
    const headers = { accept: `${type}, application/json` };
    const { status, json } = await documents.json(url, { hop: "discovery", headers, isGuess: true, signal });
    return status >= 200 && status <= 299 ? json : undefined;
  } catch (cause) {
    if (!(cause instanceof AuthorizationError)) throw cause;
    throw new McpError(ErrorCode.InvalidRequest, `The server could not be discovered (${cause.url}): ${cause.problem}`, undefined, {
      cause,
    });
  }
}

/** The entries of a catalog that are Server Cards. */
function entriesOf({ entries }: JsonObject): readonly JsonObject[] {
  return Array.isArray(entries) ? entries.filter((entry) => isJsonObject(entry) && entry["type"] === CARD_TYPE) : [];
}

interface CardReader {
  readonly origin: URL;
  readonly allow: CardDiscoveryOptions["allow"];
  readonly server: HttpServerParameters;
  readonly fetchJson: (url: string, type: string) => Promise<JsonObject | undefined>;
}

/** The choices that an entry of a catalog leads to. */
async function readEntry(entry: JsonObject, reading: CardReader): Promise<readonly Choice[]> {
  const { url, data } = entry;
  const label = textOf(entry["identifier"]) ?? "a server without a name";
  if (isJsonObject(data)) return choicesOf(data, undefined, reading);
  const location = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  if (location === undefined) return [{ label, why: "its entry has no card" }];
  if (location.origin !== reading.origin.origin && reading.allow === undefined) return [{ label, why: elsewhere("its card", location) }];
  const card = await reading.fetchJson(location.href, CARD_TYPE);
  return card === undefined
    ? [{ label, why: `there is no card at ${location.origin}${location.pathname}` }]
    : choicesOf(card, location, reading);
}

function elsewhere(what: string, { origin }: URL): string {
  return `${what} is at another origin, ${origin} (option "discover.allow")`;
}

/** The remotes of a card. Remotes over HTTP+SSE count only if there is no other. */
function choicesOf(card: JsonObject, cardUrl: URL | undefined, reading: CardReader): readonly Choice[] {
  const { name, remotes } = card;
  const label = textOf(name) ?? "a server without a name";
  const all = Array.isArray(remotes) ? remotes.filter(isJsonObject).slice(0, MAX_CARDS) : [];
  const streamable = all.filter(({ type }) => type === "streamable-http");
  const usable = streamable.length > 0 ? streamable : all.filter(({ type }) => type === "sse");
  if (usable.length === 0) return [{ label, why: "its card names no remote over HTTP" }];
  return usable.map((remote) => toChoice(label, remote, { card, cardUrl, reading }));
}

function toChoice(
  label: string,
  remote: JsonObject,
  { card, cardUrl, reading: { origin, allow, server } }: { card: JsonObject; cardUrl: URL | undefined; reading: CardReader },
): Choice {
  const text = remote["url"];
  if (typeof text === "string" && text.includes("{")) return { label, why: "its URL has variables that only you can fill in" };
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return { label, why: "its URL is not a URL" };
  const shown = `${label} at ${url.origin}${url.pathname}`;
  const isElsewhere = url.origin !== origin.origin || (cardUrl !== undefined && cardUrl.origin !== origin.origin);
  const found: DiscoveredCard = { name: label, url, cardUrl, card };
  if (isElsewhere && allow?.(found) !== true) return { label: shown, why: elsewhere("it", url) };
  const missing = isElsewhere ? requiredHeaders(remote, {}) : requiredHeaders(remote, server);
  if (missing.length > 0) return { label: shown, why: `it needs the header ${missing.join(" and the header ")}` };
  const refused = new GuardedFetch({}, origin).policy.refuses(url);
  if (refused !== undefined) return { label: shown, why: `its URL ${refused}` };
  const versions = remote["supportedProtocolVersions"];
  if (isStrings(versions) && versions.length > 0 && !versions.some((one) => isSupportedVersion(one)))
    return { label: shown, why: "it speaks no revision that this client knows" };
  return { label: shown, url };
}

/** The headers that a remote requires and the user does not send. Values of the card are never sent. */
function requiredHeaders({ headers }: JsonObject, { headers: own, auth }: Partial<HttpServerParameters>): readonly string[] {
  if (!Array.isArray(headers) || typeof own === "function") return [];
  const sent = new Set([...Object.keys(own ?? {}), ...(auth === undefined ? [] : ["authorization"])].map((name) => name.toLowerCase()));
  return headers.flatMap((header) => {
    const name = isJsonObject(header) && header["isRequired"] === true ? textOf(header["name"]) : undefined;
    return name === undefined || sent.has(name.toLowerCase()) ? [] : [name];
  });
}

/** @throws McpError that lists the choices, unless exactly one can be used */
function onlyChoice({ host }: URL, choices: readonly Choice[]): URL {
  const usable = choices.filter((choice) => choice.url !== undefined);
  const [first, second] = usable;
  if (first?.url !== undefined && second === undefined) return first.url;
  const found = usable.length > 1 ? usable : choices;
  const list = found.map(({ label, why }) => (why === undefined ? label : `${label} (${why})`)).join("; ");
  const advice =
    usable.length > 1 ? "names several servers: connect to the URL of one of them" : "names no server that this client can use";
  throw new McpError(ErrorCode.InvalidRequest, `${host} is not an MCP endpoint, and its catalog ${advice}. There are: ${list}`);
}

/** A text of a peer for messages: short, and without control characters. */
function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, 200).replace(/[^\x20-\x7E]/g, "?") : undefined;
}
