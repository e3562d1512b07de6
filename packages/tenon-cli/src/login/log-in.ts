/**
 * `tenon login`: gets the server's challenge, sends the user to the issuer's page, stores the tokens, and checks that the
 * server accepts them.
 */
import {
  AuthorizationError,
  type ChallengeResponse,
  type DevicePrompt,
  type OAuthOptions,
  type OAuthProvider,
  type RegistrationOptions,
  deviceCode,
  discover,
  oauth,
} from "tenon/auth";
import { connect } from "tenon/client";
import { cleanLine, openBrowserWith } from "tenon/internal";
import { describeLogin, loginAsJson, serverUrlOf } from "./account.ts";
import { CannotConnectError, LoginCommandError, UsageError } from "../failure.ts";
import { connectWithoutCredentials, isChallenge } from "./first-response.ts";
import { headersOf, portOf, timeoutOf, type Invocation, type Outcome } from "../invocation.ts";
import { CLIENT_NAME, callbackOf, loginSettingsOf, scopeOf } from "./login-options.ts";
import { Logins, type LoginSettings } from "./logins.ts";
import { storedCredentials } from "./stored-credentials.ts";
import type { Environment } from "../shell.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { explainUnreachable } from "../connection/unreachable.ts";
import { clientInfo } from "../version.ts";

/** Milliseconds for each response of the server. The user has another limit. */
const ANSWER_TIMEOUT = 60_000;

/** @param open shows the page of the authorization server. Default: the browser and the terminal */
export async function logIn(invocation: Invocation, open?: (page: URL) => Promise<void>): Promise<Outcome> {
  const { values, shell, signal, terminal } = invocation;
  const server = serverUrlOf(invocation);
  if (Object.keys(headersOf(values)).some((name) => name.toLowerCase() === "authorization"))
    throw new UsageError("--header Authorization is a login of its own: leave it out to log in.");
  const logins = new Logins(shell);
  const settings = { ...(await logins.settings(server)), ...loginSettingsOf(values, shell.env) };
  const account = accountFor(invocation, { ...settings, store: logins.store }, open);
  terminal.note(`Asking ${server.origin} what it wants ...`);
  const challenge = await challengeOf(server, invocation, settings);
  if (challenge === undefined)
    return { json: { server: server.href, authorization: "none" }, text: () => `${server.href} asks for no login.` };
  const status = await account.login(server, { signal, challenge });
  await logins.keepSettings(server, settings);
  const name = await verify(logins, server, invocation);
  return {
    json: loginAsJson(server, status),
    text: (paint) => `Logged in to ${paint("bold", cleanLine(name))} at ${server.origin}.\n${describeLogin(status, paint)}`,
  };
}

/** The server's challenge; undefined if it neither asks for a login nor names an authorization server. */
async function challengeOf(server: URL, invocation: Invocation, settings: LoginSettings): Promise<ChallengeResponse | undefined> {
  const { response, error } = await connectWithoutCredentials(server, invocation, { timeout: ANSWER_TIMEOUT });
  if (isChallenge(response)) return response;
  if (response === undefined || error !== undefined) throw new CannotConnectError(explainUnreachable(error), "", { cause: error });
  // Some servers accept every connection, and ask for a login only when a tool is called.
  return (await namesAnIssuer(server, settings, invocation.signal)) ? response : undefined;
}

async function namesAnIssuer(server: URL, settings: LoginSettings, signal: AbortSignal): Promise<boolean> {
  const { client: _client, issuer: _issuer, resource: _resource, assumePkce: _assumePkce, ...network } = settings;
  try {
    return (await discover(server, { ...network, signal })).resource !== undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AuthorizationError) return false; // the server did not ask for a login, so this is not an error
    throw error;
  }
}

function accountFor(
  { values, shell, terminal }: Invocation,
  { assumePkce, ...shared }: LoginSettings & Pick<OAuthOptions, "store">,
  opener: ((page: URL) => Promise<void>) | undefined,
): OAuthProvider {
  const loginTimeout = timeoutOf(values);
  const scope = scopeOf(values);
  const port = portOf(values);
  const callback = callbackOf(values);
  const options: OAuthOptions & RegistrationOptions & { issuer?: string; loginTimeout?: number } = {
    ...shared,
    clientName: CLIENT_NAME,
    ...(scope !== undefined && { scope }),
    ...(loginTimeout !== undefined && { loginTimeout }),
  };
  if (values.device === true) {
    if (values["no-browser"] === true || port !== undefined || Object.keys(callback).length > 0)
      throw new UsageError("--device uses neither a browser nor a port of this machine.");
    return deviceCode({ ...options, prompt: (prompt) => showCode(terminal, prompt) });
  }
  const open = opener ?? ((page: URL): Promise<void> => showPage(terminal, page, values["no-browser"] === true ? undefined : shell.env));
  return oauth({
    ...options,
    ...callback,
    open,
    ...(assumePkce === true && { assumePkce }),
    ...(port !== undefined && port > 0 && { port }),
  });
}

/**
 * Shows the page's address in any case, because a failing browser may not report it.
 * @param ofBrowser the environment of the browser; undefined for none
 */
async function showPage(terminal: Terminal, page: URL, ofBrowser: Environment | undefined): Promise<void> {
  const address = terminal.paintNote("bold", cleanLine(page.href));
  if (ofBrowser === undefined)
    return terminal.note(`Log in at ${page.origin}, in a browser on this machine:\n\n${address}\n\nWaiting for you (Ctrl-C gives up) ...`);
  const failed = await openBrowserWith(ofBrowser, page).then(
    () => false,
    () => true,
  );
  terminal.note(
    failed
      ? "No browser could be opened. Open this page in one on this machine:"
      : `Log in at ${page.origin}, in the browser. If it does not open, this is the page:`,
  );
  terminal.note(`\n${address}\n\nWaiting for you (Ctrl-C gives up) ...`);
}

function showCode(terminal: Terminal, { userCode, verificationUrl, completeUrl, expiresIn }: DevicePrompt): void {
  const code = terminal.paintNote("bold", cleanLine(userCode));
  terminal.note(`On any device, open ${cleanLine(verificationUrl.href)}\nand type in ${code}`);
  if (completeUrl !== undefined) terminal.note(`With the code in it: ${cleanLine(completeUrl.href)}`);
  terminal.note(`\nWaiting for you, up to ${Math.ceil(expiresIn / 60_000)} min (Ctrl-C gives up) ...`);
}

/** Connects with the new login, and returns the server's name. @throws AuthorizationError if the server refuses the new token */
async function verify(logins: Logins, server: URL, { values, signal }: Invocation): Promise<string> {
  const late = AbortSignal.timeout(ANSWER_TIMEOUT);
  try {
    const client = await connect(
      { url: server.href, headers: headersOf(values) },
      {
        auth: storedCredentials(logins, server, await logins.settings(server)),
        clientInfo: clientInfo(),
        timeout: ANSWER_TIMEOUT,
        signal: AbortSignal.any([signal, late]),
      },
    );
    await client.close();
    return client.serverInfo?.name ?? server.href;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof LoginCommandError) throw freshTokenRefusedError(server);
    if (error instanceof AuthorizationError) throw error;
    throw new CannotConnectError(`You are logged in, but: ${explainUnreachable(error)}`, "", { cause: error });
  }
}

function freshTokenRefusedError(server: URL): AuthorizationError {
  return new AuthorizationError({
    hop: "access",
    url: server,
    problem: "the server refuses the token that was just issued for it",
    remedy:
      "The operator of the server must see to it that it takes tokens of the authorization server it names, for the resource it names.",
  });
}
