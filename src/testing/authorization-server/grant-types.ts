/** The names of the grants this server has. */

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
