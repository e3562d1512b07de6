/**
 * Quotas: how much one caller may ask of one server, over every transport and revision, and how the refusal says when to retry.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, McpServer } from "tenon";
import { createGateway, type Gateway, type GatewayOptions } from "tenon/gateway";
import { createFetchHandler } from "tenon/server";
import { VirtualClock } from "tenon/testing";
import * as z from "zod";
import { describeMatrix } from "../support/matrix.ts";
import { byName } from "./support.ts";
import { testServer } from "../support/test-server.ts";

function named(text: string): McpServer {
  const server = testServer({ name: text });
  server.tool("say", {}, () => text.repeat(10));
  server.tool("wait", {}, () => new Promise<string>(() => undefined));
  return server;
}

function gatewayOf(quotas: NonNullable<GatewayOptions["quotas"]>, options: Partial<GatewayOptions> = {}): Gateway {
  const gateway = createGateway({
    readyTimeout: 60_000,
    servers: { a: named("a"), b: named("b") },
    quotas,
    onError: () => undefined,
    ...options,
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

describeMatrix("quotas", ({ connect: open }) => {
  it("refuses requests above the quota of their server, by name and with the time to wait, and no others", async () => {
    const client = await open(gatewayOf({ a: { requests: 2, per: 3_600_000 } }));
    for (let call = 0; call < 2; call++) await client.callTool("a__say");
    const error: unknown = await client.callTool("a__say").catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: -32603, data: { limit: "quotas.requests", max: 2, server: "a", reason: "rateLimited" } });
    expect((error as { data: { retryAfterMs: number } }).data.retryAfterMs).toBeGreaterThan(0);
    for (let call = 0; call < 3; call++) expect((await client.callTool("b__say")).text).toBe("bbbbbbbbbb");
  });

  it("refuses params and results that are too large", async () => {
    const client = await open(gatewayOf({ a: { resultSize: 20 }, "*": { paramsSize: 10_000 } }));
    await expect(client.callTool("a__say")).rejects.toMatchObject({ code: -32603, data: { limit: "quotas.resultSize" } });
    await expect(client.callTool("b__say", { text: "x".repeat(10_000) })).rejects.toMatchObject({
      data: { limit: "quotas.paramsSize" },
    });
    expect((await client.callTool("b__say")).text).toBe("bbbbbbbbbb");
  });
});

describe("quotas", () => {
  it.each(["2025-11-25", "2026-07-28"] as const)("count each resource that a caller begins to watch: %s", async (revision) => {
    const notes = testServer({ name: "notes" });
    for (const uri of ["note://1", "note://2"]) notes.resource(uri, {}, () => "");
    const gateway = gatewayOf({ notes: { requests: 1, per: 3_600_000 } }, { servers: { notes } });
    let acknowledged: unknown;
    await using client = await connect(gateway, {
      revision,
      onMessage: ({ method, params }) => {
        if (method === "notifications/subscriptions/acknowledged") acknowledged = params["notifications"];
      },
    });
    await client.listResources();
    const changes = client.listen({ resources: ["note://1", "note://2"] });
    if (revision === "2026-07-28") {
      await changes;
      expect(acknowledged).toEqual({ resourceSubscriptions: ["note://1"] });
    } else await expect(changes).rejects.toMatchObject({ data: { limit: "quotas.requests", server: "notes" } });
  });

  it.each(["2025-11-25", "2026-07-28"] as const)(
    "give each principal its own share, which another one cannot use up: %s",
    async (revision) => {
      const handler = createFetchHandler(gatewayOf({ a: { requests: 2, per: 3_600_000 } }), { auth: byName });
      onTestFinished(() => handler.close());
      const send = ((url: string, init?: RequestInit) => handler(new Request(url, init))) as typeof fetch;
      const user = async (name: string): ReturnType<typeof connect> => {
        const client = await connect(
          { url: "http://localhost/mcp", headers: { authorization: name }, fetch: send },
          { revision },
        );
        onTestFinished(() => client.close());
        return client;
      };
      const [ada, bob] = [await user("ada"), await user("bob")];
      for (let call = 0; call < 2; call++) await ada.callTool("a__say");
      for (let call = 0; call < 2; call++) expect((await bob.callTool("a__say")).text).toBe("aaaaaaaaaa");
      const limit = { data: { limit: "quotas.requests", server: "a" } };
      for (const one of [ada, await user("ada"), bob]) await expect(one.callTool("a__say")).rejects.toMatchObject(limit);
    },
  );

  it("are replaced while the gateway runs: a server whose quota stays keeps what was used; a fault changes nothing", async () => {
    const gateway = gatewayOf({ a: { requests: 1, per: 3_600_000 } });
    await using client = await connect(gateway);
    await client.callTool("a__say");
    gateway.setQuotas({ a: { requests: 1, per: 3_600_000 }, "*": { requests: 1, per: 3_600_000 } });
    await expect(client.callTool("a__say")).rejects.toMatchObject({ data: { server: "a" } });
    await client.callTool("b__say");
    await expect(client.callTool("b__say")).rejects.toMatchObject({ data: { server: "b" } });
    expect(() => gateway.setQuotas({ b: { requests: 0 } })).toThrow(RangeError);
    await expect(client.callTool("b__say")).rejects.toMatchObject({ data: { server: "b" } });
    gateway.setQuotas({ a: { requests: 2, per: 3_600_000 } });
    await client.callTool("a__say");
    await client.callTool("b__say");
  });

  it("and the policy is replaced too, and clients hear of it", async () => {
    const gateway = gatewayOf({});
    await using client = await connect(gateway);
    const changes = await client.listen({ tools: true });
    gateway.setPolicy(({ server }) => server === "b");
    await changes.next();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["b__say", "b__wait"]);
    await expect(client.callTool("a__say")).rejects.toMatchObject({ code: -32602 });
    gateway.setPolicy(undefined);
    await changes.next();
    expect((await client.callTool("a__say")).text).toBe("aaaaaaaaaa");
  });

  it("lets a caller ask again when the time has passed", async () => {
    const clock = new VirtualClock();
    await using client = await connect(gatewayOf({ "*": { requests: 1, per: 1_000 } }, { clock }));
    await client.callTool("a__say");
    await expect(client.callTool("a__say")).rejects.toMatchObject({ data: { retryAfterMs: 1_000 } });
    await clock.advance(1_000);
    expect((await client.callTool("a__say")).text).toBe("aaaaaaaaaa");
  });

  it("counts what runs at once, and a cancelled request no more", async () => {
    await using client = await connect(gatewayOf({ a: { running: 1 } }));
    await client.callTool("a__say"); // the gateway is connected from here on
    const abort = new AbortController();
    const first = client.callTool("a__wait", {}, { signal: abort.signal });
    first.catch(() => undefined);
    await expect(client.callTool("a__say")).rejects.toMatchObject({ data: { limit: "quotas.running", max: 1 } });
    abort.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
    await expect
      .poll(
        async () =>
          client.callTool("a__say").then(
            ({ text }) => text,
            () => "busy",
          ),
        { timeout: 60_000 },
      )
      .toBe("aaaaaaaaaa");
  });

  it.each([
    ["2026-07-28", "2025-11-25"],
    ["2026-07-28", "2026-07-28"],
    ["2025-11-25", "2026-07-28"],
    ["2025-11-25", "2025-11-25"],
  ] as const)(
    "count a call that waits for an answer, and no answer is refused: client %s, server %s",
    async (revision, behind) => {
      const server = named("a");
      server.tool("ask", {}, async (_input, ctx) => (await ctx.elicit("go", { message: "Go on?", schema: z.object({}) })).action);
      const gateway = gatewayOf(
        { a: { running: 1 } },
        { servers: { a: { target: server, revision: behind } }, share: "principal" },
      );
      const isHeld = revision !== behind || revision === "2025-11-25"; // else no call runs between two rounds
      const during: unknown[] = [];
      const client = await connect(gateway, {
        revision,
        onElicit: async () => {
          const other = client.callTool("a__say");
          during.push(
            await other.then(
              ({ text }) => text,
              (error: unknown) => (error as { data?: { limit?: unknown } }).data?.limit,
            ),
          );
          return { action: "decline" };
        },
      });
      onTestFinished(() => client.close());
      expect((await client.callTool("a__ask")).text).toBe("decline");
      expect(during).toEqual([isHeld ? "quotas.running" : "aaaaaaaaaa"]);
      expect((await client.callTool("a__say")).text).toBe("aaaaaaaaaa");
    },
  );

  it("says in a header of HTTP when to retry, on a revision without sessions", async () => {
    const fetch = createFetchHandler(gatewayOf({ a: { requests: 1, per: 60_000 } }), { allowedHosts: ["gateway.example"] });
    const call = async (id: number): Promise<Response> => {
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      return fetch(
        new Request("https://gateway.example/mcp", {
          method: "POST",
          headers: {
            "Content-Type": "application/json",
            Accept: "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": "a__say",
          },
          body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "a__say", arguments: {}, _meta } }),
        }),
      );
    };
    expect((await call(1)).status).toBe(200);
    const refused = await call(2);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ id: 2, error: { data: { server: "a", reason: "rateLimited" } } });
  });

  it("refuses options that do not exist or are out of range", () => {
    expect(() => createGateway({ servers: {}, quotas: { a: { request: 1 } as never } })).toThrow('Unknown option "request"');
    expect(() => createGateway({ servers: {}, quotas: { a: { running: 0 } } })).toThrow(RangeError);
  });
});
