import { describe, expect, test } from "vitest";
import { oauth } from "tenon/auth";
import { asked, authorization, authorizationServer, open, protect, type ProtectedServer } from "./support.ts";

describe("which scopes are asked for [M4.3]", () => {
  test("those of the challenge, whatever the metadata lists", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    server.guarding.challenge = 'scope="mcp:basic mcp:read mcp:basic"';
    server.guarding.metadata!["scopes_supported"] = ["mcp:admin"];
    await open(server);
    expect(authorization(as)["scope"]).toBe("mcp:basic mcp:read");
  });

  test("else all that the metadata lists; else none", async () => {
    const as = await authorizationServer();
    const [one, other] = [await protect(as), await protect(as)];
    one.guarding.metadata!["scopes_supported"] = ["a", "b"];
    await open(one);
    await open(other);
    expect(authorization(as, 0)["scope"]).toBe("a b");
    expect(authorization(as, 1)).not.toHaveProperty("scope");
  });

  test("those of the option in their place", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    server.guarding.challenge = 'scope="mcp:basic"';
    await open(server, { scope: "mine" });
    expect(authorization(as)["scope"]).toBe("mine");
    expect(() => oauth({ scope: 'a"b', callbackUrl: "https://app.example/" })).toThrow(/"scope"/);
  });

  test("offline_access where the issuer offers it, with consent, and never where it does not [M5.1]", async () => {
    const [with_, without] = [
      await authorizationServer({ scopes: ["a", "offline_access"] }),
      await authorizationServer({ scopes: ["a"] }),
    ];
    for (const as of [with_, without]) {
      const server = await protect(as);
      server.guarding.challenge = 'scope="a"';
      await open(server);
    }
    expect(authorization(with_)).toMatchObject({ scope: "a offline_access", prompt: "consent" });
    expect(authorization(without)).toMatchObject({ scope: "a" });
    expect(authorization(without)).not.toHaveProperty("prompt");
  });
});

describe("a call that needs more [M5.2]", () => {
  test("is authorized for everything that was asked for before and what it needs, and repeated [M1.6]", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    server.guarding.challenge = 'scope="mcp:basic"';
    server.guarding.metadata!["scopes_supported"] = ["mcp:decoy"];
    server.guarding.needs = { "tools/call": ["mcp:write"] };
    const client = await open(server);
    expect((await client.callTool("echo", { a: 1 })).text).toBe('{"a":1}');
    expect(authorization(as, 1)["scope"]).toBe("mcp:basic mcp:write");
    expect(asked(as, "register")).toHaveLength(1);
    expect(asked(as, "token", "refresh_token")).toEqual([]);
  });

  test("eight at a time cause one further authorization", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    server.guarding.challenge = 'scope="mcp:basic"';
    server.guarding.needs = { "tools/call": ["mcp:write"] };
    const client = await open(server);
    await Promise.all(Array.from({ length: 8 }, () => client.callTool("echo")));
    expect(asked(as, "authorize")).toHaveLength(2);
  });

  test("and is refused although it has it: no further authorization, and an error that says so", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    server.guarding.challenge = 'scope="mcp:admin"';
    const client = await open(server);
    server.guarding.instead = forbid(() => "mcp:admin");
    await expect(client.callTool("echo")).rejects.toMatchObject({
      hop: "access",
      message: expect.stringContaining("names nothing that the token lacks") as string,
      remedy: "Ask the operator of the MCP server which permission is missing, and have it granted at the authorization server.",
    });
    expect(asked(as, "authorize")).toHaveLength(1);
  });

  test("and more each time: three authorizations at most", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const client = await open(server);
    let more = 0;
    server.guarding.instead = forbid(() => `mcp:${++more}`);
    await expect(client.callTool("echo")).rejects.toMatchObject({ hop: "access", error: "insufficient_scope" });
    expect(asked(as, "authorize")).toHaveLength(3);
    expect(authorization(as, 2)["scope"]).toBe("mcp:1 mcp:2");
  });

  test("a 403 without a challenge is the server's response", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const client = await open(server);
    for (const header of ["", "Bearer", 'Bearer error="invalid_token"']) {
      server.guarding.instead = (_, response) => {
        response.writeHead(403, header === "" ? {} : { "www-authenticate": header }).end();
        return true;
      };
      await expect(client.callTool("echo")).rejects.toMatchObject({ name: "HttpStatusError", status: 403 });
    }
    expect(asked(as, "authorize")).toHaveLength(1);
  });

  function forbid(scope: () => string): NonNullable<ProtectedServer["guarding"]["instead"]> {
    return (request, response) => {
      if (request.url !== "/mcp") return false;
      response.writeHead(403, { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope()}"` }).end();
      return true;
    };
  }
});
