// Companies decide who gets in: the assertion of an identity provider becomes a token, and nothing that is not exactly that does.
import { decodeJwt, generateKeyPair, SignJWT } from "jose";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createAuthorizationServer, enterprise } from "tenon/authorization-server";
import type { JsonObject } from "tenon";
import { memoryStores } from "tenon/stores/memory";
import { initializeWith } from "./enterprise-calls.ts";
import { CLIENT, goodClaims, JWT_BEARER, OTHER, redeemAt, startCompany, startIdp, TYPE } from "./enterprise-support.ts";
import { register, reserve, startSite, tokenRequest } from "./support.ts";

const now = (): number => Math.floor(Date.now() / 1_000);

describe("an assertion of the company", () => {
  test("becomes a token for one server, its user and the scopes of both, without a refresh token [requirement R3]", async () => {
    const { site, assertion, redeem, idp } = await startCompany();
    const { status, body } = await redeem(await assertion({ scope: "notes:read notes:admin", email: "ada@acme.example" }));
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: body["access_token"],
      token_type: "Bearer",
      expires_in: 600,
      resource: site.url,
      scope: "notes:read",
    });
    const token = decodeJwt(String(body["access_token"]));
    expect(token).toMatchObject({ iss: site.origin, aud: site.url, client_id: CLIENT.id, scope: "notes:read" });
    expect(token.sub).not.toContain("ada");
    expect(await initializeWith(site.url, String(body["access_token"]))).toBe(200);
    expect(site.errors).toEqual([]);
    expect(idp.requests.filter(({ endpoint }) => endpoint === "jwks")).toHaveLength(1);
  });

  test("is announced in the metadata, with the grant", async () => {
    const { site } = await startCompany();
    const metadata = (await (await fetch(`${site.origin}/.well-known/oauth-authorization-server`)).json()) as JsonObject;
    expect(metadata).toMatchObject({
      authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"],
      grant_types_supported: expect.arrayContaining([JWT_BEARER]),
    });
    expect(JSON.stringify(metadata)).not.toContain("idp");
  });

  test("counts once, also for two nodes at the same time [requirement R3]", async () => {
    const [idp, reserved] = await Promise.all([startIdp(), reserve()]);
    const options = {
      ...{ enterprise: enterprise({ idp: idp.issuer, clients: [CLIENT] }), stores: memoryStores() },
      secret: crypto.getRandomValues(new Uint8Array(32)),
    };
    const first = await startSite(reserved, undefined, options);
    const second = await createAuthorizationServer({
      ...{ issuer: first.origin, resource: first.url, scopes: { "notes:read": "Read your notes" }, onError: () => undefined },
      ...options,
    });
    let turn = 0;
    reserved.serve((request, response) => void (turn++ % 2 === 0 ? first.login : second).handle(request, response));
    const used = await idp.sign(TYPE, goodClaims(idp, first));
    const answers = await Promise.all([
      redeemAt(first, used),
      redeemAt(first, used),
      redeemAt(first, used),
      redeemAt(first, used),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    expect((await redeemAt(first, used)).body).toMatchObject({ error: "invalid_grant", error_description: /used before/ });
  });

  test("gives the same user whichever way they come, and another user for each company", async () => {
    const globex = await startIdp();
    const { assertion, redeem, site, idp } = await startCompany({ others: [globex.issuer] });
    const subjectOf = async (text: string): Promise<unknown> => decodeJwt(String((await redeem(text)).body["access_token"])).sub;
    const ada = await subjectOf(await assertion());
    expect(await subjectOf(await assertion())).toBe(ada);
    expect(await subjectOf(await globex.sign(TYPE, goodClaims(globex, site)))).not.toBe(ada);
    expect(idp.issuer).not.toBe(globex.issuer);
  });

  test("may be asked by allowUser, and give claims of the token", async () => {
    const { assertion, redeem } = await startCompany({
      allowUser: ({ claims }) => claims["email"] !== "mallory@acme.example",
      claims: ({ issuer, claims }) => ({ company: issuer.length > 0, groups: claims["groups"] ?? [] }),
    });
    const { body } = await redeem(await assertion({ groups: ["eng"] }));
    expect(decodeJwt(String(body["access_token"]))).toMatchObject({ company: true, groups: ["eng"] });
    expect((await redeem(await assertion({ email: "mallory@acme.example" }))).body).toMatchObject({
      error: "invalid_grant",
      error_description: /not allowed/,
    });
  });

  test("is accepted within a minute of difference between the clocks, and not beyond", async () => {
    const { assertion, redeem } = await startCompany();
    const at = async (iat: number, exp: number): Promise<number> => (await redeem(await assertion({ iat, exp }))).status;
    expect(await at(now() + 50, now() + 300)).toBe(200);
    expect(await at(now() + 90, now() + 300)).toBe(400);
    expect(await at(now() - 300, now() - 50)).toBe(200);
    expect(await at(now() - 300, now() - 90)).toBe(400);
    expect((await redeem(await assertion({ nbf: now() + 90 }))).status).toBe(400);
  });

  test("is valid for an hour at most", async () => {
    const { assertion, redeem } = await startCompany();
    const iat = Math.floor(now());
    expect((await redeem(await assertion({ iat, exp: iat + 3_600 }))).status).toBe(200);
    expect((await redeem(await assertion({ iat, exp: iat + 3_601 }))).body).toMatchObject({
      error_description: /more than 3600 seconds/,
    });
  });

  test("is verified by new keys when the company rotates them, and not by withdrawn ones", async () => {
    const { idp, assertion, redeem } = await startCompany();
    expect((await redeem(await assertion())).status).toBe(200);
    const old = await assertion();
    let later = performance.now();
    vi.spyOn(performance, "now").mockImplementation(() => later);
    onTestFinished(() => void vi.restoreAllMocks());
    await idp.rotateKeys({ withdraw: true });
    later += 61_000; // unknown keys are looked for once a minute
    expect((await redeem(await assertion())).status).toBe(200);
    expect((await redeem(old)).body).toMatchObject({ error: "invalid_grant", error_description: /no such key/ });
  });

  test("waits for its company's keys: 503 while they cannot be read, and nothing is used up", async () => {
    const { idp, assertion, redeem, site } = await startCompany();
    idp.settings.before = ({ endpoint }) => (endpoint === "jwks" ? 500 : undefined);
    const text = await assertion();
    expect(await redeem(text)).toMatchObject({ status: 503, body: { error: "temporarily_unavailable" } });
    expect(site.errors).toHaveLength(1);
    idp.settings.before = undefined;
    const later = performance.now() + 6_000;
    vi.spyOn(performance, "now").mockImplementation(() => later);
    onTestFinished(() => void vi.restoreAllMocks());
    expect((await redeem(text)).status).toBe(200);
  });
});

describe("scopes and resources", () => {
  test.each<[string, JsonObject, Record<string, string>, unknown]>([
    ["what is asserted", { scope: "notes:read notes:write" }, {}, "notes:read notes:write"],
    ["what is asserted and requested", { scope: "notes:read notes:write" }, { scope: "notes:write more" }, "notes:write"],
    ["what is requested, where nothing is asserted", { scope: undefined as never }, { scope: "notes:write" }, "notes:write"],
    ["none, where nothing is asserted and requested", { scope: undefined as never }, {}, undefined],
  ])("a token has %s", async (_, changes, more, scope) => {
    const { assertion, redeem } = await startCompany();
    expect((await redeem(await assertion(changes), more)).body["scope"]).toBe(scope);
  });

  test("scopes that are not both asserted and requested are refused, and those that the company may not give", async () => {
    const { assertion, redeem } = await startCompany({ trust: { scopes: ["notes:read"] } });
    for (const [changes, more, error] of [
      [{ scope: "notes:read" }, { scope: "notes:write" }, "invalid_scope"],
      [{ scope: "notes:write" }, {}, "invalid_grant"],
      [{ scope: "other" }, {}, "invalid_grant"],
      [{ scope: "other" }, { scope: "other" }, "invalid_grant"],
    ] as const)
      expect((await redeem(await assertion(changes), more)).body["error"]).toBe(error);
  });

  test("of several servers the token is for the one that is asserted and requested", async () => {
    const reserved = await reserve();
    const [a, b] = [`${reserved.origin}/mcp`, `${reserved.origin}/b/mcp`];
    const idp = await startIdp();
    const access = enterprise({ idp: idp.issuer, clients: [CLIENT] });
    const site = await startSite(reserved, undefined, { resource: [a, b], enterprise: access });
    const redeem = async (resource: JsonObject[string], more: Record<string, string>): Promise<unknown> => {
      const { body } = await redeemAt(site, await idp.sign(TYPE, { ...goodClaims(idp, site), resource }), more);
      return body["error"] ?? decodeJwt(String(body["access_token"])).aud;
    };
    expect(await redeem([a, b], { resource: b })).toBe(b);
    expect(await redeem([a, "https://elsewhere.example/mcp"], {})).toBe(a);
    expect(await redeem([a, b], {})).toBe("invalid_target");
    expect(await redeem(a, { resource: b })).toBe("invalid_grant");
    expect(await redeem("https://elsewhere.example/mcp", {})).toBe("invalid_grant");
  });

  test("a company gives access to its own servers only", async () => {
    const reserved = await reserve();
    const [a, b] = [`${reserved.origin}/mcp`, `${reserved.origin}/b/mcp`];
    const [acme, globex] = await Promise.all([startIdp(), startIdp()]);
    const access = enterprise({ idp: [{ issuer: acme.issuer, resource: b }, globex.issuer], resource: a, clients: [CLIENT] });
    const site = await startSite(reserved, undefined, { resource: [a, b], enterprise: access });
    const statusOf = async (idp: typeof acme, resource: string): Promise<number> =>
      (await redeemAt(site, await idp.sign(TYPE, { ...goodClaims(idp, site), resource }))).status;
    expect(await Promise.all([statusOf(acme, b), statusOf(globex, a)])).toEqual([200, 200]);
    expect(await Promise.all([statusOf(acme, a), statusOf(globex, b)])).toEqual([400, 400]);
  });
});

describe("hostile assertions", () => {
  test.each<[string, JsonObject, RegExp]>([
    ["another issuer", { iss: "https://evil.example" }, /not trusted/],
    ["no issuer", { iss: undefined as never }, /names no issuer/],
    ["the audience of another server", { aud: "https://other.example" }, /audience/],
    ["our token endpoint as its audience", { aud: "http://127.0.0.1/token" }, /audience/],
    ["no audience", { aud: undefined as never }, /audience/],
    ["another client", { client_id: OTHER.id }, /another client/],
    ["no client", { client_id: undefined as never }, /client_id/],
    ["a list of clients", { client_id: [CLIENT.id] }, /another client/],
    ["no resource", { resource: undefined as never }, /resource/],
    ["another resource", { resource: "https://other.example/mcp" }, /resource/],
    ["a resource that is a number", { resource: 1 }, /resource/],
    ["a resource beside a number", { resource: ["https://other.example/mcp", 1] }, /resource/],
    ["no subject", { sub: undefined as never }, /sub/],
    ["an empty subject", { sub: "" }, /sub/],
    ["a subject that is an object", { sub: { $ne: "" } }, /sub/],
    ["no jti", { jti: undefined as never }, /jti/],
    ["a jti that is a number", { jti: 1 }, /jti/],
    ["a jti without end", { jti: "x".repeat(300) }, /jti/],
    ["no iat", { iat: undefined as never }, /iat/],
    ["no exp", { exp: undefined as never }, /exp/],
    ["an exp in a year", { exp: now() + 31_536_000 }, /more than 3600/],
    ["an iat of yesterday", { iat: now() - 86_400 }, /expired/],
    ["a time that is a text", { exp: "tomorrow" }, /exp/],
    ["a scope that is a list", { scope: ["notes:write"] }, /scope/],
    ["a key that must be proven", { cnf: { jkt: "x" } }, /proof of possession/],
    ["details that scopes do not say", { authorization_details: [{ type: "read" }] }, /details/],
    ["a tenant that is not listed", { tenant: "globex" }, /tenant/],
    ["more characters than any assertion has", { pad: "x".repeat(20_000) }, /characters/],
  ])("with %s is refused, and the operator hears of it", async (_, changes, why) => {
    const { assertion, redeem, site } = await startCompany();
    const { status, body } = await redeem(await assertion(changes));
    expect({ status, error: body["error"] }).toEqual({ status: 400, error: "invalid_grant" });
    expect(body["error_description"]).toMatch(why);
    expect(site.errors).toEqual([expect.objectContaining({ message: expect.stringMatching(why) as string })]);
    expect((await redeem(await assertion())).status).toBe(200); // nothing is broken
  });

  test("for another server beside ours is refused", async () => {
    const { assertion, redeem, site } = await startCompany();
    expect((await redeem(await assertion({ aud: [site.origin, "https://other.example"] }))).body["error"]).toBe("invalid_grant");
    expect((await redeem(await assertion({ aud: [site.origin] }))).status).toBe(200);
    expect((await redeem(await assertion({ aud: `${site.origin}/` }))).status).toBe(200);
  });

  test.each(["JWT", "at+jwt", "id_token", "dpop+jwt", "logout+jwt", "oauth-id-jag+jwtx"])(
    "of the type %s is refused",
    async (typ) => {
      const { idp, claims, redeem } = await startCompany();
      expect((await redeem(await idp.sign(typ, claims()))).body["error"]).toBe("invalid_grant");
    },
  );

  test("with a foreign signature, or none, is refused", async () => {
    const globex = await startIdp();
    const { claims, redeem, idp, assertion } = await startCompany({ others: [globex.issuer] });
    const stranger = await generateKeyPair("ES256");
    const secret = new TextEncoder().encode(JSON.stringify(await idp.jwks()));
    const [header, payload] = (await assertion()).split(".");
    const unsigned = (alg: string): string => `${btoa(JSON.stringify({ alg, typ: TYPE })).replaceAll("=", "")}.${payload}.`;
    const bad = [
      await globex.sign(TYPE, claims()), // the key of a second company
      await new SignJWT(claims()).setProtectedHeader({ alg: "ES256", typ: TYPE }).sign(stranger.privateKey),
      await new SignJWT(claims())
        .setProtectedHeader({ alg: "ES256", typ: TYPE, jwk: await idp.jwks().then(({ keys }) => keys[0]!) })
        .sign(stranger.privateKey),
      await new SignJWT(claims()).setProtectedHeader({ alg: "HS256", typ: TYPE }).sign(secret),
      unsigned("none"),
      unsigned("ES256"),
      `${header}.${payload}.AAAA`,
      "a.b.c",
      "x",
    ];
    for (const text of bad) expect((await redeem(text)).body["error"]).toBe("invalid_grant");
  });

  test("of an issuer that is not trusted cause no request to it", async () => {
    const [stranger, { redeem, site, idp }] = await Promise.all([startIdp(), startCompany()]);
    expect((await redeem(await stranger.sign(TYPE, goodClaims(stranger, site)))).status).toBe(400);
    expect([stranger.requests, idp.requests]).toEqual([[], []]);
  });

  test("cannot make one issuer fetch its keys again and again", async () => {
    const { idp, claims, redeem } = await startCompany();
    const stranger = await generateKeyPair("ES256");
    for (let kid = 0; kid < 10; kid++) {
      const forged = new SignJWT(claims()).setProtectedHeader({ alg: "ES256", typ: TYPE, kid: `k${kid}` });
      expect((await redeem(await forged.sign(stranger.privateKey))).status).toBe(400);
    }
    expect(idp.requests.filter(({ endpoint }) => endpoint === "jwks")).toHaveLength(1);
  });
});

describe("clients of companies", () => {
  test("must prove who they are", async () => {
    const { assertion, redeem, site } = await startCompany();
    const text = await assertion();
    expect((await redeem(text, {}, { id: CLIENT.id, secret: "wrong" })).status).toBe(401);
    expect((await tokenRequest(site, { grant_type: JWT_BEARER, assertion: text, client_id: CLIENT.id })).status).toBe(401);
    expect((await tokenRequest(site, { grant_type: JWT_BEARER, assertion: text })).status).toBe(400);
    expect((await redeem(text, {}, OTHER)).body).toMatchObject({ error: "invalid_grant", error_description: /another client/ });
    expect((await redeem(text)).status).toBe(200);
  });

  test("may register with a secret, and get nothing without one", async () => {
    const { assertion, redeem, site } = await startCompany();
    const grants = { grant_types: [JWT_BEARER], response_types: [], redirect_uris: [] };
    const { body: known } = await register(site, { ...grants, token_endpoint_auth_method: "client_secret_basic" });
    const client = { id: known.client_id, secret: known.client_secret! };
    expect((await redeem(await assertion({ client_id: client.id }), {}, client)).status).toBe(200);
    const { body: open } = await register(site, grants);
    const request = {
      grant_type: JWT_BEARER,
      client_id: open.client_id,
      assertion: await assertion({ client_id: open.client_id }),
    };
    expect((await tokenRequest(site, request)).body["error"]).toBe("unauthorized_client");
    const { body: pages } = await register(site, {
      redirect_uris: ["https://app.example.com/callback"],
      token_endpoint_auth_method: "client_secret_basic",
    });
    const other = { id: pages.client_id, secret: pages.client_secret! };
    expect((await redeem(await assertion({ client_id: other.id }), {}, other)).status).toBe(400); // it did not register the grant
  });

  test("are only those that the company's provider may give access to", async () => {
    const { assertion, redeem } = await startCompany({ trust: { clientIds: [OTHER.id] } });
    expect((await redeem(await assertion())).body["error_description"]).toMatch(/may not give access/);
    expect((await redeem(await assertion({ client_id: OTHER.id }), {}, OTHER)).status).toBe(200);
  });
});

describe("many companies", () => {
  test("each has its issuer, found when an assertion comes", async () => {
    const [acme, globex, reserved] = await Promise.all([startIdp(), startIdp(), reserve()]);
    const tenants = new Map([[acme.issuer, { issuer: acme.issuer }]]);
    const asked: string[] = [];
    const idp = (issuer: string): { issuer: string } | undefined => {
      asked.push(issuer);
      return tenants.get(issuer);
    };
    const site = await startSite(reserved, undefined, { enterprise: enterprise({ idp, clients: [CLIENT] }) });
    const statusOf = async (of: typeof acme): Promise<number> =>
      (await redeemAt(site, await of.sign(TYPE, goodClaims(of, site)))).status;
    expect([await statusOf(acme), await statusOf(globex)]).toEqual([200, 400]);
    tenants.set(globex.issuer, { issuer: globex.issuer });
    tenants.delete(acme.issuer);
    expect([await statusOf(acme), await statusOf(globex)]).toEqual([400, 200]);
    expect(asked).toHaveLength(4);
  });

  test("a finder that names another issuer than the asked one trusts none", async () => {
    const [acme, globex, reserved] = await Promise.all([startIdp(), startIdp(), reserve()]);
    const site = await startSite(reserved, undefined, { enterprise: enterprise({ idp: () => acme.issuer, clients: [CLIENT] }) });
    expect((await redeemAt(site, await globex.sign(TYPE, goodClaims(globex, site)))).status).toBe(400);
  });

  test("of one issuer differ by their tenant", async () => {
    const { assertion, redeem } = await startCompany({ trust: { tenants: ["acme", "globex"] } });
    const subjects = await Promise.all(
      ["acme", "globex"].map(
        async (tenant) => decodeJwt(String((await redeem(await assertion({ tenant }))).body["access_token"])).sub,
      ),
    );
    expect(new Set(subjects).size).toBe(2);
    for (const changes of [{}, { tenant: "evil" }, { tenant: ["acme"] }])
      expect((await redeem(await assertion(changes))).body["error_description"]).toMatch(/tenant/);
  });

  test("need no login page, and a user who comes to one reads that", async () => {
    const { site } = await startCompany();
    const response = await fetch(`${site.origin}/authorize?response_type=code`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("no login here");
  });
});

test.each<[string, object]>([
  ["idp", {}],
  ["idp", { idp: [] }],
  ["idp", { idp: "acme" }],
  ["idp", { idp: "http://acme.example" }],
  ["idp", { idp: ["https://a.example", "https://a.example"] }],
  ["idp.jwksUri", { idp: { issuer: "https://a.example", jwksUri: "ftp://a.example" } }],
  ["tenant", { idp: { issuer: "https://a.example", tenant: "x" } }],
  ["clients", { idp: "https://a.example", clients: [{ id: "x" }] }],
  ["resource", { idp: "https://a.example", resource: [] }],
  ["audience", { idp: "https://a.example", audience: "x" }],
])("option %s: %j of enterprise() is refused by its name", (option, options) => {
  expect(() => enterprise(options as never)).toThrow(`"${option}"`);
});

test("a resource that the authorization server does not have is refused", async () => {
  const access = enterprise({ idp: "https://a.example", resource: "https://other.example/mcp" });
  const options = { issuer: "https://mcp.example.com", resource: "https://mcp.example.com/mcp", scopes: { a: "A" } };
  await expect(createAuthorizationServer({ ...options, enterprise: access })).rejects.toThrow('"resource" of enterprise()');
  await expect(createAuthorizationServer({ ...options, enterprise: {} as never })).rejects.toThrow('"enterprise"');
});
