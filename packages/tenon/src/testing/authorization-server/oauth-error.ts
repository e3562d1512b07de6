/** The error of an endpoint, with a registered OAuth error code (RFC 6749 section 5.2). */

/** The error codes of this server. */
export type OAuthErrorCode =
  | "access_denied"
  | "authorization_pending"
  | "expired_token"
  | "invalid_client"
  | "invalid_client_metadata"
  | "invalid_dpop_proof"
  | "invalid_grant"
  | "invalid_redirect_uri"
  | "invalid_request"
  | "invalid_scope"
  | "invalid_target"
  | "server_error"
  | "slow_down"
  | "temporarily_unavailable"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "unsupported_token_type"
  | "use_dpop_nonce";

export class OAuthError extends Error {
  override readonly name = "OAuthError";
  readonly code: OAuthErrorCode;
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];

  constructor(code: OAuthErrorCode, description: string, status = 400, headers: readonly string[] = []) {
    super(description);
    this.code = code;
    this.status = status;
    this.headers = headers;
  }

  toJSON(): { error: string; error_description: string } {
    return { error: this.code, error_description: this.message };
  }
}
