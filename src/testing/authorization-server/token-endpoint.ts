/** The token endpoint: finds the grant that is asked for, and who asks. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { authenticateClient } from "./client-authentication.ts";
import type { Client } from "./client-metadata.ts";
import { assertForm, json, type Answer, type Exchange } from "./exchange.ts";
import { exchangeCode } from "./grants/authorization-code.ts";
import { refresh } from "./grants/refresh-token.ts";
import { OAuthError } from "./oauth-error.ts";
import type { ServerState } from "./state.ts";

/** What a grant is given: a request whose client is known. */
export interface TokenRequest {
  readonly client: Client;
  readonly exchange: Exchange;
}

/** Answers with tokens. @throws OAuthError */
export type GrantHandler = (state: ServerState, request: TokenRequest) => Promise<JsonObject>;

const GRANTS: ReadonlyMap<string, GrantHandler> = new Map([
  ["authorization_code", exchangeCode],
  ["refresh_token", refresh],
]);

export async function answerToken(state: ServerState, exchange: Exchange): Promise<Answer> {
  assertForm(exchange);
  const type = exchange.parameters.required("grant_type");
  const grant = GRANTS.get(type);
  if (grant === undefined) {
    throw new OAuthError("unsupported_grant_type", `This server has no grant ${JSON.stringify(type)}: ${[...GRANTS.keys()].join(", ")}`);
  }
  const client = await authenticateClient(state, exchange);
  if (!client.grantTypes.includes(type)) throw new OAuthError("unauthorized_client", `The client has not registered the grant "${type}"`);
  return json(200, await grant(state, { client, exchange }));
}
