import { describe, expect, test } from "vitest";
import { connect } from "tenon";
import { asked, authorizationServer, login, protect } from "./support.ts";

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
});
