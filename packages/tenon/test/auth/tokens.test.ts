import { describe, expect, test } from "vitest";
import { connect } from "tenon";
import { AuthorizationError, oauth } from "tenon/auth";
import { asked, authorizationServer, loginFailure, open, protect } from "./support.ts";

describe("malformed token responses", () => {
  test.each([
    [{ access_token: undefined }, 'no usable "access_token"'],
    [{ access_token: "" }, 'no usable "access_token"'],
    [{ access_token: ["a"] }, 'no usable "access_token"'],
    [{ access_token: "a b" }, 'no usable "access_token"'],
    [{ access_token: "a\r\nx-evil: 1" }, 'no usable "access_token"'],
    [{ access_token: "a".repeat(17 * 1024) }, 'no usable "access_token"'],
    [{ token_type: undefined }, 'no known "token_type"'],
    [{ token_type: "mac" }, 'no known "token_type"'],
    [{ token_type: "DPoP" }, "bound the token to a key without being asked"],
    [{ expires_in: -1 }, '"expires_in"'],
    [{ expires_in: "soon" }, '"expires_in"'],
    [{ expires_in: {} }, '"expires_in"'],
    [{ refresh_token: "" }, 'unusable "refresh_token"'],
    [{ refresh_token: 1 }, 'unusable "refresh_token"'],
    [{ scope: ["a"] }, '"scope" that is not a string'],
  ])("%#: the error says what is wrong", async (more, problem) => {
    const as = await authorizationServer();
    as.settings.alterResponse = (answer, { endpoint }) => (endpoint === "token" ? { ...answer, ...more } : answer);
    const server = await protect(as);
    const error = await loginFailure(server);
    expect(error).toMatchObject({
      hop: "token",
      url: `${as.issuer}/token`,
      remedy: "The operator of the authorization server must repair this.",
    });
    expect(error.message).toContain(problem);
    expect(server.tokens()).toEqual([]);
  });

  test("a lifetime as text, `null` and a token type in any case are taken as they are meant", async () => {
    const as = await authorizationServer();
    as.settings.alterResponse = (answer, { endpoint }) =>
      endpoint === "token" ? { ...answer, expires_in: "3600", token_type: "BEARER", id_token: "not.a.token" } : answer;
    const client = await open(await protect(as));
    expect((await client.callTool("echo", { a: 1 })).text).toBe('{"a":1}');
  });
});

describe("a token that a server refuses although it is new", () => {
  test("is an error that names the step, after one login [fault O7]", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    server.guarding.instead = (request, response) => {
      if (request.url !== "/mcp") return false;
      const metadata = `${server.origin}/.well-known/oauth-protected-resource/mcp`;
      response
        .writeHead(401, {
          "www-authenticate": `Bearer error="invalid_token", resource_metadata="${metadata}"`,
        })
        .end();
      return true;
    };
    expect(await loginFailure(server)).toMatchObject({ hop: "access", error: "invalid_token" });
    expect(asked(as, "authorize")).toHaveLength(1);
  });

  test("after a refresh that did not help: one login, and then the error [fault O7]", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const client = await open(server);
    server.guarding.instead = (request, response) => {
      if (request.url !== "/mcp") return false;
      response.writeHead(401, { "www-authenticate": "Bearer" }).end();
      return true;
    };
    await expect(client.callTool("echo")).rejects.toMatchObject({ hop: "access" });
    expect(asked(as, "token").map(({ parameters }) => parameters["grant_type"])).toEqual([
      "authorization_code",
      "refresh_token",
      "authorization_code",
    ]);
  });
});

test.each(["http://mcp.example.com/mcp", "http://10.0.0.1/mcp"])(
  "no token is sent over plain HTTP beyond this machine: %s [M4.5]",
  async (url) => {
    const opened: URL[] = [];
    const auth = oauth({ open: (page) => void opened.push(page) });
    await expect(connect(url, { auth })).rejects.toMatchObject({
      hop: "access",
      message: expect.stringContaining("plain HTTP") as string,
    });
    await expect(auth.login(url)).rejects.toBeInstanceOf(AuthorizationError);
    expect(opened).toEqual([]);
  },
);
