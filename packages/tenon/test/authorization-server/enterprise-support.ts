/** A company's identity provider, a program of its employees, and a site that trusts both. */
import { onTestFinished } from "vitest";
import { enterprise, type CompanyProvider, type EnterpriseClient } from "tenon/authorization-server";
import type { JsonObject } from "tenon";
import { startAuthorizationServer, type RunningAuthorizationServer } from "tenon/testing";
import { reserve, startSite, type Site, type SiteOptions } from "./support.ts";

export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
export const TYPE = "oauth-id-jag+jwt";
/** The program, as the site knows it. */
export const CLIENT: EnterpriseClient = { id: "at-site", secret: "a secret of the program" };
/** Another one that the site knows. */
export const OTHER: EnterpriseClient = { id: "other-program", secret: "a secret of the other program" };

export interface Company {
  readonly idp: RunningAuthorizationServer;
  readonly site: Site;
  /** The claims of a good assertion, with changes. */
  readonly claims: (changes?: JsonObject) => JsonObject;
  /** A good assertion, with changes. */
  readonly assertion: (changes?: JsonObject) => Promise<string>;
  /** Presents an assertion. */
  readonly redeem: (assertion: string, more?: Record<string, string>, client?: EnterpriseClient) => Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** The identity provider of a company, until the test ends. */
export async function startIdp(): Promise<RunningAuthorizationServer> {
  const idp = await startAuthorizationServer({
    clients: [
      { client_id: "at-idp", client_secret: "i" },
      { client_id: "at-idp-2", client_secret: "i", token_endpoint_auth_method: "client_secret_post" },
    ],
    idJagClientId: () => CLIENT.id,
  });
  onTestFinished(() => idp.close());
  return idp;
}

export interface CompanyOptions extends SiteOptions {
  /** More about the identity provider. */
  readonly trust?: Omit<CompanyProvider, "issuer">;
  /** Providers of other companies. */
  readonly others?: readonly (string | CompanyProvider)[];
}

export async function startCompany({ trust, others = [], ...options }: CompanyOptions = {}): Promise<Company> {
  const [idp, reserved] = await Promise.all([startIdp(), reserve()]);
  const access = enterprise({ idp: [{ issuer: idp.issuer, ...trust }, ...others], clients: [CLIENT, OTHER] });
  const site = await startSite(reserved, undefined, { enterprise: access, ...options });
  const claims = (changes: JsonObject = {}): JsonObject => ({ ...goodClaims(idp, site), ...changes });
  return {
    idp,
    site,
    claims,
    assertion: (changes) => idp.sign(TYPE, claims(changes)),
    redeem: (assertion, more, client) => redeemAt(site, assertion, more, client),
  };
}

/** The claims of an assertion of `idp` for the program at `site`. */
export function goodClaims(idp: RunningAuthorizationServer, site: Site): JsonObject {
  const now = Math.floor(Date.now() / 1_000);
  return {
    iss: idp.issuer,
    sub: "ada",
    aud: site.origin,
    client_id: CLIENT.id,
    resource: site.url,
    scope: "notes:read",
    jti: crypto.randomUUID(),
    iat: now,
    exp: now + 300,
  };
}

/** Presents an assertion at the token endpoint. */
export async function redeemAt(
  { origin }: Pick<Site, "origin">,
  assertion: string,
  more: Record<string, string> = {},
  { id, secret }: EnterpriseClient = CLIENT,
): Promise<Answer> {
  const response = await fetch(`${origin}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret ?? "")}`)}` },
    body: new URLSearchParams({ grant_type: JWT_BEARER, assertion, ...more }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }; // the server of this test
}
