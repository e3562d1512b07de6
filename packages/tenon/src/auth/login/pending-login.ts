/**
 * Stores logins while their user is away: from the redirect until the user is back, for one use and a limited time.
 *
 * The `state` names the record, and the record holds the server, the checked issuer and the verifier. Security: only the
 * code is taken from the URL that the user brings.
 */
import { AuthorizationError } from "../authorization-error.ts";
import type { Credentials } from "./credentials.ts";
import type { BegunLogin, GrantContext, PendingLogin } from "./grant.ts";
import type { OAuthClient } from "./oauth-client.ts";
import { isStrings } from "../json-document.ts";

/** A login to store. */
export interface BegunFor {
  readonly client: OAuthClient;
  readonly login: BegunLogin;
  /** Milliseconds since 1970 at which the login is forgotten. */
  readonly expiresAt: number;
}

export async function savePendingLogin(at: GrantContext, { client, login, expiresAt }: BegunFor): Promise<void> {
  const { server, issuer, resource, scope, credentials } = at;
  const record = { ...login, server: server.href, issuer: issuer.metadata.issuer, resource, scope, clientId: client.id, expiresAt };
  await credentials.write(credentials.key("login", login.state), record, expiresAt);
}

/** Takes the login of a user who comes back out of the store. @throws AuthorizationError if there is none */
export async function takePendingLogin(credentials: Credentials, callback: URL, signal: AbortSignal): Promise<PendingLogin> {
  const state = callback.searchParams.get("state") ?? "";
  const key = credentials.key("login", state);
  return credentials.store.lock(
    key,
    async () => {
      const login = toLogin(await credentials.read(key), state);
      if (login === undefined) throw unknownLoginError(callback);
      // The login is not forgotten, because its user may still come back to the right URL.
      if (new URL(login.redirectUri).pathname !== callback.pathname) throw otherPathError(callback);
      await credentials.store.delete(key);
      return login;
    },
    signal,
  );
}

function unknownLoginError(url: URL): AuthorizationError {
  return new AuthorizationError({
    hop: "callback",
    url,
    problem: 'no pending login has its "state": it was used already, took too long, or belongs to another user',
    remedy: "No code was sent on. Begin the login again.",
  });
}

/** Security: the redirect URI tells which issuer a code is of, if each issuer has its own (RFC 9700 section 4.4.2). */
function otherPathError(url: URL): AuthorizationError {
  return new AuthorizationError({
    hop: "callback",
    url,
    problem: "the user came back to another path than the one of this login",
    remedy: "No code was sent on. Pass finish() the URL that the user came back to, unchanged.",
  });
}

function toLogin(record: { readonly [name: string]: unknown } | undefined, state: string): PendingLogin | undefined {
  const { server, issuer, redirectUri, verifier, resource, scope, clientId, expiresAt } = record ?? {};
  if (typeof expiresAt !== "number" || expiresAt <= Date.now() || record?.["state"] !== state) return undefined;
  if (typeof server !== "string" || typeof issuer !== "string" || typeof redirectUri !== "string" || typeof verifier !== "string")
    return undefined;
  return {
    server,
    issuer,
    redirectUri,
    verifier,
    state,
    resource: text(resource),
    scope: isStrings(scope) ? scope : undefined,
    clientId: text(clientId),
  };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
