/** What an authorization request asks of its user, in one form for the page, the grant and the memory of consents. */
import type { Interaction, Provider } from "../provider/library.ts";
import type { Settings } from "../options.ts";
import type { ConsentSubject } from "../records/consents.ts";

export interface RequestedAccess {
  readonly clientId: string;
  readonly clientName: string | undefined;
  readonly redirectUri: string;
  /** The MCP servers, as the operator writes them. */
  readonly resources: readonly string[];
  /** The same as the client wrote them, which is how the library knows them. */
  readonly indicators: readonly string[];
  readonly scopes: readonly (readonly [scope: string, sentence: string])[];
}

/** Undefined if the client is gone. */
export async function requestedBy({ params }: Interaction, settings: Settings, provider: Provider): Promise<RequestedAccess | undefined> {
  const client = await provider.Client.find(String(params["client_id"]));
  if (client === undefined) return undefined;
  const scopes = typeof params["scope"] === "string" ? params["scope"].split(" ") : [];
  const indicators = indicatorsOf(params["resource"], settings);
  return {
    clientId: client.clientId,
    clientName: client.clientName,
    redirectUri: String(params["redirect_uri"]),
    resources: settings.resources.filter((resource) => indicators.some((one) => isSame(one, resource))),
    indicators,
    scopes: Object.entries(settings.scopes).filter(([scope]) => scopes.includes(scope)),
  };
}

export function subjectOf(
  access: Pick<RequestedAccess, "clientId" | "clientName" | "redirectUri" | "resources">,
  account: string,
): ConsentSubject {
  const { clientId, clientName = "", redirectUri, resources } = access;
  return { account, clientId, clientName, redirectUri, resources };
}

/** The library has checked them. Without one it is the only resource there is. */
export function indicatorsOf(resource: unknown, { resources }: Pick<Settings, "resources">): readonly string[] {
  const named = [resource].flat().filter((one): one is string => typeof one === "string");
  return named.length === 0 ? resources : named;
}

/** Whether two URLs of a resource are the same, but for a slash at the end and the case of the host. */
export function isSame(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && spelled(one) === spelled(other);
}

const spelled = (url: string): string => new URL(url).href.replace(/\/$/, "");
