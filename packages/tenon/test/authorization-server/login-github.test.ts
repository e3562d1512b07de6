// github() as the login behind an authorization server: tokens come as a form,
// errors with status 200, and users are known by number.
import { expect, onTestFinished, test } from "vitest";
import { github, type LoginProvider } from "tenon/authorization-server";
import { startAuthorizationServer } from "tenon/testing";
import { decodeJwt } from "jose";
import { FetchBrowser, logIn, redeem, reserve, startSite, webClient } from "./support.ts";
import { json, listen } from "./upstreams.ts";

const CLIENT = { clientId: "Iv1.0123456789abcdef", clientSecret: "s" };

interface GitHub {
  readonly as: Awaited<ReturnType<typeof startAuthorizationServer>>;
  readonly provider: LoginProvider;
  /** What its API says of the user whose token it is. */
  user: object;
}

/** The test server with GitHub's ways, and GitHub's API for users. */
async function gitHub(origin: string, user: object): Promise<GitHub> {
  const clients = [
    {
      client_id: CLIENT.clientId,
      client_secret: CLIENT.clientSecret,
      redirect_uris: [`${origin}/callback`],
      token_endpoint_auth_method: "client_secret_post" as const, // GitHub takes no other
    },
  ];
  const as = await startAuthorizationServer({ profile: "github", clients });
  onTestFinished(() => as.close());
  const state = { user };
  const api = await listen((request, response) => {
    const isUser = request.url === "/user" && (request.headers.authorization ?? "").startsWith("Bearer ");
    json(response, isUser ? 200 : 401, isUser ? state.user : { message: "Bad credentials" });
  });
  const [authorizationEndpoint, tokenEndpoint] = [`${as.issuer}/authorize`, `${as.issuer}/token`];
  const provider = { ...github(CLIENT), authorizationEndpoint, tokenEndpoint, userEndpoint: `${api}/user` };
  return Object.assign(state, { as, provider });
}

test("a user logs in at GitHub, and stays the same user under another login name", async () => {
  const reserved = await reserve();
  const at = await gitHub(reserved.origin, { id: 583231, login: "octocat" });
  const users: unknown[] = [];
  const allowUser = ({ issuer, subject, claims }: { issuer: string; subject: string; claims: object }): boolean =>
    users.push([issuer, subject, (claims as { login: string }).login]) > 0;
  const site = await startSite(reserved, at.provider, { allowUser });
  const client = await webClient(site);
  const tokenOf = async (): Promise<ReturnType<typeof decodeJwt>> => {
    const back = await logIn(site, new FetchBrowser(), { client_id: client, scope: "notes:read", resource: site.url });
    return decodeJwt(String((await redeem(site, client, back.get("code")!)).body["access_token"]));
  };
  const first = await tokenOf();
  at.user = { id: 583231, login: "octocat-renamed" };
  const second = await tokenOf();
  at.user = { id: 99, login: "octocat" };
  const another = await tokenOf();
  expect(first).toMatchObject({ iss: site.origin, aud: site.url, scope: "notes:read" });
  expect([second.sub === first.sub, another.sub === first.sub]).toEqual([true, false]);
  expect(users).toContainEqual(["https://github.com", "583231", "octocat-renamed"]);
  expect(site.errors).toEqual([]);
  const asked = at.as.requests.filter(({ endpoint }) => endpoint === "authorize").map(({ parameters }) => parameters["scope"]);
  expect(asked).toEqual([undefined, undefined, undefined]);
});

test("a login that GitHub refuses, and a user that it does not name, get no token of this server", async () => {
  const reserved = await reserve();
  const at = await gitHub(reserved.origin, { login: "octocat" });
  const site = await startSite(reserved, at.provider);
  const client = await webClient(site);
  const parameters = { client_id: client, scope: "notes:read", resource: site.url };
  const outcome = (): Promise<string> =>
    logIn(site, new FetchBrowser(), parameters).then(
      (back) => (back.has("code") ? "a code" : String(back.get("error"))),
      () => "a page",
    );
  expect(await outcome()).not.toBe("a code");
  expect(String(site.errors)).toContain('it did not name the user by "id"');
  at.user = { id: 583231, login: "octocat" };
  at.as.settings.consent = "deny";
  expect(await outcome()).not.toBe("a code");
  at.as.settings.consent = "approve";
  expect(await outcome()).toBe("a code");
});
