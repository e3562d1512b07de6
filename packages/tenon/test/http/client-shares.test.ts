// Clients without a principal: each network address has a share of what all share, so that one client cannot take all of it.
import { request as httpRequest, type ClientRequest } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "tenon";
import { createFetchHandler, type McpServer, type FetchHandlerOptions } from "tenon/server";
import { tasks } from "tenon/ext/tasks";
import { rateLimit } from "tenon/middleware";
import { BOTH, initialize, mirrored, serve, statelessBody, STATELESS_META, type Sent } from "./support.ts";
import { testServer } from "../support/test-server.ts";

const server = (): McpServer => testServer();
const from = (address: string): Record<string, string> => ({ "x-forwarded-for": address });
const PROXIED = { clientAddress: "X-Forwarded-For" } as const;

interface Answer {
  readonly status: number;
  readonly json: JsonObject;
}

/** Sends requests to a handler without a network, each with the headers it is given. */
class Caller {
  readonly #handler: (request: Request) => Promise<Response>;

  constructor(made: McpServer, options: FetchHandlerOptions = PROXIED) {
    this.#handler = createFetchHandler(made, { responseMode: "json", ...options });
  }

  async send(body: object, headers: Record<string, string>): Promise<Response> {
    const all = { accept: BOTH, "content-type": "application/json", ...headers };
    return this.#handler(new Request("http://localhost/mcp", { method: "POST", headers: all, body: JSON.stringify(body) }));
  }

  async open(headers: Record<string, string>): Promise<{ status: number; session: Record<string, string> }> {
    const { status, headers: sent } = await this.send(initialize("2025-11-25"), headers);
    return { status, session: { "mcp-session-id": sent.get("mcp-session-id") ?? "", ...headers } };
  }

  async call(params: JsonObject, headers: Record<string, string>, method = "tools/call"): Promise<Answer> {
    const response = await this.send(statelessBody(method, params), { ...mirrored(method, params), ...headers });
    return { status: response.status, json: (await response.json()) as JsonObject };
  }
}

const limitOf = ({ json }: Answer): unknown => (json["error"] as { data?: { limit?: unknown } } | undefined)?.data?.limit;

describe("sessions of clients without a principal [rule R5 fault H14]", () => {
  test("one address cannot open all of them; another address still can, and so can the first when one has ended", async () => {
    const http = await serve(server(), { ...PROXIED, sessions: { max: 5, maxPerPrincipal: 2 } });
    const open = (address: string): Promise<{ status: number; text: string; headers: object }> =>
      http.raw({ body: initialize("2025-11-25"), headers: from(address) });
    const first = await open("192.0.2.1");
    expect([first.status, (await open("192.0.2.1")).status]).toEqual([200, 200]);
    const refused = await open("192.0.2.1");
    expect(refused).toMatchObject({ status: 429, headers: { "retry-after": "5" } });
    expect(refused.text).toContain('"limit":"sessions.maxPerPrincipal"');
    expect((await open("192.0.2.2")).status).toBe(200);
    const id = (first.headers as Record<string, string>)["mcp-session-id"];
    expect((await http.raw({ method: "DELETE", headers: { ...from("198.51.100.7"), "mcp-session-id": id } })).status).toBe(204);
    expect((await open("192.0.2.1")).status).toBe(200);
  });

  test("the address of the connection counts if no header is configured, and headers of the client are ignored", async () => {
    const http = await serve(server(), { sessions: { maxPerPrincipal: 2 } });
    const statuses: number[] = [];
    for (const last of [1, 2, 3]) {
      const headers: Sent["headers"] = {
        ...from(`192.0.2.${last}`),
        forwarded: `for=192.0.2.${last}`,
        "x-real-ip": `192.0.2.${last}`,
      };
      statuses.push((await http.raw({ body: initialize("2025-11-25"), headers })).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });

  test.each([
    ["only the last entry of a list, which the proxy wrote", "203.0.113.9, 192.0.2.1", "198.51.100.7,192.0.2.1"],
    ["an address with and without its port", "192.0.2.1", "192.0.2.1:4711"],
    ["an IPv4 address inside IPv6", "192.0.2.1", "::ffff:192.0.2.1"],
    ["the network of an IPv6 address", "2001:db8:1:2::1", "[2001:db8:1:2:ffff:eeee:dddd:cccc]:443"],
    ["two spellings of one address", "2001:DB8:1:2:0:0:0:1", "2001:db8:1:2::1%eth0"],
  ])("it is the same client: %s", async (_what, one, other) => {
    const caller = new Caller(server(), { ...PROXIED, sessions: { maxPerPrincipal: 1 } });
    expect((await caller.open(from(one))).status).toBe(200);
    expect((await caller.open(from(other))).status).toBe(429);
  });

  test.each([
    ["another IPv4 address", "192.0.2.1", "192.0.2.2"],
    ["another IPv4 address of the same digits", "192.0.2.11", "192.0.21.1"],
    ["another /64 of IPv6", "2001:db8:1:2::1", "2001:db8:1:3::1"],
    ["an address and none", "192.0.2.1", ""],
  ])("it is another client: %s", async (_what, one, other) => {
    const caller = new Caller(server(), { ...PROXIED, sessions: { maxPerPrincipal: 1 } });
    expect((await caller.open(from(one))).status).toBe(200);
    expect((await caller.open(from(other))).status).toBe(200);
  });

  test("requests without the expected address share one limit", async () => {
    const caller = new Caller(server(), { ...PROXIED, sessions: { maxPerPrincipal: 1 } });
    expect((await caller.open({})).status).toBe(200);
    expect((await caller.open({})).status).toBe(429);
  });

  test("a function may say what the address is; on Node the connection's counts if it says nothing", async () => {
    const caller = new Caller(server(), {
      clientAddress: (request) => request.headers.get("x-real-ip") ?? undefined,
      sessions: { maxPerPrincipal: 1 },
    });
    const statuses = [];
    for (const address of ["192.0.2.1", "192.0.2.1", "192.0.2.2"])
      statuses.push((await caller.open({ "x-real-ip": address })).status);
    expect(statuses).toEqual([200, 429, 200]);
    const http = await serve(server(), { clientAddress: () => undefined, sessions: { maxPerPrincipal: 1 } });
    const open = async (): Promise<number> => (await http.raw({ body: initialize("2025-11-25") })).status;
    expect([await open(), await open()]).toEqual([200, 429]);
  });

  test("a fetch handler that is not told of an address has no shares: all that is left is the limit for all", async () => {
    const caller = new Caller(server(), { sessions: { max: 3, maxPerPrincipal: 1 } });
    const statuses = [];
    for (const last of [1, 2, 3, 4]) statuses.push((await caller.open(from(`192.0.2.${last}`))).status);
    expect(statuses).toEqual([200, 200, 200, 503]);
  });

  test.each([
    ["no header", "no header"],
    ["an empty name", ""],
    ["a number", 1],
  ])("an option that is %s is refused", (_what, option) => {
    expect(() => createFetchHandler(server(), { clientAddress: option as string })).toThrow(/"clientAddress"/);
  });
});

/** Opens a stream and keeps it open. Resolves with the status. */
function hold(
  port: number,
  method: string,
  headers: Record<string, string>,
  body?: object,
): Promise<{ status: number; stream: ClientRequest }> {
  return new Promise((resolve, reject) => {
    const all = { accept: BOTH, ...(body && { "content-type": "application/json" }), ...headers };
    const stream = httpRequest({ port, host: "127.0.0.1", method, path: "/mcp", headers: all, agent: false }, (response) => {
      response.on("error", () => undefined).resume();
      resolve({ status: response.statusCode ?? 0, stream });
    });
    onTestFinished(() => void stream.destroy());
    stream.on("error", reject).end(body && JSON.stringify(body));
  });
}

describe("streams of clients without a principal [rule R5 fault H13]", () => {
  const listen = { notifications: { toolsListChanged: true } };

  test("one address cannot hold all streams of any kind, and gets its share back when one ends", async () => {
    const made = server();
    made.tool("t", {}, () => "");
    const http = await serve(made, { ...PROXIED, streams: { max: 6, maxPerPrincipal: 2 }, httpSse: true });
    const session = async (address: string): Promise<Record<string, string>> => {
      const { headers: sent } = await http.raw({ body: initialize("2025-11-25"), headers: from(address) });
      return { "mcp-session-id": String(sent["mcp-session-id"]), ...from(address) };
    };
    const kinds = [
      () =>
        hold(
          http.port,
          "POST",
          { ...mirrored("subscriptions/listen", {}), ...from("192.0.2.1") },
          statelessBody("subscriptions/listen", listen),
        ),
      async () => hold(http.port, "GET", await session("192.0.2.1")),
      () => hold(http.port, "GET", { accept: "text/event-stream", ...from("192.0.2.1") }),
    ];
    for (const [at, kind] of kinds.entries()) {
      const one = await kind();
      const two = await kind();
      expect([one.status, two.status, (await kind()).status]).toEqual([200, 200, 429]);
      expect((await hold(http.port, "GET", { accept: "text/event-stream", ...from(`192.0.2.${at + 2}`) })).status).toBe(200);
      one.stream.once("error", () => undefined).destroy();
      two.stream.once("error", () => undefined).destroy();
      await expect
        .poll(async () => await kind().then(({ status, stream }) => (stream.once("error", () => undefined).destroy(), status)))
        .toBe(200);
    }
  });
});

describe("calls of clients without a principal", () => {
  const meta = {
    _meta: {
      "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} }, elicitation: {} },
    },
  };

  test("one address cannot begin all tasks, with or without sessions [rule R5 fault F8]", async () => {
    const made = testServer({ extensions: [tasks({ maxTasks: 100, maxTasksPerPrincipal: 2 })] });
    made.tool("job", { task: true }, () => "done");
    const caller = new Caller(made);
    const begin = (address: string): Promise<Answer> => caller.call({ name: "job", ...meta }, from(address));
    expect([limitOf(await begin("192.0.2.1")), limitOf(await begin("192.0.2.1"))]).toEqual([undefined, undefined]);
    expect(await begin("192.0.2.1")).toMatchObject({
      json: { error: { code: -32603, data: { limit: "maxTasksPerPrincipal", max: 2 } } },
    });
    expect(limitOf(await begin("192.0.2.2"))).toBeUndefined();
    // Each session has a share of its own, but all sessions of an address have one together.
    const inSession = async (): Promise<unknown> => {
      const { session } = await caller.open(from("192.0.2.2"));
      const body = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "job", task: {} } };
      return limitOf({ status: 200, json: (await (await caller.send(body, session)).json()) as JsonObject });
    };
    expect([await inSession(), await inSession()]).toEqual([undefined, "maxTasksPerPrincipal"]);
  });

  test("one address cannot push out the suspended handlers of others [requirement H8]", async () => {
    const ends: string[] = [];
    const made = testServer({ requestState: { maxSuspended: 4 } });
    made.tool("ask", { input: { type: "object", properties: { who: { type: "string" } } } as const }, async ({ who }, ctx) => {
      try {
        await ctx.confirm("go", "Go?");
        return "went";
      } finally {
        ends.push(String(who));
      }
    });
    const caller = new Caller(made);
    const ask = (who: string, address: string): Promise<Answer> =>
      caller.call({ name: "ask", arguments: { who }, ...meta }, from(address));
    await ask("victim", "192.0.2.1");
    for (let n = 1; n <= 10; n++) await ask(`flood ${n}`, "192.0.2.66");
    expect(ends).toEqual(["flood 1", "flood 2", "flood 3", "flood 4", "flood 5", "flood 6", "flood 7", "flood 8"]);
  });

  test("a rate limit counts each address by itself [K1.11]", async () => {
    const made = server();
    made.use(rateLimit({ limit: 1 }));
    made.tool("t", {}, () => "done");
    const caller = new Caller(made);
    const results = [];
    for (const address of ["192.0.2.1", "192.0.2.1", "192.0.2.2"])
      results.push(limitOf(await caller.call({ name: "t" }, from(address))));
    expect(results).toEqual([undefined, "rateLimit", undefined]);
  });
});

test("a handler sees the address as limits count it", async () => {
  const made = server();
  made.tool("where", {}, (_input, ctx) => String(ctx.transport.address));
  const caller = new Caller(made);
  const { json } = await caller.call({ name: "where", _meta: STATELESS_META }, from("2001:db8::7"));
  expect(json).toMatchObject({ result: { content: [{ text: "2001:db8:0:0::/64" }] } });
});
