import { describe, expect, test } from "vitest";
import { connect, SUPPORTED_PROTOCOL_VERSIONS } from "tenon";
import { asked, authorizationServer, login, protect } from "./support.ts";

describe.each(SUPPORTED_PROTOCOL_VERSIONS.filter((revision) => revision !== "2024-11-05"))("on %s", (revision) => {
  test("a user logs in with the first request, and every request carries the token [M4.1 M4.2 M4.6]", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const client = await connect(server.url, { auth: login(), revision });
    expect((await client.callTool("echo", { a: 1 })).text).toBe('{"a":1}');
    await client.close();

    const [authorize, ...more] = asked(as, "authorize");
    expect(more).toEqual([]);
    expect(authorize?.parameters).toMatchObject({ response_type: "code", code_challenge_method: "S256", resource: server.url });
    expect(asked(as, "token")).toHaveLength(1);
    expect(asked(as, "token")[0]?.parameters).toMatchObject({ grant_type: "authorization_code", resource: server.url });
    expect(asked(as, "register")[0]?.body).toMatchObject({
      application_type: "native",
      grant_types: ["authorization_code", "refresh_token"],
    });
    const signed = server.sent.filter(({ path, status }) => path === "/mcp" && status < 300);
    expect(signed.length).toBeGreaterThan(1);
    expect(server.tokens()).toHaveLength(1);
    for (const { authorization } of signed) expect(authorization).toMatch(/^Bearer /);
    for (const { path } of server.sent) expect(path).not.toContain(server.tokens()[0]!);
  });
});

test("a login says nothing about the revision: the probe is sent again, and its answer counts [B4.5]", async () => {
  const server = await protect(await authorizationServer());
  const client = await connect(server.url, { auth: login() });
  expect(client.protocolVersion).toBe("2026-07-28");
  expect(server.sent.filter(({ path }) => path === "/mcp").map(({ status }) => status)).toEqual([401, 200]);
  await client.close();
});
