/**
 * Clients whose id is the URL of their metadata (OAuth Client ID Metadata Document). The document is fetched with the guards for
 * untrusted URLs, and must contain its own URL.
 */
import { AuthorizationError } from "../../../auth/authorization-error.ts";
import type { JsonDocument } from "../../../auth/json-document.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { checkClientMetadata, toClient, type RegisteredClient, type ClientAuthenticationMethod } from "./client-metadata.ts";
import { OAuthError } from "../oauth-error.ts";
import type { ServerState } from "../state.ts";

/** How such clients may authenticate: without a shared secret, because they never registered. */
const METHODS: readonly ClientAuthenticationMethod[] = ["none", "private_key_jwt"];
/** Milliseconds that a document is kept: by default, and at most. */
const DEFAULT_AGE = 60_000;
const MAX_AGE = 86_400_000;

/** Finds a client: a registered one, or the one whose metadata is at that URL. @throws OAuthError if the document is invalid */
export async function findClient(state: ServerState, id: string): Promise<RegisteredClient | undefined> {
  const known = state.clients.get(id) ?? state.documents.get(id);
  if (known !== undefined || !state.settings.clientDocuments || !/^https?:\/\//.test(id)) return known;
  assertClientUrl(id);
  const { status, json, headers } = await fetchDocument(state, id);
  if (status !== 200 || json === undefined) throw invalid(`is not found: status ${status}`);
  const client = toClient(id, undefined, checkDocument(id, json, state.settings.grantTypes));
  const age = ageOf(headers.get("cache-control"));
  if (age > 0) state.documents.set(id, client, age);
  return client;
}

/** Requires a path without dot segments, because parsers treat those differently. */
function assertClientUrl(id: string): void {
  const { pathname } = new URL(id);
  if (pathname === "/" || /\/\.{1,2}(?:\/|$)/.test(id)) throw invalid("must be at a URL with a path, without dot segments");
}

async function fetchDocument({ fetch }: ServerState, id: string): Promise<JsonDocument> {
  try {
    return await fetch.json(id, { hop: "registration" });
  } catch (error) {
    throw error instanceof AuthorizationError ? invalid(`cannot be fetched: ${error.message}`) : error;
  }
}

function checkDocument(id: string, document: JsonObject, grantTypes: readonly string[]): ReturnType<typeof checkClientMetadata> {
  if (document["client_id"] !== id) throw invalid('has another "client_id" than the URL it is at');
  if (typeof document["client_name"] !== "string") throw invalid('has no "client_name"');
  if (document["client_secret"] !== undefined) throw invalid("must not hold a secret");
  const rules = { grantTypes, authenticationMethods: METHODS };
  return checkClientMetadata({ token_endpoint_auth_method: "none", ...document }, rules);
}

function ageOf(cacheControl: string | null): number {
  if (cacheControl === null) return DEFAULT_AGE;
  if (/\bno-(?:store|cache)\b/i.test(cacheControl)) return 0;
  const seconds = /\bmax-age=(\d{1,10})\b/i.exec(cacheControl)?.[1];
  return seconds === undefined ? DEFAULT_AGE : Math.min(Number(seconds) * 1_000, MAX_AGE);
}

function invalid(why: string): OAuthError {
  return new OAuthError("invalid_client_metadata", `The client's metadata document ${why}`);
}
