/** What the entries of a catalog lead to, and what a client says of those that it cannot use. */
import { describe, expect, test } from "vitest";
import { bearerToken } from "tenon/auth";
import { connect, type JsonObject, type McpError } from "tenon";
import { at, card, catalog, CATALOG, failure, network, one, remote, type Page } from "./catalogs.ts";

const HERE = "https://example.com/mcp";
const document =
  (body: unknown, status: number): Page =>
  () =>
    new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
const needs = (...headers: JsonObject[]): JsonObject => remote(HERE, { headers });

describe("each entry that cannot be used is named with the reason", () => {
  test.each<[string, JsonObject, string]>([
    ["no card", { identifier: "urn:air:a" }, "urn:air:a (its entry has no card)"],
    ["no card and no name", {}, "a server without a name (its entry has no card)"],
    ["an empty name", { identifier: "", url: 7 }, "a server without a name (its entry has no card)"],
    ["a URL that cannot be parsed", { identifier: "urn:air:a", url: "nowhere" }, "urn:air:a (its entry has no card)"],
    [
      "a card that is not there",
      at("https://example.com/none?x=1"),
      "urn:air:https://example.com/none?x=1 (there is no card at https://example.com/none)",
    ],
    ["a card without a name", { data: { remotes: [remote("nowhere")] } }, "a server without a name (its URL is not a URL)"],
    ["a card without remotes", { data: { name: "a" } }, "a (its card names no remote over HTTP)"],
    ["a card whose remotes are not a list", { data: { name: "a", remotes: "all" } }, "a (its card names no remote over HTTP)"],
    [
      "a card whose remotes are no objects",
      { data: { name: "a", remotes: ["x", null] } },
      "a (its card names no remote over HTTP)",
    ],
    ["a remote without a URL", { data: card("a", { type: "streamable-http" }) }, "a (its URL is not a URL)"],
    ["a name that is too long", { data: card("x".repeat(201), remote("nowhere")) }, `${"x".repeat(200)} (its URL is not a URL)`],
    [
      "two headers",
      { data: card("a", needs({ name: "X-A", isRequired: true }, { name: "X-B", isRequired: true })) },
      `a at ${HERE} (it needs the header X-A and the header X-B)`,
    ],
  ])("%s", async (_what, entry, shown) => {
    const { fetch, seen } = network({ [`https://example.com${CATALOG}`]: catalog(entry) });
    expect(await failure(connect({ url: "https://example.com", fetch }))).toBe(
      `example.com is not an MCP endpoint, and its catalog names no server that this client can use. There are: ${shown}`,
    );
    expect(seen.filter((line) => line.endsWith("/mcp"))).toEqual([]);
  });

  test("all of them, if none can be used; those that can, if there are several", async () => {
    const entries = [{ identifier: "urn:air:a" }, { data: card("b", remote("nowhere")) }];
    const { fetch } = network({ [`https://example.com${CATALOG}`]: catalog(...entries) });
    expect(await failure(connect({ url: "https://example.com", fetch }))).toContain(
      "There are: urn:air:a (its entry has no card); b (its URL is not a URL)",
    );
    const two = network({
      [`https://example.com${CATALOG}`]: catalog(...entries, {
        data: card("c", remote(HERE), remote("https://example.com/other")),
      }),
    });
    expect(await failure(connect({ url: "https://example.com", fetch: two.fetch }))).toContain(
      `There are: c at ${HERE}; c at https://example.com/other`,
    );
  });

  test("of a card's remotes 16 count", async () => {
    const remotes = Array.from({ length: 17 }, (_, index) => remote(`https://example.com/${index}`));
    const { fetch } = network(one(card("a", ...remotes)));
    const message = await failure(connect({ url: "https://example.com", fetch }));
    expect(message).toContain("a at https://example.com/15");
    expect(message).not.toContain("https://example.com/16");
  });
});

describe("the one that can be used is taken", () => {
  test("among others that cannot", async () => {
    const { fetch } = network({
      [`https://example.com${CATALOG}`]: catalog(
        { type: "application/other", data: card("x", remote("https://example.com/x")) },
        "no entry" as never,
        { data: card("a", remote("nowhere")) },
        { data: card("b", remote(HERE)) },
      ),
    });
    await using client = await connect({ url: "https://example.com", fetch });
    expect((await client.callTool("rain")).text).toContain("rain");
  });

  test("over HTTP+SSE if there is nothing else", async () => {
    const { fetch, seen } = network(one(card("a", { type: "sse", url: "https://example.com/old" })), []);
    expect(await failure(connect({ url: "https://example.com", fetch }))).toContain("404");
    expect(seen).toContain("POST https://example.com/old");
  });

  test.each<[string, JsonObject[], object]>([
    ["that the user makes for each request", [{ name: "X-Key", isRequired: true }], { headers: () => ({}) }],
    ["that signs the requests", [{ name: "Authorization", isRequired: true }], { auth: bearerToken("t") }],
    ["that the user gives in another case", [{ name: "x-KEY", isRequired: true }], { headers: { "X-key": "k" } }],
    [
      "that is not required",
      [{ name: "X-Key" }, { name: "X-Other", isRequired: false }, { name: "X-Third", isRequired: "yes" }],
      {},
    ],
    ["that has no name", [{ isRequired: true }, "X-Key" as never], {}],
  ])("if it needs a header %s", async (_which, headers, own) => {
    const { fetch } = network(one(card("a", needs(...headers))));
    await using client = await connect({ url: "https://example.com", fetch, ...own });
    expect((await client.callTool("rain")).text).toContain("rain");
  });

  test("but not at another origin that needs a header of the user: it would not get it", async () => {
    const own = remote("https://other.example/mcp", { headers: [{ name: "X-Key", isRequired: true }] });
    const { fetch } = network(one(card("a", own)), ["https://other.example/mcp"]);
    const connecting = connect(
      { url: "https://example.com", fetch, headers: { "x-key": "k" } },
      { discover: { allow: () => true } },
    );
    expect(await failure(connecting)).toContain("a at https://other.example/mcp (it needs the header X-Key)");
  });

  test.each([undefined, () => false])(
    "not at another origin, nor by a card of another origin, if the user does not allow it",
    async (allow) => {
      const elsewhere = network(one(card("a", remote("https://other.example/mcp"))), ["https://other.example/mcp"]);
      const options = allow === undefined ? {} : { discover: { allow } };
      expect(await failure(connect({ url: "https://example.com", fetch: elsewhere.fetch }, options))).toContain(
        "it is at another origin, https://other.example",
      );
      const byCard = network({
        [`https://example.com${CATALOG}`]: catalog(at("https://other.example/card")),
        "https://other.example/card": card("a", remote(HERE)),
      });
      expect(await failure(connect({ url: "https://example.com", fetch: byCard.fetch }, options))).toContain("at another origin");
      expect(byCard.seen.filter((line) => line.endsWith("/mcp"))).toEqual([]);
    },
  );
});

describe("the documents", () => {
  test.each([404, 410, 500])("a catalog with HTTP %i does not count", async (status) => {
    const { fetch, seen } = network({
      [`https://example.com${CATALOG}`]: document(catalog({ data: card("a", remote(HERE)) }), status),
    });
    expect(await failure(connect({ url: "https://example.com", fetch }))).toContain("404");
    expect(seen.filter((line) => line.endsWith("/mcp"))).toEqual([]);
  });

  test.each([200, 203, 299])("a catalog with HTTP %i counts", async (status) => {
    const { fetch } = network({
      [`https://example.com${CATALOG}`]: document(catalog({ data: card("a", remote(HERE)) }), status),
    });
    await using client = await connect({ url: "https://example.com", fetch });
    expect((await client.callTool("rain")).text).toContain("rain");
  });

  test("are asked for by their media types", async () => {
    const accepted: (string | null)[] = [];
    const keep =
      (body: unknown): Page =>
      (request) => {
        accepted.push(request.headers.get("accept"));
        return Response.json(body);
      };
    const { fetch } = network({
      [`https://example.com${CATALOG}`]: keep(catalog(at("https://example.com/card"))),
      "https://example.com/card": keep(card("a", remote(HERE))),
    });
    await using client = await connect({ url: "https://example.com", fetch });
    await client.callTool("rain");
    expect(accepted).toEqual([
      "application/ai-catalog+json, application/json",
      "application/mcp-server-card+json, application/json",
    ]);
  });

  test("one that must not be read is an error that names its URL, with the cause", async () => {
    const { fetch } = network({ [`https://example.com${CATALOG}`]: catalog(at("https://10.0.0.1/card")) });
    const error = (await connect({ url: "https://example.com", fetch }, { discover: { allow: () => true } }).catch(
      (cause: unknown) => cause,
    )) as McpError;
    expect(error.message).toMatch(
      /^The server could not be discovered \(https:\/\/10\.0\.0\.1\/card\): that URL .*private or reserved network/,
    );
    expect(error.code).toBe(-32600);
    expect(error.cause).toMatchObject({ url: "https://10.0.0.1/card", hop: "discovery" });
  });
});
