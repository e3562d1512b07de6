/** A client that finds the endpoint of a domain by its catalog and cards: what it takes, and what it refuses. */
import { describe, expect, onTestFinished, test } from "vitest";
import { connect, type JsonObject } from "tenon";
import type { DiscoveredCard } from "tenon/client";
import { serveHttp } from "tenon/node";
import { at, card, catalog, CATALOG, failure, network, one, remote, type Page } from "./catalogs.ts";
import { testServer } from "../support/test-server.ts";

test("a real server is found by its domain, over sockets", async () => {
  const server = testServer({ name: "weather" });
  server.tool("rain", {}, () => "rain");
  const first = await serveHttp(server, { port: 0 });
  await first.close();
  const { port } = first;
  const again = await serveHttp(server, {
    port,
    card: { name: "local/weather", description: "Weather", url: `http://127.0.0.1:${port}/mcp`, catalog: true },
  });
  onTestFinished(() => again.close());
  await using client = await connect(`http://127.0.0.1:${port}`);
  expect((await client.callTool("rain")).text).toBe("rain");
});

describe("the endpoint of a domain", () => {
  test("is found by the catalog and the card; headers go to the same origin", async () => {
    const { fetch, seen } = network({
      [`https://example.com${CATALOG}`]: catalog(at("https://example.com/mcp/server-card")),
      "https://example.com/mcp/server-card": card("com.example/w", remote("https://example.com/mcp")),
    });
    await using client = await connect({ url: "https://example.com", fetch, headers: { "x-key": "k" } });
    expect((await client.callTool("rain")).text).toBe("rain k");
    expect(seen.filter((line) => line.startsWith("GET https://example.com/") && !line.endsWith("/mcp"))).toEqual([
      ...new Set(seen.filter((line) => line === "GET https://example.com/")),
      `GET https://example.com${CATALOG}`,
      "GET https://example.com/mcp/server-card",
    ]);
  });

  test.each([
    ["some revisions", ["2024-11-05", "2031-01-01"]],
    ["an empty list of revisions", []],
    ["a list that is not one of revisions", [7]],
    ["no list", "2031-01-01"],
  ])("is found by its card in the catalog, with %s on the card", async (_what, supportedProtocolVersions) => {
    const claims = remote("https://example.com/mcp", { supportedProtocolVersions });
    const { fetch } = network(one(card("com.example/w", claims)));
    await using client = await connect({ url: "https://example.com/", fetch });
    expect(client.protocolVersion).toBe("2026-07-28");
  });

  test("over HTTP+SSE counts only if there is no other", async () => {
    const sse = { type: "sse", url: "https://example.com/old" };
    const { fetch } = network(one(card("com.example/w", sse, remote("https://example.com/mcp"))));
    await using client = await connect({ url: "https://example.com", fetch });
    expect((await client.callTool("rain")).text).toContain("rain");
  });

  test.each([
    ["the URL has a path", "https://example.com/api", {}],
    ["the URL has a query", "https://example.com/?tenant=1", {}],
    ["the option is off", "https://example.com", { discover: false }],
  ])("is not looked for if %s", async (_why, url, options) => {
    const { fetch, seen } = network(one(card("com.example/w", remote("https://example.com/mcp"))));
    expect(await failure(connect({ url, fetch }, options))).toContain("404");
    expect(seen.filter((line) => line.includes(CATALOG))).toEqual([]);
  });

  test("is looked for after a 405 as well", async () => {
    const pages = {
      "https://example.com/": () => new Response("no", { status: 405 }),
      ...one(card("com.example/w", remote("https://example.com/mcp"))),
    };
    await using client = await connect({ url: "https://example.com", fetch: network(pages).fetch });
    expect((await client.callTool("rain")).text).toContain("rain");
  });

  test.each([401, 403, 500, 503])("is not looked for after a %i", async (status) => {
    const pages = {
      "https://example.com/": () => new Response("no", { status }),
      ...one(card("com.example/w", remote("https://example.com/mcp"))),
    };
    const { fetch, seen } = network(pages);
    expect(await failure(connect({ url: "https://example.com", fetch }))).toContain(String(status));
    expect(seen.filter((line) => line.includes(CATALOG))).toEqual([]);
  });

  test.each<[string, Page | undefined]>([
    ["there is no catalog", undefined],
    ["there is a page of HTML", "<html>Not found</html>"],
    [
      "the catalog has no servers",
      { specVersion: "1.0", entries: [{ type: "application/a2a-agent-card+json", url: "https://example.com/a" }] },
    ],
    ["the catalog is of another form", { entries: "none" }],
  ])("is the URL itself if %s: its error stays", async (_why, page) => {
    const { fetch } = network(page === undefined ? {} : { [`https://example.com${CATALOG}`]: page });
    expect(await failure(connect({ url: "https://example.com", fetch }))).toMatch(/https:\/\/example\.com\/.*404|404/);
  });

  test("is looked for once: a card that names the domain again ends with its error", async () => {
    const { fetch, seen } = network(one(card("com.example/w", remote("https://example.com/"))));
    expect(await failure(connect({ url: "https://example.com", fetch }))).toContain("404");
    expect(seen.filter((line) => line.includes(CATALOG))).toHaveLength(1);
  });
});

describe("what a catalog names is refused", () => {
  test("if there are two: the error lists both", async () => {
    const { fetch } = network({
      [`https://example.com${CATALOG}`]: catalog(
        { data: card("com.example/a", remote("https://example.com/a")) },
        { data: card("com.example/b", remote("https://example.com/b?secret=1")) },
      ),
    });
    expect(await failure(connect({ url: "https://example.com", fetch }))).toBe(
      "example.com is not an MCP endpoint, and its catalog names several servers: connect to the URL of one of them. " +
        "There are: com.example/a at https://example.com/a; com.example/b at https://example.com/b",
    );
  });

  test.each<[string, JsonObject, string]>([
    [
      "at another origin",
      remote("https://other.example/mcp"),
      'it is at another origin, https://other.example (option "discover.allow")',
    ],
    [
      "with variables",
      remote("https://{tenant}.example.com/mcp", { variables: { tenant: { default: "a" } } }),
      "its URL has variables that only you can fill in",
    ],
    [
      "with a secret header",
      remote("https://example.com/mcp", { headers: [{ name: "X-Key", isRequired: true, isSecret: true, value: "given" }] }),
      "it needs the header X-Key",
    ],
    [
      "with an unknown revision only",
      remote("https://example.com/mcp", { supportedProtocolVersions: ["2031-01-01"] }),
      "it speaks no revision that this client knows",
    ],
    ["that is not a URL", remote("nowhere"), "its URL is not a URL"],
    ["of another transport", { type: "websocket", url: "wss://example.com" }, "its card names no remote over HTTP"],
  ])("%s", async (_what, own, why) => {
    const { fetch, seen } = network(one(card("com.example/w", own)), ["https://example.com/mcp", "https://other.example/mcp"]);
    const message = await failure(connect({ url: "https://example.com", fetch }));
    expect(message).toContain("its catalog names no server that this client can use");
    expect(message).toContain(why);
    expect(seen.filter((line) => line.endsWith("/mcp"))).toEqual([]);
  });

  test("a header that the user sends is not missing", async () => {
    const { fetch } = network(
      one(card("com.example/w", remote("https://example.com/mcp", { headers: [{ name: "X-Key", isRequired: true }] }))),
    );
    await using client = await connect({ url: "https://example.com", fetch, headers: { "x-key": "mine" } });
    expect((await client.callTool("rain")).text).toBe("rain mine");
  });

  test("another origin is allowed by the user, who sees the card; headers and credentials do not go there", async () => {
    const own = card("com.example/w", remote("https://other.example/mcp"));
    const { fetch } = network(one(own), ["https://other.example/mcp"]);
    const asked: DiscoveredCard[] = [];
    const allow = (found: DiscoveredCard): boolean => asked.push(found) > 0;
    await using client = await connect({ url: "https://example.com", fetch, headers: { "x-key": "k" } }, { discover: { allow } });
    expect((await client.callTool("rain")).text).toBe("rain without a key");
    expect(asked).toMatchObject([{ name: "com.example/w", cardUrl: undefined, card: own }]);
    expect(asked[0]!.url.href).toBe("https://other.example/mcp");
  });

  test("a card at another origin is not even read without permission", async () => {
    const pages = {
      [`https://example.com${CATALOG}`]: catalog(at("https://other.example/card")),
      "https://other.example/card": card("x/w", remote("https://example.com/mcp")),
    };
    const { fetch, seen } = network(pages);
    expect(await failure(connect({ url: "https://example.com", fetch }))).toContain(
      "its card is at another origin, https://other.example",
    );
    expect(seen.filter((line) => line.includes("other.example"))).toEqual([]);
    await using client = await connect(
      { url: "https://example.com", fetch },
      { discover: { allow: ({ cardUrl }) => cardUrl?.host === "other.example" } },
    );
    expect((await client.callTool("rain")).text).toContain("rain");
  });

  test.each([
    ["http://127.0.0.1/mcp", "leads to this machine"],
    ["https://10.0.0.1/mcp", "private or reserved network"],
    ["https://intranet/mcp", "private network"],
    ["http://other.example/mcp", "is not https:"],
    ["https://user:pass@other.example/mcp", "has a user name or password"],
  ])("a URL inside a network, also if the user allows the card: %s", async (url, why) => {
    const { fetch } = network(one(card("com.example/w", remote(url))));
    expect(await failure(connect({ url: "https://example.com", fetch }, { discover: { allow: () => true } }))).toContain(why);
  });

  test("a card inside a network is not requested", async () => {
    const { fetch, seen } = network({ [`https://example.com${CATALOG}`]: catalog(at("https://169.254.169.254/card")) });
    expect(await failure(connect({ url: "https://example.com", fetch }, { discover: { allow: () => true } }))).toContain(
      "private or reserved network",
    );
    expect(seen.some((line) => line.includes("169.254"))).toBe(false);
  });

  test("a catalog of more than 256 KiB", async () => {
    const { fetch } = network({ [`https://example.com${CATALOG}`]: { ...catalog(), padding: "x".repeat(256 * 1024) } });
    expect(await failure(connect({ url: "https://example.com", fetch }))).toContain("the response is longer than 262144 bytes");
  });

  test("of a catalog with a thousand cards, 16 are read", async () => {
    const entries = Array.from({ length: 1000 }, (_, index) => at(`https://example.com/${index}`));
    const { fetch, seen } = network({ [`https://example.com${CATALOG}`]: catalog(...entries) });
    expect(await failure(connect({ url: "https://example.com", fetch }))).toContain("there is no card at https://example.com/15");
    expect(seen.filter((line) => /example\.com\/\d+$/.test(line))).toHaveLength(16);
  });

  test("names of a peer are shown without control characters", async () => {
    const { fetch } = network(one(card("com.example/\u001B[31mw", remote("nowhere"))));
    expect(await failure(connect({ url: "https://example.com", fetch }))).toContain("com.example/?[31mw (its URL is not a URL)");
  });
});

test("a caller that aborts while the catalog is read gets the reason", async () => {
  const abort = new AbortController();
  const { fetch } = network({
    [`https://example.com${CATALOG}`]: () => {
      abort.abort(new Error("enough"));
      return new Response(null, { status: 404 });
    },
  });
  await expect(connect({ url: "https://example.com", fetch }, { signal: abort.signal })).rejects.toThrow("enough");
});

test("a mistake in the option is named", async () => {
  await expect(connect("https://example.com", { discover: { alow: () => true } as never })).rejects.toThrow(
    /Unknown option "alow" of "discover"/,
  );
});
