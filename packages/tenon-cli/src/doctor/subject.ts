/** The subject of a walk to a URL: the server, its stored login, and the options. */
import { Credentials, GuardedFetch, type TokenSet } from "tenon/internal";
import { ANSWER_TIMEOUT } from "../connection/diagnosis.ts";
import { headersOf, timeoutOf, type Invocation } from "../invocation.ts";
import { loginSettingsOf } from "../login/login-options.ts";
import { Logins, canReceiveCredentials, type LoginSettings } from "../login/logins.ts";

export interface Subject {
  readonly server: URL;
  readonly invocation: Omit<Invocation, "terminal">;
  readonly logins: Logins;
  readonly settings: LoginSettings & { readonly fetchTimeout: number };
  readonly credentials: Credentials;
  readonly documents: GuardedFetch;
  /** The tokens of an earlier login. */
  readonly stored: TokenSet | undefined;
  /** The value of a header `Authorization` that was typed. */
  readonly typed: string | undefined;
  /** Milliseconds for all that the walk waits for. */
  readonly timeout: number;
  /** Milliseconds that are left of them. */
  readonly left: () => number;
}

export async function subjectOf(server: URL, invocation: Omit<Invocation, "terminal">): Promise<Subject> {
  const { values, shell } = invocation;
  const logins = new Logins(shell);
  const timeout = timeoutOf(values) ?? ANSWER_TIMEOUT;
  const begin = performance.now();
  const left = (): number => Math.max(0, Math.round(timeout - (performance.now() - begin)));
  const loginOptions = { ...(await logins.settings(server)), ...loginSettingsOf(values, shell.env) };
  // Each document has what is left for all, so that a server that hangs is found once.
  const settings = Object.defineProperty({ ...loginOptions, fetchTimeout: timeout }, "fetchTimeout", {
    get: () => Math.max(1, left()),
    enumerable: true,
  });
  const credentials = new Credentials(logins.store, "");
  const binding = canReceiveCredentials(server) ? await credentials.server(server) : undefined;
  return {
    server,
    invocation,
    logins,
    settings,
    credentials,
    documents: new GuardedFetch(settings, server),
    stored: binding && (await credentials.tokens(binding, settings.client?.id)),
    typed: Object.entries(headersOf(values)).find(([name]) => name.toLowerCase() === "authorization")?.[1],
    timeout,
    left,
  };
}
