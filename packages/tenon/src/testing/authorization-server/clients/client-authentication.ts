/**
 * Authenticates clients at the token endpoint and similar endpoints: RFC 6749 section 2.3, and `private_key_jwt` (RFC 7523 section 2.2).
 */
import { decodeJwt } from "jose";
import { hashed, isSameHash } from "../../../base/hash.ts";
import { findClient } from "./client-documents.ts";
import { verifyClientAssertion } from "./client-assertion.ts";
import type { RegisteredClient, ClientAuthenticationMethod } from "./client-metadata.ts";
import type { Exchange } from "../exchange.ts";
import { OAuthError } from "../oauth-error.ts";
import type { ServerState } from "../state.ts";

/** What a request claims about its client. */
interface Claimed {
  readonly method: ClientAuthenticationMethod;
  readonly id: string | undefined;
  /** The secret, or the assertion. */
  readonly proof?: string | undefined;
}

/** The client that sent a request, authenticated by the method that it registered. @throws OAuthError `invalid_client` */
export async function authenticateClient(state: ServerState, exchange: Exchange): Promise<RegisteredClient> {
  const { method, id, proof } = claimedBy(exchange);
  if (id === undefined) throw refusal(exchange, "The request names no client");
  const client = await findClient(state, id).catch((error: unknown) => {
    throw error instanceof OAuthError ? refusal(exchange, error.message) : error;
  });
  if (client === undefined) throw refusal(exchange, "There is no such client");
  if (method !== client.authentication || !state.settings.clientAuthentication.includes(method)) {
    throw refusal(exchange, `The client must authenticate with ${client.authentication}, not ${method}`);
  }
  if (method === "none") return client;
  if (method === "private_key_jwt") await verifyClientAssertion(state, client, proof!);
  else if (client.secret === undefined || !(await sameSecret(client.secret, proof!))) throw refusal(exchange, "The secret is wrong");
  return client;
}

export function namesClient(exchange: Exchange): boolean {
  return claimedBy(exchange).id !== undefined;
}

function claimedBy(exchange: Exchange): Claimed {
  const { parameters } = exchange;
  const id = parameters.get("client_id");
  const claims: Claimed[] = [];
  const header = exchange.header("authorization");
  if (header !== undefined) claims.push(basic(exchange, header));
  const secret = parameters.get("client_secret");
  if (secret !== undefined) claims.push({ method: "client_secret_post", id, proof: secret });
  const assertion = parameters.get("client_assertion");
  if (assertion !== undefined) claims.push({ method: "private_key_jwt", ...fromAssertion(exchange, assertion) });
  if (claims.length > 1) throw new OAuthError("invalid_request", "A client must authenticate in one way only");
  const [claim = { method: "none", id } as const] = claims;
  if (id !== undefined && claim.id !== id) throw new OAuthError("invalid_request", 'Parameter "client_id" names another client');
  return claim;
}

/** Both halves are form-encoded (RFC 6749 section 2.3.1). */
function basic(exchange: Exchange, header: string): Claimed {
  const match = /^Basic ([\w+/=-]+)$/i.exec(header);
  if (match === null) throw refusal(exchange, "The Authorization header does not use the Basic scheme");
  try {
    const [id = "", ...secret] = atob(match[1]!).split(":");
    return { method: "client_secret_basic", id: formDecode(id), proof: formDecode(secret.join(":")) };
  } catch {
    throw refusal(exchange, "The Authorization header holds no encoded name and secret");
  }
}

function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** The client that an assertion names. The assertion is verified later, with that client's keys. */
function fromAssertion(exchange: Exchange, assertion: string): { id: string | undefined; proof: string } {
  if (exchange.parameters.get("client_assertion_type") !== ASSERTION_TYPE) {
    throw new OAuthError("invalid_request", `Parameter "client_assertion_type" must be ${ASSERTION_TYPE}`);
  }
  try {
    return { id: decodeJwt(assertion).sub, proof: assertion };
  } catch {
    throw refusal(exchange, "The assertion is not a JWT");
  }
}

function refusal(exchange: Exchange, description: string): OAuthError {
  const challenge = exchange.header("authorization") === undefined ? [] : ["WWW-Authenticate", 'Basic realm="authorization server"'];
  return new OAuthError("invalid_client", description, 401, challenge);
}

/** Compares secrets by their digests, in a time that does not depend on where they differ. */
async function sameSecret(expected: string, given: string): Promise<boolean> {
  return isSameHash(await hashed(expected), await hashed(given));
}
