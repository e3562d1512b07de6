import { describe, expect, test } from "vitest";
import { MemoryStore, type UserLoginOptions } from "tenon/auth";
import { asked, authorizationServer, open, protect } from "./support.ts";

describe("an issuer that changes in mid-life [M3.4 fault O6 R13]", () => {
  test("a new issuer gets a new registration and a new login, and nothing that belongs to the old one", async () => {
    const [old, new_] = [await authorizationServer(), await authorizationServer()];
    const server = await protect(old);
    const client = await open(server);
    server.guarding.trusted = new_;
    server.guarding.metadata!["authorization_servers"] = [new_.issuer];
    const before = old.requests.length;
    await client.callTool("echo");
    expect([asked(new_, "register").length, asked(new_, "authorize").length, asked(new_, "token").length]).toEqual([1, 1, 1]);
    expect(old.requests.length).toBe(before);
    const secrets = [asked(old, "token")[0]?.parameters["client_id"], server.tokens()[0]];
    for (const secret of secrets) expect(JSON.stringify(new_.requests)).not.toContain(secret);
    expect(asked(new_, "token", "refresh_token")).toEqual([]);
  });

  test("and back: what was kept for the old one is used with it again", async () => {
    const [old, new_] = [await authorizationServer(), await authorizationServer()];
    const server = await protect(old);
    const store = new MemoryStore();
    const client = await open(server, { store });
    for (const issuer of [new_, old]) {
      server.guarding.trusted = issuer;
      server.guarding.metadata!["authorization_servers"] = [issuer.issuer];
      await client.callTool("echo");
    }
    expect(asked(old, "register")).toHaveLength(1);
  });

  test("stays where the server names several and still names it", async () => {
    const [one, two] = [await authorizationServer(), await authorizationServer()];
    const server = await protect(one);
    const client = await open(server);
    server.guarding.metadata!["authorization_servers"] = [two.issuer, one.issuer];
    server.guarding.expired.add(server.tokens()[0]!);
    await client.callTool("echo");
    expect(two.requests).toEqual([]);
    expect(asked(one, "token", "refresh_token")).toHaveLength(1);
  });

  test("is refused where the user says so, or the client was given", async () => {
    const [old, new_] = [await authorizationServer({ clients: [GIVEN] }), await authorizationServer({ clients: [GIVEN] })];
    const changes: unknown[] = [];
    for (const options of [
      { onIssuerChange: (change: unknown) => changes.push(change) > 1 },
      { client: { id: GIVEN.client_id } },
    ] satisfies UserLoginOptions[]) {
      const server = await protect(old);
      const client = await open(server, options);
      server.guarding.trusted = new_;
      server.guarding.metadata!["authorization_servers"] = [new_.issuer];
      await expect(client.callTool("echo")).rejects.toMatchObject({
        hop: "protected resource metadata",
        remedy: expect.stringContaining('"onIssuerChange"') as string,
      });
      expect(asked(new_, "register").length + asked(new_, "authorize").length + asked(new_, "token").length).toBe(0);
    }
    expect(changes).toEqual([{ server: expect.any(URL) as URL, from: old.issuer, to: new_.issuer }]);
  });

  const GIVEN = { client_id: "given", redirect_uris: ["http://127.0.0.1/callback"], token_endpoint_auth_method: "none" } as const;

  test("records without an issuer, or of another, are as if they were not there [M3.4]", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const store = new MemoryStore();
    const planted = {
      id: "planted",
      clientId: "planted",
      accessToken: "planted",
      refreshToken: "planted",
      tokenType: "bearer",
      method: "none",
      redirectUri: "http://127.0.0.1:1/callback",
    };
    for (const issuer of [undefined, "https://evil.example", `${as.issuer}/x`]) {
      store.set(JSON.stringify(["server", "", server.url]), { issuer: as.issuer, resource: server.url });
      store.set(JSON.stringify(["tokens", "", as.issuer, server.url, null]), { ...planted, issuer, resource: server.url });
      store.set(JSON.stringify(["client", "", as.issuer, server.url]), { ...planted, issuer });
      await (await open(server, { store })).callTool("echo");
    }
    expect(JSON.stringify([as.requests, server.sent])).not.toContain("planted");
  });

  test("accounts that share a store know nothing of each other", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const store = new MemoryStore();
    for (const account of ["alice", "bob", "alice"]) await open(server, { store, account });
    expect(asked(as, "authorize")).toHaveLength(2);
    expect(server.tokens()).toHaveLength(2);
  });
});
