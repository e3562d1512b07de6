/**
 * The option `introspection` of `bearer()`. It stands apart from the code that asks, which is loaded with the first token and brings the
 * library of OAuth.
 */
import type { OptionKeys } from "../../base/known-options.ts";

/** The option `introspection` of `bearer()`: how to ask the issuer about a token (RFC 7662). */
export interface IntrospectionOptions {
  /** The introspection endpoint. Default: the endpoint in the issuer's metadata. */
  readonly endpoint?: string;
  /** The client id of this server at the issuer. */
  readonly clientId: string;
  /** The client's secret; pass either this or `privateKey`. Security: do not use a secret that is used elsewhere. */
  readonly clientSecret?: string;
  /** The key that signs the client's assertions (`private_key_jwt`); `kid` is its name at the issuer. */
  readonly privateKey?: { readonly key: CryptoKey; readonly kid?: string };
  /** How the secret is sent. Default `client_secret_basic`. */
  readonly authentication?: "client_secret_basic" | "client_secret_post";
}

export const INTROSPECTION_OPTIONS: OptionKeys<IntrospectionOptions> = {
  endpoint: 1,
  clientId: 1,
  clientSecret: 1,
  privateKey: 1,
  authentication: 1,
};
