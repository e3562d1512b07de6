/** The server's metadata (RFC 8414), which is also its OpenID discovery document. */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { DPOP_ALGORITHMS } from "../../../auth/resource-server/dpop-options.ts";
import { ASSERTION_ALGORITHMS } from "../clients/client-assertion.ts";
import { TOKEN_EXCHANGE } from "../grants/grant.ts";
import { json, type EndpointResponse } from "../exchange.ts";
import { SIGNING_ALGORITHM } from "../tokens/signing-keys.ts";
import type { ServerState } from "../state.ts";

export function handleMetadata(state: ServerState): EndpointResponse {
  return json(200, metadataOf(state));
}

function metadataOf({ ownName, urls, settings }: ServerState): JsonObject {
  const methods = settings.clientAuthentication;
  return {
    issuer: ownName,
    authorization_endpoint: urls.authorize,
    token_endpoint: urls.token,
    registration_endpoint: urls.register,
    jwks_uri: urls.jwks,
    introspection_endpoint: urls.introspect,
    revocation_endpoint: urls.revoke,
    device_authorization_endpoint: urls.device_authorization,
    client_id_metadata_document_supported: settings.clientDocuments,
    ...(settings.scopes && { scopes_supported: settings.scopes }),
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: settings.grantTypes,
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: methods,
    ...(methods.includes("private_key_jwt") && { token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS }),
    introspection_endpoint_auth_methods_supported: methods.filter((method) => method !== "none"),
    ...(settings.identityProviders.length > 0 && {
      authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"],
    }),
    ...(settings.grantTypes.includes(TOKEN_EXCHANGE) && {
      identity_chaining_requested_token_types_supported: ["urn:ietf:params:oauth:token-type:id-jag"],
    }),
    dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
    authorization_response_iss_parameter_supported: true,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [SIGNING_ALGORITHM],
  };
}

export async function handleJwks({ keys }: ServerState): Promise<EndpointResponse> {
  return json(200, { ...(await keys.published()) });
}
