/** The error of a call whose user has to log in at the server first: which server, and what it asked for. Nothing was sent for the call. */
import { AuthorizationError } from "../../auth/authorization-error.ts";
import type { ChallengeResponse } from "../../auth/login/authorizer.ts";
import type { Scope } from "../../auth/scope.ts";

/** Most characters of the URL of a server's metadata that a login takes over. */
const MAX_METADATA_URL = 512;

export class LoginNeededError extends AuthorizationError {
  override name = "LoginNeededError";
  readonly server: URL;
  /** The scopes to log in for; undefined if the server names none. */
  readonly scope: Scope | undefined;
  /** Where the server publishes its metadata, if its challenge says so. */
  metadata: string | undefined;

  constructor(server: URL, scope: Scope | undefined) {
    super({ hop: "authorization", url: server, problem: "the user has to log in", remedy: "Log in at this server." });
    this.server = server;
    this.scope = scope;
  }

  /** Keeps the URL of the server's metadata, if it can stand in a header. */
  noteMetadata(url: string | undefined): void {
    if (url !== undefined && url.length <= MAX_METADATA_URL && /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(url)) this.metadata = url;
  }
}

/** The challenge that a login begins with, as the server would send it. */
export function challengeOf({ scope, metadata }: { scope?: Scope | undefined; metadata?: string | undefined }): ChallengeResponse {
  const parameters = [
    ...(metadata === undefined ? [] : [`resource_metadata="${metadata}"`]),
    ...(scope === undefined ? [] : [`scope="${scope.join(" ")}"`]),
  ];
  const headers = new Headers(parameters.length === 0 ? {} : { "www-authenticate": `Bearer ${parameters.join(", ")}` });
  return { status: 401, headers };
}

/** The error among the causes of another one. */
export function loginNeededIn(error: unknown): LoginNeededError | undefined {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++)
    if (cause instanceof LoginNeededError) return cause;
  return undefined;
}
