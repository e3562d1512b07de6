/**
 * What the client does in the suite's authorization scenarios: the grant each one is about, then the same calls in all.
 *
 * The user of these scenarios is this file: it "visits" the login page with one GET and reads where it would be sent.
 */
import { clientCredentials, discover, enterpriseManaged, importSigningKey, oauth, workloadIdentity } from "tenon/auth";

/** Where the user comes back to. Nothing listens there. */
const REDIRECT_URI = "http://localhost:3000/callback";
const CLIENT_METADATA_URL = "https://conformance-test.local/client-metadata.json";

const user = {
  begin: async () => ({
    redirectUri: REDIRECT_URI,
    visit: async (page, _state, signal) => {
      const response = await fetch(page, { redirect: "manual", signal });
      return new URL(response.headers.get("location"));
    },
    close: async () => {},
  }),
};

const play = async (client) => {
  await client.listTools();
  await client.callTool("test-tool", {});
};

const loggingIn = (options = {}) => ({
  auth: () => oauth({ redirection: user, clientMetadataUrl: CLIENT_METADATA_URL, ...options }),
  play,
});

/** A client that was given says which issuer it is of. Ours finds out first, as its user would. */
const issuerOf = async (url) => (await discover(url)).issuer.issuer;

const withUser = [
  "metadata-default",
  "metadata-var1",
  "metadata-var2",
  "metadata-var3",
  "basic-cimd",
  "scope-from-www-authenticate",
  "scope-from-scopes-supported",
  "scope-omitted-when-undefined",
  "scope-step-up",
  "scope-retry-limit",
  "token-endpoint-auth-basic",
  "token-endpoint-auth-post",
  "token-endpoint-auth-none",
  "resource-mismatch",
  "offline-access-scope",
  "offline-access-not-supported",
  "authorization-server-migration",
  "iss-supported",
  "iss-not-advertised",
  "iss-supported-missing",
  "iss-wrong-issuer",
  "iss-unexpected",
  "iss-normalized",
  "metadata-issuer-mismatch",
  "2025-03-26-oauth-metadata-backcompat",
  "2025-03-26-oauth-endpoint-fallback",
];

export const authScenarios = {
  ...Object.fromEntries(withUser.map((name) => [`auth/${name}`, loggingIn()])),
  "auth/dpop": loggingIn({ dpop: true }),
  "auth/dpop-nonce": loggingIn({ dpop: true }),
  "auth/pre-registration": {
    auth: async ({ client_id: id, client_secret: secret }, url) =>
      oauth({ redirection: user, client: { id, secret }, issuer: await issuerOf(url) }),
    play,
  },
  "auth/client-credentials-basic": {
    auth: async ({ client_id: id, client_secret: secret }, url) =>
      clientCredentials({ issuer: await issuerOf(url), client: { id, secret } }),
    play,
  },
  "auth/client-credentials-jwt": {
    auth: async ({ client_id: id, private_key_pem: pem, signing_algorithm: algorithm }, url) =>
      clientCredentials({ issuer: await issuerOf(url), client: { id, key: await importSigningKey(pem, algorithm) } }),
    play,
  },
  "auth/enterprise-managed-authorization": {
    auth: async (context, url) =>
      enterpriseManaged({
        issuer: await issuerOf(url),
        client: { id: context.client_id, secret: context.client_secret },
        identityProvider: {
          issuer: context.idp_issuer,
          tokenEndpoint: context.idp_token_endpoint,
          client: { id: context.idp_client_id },
          subjectToken: () => context.idp_id_token,
        },
      }),
    play,
  },
  "auth/wif-jwt-bearer": {
    auth: async ({ valid_jwt: assertion }, url) => workloadIdentity({ issuer: await issuerOf(url), assertion }),
    play,
  },
};
