/** The hops from a server's first response to the metadata of its authorization server (RFC 9728, RFC 8414). They change nothing. */
import { AuthorizationError } from "tenon/auth";
import {
  type Challenge,
  type Issuer,
  type ResourceMetadata,
  assumeIssuer,
  checkMetadataUrl,
  describeProxy,
  findIssuer,
  isSameIssuer,
  findResourceMetadata,
  isStrings,
  printableUrl,
  proxyOf,
  readChallenge,
  resourceMetadataPaths,
  usesProxies,
} from "tenon/internal";
import { connectWithoutCredentials, isChallenge, type FirstResponse } from "../login/first-response.ts";
import { canReceiveCredentials } from "../login/logins.ts";
import { diagnoseUnreachable } from "../connection/diagnosis.ts";
import type { Subject } from "./subject.ts";
import { describeClient } from "./report.ts";
import { remedyOfPath } from "./other-paths.ts";
import { HopFailure, ok, skipped, type HopResult, type Walk } from "./walk.ts";

export interface DiscoveryFindings {
  /** A description of the server if it needs no login; undefined if it needs one, or did not respond. */
  readonly open: string | undefined;
  /** Why there is no conversation with a server that responds and does not ask for a login. */
  readonly failure: unknown;
  readonly isReachable: boolean;
  readonly challenge: Challenge | undefined;
  readonly resource: ResourceMetadata | undefined;
  readonly issuer: Issuer | undefined;
}

const OPERATOR = "The operator of the MCP server must repair this.";
/** For a server with tokens of its own, such as API keys or the tokens of a gateway; else its operator has forgotten the metadata. */
const GIVEN_TOKEN =
  'If you were given a token or an API key, send it: --header "Authorization: Bearer <token>", or the header that the server wants, such as "x-api-key: <key>"; in a configuration file it is "headers". ' +
  "Otherwise its operator must publish which authorization server it trusts (RFC 9728).";

export async function discoveryHops(walk: Walk, subject: Subject): Promise<DiscoveryFindings> {
  let open: string | undefined;
  let answer: FirstResponse = { response: undefined, error: undefined };
  const ask = async (): Promise<HopResult<true>> => {
    answer = await connectWithoutCredentials(subject.server, subject.invocation, {
      timeout: subject.timeout,
      use: (client) => void (open = describeClient(client)),
    });
    return checkReachable(subject, answer);
  };
  const isReachable = (await walk.hop("reachable", ask)) === true;
  const challenge = await walk.hop("challenge", () => checkChallenge(subject, answer));
  const failure = isReachable && !asksForLogin(answer) ? answer.error : undefined;
  const isOpen = !mayNeedLogin({ open, failure });
  const places = await walk.hop("protected resource metadata", () => resourceMetadata(subject, { isReachable, challenge, isOpen }));
  const resource = places?.resource;
  const issuer = await walk.hop("authorization server metadata", () => issuerMetadata(subject, places, isOpen));
  return { open, failure, isReachable, challenge, resource, issuer };
}

/** Whether a login may be the matter: it is not if the conversation works, or fails at something else. */
export function mayNeedLogin({ open, failure }: Pick<DiscoveryFindings, "open" | "failure">): boolean {
  return open === undefined && failure === undefined;
}

/** By 401 as the specification says, or by 403. */
function asksForLogin({ response }: FirstResponse): boolean {
  return isChallenge(response) || response?.status === 403;
}

async function checkReachable(subject: Subject, { response, error }: FirstResponse): Promise<HopResult<true>> {
  const { server, timeout } = subject;
  if (response === undefined) {
    const { problem, remedy } = diagnoseUnreachable(error, server, timeout);
    throw new HopFailure(problem, remedy, server);
  }
  const proxy = usesProxies() ? proxyOf(server) : undefined;
  const via = proxy === undefined ? "" : `, through ${describeProxy(proxy)}`;
  if (response.status !== 404 || error === undefined) return ok(`it answers, with HTTP ${response.status}${via}`, true);
  throw new HopFailure("it answers with HTTP 404: there is no MCP endpoint at that path", await remedyOfPath(subject), server);
}

function checkChallenge({ server }: Subject, { response, error }: FirstResponse): HopResult<Challenge> {
  if (response === undefined) return skipped("there was no answer");
  if (isChallenge(response)) {
    if (!canReceiveCredentials(server)) {
      const fix = "Use its https: URL; if there is none, the operator of the server must serve it over TLS.";
      throw new HopFailure("it wants a token, which must not be sent over plain HTTP", fix, server);
    }
    const challenge = readChallenge(response, server);
    const { resourceMetadata: named, scope } = challenge;
    if (named !== undefined) checkMetadataUrl(server, named);
    if (response.headers.get("www-authenticate") === null)
      return ok("401 without WWW-Authenticate: the well-known places are looked at", challenge);
    const parts = [named === undefined ? "names no metadata, so the well-known places are looked at" : `names ${printableUrl(named)}`];
    return ok([...parts, ...(scope === undefined ? [] : [`wants ${scope.join(" ")}`])].join("; "), challenge);
  }
  if (error === undefined) return skipped("it needs no login");
  if (response.status !== 403) return skipped("it does not ask for a login");
  throw new HopFailure("it answers with HTTP 403 where no login was shown: clients only log in after a 401", OPERATOR, server);
}

interface IssuerPlaces {
  readonly resource: ResourceMetadata | undefined;
  /** For a server that names no issuer (before 2025-06-18): the issuer at its own origin, or the error there. */
  readonly assumed?: Issuer | AuthorizationError;
}

interface FirstHops {
  readonly isReachable: boolean;
  readonly challenge: Challenge | undefined;
  readonly isOpen: boolean;
}

async function resourceMetadata(subject: Subject, { isReachable, challenge, isOpen }: FirstHops): Promise<HopResult<IssuerPlaces>> {
  const { server, documents, invocation } = subject;
  const { signal } = invocation;
  if (!isReachable) return skipped("the server cannot be reached");
  const resource = await findResourceMetadata(documents, { server, named: challenge?.resourceMetadata, signal }).catch((error: unknown) => {
    if (isOpen && error instanceof AuthorizationError) return undefined; // the server did not ask for a login, so nothing is wrong
    throw error;
  });
  if (resource !== undefined) {
    const scopes = resource.scopesSupported === undefined ? "" : `; scopes ${resource.scopesSupported.join(" ")}`;
    return ok(`${resource.resource} trusts ${resource.authorizationServers.join(", ")}${scopes}`, { resource }, resource.url);
  }
  return isOpen ? skipped("there is none, and none is needed") : assumedIssuer(subject);
}

/** Looks for an authorization server at the server's own origin, as before 2025-06-18. @throws HopFailure */
async function assumedIssuer({ server, documents, typed, invocation: { signal } }: Subject): Promise<HopResult<IssuerPlaces>> {
  const assumed = await assumeIssuer(documents, server, signal).catch((error: unknown) => {
    if (error instanceof AuthorizationError) return error;
    throw error;
  });
  if (assumed instanceof AuthorizationError || assumed.url !== undefined)
    return skipped("there is none: its own origin is taken for its authorization server, as before 2025-06-18", {
      resource: undefined,
      assumed,
    });
  if (typed !== undefined) return skipped("there is none: the server may have tokens of its own, as the one given with --header");
  const url = server.origin + resourceMetadataPaths(server)[0]!; // the server's own path is always there
  throw new HopFailure("it wants a token, and does not publish where to log in", GIVEN_TOKEN, url);
}

async function issuerMetadata(subject: Subject, places: IssuerPlaces | undefined, isOpen: boolean): Promise<HopResult<Issuer>> {
  const { documents, stored, settings, invocation } = subject;
  if (places?.assumed instanceof AuthorizationError) throw places.assumed;
  if (places?.assumed !== undefined) return describeIssuer(places.assumed);
  const named = places?.resource?.authorizationServers ?? (await readNamedIssuers(subject, isOpen)) ?? [];
  const { issuer: only } = settings;
  if (only !== undefined && named.length > 0 && !named.some((name) => isSameIssuer(name, only)))
    throw new HopFailure(
      `the server does not name ${only}, which --issuer asks for`,
      "Log in again without it, or ask the operator of the MCP server.",
    );
  const issuer =
    only ??
    (stored !== undefined && named.some((name) => isSameIssuer(name, stored.issuer)) ? stored.issuer : (named[0] ?? stored?.issuer));
  if (issuer === undefined) return skipped(isOpen ? "none is needed" : "no server names one");
  return describeIssuer(await findIssuer(documents, issuer, invocation.signal));
}

function describeIssuer(issuer: Issuer): HopResult<Issuer> {
  const { metadata, skew, url } = issuer;
  const clock = skew === 0 ? "" : `; its clock is ${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? "ahead of" : "behind"} this one`;
  return ok(`${metadata.issuer}${clock}`, issuer, url);
}

/** Reads the issuers of metadata that is wrong in another way, so that later hops can be checked nevertheless. */
async function readNamedIssuers(
  { server, documents, invocation: { signal } }: Subject,
  isOpen: boolean,
): Promise<readonly string[] | undefined> {
  if (isOpen) return undefined;
  for (const path of resourceMetadataPaths(server)) {
    try {
      const { json } = await documents.json(server.origin + path, { hop: "protected resource metadata", signal });
      const named = json?.["authorization_servers"];
      if (isStrings(named) && named.length > 0) return named;
    } catch (error) {
      if (!(error instanceof AuthorizationError)) throw error; // an earlier hop has reported it
    }
  }
  return undefined;
}
