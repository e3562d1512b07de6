/**
 * Clients that are known by where their metadata is published: a client id that is a URL (client id metadata documents,
 * requirement M3.2). The document is fetched like every URL a stranger names, and must name itself.
 */
import { AuthorizationError } from "../../../auth/authorization-error.ts";
import type { JsonDocument } from "../../../auth/json-document.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { checkClientMetadata, toClient, type Client, type ClientAuthenticationMethod } from "./client-metadata.ts";
import { OAuthError } from "../oauth-error.ts";
import type { ServerState } from "../state.ts";

/** How clients without a shared secret may authenticate: nobody could have given them one. */
const METHODS: readonly ClientAuthenticationMethod[] = ["none", "private_key_jwt"];
/** Milliseconds a document is kept that does not say for how long, and those it is kept at most. */
const DEFAULT_AGE = 60_000;
const MAX_AGE = 86_400_000;

/** The client of a name: a registered one, or the one whose metadata is at that URL. @throws OAuthError where that is none */
export async function findClient(state: ServerState, id: string): Promise<Client | undefined> {
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

/** A path, and nothing that two readers could understand in two ways. */
function assertClientUrl(id: string): void {
  const { pathname } = new URL(id);
  if (pathname === "/" || /\/\.{1,2}(?:\/|$)/.test(id)) throw invalid("must be at a URL with a path, without dot segments");
}

async function fetchDocument({ fetch }: ServerState, id: string): Promise<JsonDocument> {
  try {
    return await fetch.json(id, { hop: "registration" });
  } catch (error) {
    throw error instanceof AuthorizationError ? invalid(`cannot be had: ${error.message}`) : error;
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
