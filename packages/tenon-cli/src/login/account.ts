/** `tenon whoami` and `tenon logout`: show and forget a stored login. They show nothing secret. */
import { Credentials, type Paint, cleanLine } from "tenon/internal";
import type { LoginStatus } from "tenon/auth";
import { LoginCommandError, UsageError } from "../failure.ts";
import type { Invocation, Outcome } from "../invocation.ts";
import { Logins, canReceiveCredentials } from "./logins.ts";
import { storedAccount } from "./stored-credentials.ts";

export async function whoAmI(invocation: Invocation): Promise<Outcome> {
  const server = serverUrlOf(invocation);
  const logins = new Logins(invocation.shell);
  const status = await storedAccount(logins, server, await logins.settings(server)).status(server);
  if (status === undefined) throw new LoginCommandError(server, "has no login stored here");
  return { json: loginAsJson(server, status), text: (paint) => describeLogin(status, paint) };
}

export async function logOut(invocation: Invocation): Promise<Outcome> {
  const server = serverUrlOf(invocation);
  const logins = new Logins(invocation.shell);
  const account = storedAccount(logins, server, await logins.settings(server));
  const status = await account.status(server);
  if (status === undefined) {
    return { json: { server: server.href, loggedOut: false, revoked: false }, text: () => `No login is stored for ${server.href}.` };
  }
  const revoked = await account.logout(server, { signal: invocation.signal });
  // The registration is forgotten too, because some users log out when the issuer no longer knows the client.
  await new Credentials(logins.store, "").deleteRegistration(status.issuer, server);
  await logins.forgetSettings(server);
  return {
    json: { server: server.href, loggedOut: true, revoked },
    text: () => `Logged out of ${server.href}. ${revoked ? "Its tokens were revoked." : describeUnrevoked(status)}`,
  };
}

function describeUnrevoked({ expiresAt }: LoginStatus): string {
  const end = expiresAt === undefined ? "" : `; the last one ${describeEnd(expiresAt)}`;
  return `Its tokens are forgotten here, but the authorization server has not confirmed that they are void${end}.`;
}

/** The URL of the server that was typed. @throws UsageError if it is not a URL, or if there are further words */
export function serverUrlOf({ positionals, words }: Pick<Invocation, "positionals" | "words">): URL {
  const [typed, extra] = positionals;
  if (typed === undefined) throw new UsageError("The url is missing.");
  if (extra !== undefined) throw new UsageError(`${JSON.stringify(extra)} is one word too many.`);
  if (words !== undefined || !/^https?:\/\//i.test(typed)) {
    throw new UsageError("Only a server at a URL has logins; a program is given what it needs with --env.");
  }
  if (!URL.canParse(typed)) throw new UsageError(`${typed} is no URL. Give one such as https://example.com/mcp`);
  const server = new URL(typed);
  if (!canReceiveCredentials(server))
    throw new UsageError(`A token must not be sent over plain HTTP: use the https: URL of ${server.host}.`);
  server.hash = "";
  return server;
}

export function loginAsJson(server: URL, { issuer, resource, clientId, scope, expiresAt, renewable }: LoginStatus): object {
  return {
    server: server.href,
    issuer,
    resource,
    clientId,
    scopes: scope,
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
    renewable,
  };
}

export function describeLogin({ issuer, resource, clientId, scope, expiresAt, renewable }: LoginStatus, paint: Paint): string {
  const rows: readonly (readonly [string, string])[] = [
    ["issuer", issuer],
    ["resource", resource ?? "(the server names none)"],
    ["client", clientId ?? "(none)"],
    ["scopes", scope === undefined ? "(the issuer does not say)" : scope.join(" ") || "(none)"],
    ["expires", expiresAt === undefined ? "(the issuer does not say)" : `${new Date(expiresAt).toISOString()}, ${describeEnd(expiresAt)}`],
    ["refresh", renewable ? "by itself" : "no: log in again when it has expired"],
  ];
  return rows.map(([name, value]) => `${paint("dim", name.padEnd(8))}  ${cleanLine(value)}`).join("\n");
}

const UNITS = [
  [24 * 60 * 60_000, "d"],
  [60 * 60_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
] as const;

/** Describes an expiry: `ends in 59 min`, `ended 3 s ago`. */
export function describeEnd(expiresAt: number): string {
  const left = expiresAt - Date.now();
  const [size, unit] = UNITS.find(([ms]) => Math.abs(left) >= ms) ?? UNITS[3];
  const amount = `${Math.floor(Math.abs(left) / size)} ${unit}`;
  return left > 0 ? `ends in ${amount}` : `ended ${amount} ago`;
}
