import { describe, expect, test } from "vitest";
import { scriptedWeb } from "./scripted-web.ts";
import { asked, authorization, authorizationServer, login, loginFailure, open, protect } from "./support.ts";

describe("who the client is", () => {
  test("its metadata document where the issuer takes one, and no registration [M3.1 M3.2]", async () => {
    const clientMetadataUrl = "https://app.example/client.json";
    const document = {
      client_id: clientMetadataUrl,
      client_name: "Ours",
      redirect_uris: ["http://127.0.0.1/callback"],
      grant_types: ["authorization_code", "refresh_token"],
    };
    const { fetch } = scriptedWeb({ [clientMetadataUrl]: { body: document } });
    const as = await authorizationServer({ documents: { fetch } });
    const server = await protect(as);
    const client = await open(server, { clientMetadataUrl });
    server.guarding.expired.add(server.tokens()[0]!);
    await client.callTool("echo");
    expect(authorization(as)["client_id"]).toBe(clientMetadataUrl);
    expect(asked(as, "register")).toEqual([]);
    expect(
      asked(as, "token").map(({ parameters, status }) => [parameters["grant_type"], parameters["client_id"], status]),
    ).toEqual([
      ["authorization_code", clientMetadataUrl, 200],
      ["refresh_token", clientMetadataUrl, 200],
    ]);
    const other = await authorizationServer({ clientDocuments: false });
    await open(await protect(other), { clientMetadataUrl });
    expect(asked(other, "register")).toHaveLength(1);
    expect(authorization(other)["client_id"]).not.toBe(clientMetadataUrl);
  });

  test("it registers itself with what a native program is [M3.3 M5.1]", async () => {
    const as = await authorizationServer();
    await open(await protect(as), { clientName: "My program", clientMetadata: { software_id: "x", client_name: "not this" } });
    const { redirect_uris, ...body } = asked(as, "register")[0]!.body!;
    expect(redirect_uris).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback\/[\w-]{22}$/)]);
    expect(body).toEqual({
      software_id: "x",
      client_name: "My program",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: "native",
    });
  });

  test("in the way the issuer takes, and as it was told [M3.5]", async () => {
    for (const method of ["client_secret_basic", "client_secret_post", "none"] as const) {
      const as = await authorizationServer({ clientAuthentication: [method] });
      await open(await protect(as));
      const [token] = asked(as, "token");
      expect(asked(as, "register")[0]?.body?.["token_endpoint_auth_method"]).toBe(method);
      expect(token?.headers["authorization"]?.startsWith("Basic ") === true).toBe(method === "client_secret_basic");
      expect("client_secret" in token!.parameters).toBe(method === "client_secret_post");
      expect(token?.status).toBe(200);
    }
  });

  test.each([
    [(answer: Record<string, unknown>) => ({ ...answer, client_id: undefined }), 'the response has no "client_id"'],
    [(answer: Record<string, unknown>) => ({ ...answer, client_id: ["a"] }), 'the response has no "client_id"'],
    [(answer: Record<string, unknown>) => ({ ...answer, client_secret: 1 }), '"client_secret" that is not a string'],
    [
      (answer: Record<string, unknown>) => ({ ...answer, token_endpoint_auth_method: "client_secret_basic" }),
      "wants client_secret_basic from a client that has nothing for it",
    ],
    [
      (answer: Record<string, unknown>) => ({ ...answer, token_endpoint_auth_method: "private_key_jwt" }),
      "wants private_key_jwt",
    ],
    [() => undefined, "it answered with HTTP 404"],
  ])("a malformed registration: %#", async (alter, message) => {
    const as = await authorizationServer();
    as.settings.alterResponse = (answer, { endpoint }) => (endpoint === "register" ? alter(answer) : answer);
    const error = await loginFailure(await protect(as));
    expect(error).toMatchObject({ hop: "registration", url: `${as.issuer}/register` });
    expect(error.message).toContain(message);
    expect(asked(as, "authorize")).toEqual([]);
  });

  test("a redirect URI the issuer does not take is said, with what to do [M3.3]", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const error = await loginFailure(server, {
      redirection: {
        begin: () =>
          Promise.resolve({
            redirectUri: "http://app.example/callback",
            visit: () => Promise.reject(new Error("never")),
            close: () => Promise.resolve(),
          }),
      },
    });
    expect(error).toMatchObject({
      hop: "registration",
      error: "invalid_redirect_uri",
      remedy: expect.stringContaining("Choose another") as string,
    });
  });

  test("an issuer with which a client cannot register is an error that says what to do [M3.1]", async () => {
    const as = await authorizationServer();
    as.settings.alterResponse = (answer, { endpoint }) => {
      const { registration_endpoint: _, ...rest } = answer;
      return endpoint === "metadata" ? rest : answer;
    };
    expect(await loginFailure(await protect(as))).toMatchObject({
      hop: "registration",
      remedy: expect.stringContaining('option "client"') as string,
    });
  });

  test("a client with a secret is of one issuer: it must be named, and no other gets anything [R13]", async () => {
    const client = { id: "given", secret: "canary" };
    expect(() => login({ client })).toThrow(/needs option "issuer"/);
    const as = await authorizationServer();
    const error = await loginFailure(await protect(as), { client, issuer: "https://as.example" });
    expect(error).toMatchObject({ hop: "protected resource metadata" });
    expect(as.requests).toEqual([]);
  });

  test("a given client neither registers nor changes [M3.1 M3.5]", async () => {
    const as = await authorizationServer({
      clients: [
        {
          client_id: "given",
          client_secret: "s+/ ü",
          redirect_uris: ["http://127.0.0.1/callback"],
          token_endpoint_auth_method: "client_secret_basic",
        },
      ],
    });
    await open(await protect(as), { client: { id: "given", secret: "s+/ ü" }, issuer: as.issuer });
    expect(asked(as, "register")).toEqual([]);
    expect(asked(as, "token")[0]).toMatchObject({
      status: 200,
      headers: { authorization: `Basic ${btoa("given:s%2B%2F+%C3%BC")}` },
    });
  });
});
