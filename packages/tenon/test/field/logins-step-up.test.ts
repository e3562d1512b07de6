// Clients that register with the scopes of the first challenge, as the official SDKs do, and ask for more later.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "tenon";
import { FetchBrowser, isConsent, startOAuthSite, type Site } from "../authorization-server/support.ts";

const CALLBACK = "http://127.0.0.1:7357/callback";

async function register(site: Site, more: JsonObject): Promise<JsonObject> {
  const response = await fetch(`${site.origin}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_name: "SDK",
      redirect_uris: [CALLBACK],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...more,
    }),
  });
  return (await response.json()) as JsonObject;
}

function page(site: Site, client: string, scope: string): string {
  const url = new URL(`${site.origin}/authorize`);
  const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
  const parameters = { response_type: "code", client_id: client, redirect_uri: CALLBACK, state: "s", scope, resource: site.url };
  for (const [name, value] of Object.entries({ ...parameters, code_challenge: challenge, code_challenge_method: "S256" }))
    url.searchParams.set(name, value);
  return url.href;
}

describe("a client that has registered one scope [FD-50]", () => {
  test.each(["notes:read", "notes:read notes:write", "unknown", "notes:read offline_access unknown"])(
    "%s: it is registered with all that are offered, the response says so, and its user is asked about what it wants later",
    async (scope) => {
      const site = await startOAuthSite();
      const client = await register(site, { scope });
      expect(client["scope"]).toBe("notes:read notes:write offline_access");
      for (const wanted of ["notes:read", "notes:read notes:write"]) {
        const visit = await new FetchBrowser().go(page(site, String(client["client_id"]), wanted));
        expect(isConsent(visit)).toBe(true);
        expect(visit.html.includes("Change your notes")).toBe(wanted.includes("write"));
      }
    },
  );

  test("a client that registers no scope is registered with none, and may ask for all", async () => {
    const site = await startOAuthSite();
    const client = await register(site, {});
    expect(client).not.toHaveProperty("scope");
    expect(isConsent(await new FetchBrowser().go(page(site, String(client["client_id"]), "notes:read notes:write")))).toBe(true);
  });

  test("scopes that are not offered are not granted", async () => {
    const site = await startOAuthSite();
    const client = await register(site, { scope: "admin" });
    const end = await new FetchBrowser().go(page(site, String(client["client_id"]), "admin"), {
      until: (url) => url.startsWith(CALLBACK),
    });
    expect(new URL(end.url).searchParams.get("error")).toBe("invalid_scope");
  });
});
