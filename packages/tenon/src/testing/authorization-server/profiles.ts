/**
 * Providers as they are: how the authorization servers that people have deviate from the standards, as settings of the test server.
 *
 * They hold what a client of MCP notices: metadata, registration, parameters, and the form of responses. They are no copies of the products.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { AuthorizationServerSettings, ProviderProfile } from "./options.ts";
import type { RecordedRequest } from "./recorded-request.ts";

type Profile = Partial<AuthorizationServerSettings>;

/** The settings of a provider. @throws TypeError if there is none of that name */
export function profileOf(name: ProviderProfile): Profile {
  if (Object.hasOwn(PROFILES, name)) return PROFILES[name];
  throw new TypeError(`There is no profile ${JSON.stringify(name)}. There are: ${Object.keys(PROFILES).join(", ")}`);
}

/** Metadata without the members that a provider does not publish. */
function metadata(...absent: readonly string[]): NonNullable<AuthorizationServerSettings["alterResponse"]> {
  return (response, { endpoint }) =>
    endpoint === "metadata" ? Object.fromEntries(Object.entries(response).filter(([member]) => !absent.includes(member))) : response;
}

/** Only OpenID discovery, and so no document where RFC 8414 has it. */
function openIdOnly(alter: NonNullable<AuthorizationServerSettings["alterResponse"]>): typeof alter {
  return (response, request) =>
    request.endpoint === "metadata" && request.url.includes("/.well-known/oauth-authorization-server")
      ? undefined
      : alter(response, request);
}

function withoutIss(parameters: URLSearchParams): void {
  parameters.delete("iss");
}

const NO_REGISTRATION = "registration_endpoint";
const NO_ISS = "authorization_response_iss_parameter_supported";
const NO_DOCUMENTS = "client_id_metadata_document_supported";
const PKCE = "code_challenge_methods_supported";

function withCommas(response: JsonObject): JsonObject {
  const { scope } = response;
  return typeof scope === "string" ? { ...response, scope: scope.replaceAll(" ", ",") } : response;
}

function withoutScope({ endpoint, parameters }: RecordedRequest): ReturnType<NonNullable<AuthorizationServerSettings["refuse"]>> {
  return endpoint === "authorize" && parameters["scope"] === undefined
    ? { code: "invalid_scope", description: "A login must ask for scopes" }
    : undefined;
}

/** The audience of a token; undefined if neither the client nor the operator named one. */
function namedAudience({ iss, aud }: JsonObject): JsonObject["aud"] {
  return aud === iss ? undefined : aud;
}

/** Names the client as the party that the token was issued to (OpenID Connect), and in no other claim. */
function withAzp({ client_id: azp, ...claims }: JsonObject): JsonObject {
  return { ...claims, ...(azp !== undefined && { azp }) };
}

function withoutDefaultAudience(claims: JsonObject): JsonObject {
  const { aud: _, ...others } = claims;
  const aud = namedAudience(claims);
  return { ...others, ...(aud !== undefined && { aud }) };
}

const PROFILES: Readonly<Record<ProviderProfile, Profile>> = {
  /** Its own server registers clients, gives them a secret, and wants it in spite of the method "none". */
  atlassian: {
    registrationSecret: true,
    clientDocuments: false,
    alterResponse: (response, request) =>
      request.endpoint === "metadata"
        ? { ...metadata(NO_ISS)(response, request), token_endpoint_auth_methods_supported: ["none"] }
        : response,
    alterRedirect: withoutIss,
  },
  /** The issuer ends with a slash, in metadata and tokens. Audiences are fixed, so `resource` changes nothing; tokens open `userinfo`, too. */
  auth0: {
    alterAccessToken: (claims) => withAzp({ ...claims, aud: [claims["aud"] ?? [], `${String(claims["iss"])}userinfo`].flat() }),
    issuerSlash: true,
    resourceParameter: "ignore",
    clientDocuments: false,
    alterResponse: metadata(NO_ISS),
    alterRedirect: withoutIss,
  },
  /** A program that mounts it: JWTs only for a resource that it was given (setting `resources`), which name the client in `azp`. */
  betterAuth: {
    clientDocuments: false,
    accessTokens: "jwt-for-resource",
    alterAccessToken: withAzp,
  },
  /** Tokens name no audience, unless the client sent `resource` and the MCP server is in the dashboard. */
  clerk: {
    clientDocuments: false,
    alterAccessToken: withoutDefaultAudience,
    alterResponse: metadata(NO_ISS),
    alterRedirect: withoutIss,
  },
  /** OpenID discovery without PKCE and without registration; tokens without an audience, which say that they are access tokens. */
  cognito: {
    alterAccessToken: (claims) => ({ ...withoutDefaultAudience(claims), token_use: "access" }),
    clientDocuments: false,
    resourceParameter: "ignore",
    alterResponse: openIdOnly(metadata(PKCE, NO_REGISTRATION, NO_DOCUMENTS, NO_ISS)),
    alterRedirect: withoutIss,
  },
  /** As Cognito; it also refuses `resource` beside scopes, which must have their long form, and names them in the short form in tokens. */
  entra: {
    clientDocuments: false,
    resourceParameter: "refuse",
    shortScopes: true,
    alterAccessToken: (claims) => ({ ...withAzp(claims), ver: "2.0" }),
    alterResponse: openIdOnly(metadata(PKCE, NO_REGISTRATION, NO_DOCUMENTS, NO_ISS)),
    alterRedirect: withoutIss,
    refuse: ({ parameters: { scope } }) =>
      typeof scope === "string" && scope.split(" ").some((one) => !one.includes("/") && one !== "offline_access" && one !== "openid")
        ? { code: "invalid_scope", description: "AADSTS650053: the application asked for a scope that does not exist" }
        : undefined,
  },
  /** Tokens come as a form, with scopes separated by commas; errors come with status 200. */
  github: {
    clientDocuments: false,
    resourceParameter: "ignore",
    tokenFormat: "form",
    refreshTokens: "never",
    alterResponse: (response, request) =>
      request.endpoint === "token" ? withCommas(response) : metadata(NO_REGISTRATION, NO_DOCUMENTS, NO_ISS)(response, request),
    alterRedirect: withoutIss,
  },
  /** OpenID discovery; programs on a desktop have a secret too; its own MCP servers name the issuer with a slash, and it names itself without. */
  google: {
    clientDocuments: false,
    resourceParameter: "ignore",
    accessTokens: "opaque",
    clientAuthentication: ["client_secret_post", "client_secret_basic"],
    alterResponse: openIdOnly(metadata(NO_REGISTRATION, NO_DOCUMENTS, NO_ISS)),
    alterRedirect: withoutIss,
  },
  /** Unknown scopes may not be registered, and `resource` changes nothing. Tokens are for `account`, and for what a mapper adds. */
  keycloak: {
    alterAccessToken: (claims) => ({ ...withAzp(claims), typ: "Bearer", aud: ["account", namedAudience(claims) ?? []].flat() }),
    resourceParameter: "ignore",
    clientDocuments: false,
    refuse: ({ endpoint, body }) =>
      endpoint === "register" && (body?.["scope"] !== undefined || body?.["resource"] !== undefined)
        ? { code: "invalid_client_metadata", description: "Policy 'Allowed Client Scopes' rejected the request" }
        : undefined,
  },
  /** It publishes a registration endpoint that only administrators may use, ignores `resource`, and has claims of its own. */
  okta: {
    alterAccessToken: ({ client_id: cid, scope, ...claims }) => ({
      ...claims,
      ...(cid !== undefined && { cid }),
      ...(typeof scope === "string" && { scp: scope.split(" ") }),
    }),
    resourceParameter: "ignore",
    clientDocuments: false,
    refuse: ({ endpoint }) => (endpoint === "register" ? { code: "invalid_client", description: "E0000005: Invalid session" } : undefined),
    alterResponse: metadata(NO_ISS),
    alterRedirect: withoutIss,
  },
  /** Metadata without PKCE, tokens without an end. */
  salesforce: {
    clientDocuments: false,
    alterResponse: (response, request) => {
      if (request.endpoint !== "token") return metadata(PKCE, NO_REGISTRATION, NO_DOCUMENTS, NO_ISS)(response, request);
      const { expires_in: _, ...token } = response;
      return { ...token, instance_url: "https://example.my.salesforce.com", issued_at: "1700000000000" };
    },
    alterRedirect: withoutIss,
  },
  /** No registration, no login without a scope, scopes with commas, no refresh tokens, and errors with status 200. */
  slack: {
    clientDocuments: false,
    resourceParameter: "ignore",
    refreshTokens: "never",
    refuse: withoutScope,
    alterResponse: (response, request) => {
      if (request.endpoint !== "token") return metadata(NO_REGISTRATION, NO_DOCUMENTS, NO_ISS)(response, request);
      return { ok: response["error"] === undefined, ...withCommas(response) };
    },
    alterRedirect: withoutIss,
  },
  /** Every token names the same audience, no scopes, and the session; `resource` changes nothing. */
  supabase: {
    clientDocuments: false,
    resourceParameter: "ignore",
    alterAccessToken: (claims) => {
      const { scope: _, ...others } = claims;
      return { ...others, aud: "authenticated", role: "authenticated", session_id: "session" };
    },
    alterResponse: metadata(NO_ISS),
    alterRedirect: withoutIss,
  },
  /** Tokens name the resource if it is in the dashboard (setting `resources`), else the environment. */
  workos: {
    defaultAudience: "client_01TEST",
    alterAccessToken: (claims) => ({ ...claims, sid: "session" }),
    alterResponse: metadata(NO_ISS),
    alterRedirect: withoutIss,
  },
};
