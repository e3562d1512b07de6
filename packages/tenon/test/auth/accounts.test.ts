import { describe, expect, test } from "vitest";
import { connect } from "tenon";
import { MemoryStore } from "tenon/auth";
import { asked, authorizationServer, login, protect } from "./support.ts";

/** A store that can lose the clients. */
class LossyStore extends MemoryStore {
  readonly #clients = new Set<string>();

  override set(...[key, record, expiresAt]: Parameters<MemoryStore["set"]>): void {
    if (key.startsWith('["client"')) this.#clients.add(key);
    super.set(key, record, expiresAt);
  }

  forgetClient(): void {
    for (const key of this.#clients) this.delete(key);
  }
}

describe("accounts", () => {
  test("login, status and logout without a call; what is forgotten is void", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const auth = login({ scope: "a b" });
    expect(await auth.status(server.url)).toBeUndefined();
    const status = await auth.login(server.url);
    expect(status).toMatchObject({ issuer: as.issuer, resource: server.url, scope: ["a", "b"], renewable: true });
    expect(status.expiresAt).toBeGreaterThan(Date.now());
    expect(await auth.status(server.url)).toEqual(status);
    await (await connect(server.url, { auth })).close();
    expect(asked(as, "authorize")).toHaveLength(1);
    await auth.login(server.url);
    expect(asked(as, "authorize")).toHaveLength(2);

    expect(await auth.logout(server.url)).toBe(true);
    expect(asked(as, "revoke")[0]?.parameters).toMatchObject({ token_type_hint: "refresh_token" });
    expect(await auth.status(server.url)).toBeUndefined();
    expect(await auth.logout(server.url)).toBe(false);
  });

  test("logout forgets where the issuer has no way to revoke, or is gone", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const auth = login();
    await auth.login(server.url);
    await as.close();
    expect(await auth.logout(server.url)).toBe(false);
    expect(await auth.status(server.url)).toBeUndefined();
  });

  test("a login takes scope and place of the metadata from the challenge it is given [M2.1 M4.3]", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    server.guarding.instead = ({ url }, response) => {
      if (url !== "/elsewhere") return false;
      const document = { resource: server.url, authorization_servers: [as.issuer], scopes_supported: ["all"] };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document));
      return true;
    };
    server.guarding.metadata = undefined;
    const headers = new Headers({
      "www-authenticate": `Bearer resource_metadata="${server.origin}/elsewhere", scope="files:read"`,
    });
    const provider = login();
    expect(await provider.login(server.url, { challenge: { status: 401, headers } })).toMatchObject({
      issuer: as.issuer,
      resource: server.url,
      scope: ["files:read"],
    });
    expect(asked(as, "authorize")[0]?.parameters["scope"]).toBe("files:read");
  });

  test("a login adds the scope of the challenge it is given to its own [M5.2]", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const headers = new Headers({ "www-authenticate": 'Bearer error="insufficient_scope", scope="files:write"' });
    const provider = login({ scope: "files:read" });
    expect(await provider.login(server.url, { challenge: { status: 403, headers } })).toMatchObject({
      scope: ["files:read", "files:write"],
    });
    expect(asked(as, "authorize")[0]?.parameters["scope"]).toBe("files:read files:write");
  });

  test("tokens are refreshed without need, and a refusal says so and forgets nothing [M5.3]", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const provider = login({ store: new MemoryStore() });
    expect(await provider.refresh(server.url)).toBe(false);
    await provider.login(server.url);
    expect(await provider.refresh(server.url)).toBe(true);
    expect(asked(as, "token", "refresh_token")).toHaveLength(1);

    as.settings.before = ({ endpoint }) => (endpoint === "token" ? 500 : undefined);
    await expect(provider.refresh(server.url)).rejects.toMatchObject({
      hop: "refresh",
      url: `${as.issuer}/token`,
      problem: "it answered with HTTP 500",
      remedy: "Try again later; if it stays so, tell the operator of the authorization server.",
    });
    as.settings.before = undefined;
    expect(await provider.status(server.url)).toMatchObject({ renewable: true });
    expect(await provider.refresh(server.url)).toBe(true);
    expect(await provider.logout(server.url)).toBe(true);
    expect(await provider.refresh(server.url)).toBe(false);
  });

  test.each([
    { what: "token endpoint", place: "/token" },
    { what: "issuer, which names no token endpoint any more", place: "/" },
  ])("tokens of a client that is forgotten here are not refreshed: the error names the $what", async ({ place }) => {
    const as = await authorizationServer();
    const server = await protect(as);
    const store = new LossyStore();
    await login({ store }).login(server.url);
    store.forgetClient();
    as.settings.alterResponse = ({ token_endpoint, ...others }) =>
      place === "/" || token_endpoint === undefined ? others : { ...others, token_endpoint };
    await expect(login({ store }).refresh(server.url)).rejects.toMatchObject({
      hop: "refresh",
      url: `${as.issuer}${place}`,
      problem: "the client that the tokens were issued to is not known here any more",
    });
  });

  test("a client is registered again if no user comes back from its login, or the issuer does not know it [M3.3]", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const store = new MemoryStore();
    const registrations = (): number => asked(as, "register").length;
    const nobody = { store, loginTimeout: 50, open: () => undefined };
    await expect(login(nobody).login(server.url)).rejects.toMatchObject({ hop: "authorization" });
    await expect(login(nobody).login(server.url)).rejects.toMatchObject({ hop: "authorization" });
    expect(registrations()).toBe(1); // twice the same client
    await login({ store }).login(server.url);
    expect(registrations()).toBe(2);

    await expect(login(nobody).login(server.url)).rejects.toMatchObject({ hop: "authorization" });
    await login({ store }).login(server.url);
    expect(registrations()).toBe(2); // there are tokens of it, which it has to refresh

    as.settings.alterRedirect = (parameters) => {
      parameters.delete("code");
      parameters.set("error", "unauthorized_client");
    };
    await expect(login({ store }).login(server.url)).rejects.toMatchObject({ error: "unauthorized_client" });
    as.settings.alterRedirect = undefined;
    await login({ store }).login(server.url);
    expect(registrations()).toBe(3);
  });
});
