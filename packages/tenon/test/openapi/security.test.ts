/** Credentials: where they are sent, and where they never are. */
import { expect, it } from "vitest";
import type { JsonObject } from "tenon";
import { fromOpenApi, type CredentialSource, type OpenApiOptions } from "tenon/openapi";
import { McpServer } from "tenon/server";
import { describeMatrix, REVISIONS } from "../support/matrix.ts";
import { callOnce, clientOf, documentOf, json, oneOperation, startApi, textOf, type Answer } from "./api.ts";

const SCHEMES: JsonObject = {
  bearer: { type: "http", scheme: "Bearer" },
  basic: { type: "http", scheme: "basic" },
  inHeader: { type: "apiKey", in: "header", name: "X-Key" },
  inQuery: { type: "apiKey", in: "query", name: "api key" },
  inCookie: { type: "apiKey", in: "cookie", name: "sid" },
  oauth: { type: "oauth2", flows: {} },
  openId: { type: "openIdConnect", openIdConnectUrl: "https://id.example.com" },
  hmac: { type: "http", scheme: "hmac" },
};

function secured(security: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return oneOperation({ security, ...more }, { components: { securitySchemes: SCHEMES } });
}

const SECRET = "s3cret/value";
const ENCODED = Buffer.from(`ada:${SECRET}`).toString("base64");

it.each<[string, OpenApiOptions["auth"], object]>([
  ["bearer", { bearer: SECRET }, { authorization: `Bearer ${SECRET}` }],
  ["oauth", { oauth: { token: SECRET } }, { authorization: `Bearer ${SECRET}` }],
  ["openId", { openId: SECRET }, { authorization: `Bearer ${SECRET}` }],
  ["basic", { basic: { username: "ada", password: SECRET } }, { authorization: `Basic ${ENCODED}` }],
  ["inHeader", { inHeader: SECRET }, { "x-key": SECRET }],
  ["inCookie", { inCookie: SECRET }, { cookie: `sid=${SECRET}` }],
  [
    "hmac",
    { hmac: (_context, { method, url }) => ({ headers: { "X-Sig": `${method} ${new URL(url).pathname}` } }) },
    { "x-sig": "GET /things" },
  ],
])("sends %s as its scheme says", async (scheme, auth, headers) => {
  const { request } = await callOnce(secured([{ [scheme]: [] }]), {}, { options: { auth: auth! } });
  expect(request?.headers).toMatchObject(headers);
});

it("sends a key in the query, encoded", async () => {
  const { request } = await callOnce(
    secured([{ inQuery: [] }], { parameters: [{ name: "q", in: "query" }] }),
    { q: "1" },
    { options: { auth: { inQuery: SECRET } } },
  );
  expect(request?.target).toBe("/things?q=1&api%20key=s3cret%2Fvalue");
});

it("sends a key in a cookie beside the cookies that are arguments", async () => {
  const { request } = await callOnce(
    secured([{ inCookie: [] }], { parameters: [{ name: "theme", in: "cookie", schema: { type: "string" } }] }),
    { theme: "dark" },
    { options: { auth: { inCookie: SECRET } } },
  );
  expect(request?.headers.cookie).toBe(`theme=dark; sid=${SECRET}`);
});

it("chooses the first requirement whose schemes all have a credential, and sends no credential if none is needed", async () => {
  const choices = [{ bearer: [], inHeader: [] }, { inHeader: [], inCookie: [] }, {}];
  const both = await callOnce(secured(choices), {}, { options: { auth: { inHeader: "k1", inCookie: "k2" } } });
  expect(both.request?.headers).toMatchObject({ "x-key": "k1", cookie: "sid=k2" });
  const anonymous = await callOnce(secured(choices), {}, { options: { auth: { inHeader: "k1" } } });
  expect(anonymous.request?.headers["x-key"]).toBeUndefined();
});

it("leaves a tool out whose credentials are missing, and says which", async () => {
  const { tools, report } = await fromOpenApi(secured([{ bearer: [], inHeader: [] }, { basic: [] }]), {
    baseUrl: "https://api.example.com",
  });
  expect(Object.keys(tools)).toEqual([]);
  expect(report).toEqual([
    {
      operation: "GET /things",
      status: "skipped",
      why: 'it needs credentials that option "auth" does not have: bearer and inHeader, or basic',
    },
  ]);
});

it("refuses a credential for a scheme that the document does not have", async () => {
  await expect(fromOpenApi(secured([]), { auth: { baerer: "x" } })).rejects.toThrow(
    'the document has no security scheme "baerer"',
  );
});

it("asks for the caller's credential at each call; without one the tool fails and nothing is sent", async () => {
  const { url, requests } = await startApi();
  const tokens: string[] = [];
  const { client } = await clientOf(secured([{ bearer: [] }]), { baseUrl: url, auth: { bearer: () => tokens[0] } });
  const failed = await client.callTool("call");
  expect([failed.isError, textOf(failed), requests.length]).toEqual([
    true,
    "There is no credential of the caller for this API (bearer)",
    0,
  ]);
  tokens.push("mine");
  await client.callTool("call");
  expect(requests[0]?.headers.authorization).toBe("Bearer mine");
});

it("does not let an argument be a credential", async () => {
  const parameters = [
    { name: "x-key", in: "header" },
    { name: "Authorization", in: "header" },
  ];
  const { url } = await startApi();
  const { api } = await clientOf(secured([{ inHeader: [] }], { parameters }), { baseUrl: url, auth: { inHeader: SECRET } });
  expect(api.tools["call"]?.options.input).toMatchObject({ properties: {} });
});

it("follows a redirect on the same origin, and none to another one", async () => {
  const elsewhere = await startApi();
  const api = await startApi((response, { target }) => {
    const location = target === "/things" ? "/moved" : target === "/moved" ? "/end" : undefined;
    if (location === undefined) json(response, { at: target });
    else response.writeHead(302, { location }).end();
  });
  const options = { baseUrl: api.url, auth: { bearer: SECRET } };
  const { client } = await clientOf(secured([{ bearer: [] }]), options);
  expect((await client.callTool("call")).structuredContent).toEqual({ at: "/end" });
  const { url } = await startApi((response) => void response.writeHead(302, { location: `${elsewhere.url}/steal` }).end());
  const other = await clientOf(secured([{ bearer: [] }]), { ...options, baseUrl: url });
  expect(textOf(await other.client.callTool("call"))).toBe("The API redirects to another origin, which is not followed");
  expect(elsewhere.requests).toEqual([]);
});

it("leaves an operation out whose server is another origin, unless that is allowed", async () => {
  const paths = {
    "/a": { get: { operationId: "a" } },
    "/b": { get: { operationId: "b", servers: [{ url: "https://evil.example.net" }] } },
  };
  const document = documentOf(paths, {
    servers: [{ url: "https://{region}.example.com/v1", variables: { region: { default: "eu", enum: ["eu", "us"] } } }],
  });
  const { report } = await fromOpenApi(document);
  expect(report.map(({ status, why }) => why ?? status)).toEqual([
    "tool",
    `its server https://evil.example.net is not the document's: allow it in option "origins"`,
  ]);
  expect(Object.keys((await fromOpenApi(document, { origins: ["https://evil.example.net"] })).tools)).toEqual(["a", "b"]);
  const wrong = await fromOpenApi(document, { serverVariables: { region: "mars" } });
  expect(wrong.report[0]?.why).toBe("the variable region of its server must be one of eu, us, not mars");
});

it.each([
  "http://api.example.com",
  "https://10.0.0.1/v1",
  "https://localhost/v1",
  "https://metadata.internal",
  "http://169.254.169.254/",
  "ftp://api.example.com",
  "/v1",
])("does not call a document's server %s", async (url) => {
  const { tools, report } = await fromOpenApi(documentOf({ "/a": { get: {} } }, { servers: [{ url }] }));
  expect(Object.keys(tools)).toEqual([]);
  expect(report[0]?.why).toContain("its server");
  expect(report[0]?.why).toContain('"baseUrl"');
});

it("does not show its credentials in the text of a failure", async () => {
  const answer = (response: Parameters<typeof json>[0]): void =>
    json(response, { error: `token ${SECRET} (${ENCODED}) is wrong` }, 500);
  const auth = { basic: { username: "ada", password: SECRET }, bearer: SECRET };
  const { result } = await callOnce(secured([{ basic: [], bearer: [] }]), {}, { options: { auth }, answer });
  expect(textOf(result)).toBe('500 Internal Server Error\n{"error":"token [redacted] ([redacted]) is wrong"}');
});

/** The revisions that can ask a user to open a page. */
const WITH_PAGES = REVISIONS.filter((revision) => revision >= "2025-11-25");

describeMatrix(
  "A credential that the API refuses",
  ({ connect: open }) => {
    const answer: Answer = (response, { headers }) =>
      headers.authorization === "Bearer new"
        ? json(response, { ok: true })
        : json(response, { error: `${headers.authorization} has expired` }, 401);

    it("is renewed once by its function, also by a page that the user opens", async () => {
      const { url, requests } = await startApi(answer);
      const tokens = ["old-token"];
      const credential: CredentialSource = async (context, _request, refused) => {
        if (refused === undefined) return tokens[0];
        const action = await context.elicitUrl("log in", { message: "Log in to the API", url: "https://id.example.com/login" });
        return action === "accept" ? tokens[0] : undefined;
      };
      const { tools } = await fromOpenApi(secured([{ bearer: [] }], { method: "post" }), {
        baseUrl: url,
        auth: { bearer: credential },
      });
      const pages: string[] = [];
      const client = await open(new McpServer({ name: "test", version: "1" }, { tools }), {
        onElicit: (params) => {
          pages.push(String("url" in params && params.url));
          tokens[0] = pages.length === 1 ? "old-token" : "new";
          return { action: pages.length === 1 ? "decline" : "accept" };
        },
      });
      const declined = await client.callTool("call");
      expect([declined.isError, textOf(declined)]).toEqual([true, '401 Unauthorized\n{"error":"Bearer [redacted] has expired"}']);
      expect((await client.callTool("call")).structuredContent ?? {}).toEqual({ ok: true });
      expect(pages).toEqual(["https://id.example.com/login", "https://id.example.com/login"]);
      expect(requests.at(-1)?.headers.authorization).toBe("Bearer new");
    });
  },
  WITH_PAGES,
);

it("sends a refused request again only with another credential, and only once", async () => {
  const { url, requests } = await startApi((response) => json(response, { error: "no" }, 401));
  const refusals: unknown[] = [];
  const from = (next: (refused: unknown) => string | undefined): OpenApiOptions => ({
    baseUrl: url,
    auth: { bearer: (_context, _request, refused) => (refusals.push(refused), next(refused)) },
  });
  const sent = async (options: OpenApiOptions): Promise<unknown> => {
    const { client } = await clientOf(secured([{ bearer: [] }]), options);
    const { isError } = await client.callTool("call");
    return [isError, requests.splice(0).map(({ headers }) => headers.authorization), refusals.splice(0)];
  };
  expect(await sent(from((refused) => (refused === undefined ? "one" : "two")))).toEqual([
    true,
    ["Bearer one", "Bearer two"],
    [undefined, "one"],
  ]);
  expect(await sent(from(() => "same"))).toEqual([true, ["Bearer same"], [undefined, "same"]]);
  expect(await sent({ baseUrl: url, auth: { bearer: "fixed" } })).toEqual([true, ["Bearer fixed"], []]);
});
