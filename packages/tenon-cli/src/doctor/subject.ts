/** The subject of a walk to a URL: the server, its stored login, and the options. */
import { Credentials, GuardedFetch, type TokenSet } from "tenon/internal";
import { headersOf, timeoutOf, type Invocation } from "../invocation.ts";
import { loginSettingsOf } from "../login/login-options.ts";
import { Logins, canReceiveCredentials, type LoginSettings } from "../login/logins.ts";

export interface Subject {
  readonly server: URL;
  readonly invocation: Invocation;
  readonly logins: Logins;
  readonly settings: LoginSettings & { readonly fetchTimeout: number };
  readonly credentials: Credentials;
  readonly documents: GuardedFetch;
  /** The tokens of an earlier login. */
  readonly stored: TokenSet | undefined;
  /** The value of a header `Authorization` that was typed. */
  readonly typed: string | undefined;
  /** Milliseconds for a response. */
  readonly timeout: number;
}

/** Milliseconds for a response of a server that runs already. */
const ANSWER_TIMEOUT = 10_000;

export async function subjectOf(server: URL, invocation: Invocation): Promise<Subject> {
  const { values, shell } = invocation;
  const logins = new Logins(shell);
  const timeout = timeoutOf(values) ?? ANSWER_TIMEOUT;
  const settings = { ...(await logins.settings(server)), ...loginSettingsOf(values, shell.env), fetchTimeout: timeout };
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
  };
}
