/** A gateway in front of a server at which users log in themselves, the users, and their browsers. */
import type { Client, ConnectOptions, ProtocolVersion } from "tenon";
import { MemoryStore, type AuthStore } from "tenon/auth";
import { userLogin } from "tenon/gateway";
import {
  Browser,
  clientWith,
  companyGateway,
  companyServer,
  identityProvider,
  site,
  whoServer,
  type CompanyServer,
  type IdentityProvider,
  type ServedGateway,
  type Site,
} from "./company.ts";

const KEY = "a key that all nodes of the gateway have";

export interface Company {
  /** The issuer of the callers' tokens. */
  readonly idp: IdentityProvider;
  /** The authorization server of the hub, which another company runs. */
  readonly foreign: IdentityProvider;
  readonly hub: CompanyServer;
  readonly served: ServedGateway;
  readonly store: AuthStore;
}

/** A gateway in front of a hub at which users log in. */
export async function company({
  behind,
  store = new MemoryStore(),
}: { behind?: ProtocolVersion; store?: AuthStore } = {}): Promise<Company> {
  const place = await site();
  const idp = await identityProvider([`${place.origin}/login/identity`]);
  const foreign = await identityProvider();
  const hub = await companyServer(foreign.issuer, whoServer("hub"));
  const served = await node({ idp, hub, store, place, ...(behind && { behind }) });
  return { idp, foreign, hub, served, store };
}

interface NodeOptions {
  readonly idp: IdentityProvider;
  readonly hub: CompanyServer;
  readonly store: AuthStore;
  readonly place: Site;
  readonly behind?: ProtocolVersion;
  /** The origin that browsers know. */
  readonly origin?: string;
}

export function node({ idp, hub, store, place, behind, origin = place.origin }: NodeOptions): Promise<ServedGateway> {
  const client = { id: "gateway", secret: "gateway-secret" };
  return companyGateway(
    idp.issuer,
    () => ({
      servers: { hub: { url: hub.url, auth: userLogin(), ...(behind && { revision: behind }) }, clock: whoServer("clock") },
      logins: { url: `${origin}/login`, identityProvider: { issuer: idp.issuer, client } },
      loginStore: store,
      requestState: { keys: [KEY] },
    }),
    place,
  );
}

/** A client whose user opens the pages that it is asked to open. */
export async function person(
  { idp, served }: Pick<Company, "idp" | "served">,
  user: string,
  options: ConnectOptions & { program?: string; browser?: Browser } = {},
): Promise<{ client: Client; pages: string[]; visits: Promise<unknown>[] }> {
  const { program = "ide", browser = new Browser(user), ...more } = options;
  const [pages, visits]: [string[], Promise<unknown>[]] = [[], []];
  const client = await clientWith(served.url, await idp.token(user, served.url, { client: program }), {
    onElicit: (question) => {
      if (question.mode !== "url") throw new Error("Not a page");
      pages.push(question.url);
      visits.push(browser.visit(question.url));
      return { action: "accept" };
    },
    elicitationModes: ["url"],
    ...more,
  });
  return { client, pages, visits };
}

/** The page in a text for a model. */
export function pageIn(text: string): string {
  return /https?:\S+/.exec(text)![0];
}
