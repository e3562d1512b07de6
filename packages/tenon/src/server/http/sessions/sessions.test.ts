// The session table: how many, for how long, and whose.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { acceptorOf } from "../../../dispatch/acceptor.ts";
import { VirtualClock } from "../../../../test/support/virtual-clock.ts";
import { McpServer } from "../../mcp-server.ts";
import { EventStream } from "../exchange/event-stream.ts";
import { Endpoint } from "../endpoint/endpoint.ts";
import type { HttpRequest, HttpResponse } from "../http-message.ts";
import type { HttpOptions } from "../options.ts";

const MINUTE = 60_000;

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: object;
  readonly principal?: string;
}

class TestEndpoint {
  readonly clock = new VirtualClock();
  readonly server = new McpServer({ name: "s", version: "1" }, { onError: () => undefined, clock: this.clock });
  readonly handler: Endpoint;

  constructor(options: HttpOptions = {}) {
    this.server.tool("hello", {}, () => "Hello");
    this.handler = new Endpoint(acceptorOf(this.server), { clock: this.clock, ...options });
  }

  async ask({ method = "POST", headers = {}, body, principal }: Asked): Promise<HttpResponse> {
    const all: Record<string, string> = {
      host: "localhost",
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    };
    const request: HttpRequest = {
      method,
      url: "/mcp",
      header: (name) => all[name],
      text: () => JSON.stringify(body),
      ...(principal !== undefined && { principal }),
    };
    return this.handler.handle(request);
  }

  initialize(principal?: string): Promise<HttpResponse> {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
    return this.ask({
      body: { jsonrpc: "2.0", id: 1, method: "initialize", params },
      ...(principal !== undefined && { principal }),
    });
  }

  async open(principal?: string): Promise<string> {
    return idOf(await this.initialize(principal))!;
  }

  async status(id: string, more: Asked = {}): Promise<number> {
    return (await this.ask({ headers: { "mcp-session-id": id }, body: { jsonrpc: "2.0", id: 2, method: "ping" }, ...more }))
      .status;
  }
}

function idOf({ headers }: HttpResponse): string | undefined {
  const at = headers.indexOf("Mcp-Session-Id");
  return at < 0 ? undefined : headers[at + 1];
}

describe("how many [fault H14 rule R5]", () => {
  test("handshakes beyond the cap are 503, and no live session is lost", async () => {
    const endpoint = new TestEndpoint({ sessions: { max: 3 } });
    const ids = [await endpoint.open(), await endpoint.open(), await endpoint.open()];
    const refused = await endpoint.initialize();
    expect([refused.status, idOf(refused)]).toEqual([503, undefined]);
    expect(refused.headers).toContain("Retry-After");
    for (const id of ids) expect(await endpoint.status(id)).toBe(200);
    await endpoint.ask({ method: "DELETE", headers: { "mcp-session-id": ids[0]! } });
    expect((await endpoint.initialize()).status).toBe(200);
  });

  test("one principal cannot take the places of others: 429", async () => {
    const endpoint = new TestEndpoint({ sessions: { maxPerPrincipal: 1 } });
    await endpoint.open("alice");
    expect((await endpoint.initialize("alice")).status).toBe(429);
    expect((await endpoint.initialize("bob")).status).toBe(200);
  });

  test("a place is free again when its session has ended, and not before", async () => {
    const endpoint = new TestEndpoint({ sessions: { maxPerPrincipal: 3 } });
    const end = (id: string): Promise<HttpResponse> =>
      endpoint.ask({ method: "DELETE", headers: { "mcp-session-id": id }, principal: "alice" });
    const [first, second] = [await endpoint.open("alice"), await endpoint.open("alice")];
    await endpoint.open("alice");
    for (const id of [first, second]) {
      const refused = await endpoint.initialize("alice");
      expect([refused.status, refused.body]).toEqual([429, expect.stringContaining('"limit":"sessions.maxPerPrincipal"')]);
      expect((await end(id)).status).toBe(204);
      expect((await endpoint.initialize("alice")).status).toBe(200);
    }
    expect((await endpoint.initialize("alice")).status).toBe(429);
  });

  test.each<[string, object]>([
    ["params that do not fit", { jsonrpc: "2.0", id: 1, method: "initialize", params: {} }],
    ["no params", { jsonrpc: "2.0", id: 1, method: "initialize" }],
    ["a notification", { jsonrpc: "2.0", method: "initialize" }],
    ["another method", { jsonrpc: "2.0", id: 1, method: "tools/list" }],
    ["a batch with a handshake [B1.9]", [{ jsonrpc: "2.0", id: 1, method: "initialize", params: {} }]],
  ])("a flood of bad handshakes makes no session: %s", async (_what, body) => {
    const endpoint = new TestEndpoint({ sessions: { max: 1 } });
    for (let i = 0; i < 100; i++) expect((await endpoint.ask({ body })).status).toBe(400);
    expect((await endpoint.initialize()).status).toBe(200);
  });

  test("ids are never the same", async () => {
    const endpoint = new TestEndpoint();
    const ids = await Promise.all(Array.from({ length: 1_000 }, () => endpoint.open()));
    expect(new Set(ids).size).toBe(1_000);
  });
});

describe("whose [rule R4]", () => {
  test("a session of another principal gets exactly the response of a session that never existed [R-1 R-9]", async () => {
    const endpoint = new TestEndpoint();
    const id = await endpoint.open("alice");
    for (const method of ["POST", "GET", "DELETE"]) {
      const body = method === "POST" ? { body: { jsonrpc: "2.0", id: 2, method: "ping" } } : {};
      const foreign = await endpoint.ask({ method, headers: { "mcp-session-id": id }, principal: "mallory", ...body });
      const unknown = await endpoint.ask({
        method,
        headers: { "mcp-session-id": "x".repeat(22) },
        principal: "mallory",
        ...body,
      });
      const anonymous = await endpoint.ask({ method, headers: { "mcp-session-id": id }, ...body });
      expect(foreign.status).toBe(404);
      expect(foreign).toEqual(unknown);
      expect(anonymous).toEqual(unknown);
    }
    expect(await endpoint.status(id, { principal: "alice" })).toBe(200);
  });
});

describe("for how long [R-8]", () => {
  test("an unused session ends 30 minutes after its last use", async () => {
    const endpoint = new TestEndpoint();
    const id = await endpoint.open();
    expect(await endpoint.status(id)).toBe(200);
    await endpoint.clock.advance(29 * MINUTE);
    expect(await endpoint.status(id)).toBe(200);
    await endpoint.clock.advance(29 * MINUTE);
    expect(await endpoint.status(id)).toBe(200);
    await endpoint.clock.advance(31 * MINUTE);
    expect(await endpoint.status(id)).toBe(404);
  });

  test("a client that does not come back after the handshake has a minute", async () => {
    const endpoint = new TestEndpoint();
    const id = await endpoint.open();
    await endpoint.clock.advance(2 * MINUTE);
    expect(await endpoint.status(id)).toBe(404);
  });

  test("a stream and a call that are open hold it", async () => {
    const endpoint = new TestEndpoint({ limits: { handlerTimeout: Infinity } });
    let go: () => void = () => undefined;
    endpoint.server.tool("wait", {}, () => new Promise<string>((resolve) => (go = () => resolve("done"))));
    const streaming = await endpoint.open();
    const { body } = await endpoint.ask({ method: "GET", headers: { "mcp-session-id": streaming } });
    if (!(body instanceof EventStream)) throw new Error("No stream");
    body.attach({ write: () => true, end: () => undefined, cut: () => undefined });
    const calling = await endpoint.open();
    const call = endpoint.ask({
      headers: { "mcp-session-id": calling },
      body: { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "wait" } },
    });
    await endpoint.clock.advance(40 * MINUTE);
    expect(await endpoint.status(streaming)).toBe(200);
    expect(await endpoint.status(calling)).toBe(200);
    go();
    expect((await call).status).toBe(200);
    body.gone();
    await endpoint.clock.advance(31 * MINUTE);
    expect(await endpoint.status(streaming)).toBe(404);
  });

  test("none lasts longer than a day", async () => {
    const endpoint = new TestEndpoint({ sessions: { idle: Infinity } });
    const id = await endpoint.open();
    expect(await endpoint.status(id)).toBe(200);
    await endpoint.clock.advance(24 * 60 * MINUTE + MINUTE);
    expect(await endpoint.status(id)).toBe(404);
  });
});

test("more requests at the same time than the limit are 503", async () => {
  const endpoint = new TestEndpoint({ limits: { maxRunning: 2 }, responseMode: "json" });
  endpoint.server.tool("wait", {}, () => new Promise<string>(() => undefined));
  const call = (id: number): JsonObject => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "wait" } });
  const session = await endpoint.open();
  for (let i = 0; i < 2; i++) void endpoint.ask({ headers: { "mcp-session-id": session }, body: call(i + 10) });
  expect((await endpoint.ask({ headers: { "mcp-session-id": session }, body: call(12) })).status).toBe(503);
  await endpoint.handler.close();
  expect((await endpoint.initialize()).status).toBe(503);
});

test("a request whose id is in flight already is refused; the first one goes on", async () => {
  const endpoint = new TestEndpoint();
  let go: () => void = () => undefined;
  endpoint.server.tool("wait", {}, () => new Promise<string>((resolve) => (go = () => resolve("first"))));
  const headers = { "mcp-session-id": await endpoint.open() };
  const body = { jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "wait" } };
  const first = endpoint.ask({ headers, body });
  expect((await endpoint.ask({ headers, body })).body).toContain("in flight");
  go();
  expect((await first).body).toContain("first");
});
