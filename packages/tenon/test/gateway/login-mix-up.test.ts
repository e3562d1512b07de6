/**
 * A user's login at a hostile server behind the gateway, whose authorization server sends the browser on to the one of an honest
 * server.
 */
import { createHash } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { MemoryStore } from "tenon/auth";
import { userLogin } from "tenon/gateway";
import { startAuthorizationServer, type RunningAuthorizationServer } from "tenon/testing";
import {
  Browser,
  clientWith,
  companyGateway,
  companyServer,
  identityProvider,
  site,
  whoServer,
  type ServedGateway,
} from "./company.ts";
import { pageIn } from "./login-company.ts";

/** An authorization server that neither promises `iss` nor sends it. */
async function withoutIss(): Promise<RunningAuthorizationServer> {
  const as = await startAuthorizationServer();
  onTestFinished(() => as.close());
  as.settings.alterRedirect = (parameters) => parameters.delete("iss");
  as.settings.alterResponse = (response, { endpoint }) =>
    endpoint === "metadata" ? { ...response, authorization_response_iss_parameter_supported: undefined } : response;
  return as;
}

const asked = (as: RunningAuthorizationServer, endpoint: string): RunningAuthorizationServer["requests"] =>
  as.requests.filter((request) => request.endpoint === endpoint);

/** A gateway in front of two servers at which users log in. */
async function between(
  honest: RunningAuthorizationServer,
  hostile: RunningAuthorizationServer,
): Promise<{ served: ServedGateway; token: string }> {
  const place = await site();
  const idp = await identityProvider([`${place.origin}/login/identity`]);
  const [good, evil] = [
    await companyServer(honest.issuer, whoServer("good")),
    await companyServer(hostile.issuer, whoServer("evil")),
  ];
  const served = await companyGateway(
    idp.issuer,
    () => ({
      servers: { good: { url: good.url, auth: userLogin() }, evil: { url: evil.url, auth: userLogin() } },
      logins: {
        url: `${place.origin}/login`,
        identityProvider: { issuer: idp.issuer, client: { id: "gateway", secret: "gateway-secret" } },
      },
      loginStore: new MemoryStore(),
    }),
    place,
  );
  return { served, token: await idp.token("ada", served.url) };
}

test.each([
  ["that the login waits at", (own: URL) => own],
  ["of the honest server", (_own: URL, atHonest: URL) => atHonest],
  ["for all", (own: URL) => new URL("/login/callback", own)],
])("gives no code of another authorization server away: the redirect URI %s", async (_, to) => {
  const [honest, hostile] = [await withoutIss(), await withoutIss()];
  const { served, token } = await between(honest, hostile);
  const client = await clientWith(served.url, token);
  const browser = new Browser("ada");
  await browser.visit(pageIn((await client.callTool("good__who")).text!));
  const [login] = asked(honest, "authorize");
  const { client_id, redirect_uri, resource } = login!.parameters as Record<string, string>;
  expect(new URL(redirect_uri!).pathname).toMatch(/^\/login\/callback\/[\w-]{22}$/);
  expect(asked(honest, "token").map(({ status }) => status)).toEqual([200]);

  const page = await site();
  page.handle = (request, response) => {
    const { searchParams: own } = new URL(request.url!, page.origin);
    const query = new URLSearchParams({
      response_type: "code",
      client_id: client_id!,
      redirect_uri: to(new URL(own.get("redirect_uri")!), new URL(redirect_uri!)).href,
      state: own.get("state")!,
      code_challenge: createHash("sha256").update("the verifier of the attacker").digest("base64url"),
      code_challenge_method: "S256",
      resource: resource!,
    });
    response.writeHead(302, { location: `${honest.issuer}/authorize?${query.toString()}` }).end();
  };
  const before = hostile.settings.alterResponse!;
  hostile.settings.alterResponse = (response, request) => ({
    ...before(response, request),
    ...(request.endpoint === "metadata" && { authorization_endpoint: `${page.origin}/authorize` }),
  });
  const seen = await browser.visit(pageIn((await client.callTool("evil__who")).text!));
  expect(page.seen).toHaveLength(1);
  expect(seen.status).toBe(400);
  expect(asked(hostile, "token")).toEqual([]);
});
