/** The hops about a stored login: its token, its audience, whether it can be refreshed, and whether the server accepts it. */
import { LoginCommandError, loginCommand } from "../failure.ts";
import { type TokenSet, isJsonObject, jsonIn } from "tenon/internal";
import { connect, ErrorCode, McpError, UnusableResponseError, type Client, type ConnectOptions } from "tenon/client";
import type { JsonObject } from "tenon";
import { describeEnd } from "../login/account.ts";
import { headersOf, revisionOf } from "../invocation.ts";
import { storedAccount, storedCredentials } from "../login/stored-credentials.ts";
import { explainUnreachable } from "../connection/unreachable.ts";
import { clientInfo } from "../version.ts";
import { mayNeedLogin, type DiscoveryFindings } from "./discovery-hops.ts";
import { remedyOfPath } from "./other-paths.ts";
import type { Subject } from "./subject.ts";
import { describeClient } from "./report.ts";
import { HopFailure, ok, skipped, type HopResult, type Walk } from "./walk.ts";

export async function tokenHops(walk: Walk, subject: Subject, discovered: DiscoveryFindings): Promise<void> {
  const { stored, typed } = subject;
  await walk.hop("token", () => checkToken(subject, discovered));
  // The server decides which audiences it accepts, so it is called before the audience is checked.
  const later = walk.aside();
  await later.hop("refresh", () => checkRefresh(subject, discovered));
  const isTaken = await later.hop("access", () => checkAccess(subject, discovered));
  await walk.hop("audience", () =>
    checkAudience(stored?.accessToken ?? typed?.replace(/^\w+ +/, ""), subject, { ...discovered, isTaken: isTaken === true }),
  );
  walk.append(later);
}

function logInAgain({ server }: Subject): string {
  return `Log in again: ${loginCommand(server)}`;
}

function checkToken(subject: Subject, findings: DiscoveryFindings): HopResult<unknown> {
  const { stored, typed, server } = subject;
  const { resource, issuer } = findings;
  if (typed !== undefined) return ok("given with --header");
  if (stored === undefined) return skipped(mayNeedLogin(findings) ? `no login is stored: ${loginCommand(server)}` : "none is needed");
  const named = resource?.authorizationServers;
  if (named !== undefined && !named.includes(stored.issuer)) {
    throw new HopFailure(
      `the stored login is of ${stored.issuer}, which the server does not name any more`,
      logInAgain(subject),
      stored.issuer,
    );
  }
  const scope = stored.scope ?? stored.requested;
  const what = `of ${issuer?.metadata.issuer ?? stored.issuer}${scope === undefined ? "" : `, for ${scope.join(" ") || "no scope"}`}`;
  const { expiresAt, refreshToken } = stored;
  if (expiresAt === undefined) return ok(`${what}; its end is not known`);
  const isOver = expiresAt <= Date.now();
  if (isOver && refreshToken === undefined)
    throw new HopFailure(`it ${describeEnd(expiresAt)}, and cannot be refreshed`, logInAgain(subject), stored.issuer);
  return ok(`${what}; ${describeEnd(expiresAt)}${isOver ? ", and is to be refreshed" : ""}`);
}

async function checkRefresh(subject: Subject, findings: DiscoveryFindings): Promise<HopResult<unknown>> {
  const { stored, typed, server, logins, settings, invocation } = subject;
  if (typed !== undefined) return skipped("what is given with --header is not refreshed");
  if (stored === undefined) return skipped(mayNeedLogin(findings) ? "no login is stored" : "none is needed");
  if (stored.refreshToken === undefined) return skipped("the authorization server issued nothing to refresh with");
  if (findings.issuer === undefined) return skipped("not without the metadata");
  await storedAccount(logins, server, settings).refresh(server, { signal: invocation.signal });
  return ok("there is a new token", undefined, findings.issuer.metadata.token_endpoint);
}

/** Connects once with the stored login. A server that does not ask for one was connected to already. */
export async function checkAccess(subject: Subject, { open, failure, isReachable }: DiscoveryFindings): Promise<HopResult<true>> {
  const { stored, typed, invocation } = subject;
  if (!isReachable) return skipped("the server cannot be reached");
  if (stored === undefined && typed === undefined) {
    if (failure !== undefined) throw (await noConversation(failure, subject)) ?? accessFailure(failure, subject);
    return open === undefined ? skipped("no login is stored") : ok(open, true);
  }
  try {
    const client = await connectAs(subject);
    const described = describeClient(client);
    await client.close();
    return ok(described, true);
  } catch (error) {
    invocation.signal.throwIfAborted();
    throw accessFailure(error, subject);
  }
}

/** Connects with what was typed or is stored. @throws what `connect` throws */
export function connectAs(subject: Subject, more: ConnectOptions = {}): Promise<Client> {
  const { server, stored, typed, logins, settings, invocation, left } = subject;
  const timeout = Math.max(1, left());
  const revision = revisionOf(invocation.values);
  return connect(
    { url: server.href, headers: headersOf(invocation.values) },
    {
      ...(typed === undefined && stored !== undefined && { auth: storedCredentials(logins, server, settings) }),
      ...(revision && { revision }),
      clientInfo: clientInfo(),
      timeout,
      signal: AbortSignal.any([invocation.signal, AbortSignal.timeout(timeout)]),
      ...more,
    },
  );
}

/** The failure of a server that responds and is not an MCP server at this path: a web page, or JSON-RPC of another kind. */
async function noConversation(error: unknown, subject: Subject): Promise<HopFailure | undefined> {
  const { server } = subject;
  if (McpError.isMcpError(error) && error.code === ErrorCode.MethodNotFound)
    return new HopFailure(
      'it speaks JSON-RPC, but knows neither "server/discover" nor "initialize": this is not an MCP server',
      await remedyOfPath(subject),
      server,
    );
  if (!(error instanceof UnusableResponseError && error.message.endsWith("text/html"))) return undefined;
  return new HopFailure(`it answers with a web page: ${error.message}`, await remedyOfPath(subject), server);
}

function accessFailure(error: unknown, subject: Subject): unknown {
  const { server, typed } = subject;
  if (error instanceof LoginCommandError) {
    const fix = `${logInAgain(subject)}. If it stays so, the operator of the server must see why it refuses tokens of the authorization server it names.`;
    return new HopFailure("the server refuses the token", fix, server);
  }
  if (error instanceof Error && "hop" in error) return error;
  if (typed !== undefined) return new HopFailure(explainUnreachable(error), "Check what is given with --header.", server);
  return new HopFailure(explainUnreachable(error), "Try again; if it stays so, tell the operator of the server.", server);
}

interface AccessFindings extends DiscoveryFindings {
  readonly isTaken: boolean;
}

/** Checks the audience of the token, if the token can be read. */
function checkAudience(token: string | undefined, subject: Subject, findings: AccessFindings): HopResult<unknown> {
  const { stored, server } = subject;
  const { resource, isTaken } = findings;
  if (token === undefined) return skipped(mayNeedLogin(findings) ? "no login is stored" : "none is needed");
  if (resource !== undefined && stored !== undefined && stored.resource !== resource.resource) {
    throw new HopFailure(
      `the stored login is for ${stored.resource ?? "no resource"}, and the server is ${resource.resource} now`,
      logInAgain(subject),
      resource.url,
    );
  }
  const claims = claimsOf(token);
  if (claims === undefined) return skipped("the token is one that only the authorization server can read");
  const named = [claims["aud"]].flat().filter((name): name is string => typeof name === "string");
  const wanted = resource?.resource ?? server.href;
  const said = named.length === 0 ? "no audience" : named.join(", ");
  if (named.some((name) => withoutSlash(name) === withoutSlash(wanted))) return ok(`the token is for ${said}`);
  if (isTaken) return ok(`the token is for ${said}, which the server takes, though it is ${wanted}`);
  throw new HopFailure(
    `the token is for ${said}, and the server is ${wanted}`,
    'The operator of the authorization server must issue tokens for what "resource" names (RFC 8707), or the MCP server must take this audience.',
    stored?.issuer ?? server,
  );
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}

/** The unverified claims of a JWT, for display only. */
function claimsOf(token: TokenSet["accessToken"]): JsonObject | undefined {
  const [, payload, signature] = token.split(".");
  if (payload === undefined || signature === undefined) return undefined;
  const claims = jsonIn(Buffer.from(payload, "base64url").toString("utf8"));
  return isJsonObject(claims) ? claims : undefined;
}
