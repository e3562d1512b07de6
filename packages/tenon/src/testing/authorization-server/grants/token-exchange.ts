/**
 * This server as an identity provider: exchanges one of its ID tokens or refresh tokens for an ID-JAG, which the client uses at another
 * authorization server (RFC 8693).
 */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { randomId } from "../../../base/bytes.ts";
import { OAuthError } from "../oauth-error.ts";
import { allowedResources, allowedScopes } from "../tokens/permissions.ts";
import type { ServerState } from "../state.ts";
import type { TokenRequest } from "./grant.ts";
import { ID_JAG_TYPE } from "./jwt-bearer.ts";

const TOKEN_TYPE = "urn:ietf:params:oauth:token-type:";
const ID_JAG = `${TOKEN_TYPE}id-jag`;
/** Seconds that an ID-JAG is valid. Clients use it at once. */
const LIFETIME = 300;

export async function exchangeToken(state: ServerState, request: TokenRequest): Promise<JsonObject> {
  const { parameters } = request.exchange;
  const { client } = request;
  if (client.authentication === "none") throw new OAuthError("unauthorized_client", "A public client must not exchange tokens");
  if (parameters.required("requested_token_type") !== ID_JAG) {
    throw new OAuthError("invalid_request", `Parameter "requested_token_type" must be ${ID_JAG}`);
  }
  const audience = audienceOf(request);
  const subject = await subjectOf(state, request);
  const scopes = allowedScopes(state, parameters);
  const resources = allowedResources(state, parameters);
  const scope = scopes.length > 0 && { scope: scopes.join(" ") };
  const assertion = await state.keys.sign(ID_JAG_TYPE, {
    iss: state.issuer,
    sub: subject,
    aud: audience,
    client_id: state.settings.idJagClientId(client.id, audience),
    jti: randomId(),
    iat: state.seconds,
    exp: state.seconds + LIFETIME,
    ...(resources.length > 0 && { resource: resources.length === 1 ? resources[0] : resources }),
    ...scope,
  });
  return { access_token: assertion, issued_token_type: ID_JAG, token_type: "N_A", expires_in: LIFETIME, ...scope };
}

/** The other authorization server. @throws OAuthError */
function audienceOf({ exchange: { parameters } }: TokenRequest): string {
  const [audience, ...more] = parameters.getAll("audience");
  if (audience === undefined || more.length > 0 || !URL.canParse(audience))
    throw new OAuthError("invalid_target", 'Parameter "audience" must be the issuer of one authorization server');
  return audience;
}

/** The user of the subject token, which this server must have issued to this client. @throws OAuthError */
async function subjectOf(state: ServerState, { client, exchange: { parameters } }: TokenRequest): Promise<string> {
  const token = parameters.required("subject_token");
  const type = parameters.required("subject_token_type");
  if (type === `${TOKEN_TYPE}id_token`) {
    const claims = await state.keys.verify(token, "JWT");
    const isOurs = claims?.iss === state.issuer && claims.aud === client.id && claims.sub !== undefined;
    if (isOurs && claims.exp !== undefined && claims.exp * 1_000 > state.clock()) return claims.sub!;
  } else if (type === `${TOKEN_TYPE}refresh_token`) {
    const known = state.refreshTokens.get(token);
    if (known !== undefined && !known.used && !known.grant.revoked && known.grant.clientId === client.id) return known.grant.subject;
  } else {
    throw new OAuthError("invalid_request", "Parameter \"subject_token_type\" must be an ID token's or a refresh token's");
  }
  throw new OAuthError("invalid_grant", "The subject token was not issued to this client by this server, or has expired");
}
