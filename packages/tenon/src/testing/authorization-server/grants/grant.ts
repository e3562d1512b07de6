/** The request of a grant, and the names of all grants. */
import type { RegisteredClient } from "../clients/client-metadata.ts";
import type { Exchange } from "../exchange.ts";

/** A token request whose client is authenticated. */
export interface TokenRequest {
  readonly client: RegisteredClient;
  readonly exchange: Exchange;
  /** The thumbprint of the key that the request proved with DPoP. */
  readonly key: string | undefined;
}

export const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";
export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

export const GRANT_TYPES: readonly string[] = [
  "authorization_code",
  "refresh_token",
  "client_credentials",
  DEVICE_CODE,
  TOKEN_EXCHANGE,
  JWT_BEARER,
];
