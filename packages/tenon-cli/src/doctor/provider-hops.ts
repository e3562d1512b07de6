/** The hops about a provider: the options of its function, its metadata, keys and clients, scopes, and a token if there is one. */
import { AuthorizationError, type BearerAuth, type UrlPolicyOptions } from "tenon/auth";
import {
  findIssuer,
  type GuardedFetch,
  isJsonObject,
  isSameIssuer,
  type Issuer,
  type LoginGuide,
  type ProviderGuide,
  type TypedOptions,
  wayOf,
} from "tenon/internal";
import type { Invocation } from "../invocation.ts";
import type { LoginSettings } from "../login/logins.ts";
import type { DiscoveryFindings } from "./discovery-hops.ts";
import { HopFailure, ok, skipped, type HopResult, type Walk } from "./walk.ts";

export interface Examined {
  /** The name of its function. */
  readonly name: string;
  /** The URL that tokens must be for. */
  readonly server: string;
  /** Whether that server was looked at. */
  readonly isRunning: boolean;
  readonly documents: GuardedFetch;
  readonly fetching: LoginSettings;
  readonly invocation: Invocation;
  readonly typed: TypedOptions;
  readonly discovered: DiscoveryFindings;
  /** What a login has stored, or was typed. */
  readonly token: string | undefined;
}

export async function providerHops(walk: Walk, guide: ProviderGuide, at: Examined): Promise<void> {
  const auth = await walk.hop("provider", () => checkOptions(guide, at));
  const issuer = auth && (await walk.hop("provider metadata", () => checkMetadata(auth, guide, at)));
  await walk.hop("provider keys", () => checkKeys(auth, issuer, guide, at));
  await walk.hop("PKCE", () => checkPkce(issuer, guide));
  await walk.hop("clients", () => checkClients(issuer, guide, at));
  await walk.hop("scopes", () => checkScopes(guide, at));
  await walk.hop("token", () => checkToken(auth, at));
}

/** The issuer that was typed, or that the server trusts. */
function issuerOf({ invocation, discovered }: Examined): string | undefined {
  return invocation.values.issuer ?? discovered.resource?.authorizationServers[0];
}

/** Whether the issuer is one of the provider, and its function takes it. */
function checkOptions(guide: ProviderGuide, at: Examined): HopResult<BearerAuth> {
  const { name, server, typed } = at;
  const issuer = issuerOf(at);
  if (issuer === undefined && Object.keys(typed).length === 0) return skipped("the server names no issuer");
  const read = issuer === undefined ? {} : guide.optionsOf(new URL(issuer));
  if (read === undefined && Object.keys(typed).length === 0)
    throw new HopFailure(`this is no issuer of ${guide.title}, which look like ${guide.form}`, guide.metadataStep, issuer);
  try {
    const auth = guide.make({ ...policyOf(at.fetching), ...read, ...ofScopes(name, at), ...typed, url: server } as TypedOptions & {
      url: string;
    });
    const [accepted = ""] = auth.metadata.document["authorization_servers"] as string[]; // made by the function
    const trusted = at.discovered.resource?.authorizationServers ?? [];
    if (trusted.length > 0 && !trusted.some((each) => isSameIssuer(each, accepted)))
      throw new HopFailure(`${name}() is for ${accepted}, and the server trusts ${trusted.join(", ")}`, guide.metadataStep, server);
    return ok(`${accepted} is an issuer of ${guide.title}`, auth, accepted);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new HopFailure(error.message, "Give what is missing with --arg option=value.");
  }
}

/** Which addresses the user trusts. */
function policyOf({ allowLoopback, allowPrivateNetwork, allowedPorts }: LoginSettings): UrlPolicyOptions {
  return {
    ...(allowLoopback !== undefined && { allowLoopback }),
    ...(allowPrivateNetwork !== undefined && { allowPrivateNetwork }),
    ...(allowedPorts !== undefined && { allowedPorts }),
  };
}

/** What the published scopes say of the options of `entra()`. */
function ofScopes(name: string, { discovered }: Examined): TypedOptions {
  const ids = (discovered.resource?.scopesSupported ?? []).map((scope) => /^api:\/\/([0-9a-f-]{36})\//i.exec(scope)?.[1]);
  const clientId = ids.find((id) => id !== undefined);
  return name === "entra" && clientId !== undefined ? { clientId } : {};
}

/** Its own way to publish no metadata is a step in its console. */
async function checkMetadata(
  auth: BearerAuth,
  guide: ProviderGuide,
  { documents, invocation, discovered }: Examined,
): Promise<HopResult<Issuer>> {
  const { issuer } = wayOf(auth)!; // made by a function of a provider
  if (discovered.issuer !== undefined && isSameIssuer(discovered.issuer.metadata.issuer, issuer)) return ok(issuer, discovered.issuer);
  try {
    const found = await findIssuer(documents, issuer, invocation.signal);
    return ok(found.metadata.issuer, found, found.url);
  } catch (error) {
    if (!(error instanceof AuthorizationError) || !error.problem.includes("publishes no metadata")) throw error;
    throw new HopFailure(error.problem, guide.metadataStep, error.url);
  }
}

async function checkKeys(
  auth: BearerAuth | undefined,
  issuer: Issuer | undefined,
  guide: ProviderGuide,
  { documents, invocation }: Examined,
): Promise<HopResult<unknown>> {
  const url = (auth && wayOf(auth)?.jwksUri) ?? issuer?.metadata.jwks_uri;
  if (issuer === undefined) return skipped("not without the metadata");
  if (url === undefined) throw new HopFailure('its metadata name no "jwks_uri"', guide.keysStep, issuer.url);
  const { status, json } = await documents.json(url, { hop: "keys", signal: invocation.signal });
  if (status !== 200) throw new HopFailure(`its keys are not there: HTTP ${status}`, guide.keysStep, url);
  const keys = [json?.["keys"] ?? []].flat().filter((key) => isJsonObject(key) && ["RSA", "EC", "OKP"].includes(String(key["kty"])));
  if (keys.length === 0) throw new HopFailure("it publishes no keys that tokens can be verified with", guide.keysStep, url);
  return ok(`${keys.length} ${keys.length === 1 ? "key" : "keys"}`, undefined, url);
}

function checkPkce(issuer: Issuer | undefined, { hidesPkce, title }: ProviderGuide): HopResult<unknown> {
  if (issuer === undefined) return skipped("not without the metadata");
  const methods = issuer.metadata.code_challenge_methods_supported;
  if (methods?.includes("S256") === true) return ok("S256");
  if (methods === undefined && hidesPkce === true)
    return ok(`S256, which the metadata of ${title} do not name: clients need to be told (--assume-pkce, option "assumePkce")`);
  throw new HopFailure("its metadata name no PKCE with S256, so that clients do not log in", `Turn PKCE on at ${title}.`, issuer.url);
}

function checkClients(issuer: Issuer | undefined, guide: ProviderGuide, { invocation }: Examined): HopResult<unknown> {
  const { "client-id": id } = invocation.values;
  if (id !== undefined) return ok(`the client that was given: ${id}`);
  if (issuer === undefined) return skipped("not without the metadata");
  if (guide.registration !== undefined) {
    const why = guide.registration === "admins" ? "its registration endpoint is for administrators" : `${guide.title} registers no clients`;
    return ok(`${why}. ${guide.clientsStep}`);
  }
  const { registration_endpoint: url, client_id_metadata_document_supported: documents = false } = issuer.metadata;
  const ways = [...(documents ? ["by the URL of their metadata document"] : []), ...(url === undefined ? [] : ["by registering"])];
  if (ways.length > 0) return ok(`clients are known ${ways.join(" or ")}`);
  throw new HopFailure("it takes no registrations of clients", guide.clientsStep, issuer.url);
}

function checkScopes({ scopesStep }: ProviderGuide, { discovered, server, isRunning }: Examined): HopResult<unknown> {
  const scopes = discovered.challenge?.scope ?? discovered.resource?.scopesSupported;
  if (!isRunning || scopes === undefined) return skipped("the server names none");
  const step = scopesStep?.(scopes, server);
  if (step !== undefined) throw new HopFailure(`it asks for ${scopes.join(" ")}`, step, server);
  return ok(scopes.join(" "));
}

/** The function of the provider judges the token, as it does in the server. */
async function checkToken(auth: BearerAuth | undefined, { token, server, isRunning }: Examined): Promise<HopResult<unknown>> {
  if (auth === undefined) return skipped("not without the options");
  if (token === undefined) {
    const login = isRunning ? `no login is stored: tenon login ${server}` : "there is no token to look at without the server";
    return skipped(`${login}. If tokens are refused: ${wayOf(auth)!.audienceStep}`); // made by a function of a provider
  }
  const decision = await auth.authorize({
    method: "POST",
    url: "/mcp",
    header: (name) => (name === "authorization" ? `Bearer ${token}` : undefined),
  });
  if ("auth" in decision) return ok(`it is for this server, and names ${decision.auth.subject ?? decision.auth.clientId}`);
  const [problem = "", ...steps] = (decision.reason?.message ?? decision.message).split(/\. (?=[A-Z])/);
  throw new HopFailure(problem, steps.join(". ") || "Log in again, or check what is given with --header.", server);
}

/** The hops about a provider that only says who a user is. */
export async function loginHops(walk: Walk, guide: LoginGuide, at: Examined): Promise<void> {
  const { discovered, documents, invocation, isRunning, name } = at;
  const inFront = `Put an authorization server in front: createAuthorizationServer({ provider: ${name}({ … }), … }), and log in at it.`;
  await walk.hop("provider", () => {
    const trusted = discovered.resource?.authorizationServers ?? [];
    const own = trusted.find((issuer) => new URL(issuer).origin === guide.origin);
    if (own !== undefined) throw new HopFailure(`${guide.title} issues no tokens for an MCP server, and this one trusts it`, inFront, own);
    return ok(trusted.length === 0 ? `it says who a user is. ${inFront}` : `it stands behind ${trusted.join(", ")}`);
  });
  await walk.hop("provider metadata", async () => {
    const issuer = invocation.values.issuer ?? guide.issuer;
    if (issuer === undefined) return skipped(`${guide.title} publishes none: ${name}() knows its endpoints`);
    const { metadata, url } = await findIssuer(documents, issuer, invocation.signal);
    return ok(metadata.issuer, undefined, url);
  });
  await walk.hop("callback", () => {
    const issuer = isRunning ? discovered.issuer?.metadata.issuer : undefined;
    return skipped(
      `it is not seen from here. ${guide.callbackStep(`${(issuer ?? "<your authorization server>").replace(/\/$/, "")}/callback`)}`,
    );
  });
}
