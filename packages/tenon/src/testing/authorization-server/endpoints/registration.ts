/** Dynamic client registration (RFC 7591), without authentication. */
import { randomId } from "../../../base/bytes.ts";
import { checkClientMetadata, toClient } from "../clients/client-metadata.ts";
import { json, type EndpointResponse, type Exchange } from "../exchange.ts";
import { OAuthError } from "../oauth-error.ts";
import { newSecret, type ServerState } from "../state.ts";

export function handleRegistration(state: ServerState, { body }: Exchange): EndpointResponse {
  if (body === undefined) throw new OAuthError("invalid_client_metadata", "The body must be an object in JSON: application/json");
  const rules = { grantTypes: state.settings.grantTypes, authenticationMethods: state.settings.clientAuthentication };
  const metadata = checkClientMetadata(body, rules);
  const id = randomId();
  const method = metadata.token_endpoint_auth_method;
  const isForced = method === "none" && state.settings.registrationSecret;
  const secret = method === "client_secret_basic" || method === "client_secret_post" || isForced ? newSecret() : undefined;
  // The response repeats the method, though the server wants the secret.
  state.addClient(toClient(id, secret, isForced ? { ...metadata, token_endpoint_auth_method: "client_secret_post" } : metadata));
  return json(201, {
    client_id: id,
    client_id_issued_at: state.seconds,
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
    ...metadata,
  });
}
