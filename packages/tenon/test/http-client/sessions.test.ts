// Sessions of stateful revisions over HTTP (requirements E2, E4; C10, C11).
import { connect, SessionLostError, type ConnectOptions } from "tenon";
import type { Fetch } from "tenon/client";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";
import { RecordingClock, turn, VirtualClock } from "../support/virtual-clock.ts";
import { forgetful, quiet, scriptedHttp, stateful, type Received, type Reply } from "./scripted-http.ts";
import { deferred } from "../support/gate.ts";

const open = (url: string, options?: ConnectOptions) => closing(connect(url, { validateOutput: false, ...options }));

const TOOLS = [
  { name: "safe", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
  { name: "idempotent", inputSchema: { type: "object" }, annotations: { idempotentHint: true } },
  { name: "unsafe", inputSchema: { type: "object" }, annotations: { readOnlyHint: false } },
];
const serve = ({ message }: Received, reply: Reply): void =>
  reply.result(
    message["method"] === "tools/list"
      ? { tools: TOOLS }
      : message["method"] === "tools/call"
        ? { content: [] }
        : { resources: [], tools: [] },
  );

describe("a session the server has lost [C10 E4.4]", () => {
  test("one new session for all who notice; what is safe is asked for again, once", async () => {
    const { script, forget } = forgetful(serve);
    const server = await scriptedHttp(script);
    const client = await open(server.url);
    await client.listTools();
    forget();
    const results = await Promise.all([
      ...Array.from({ length: 10 }, () => client.listResources()),
      client.callTool("safe"),
      client.callTool("idempotent"),
    ]);
    expect(results).toHaveLength(12);
    expect(server.methods.filter((method) => method === "initialize")).toHaveLength(2);
    const second = server.requests.findLast(({ message }) => message["method"] === "initialize")!;
    expect(second.headers).not.toHaveProperty("mcp-session-id");
    expect(second.headers).not.toHaveProperty("mcp-protocol-version");
  });

  test("a subscription not renewed by a new session is renewed at the next response; missed changes are announced", async () => {
    let isLost = false;
    const { script, forget } = forgetful(serve, { resources: { subscribe: true } });
    const server = await scriptedHttp((request, reply) => {
      if (isLost && request.message["method"] === "resources/subscribe") {
        isLost = false;
        return void reply.response.destroy();
      }
      return script(request, reply);
    });
    const client = await open(server.url);
    const changes = await client.listen({ resources: ["file:///a"] });
    forget();
    isLost = true;
    await client.listResources();
    expect((await changes.next()).value).toEqual({ kind: "resource", uri: "file:///a" });
    await server.received("resources/subscribe", 3);
    expect(
      server.requests.findLast(({ message }) => message["method"] === "resources/subscribe")!.headers["mcp-session-id"],
    ).toBe("s-2");
  });

  test("the response to an abandoned handshake changes nothing: the next session watches what the lost one watched", async () => {
    const clock = new VirtualClock();
    const late = deferred<void>();
    let handshakes = 0;
    const { script, forget } = forgetful(serve, { resources: { subscribe: true } });
    const server = await scriptedHttp(script);
    /** The response to the second handshake is there, and takes its time. */
    const slow: Fetch = async (url, init) => {
      const response = await fetch(url, init as RequestInit);
      if (!String(init.body).includes('"initialize"') || ++handshakes !== 2) return response;
      const text = await response.text();
      await late.promise;
      return new Response(text, response);
    };
    const client = await closing(connect({ url: server.url, fetch: slow }, { clock, timeout: 1_000, onError: () => undefined }));
    await client.listen({ resources: ["file:///a"] });
    forget();
    expect(await failureOf(client.callTool("unsafe"))).toBeInstanceOf(SessionLostError);
    await expect.poll(() => handshakes).toBe(2);
    await clock.advance(1_000);
    for (let i = 0; i < 10; i++) await turn();
    late.resolve();
    for (let i = 0; i < 10; i++) await turn();
    await client.listResources();
    await server.received("resources/subscribe", 2);
    expect(handshakes).toBe(3);
  });

  test.each([
    ["the handshake is lost", "initialize", 1],
    ["the handshake is lost again and again", "initialize", 4],
    ["the end of the handshake is lost", "notifications/initialized", 1],
  ])("a client that only watches opens a new session all the same if %s", async (_what, lostMethod, losses) => {
    const clock = new VirtualClock();
    let left = 0;
    let standing: Reply | undefined;
    const { script, forget, id } = forgetful(serve, { resources: { subscribe: true } });
    const server = await scriptedHttp((request, reply) => {
      if (request.message["method"] === lostMethod && left > 0) {
        left--;
        return void reply.response.destroy();
      }
      if (request.method !== "GET" || request.headers["mcp-session-id"] !== id()) return script(request, reply);
      standing = reply;
      reply.stream();
    });
    const client = await open(server.url, { clock, onError: () => undefined });
    const changes = await client.listen({ resources: ["file:///a"] });
    await server.received("GET");
    const heard = changes.next();
    forget();
    left = losses;
    standing!.response.end();
    standing = undefined;
    await expect
      .poll(() => clock.advance(1_000).then(() => server.methods.filter((method) => method === "resources/subscribe").length))
      .toBe(2);
    expect((await heard).value).toEqual({ kind: "resource", uri: "file:///a" });
    // The new session has a stream of its own.
    await expect.poll(() => clock.advance(100).then(() => standing)).not.toBe(undefined);
    (standing as Reply | undefined)!.event({
      jsonrpc: "2.0",
      method: "notifications/resources/updated",
      params: { uri: "file:///a" },
    });
    expect((await changes.next()).value).toEqual({ kind: "resource", uri: "file:///a" });
  });

  test("a request whose connection breaks and whose session is then lost is sent a third time: each remedy once", async () => {
    const { script, forget } = forgetful(serve);
    let broken = 0;
    const server = await scriptedHttp((request, reply) => {
      if (request.message["method"] !== "resources/list" || broken++ > 0) return script(request, reply);
      forget();
      return void reply.response.destroy();
    });
    const client = await open(server.url);
    expect(await client.listResources()).toMatchObject({ resources: [] });
    expect(server.methods.filter((method) => method === "resources/list")).toHaveLength(3);
  });

  test("a tool call that is not safe to repeat fails with an error of its own, and the next call works", async () => {
    const { script, forget } = forgetful(serve);
    const server = await scriptedHttp(script);
    const client = await open(server.url);
    await client.listTools();
    forget();
    expect(await failureOf(client.callTool("unsafe"))).toBeInstanceOf(SessionLostError);
    await client.callTool("unsafe");
    forget();
    expect(await failureOf(client.callTool("never listed"))).toMatchObject({ outcome: "unknown" });
    expect(server.methods.filter((method) => method === "tools/call")).toHaveLength(3);
  });

  test("a server that forgets at once is not asked for ever", async () => {
    const { script, forget } = forgetful(serve);
    const server = await scriptedHttp((request, reply) => {
      script(request, reply);
      if (request.message["method"] === "notifications/initialized") forget();
    });
    const client = await open(server.url, { onError: () => undefined });
    expect(await failureOf(client.listResources())).toBeInstanceOf(SessionLostError);
    expect(server.methods.filter((method) => method === "resources/list")).toHaveLength(2);
  });

  test("subscriptions and the log level are set again in the new session, and missed changes are announced", async () => {
    const { script, forget } = forgetful(serve, { logging: {}, tools: { listChanged: true }, resources: { subscribe: true } });
    const server = await scriptedHttp(script);
    const messages: unknown[] = [];
    const client = await open(server.url, { logLevel: "warning", onMessage: (message) => void messages.push(message) });
    const changes = await client.listen({ tools: true, resources: ["file:///a"] });
    await client.subscribeResource("file:///b");
    await client.unsubscribeResource("file:///b");
    forget();
    await client.listResources();
    await server.received("resources/subscribe", 3);
    const again = server.requests.filter(({ headers }) => headers["mcp-session-id"] === "s-2").map(({ message }) => message);
    expect(again).toContainEqual(expect.objectContaining({ method: "logging/setLevel", params: { level: "warning" } }));
    expect(again).toContainEqual(expect.objectContaining({ method: "resources/subscribe", params: { uri: "file:///a" } }));
    expect(again).not.toContainEqual(expect.objectContaining({ params: { uri: "file:///b" } }));
    expect([await changes.next(), await changes.next()].map(({ value }) => value)).toEqual([
      { kind: "tools" },
      { kind: "resource", uri: "file:///a" },
    ]);
  });

  test("a server that now speaks another revision is no longer this connection's", async () => {
    let version = "2025-11-25";
    let lost = false;
    const errors: Error[] = [];
    const server = await scriptedHttp(
      quiet((request, reply) => {
        const { method } = request.message;
        if (method === "resources/list") lost = true;
        if (lost && method !== "initialize") return reply.error(-32001, 404, { id: null });
        return stateful(serve, { version, sessionId: "s" })(request, reply);
      }),
    );
    const client = await open(server.url, { onError: (error) => errors.push(error) });
    version = "2025-03-26";
    await failureOf(client.listResources());
    expect(errors.map(({ message }) => message)).toContainEqual(expect.stringContaining("2025-03-26"));
    // Nor is it the next time.
    errors.length = 0;
    lost = false;
    await failureOf(client.listResources());
    await expect
      .poll(() => errors.map(({ message }) => message))
      .toContainEqual(expect.stringContaining("2025-03-26 in its new session instead of 2025-11-25"));
  });
});

describe("session ids [E4.1 C11]", () => {
  test.each([
    ["with a space", "a b"],
    ["too long", "x".repeat(1025)],
    ["outside ASCII", "\xE9"],
  ])("%s: refused", async (_, id) => {
    const server = await scriptedHttp(quiet(stateful(undefined, { sessionId: id })));
    expect(await failureOf(connect(server.url))).toMatchObject({ message: "The server gave an invalid Mcp-Session-Id" });
  });

  test("another one in the middle of a session is ignored, and reported once", async () => {
    const errors: Error[] = [];
    const server = await scriptedHttp(
      quiet(stateful((_, reply) => reply.result({ tools: [] }, { "mcp-session-id": "other" }), { sessionId: "first" })),
    );
    const client = await open(server.url, { onError: (error) => errors.push(error) });
    await client.listTools();
    await client.listTools();
    expect(server.requests.at(-1)!.headers["mcp-session-id"]).toBe("first");
    expect(errors.map(({ message }) => message)).toEqual(["The server changed the Mcp-Session-Id of a session: ignored"]);
  });
});

describe("the standing stream [E2]", () => {
  test("what the server says there is heard; E3.2 it is resumed from where it ended [E2.2]", async () => {
    let gets = 0;
    const server = await scriptedHttp(
      stateful((request, reply) => {
        if (request.method !== "GET") return reply.result({ tools: [] });
        reply.stream();
        if (gets++ === 0) {
          reply.event({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: 1 } }, "e1");
          reply.response.end("retry: 250\n\n");
        } else reply.event({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: 2 } }, "e2");
      }),
    );
    const heard: unknown[] = [];
    const both = deferred<void>();
    await open(server.url, {
      onLog: ({ data }) => {
        heard.push(data);
        if (heard.length === 2) both.resolve();
      },
    });
    await both.promise;
    expect(heard).toEqual([1, 2]);
    expect(server.requests.filter(({ method }) => method === "GET").map(({ headers }) => headers["last-event-id"])).toEqual([
      undefined,
      "e1",
    ]);
  });

  test("one without event ids is opened again as well, and changes that may have been missed are announced [E3.4]", async () => {
    const server = await scriptedHttp(
      stateful((request, reply) => {
        if (request.method !== "GET") return reply.result({ tools: [] });
        reply.stream();
        if (server.methods.filter((method) => method === "GET").length === 1) reply.response.end("retry: 250\n\n");
      }),
    );
    const told = deferred<string>();
    await open(server.url, { onMessage: ({ method }) => told.resolve(method) });
    expect(await told.promise).toBe("notifications/tools/list_changed");
  });

  test("is opened after the next response if the server did not respond to the end of the handshake [E2.2]", async () => {
    const script = stateful((request, reply) => (request.method === "GET" ? reply.stream() : reply.result({ tools: [] })));
    const server = await scriptedHttp((request, reply) => {
      if (request.message["method"] === "notifications/initialized") return void reply.response.destroy();
      return script(request, reply);
    });
    const told = deferred<string>();
    const client = await open(server.url, { onMessage: ({ method }) => told.resolve(method) });
    await client.listTools();
    await server.received("GET");
    expect(await told.promise).toBe("notifications/tools/list_changed");
  });

  test.each(["s", undefined])(
    "one without retries left is opened again after the next response, and missed changes are announced (session %s) [C17 E3.4]",
    async (sessionId) => {
      const gets = (): number => server.methods.filter((method) => method === "GET").length;
      const server = await scriptedHttp(
        stateful(
          (request, reply) => {
            if (request.method !== "GET") return reply.result({ tools: [] });
            reply.stream();
            if (gets() <= 6) reply.response.end("retry: 0\n\n");
          },
          sessionId === undefined ? {} : { sessionId },
        ),
      );
      const reported = deferred<Error>();
      const told = deferred<string>();
      const client = await open(server.url, { onError: reported.resolve });
      expect((await reported.promise).message).toContain("5 times");
      const before = gets();
      client.listen({ tools: true }).then(
        async (stream) => told.resolve((await stream.next()).value!.kind),
        () => undefined,
      );
      await client.listTools();
      await server.received("GET", before + 1);
      expect(await told.promise).toBe("tools");
    },
  );

  test.each([
    [0, 250],
    [100, 1_000],
    [250, 2_500],
    [2_000, 5_000],
  ])(
    "a server that took %i ms for the end of the handshake has %i ms to open it, then the session is used without it",
    async (took, wait) => {
      const clock = new RecordingClock();
      const held = deferred<Reply>();
      const rest = stateful((request, reply) => (request.method === "GET" ? undefined : reply.result({ tools: [] })));
      const server = await scriptedHttp((request, reply) =>
        request.message["method"] === "notifications/initialized" ? held.resolve(reply) : rest(request, reply),
      );
      let connected = false;
      const connecting = open(server.url, { clock, timeout: 60_000 }).finally(() => {
        connected = true;
      });
      const reply = await held.promise;
      await clock.advance(took);
      reply.response.writeHead(202).end();
      await server.received("GET");
      expect(clock.delays).toContain(wait);
      await clock.advance(wait - 1);
      expect(connected).toBe(false);
      await clock.advance(1);
      const client = await connecting;
      expect(await client.listTools()).toMatchObject({ tools: [] });
    },
  );

  test("405 is fine, and nothing is said about it; another refusal is reported [E2.1]", async () => {
    for (const [status, reports] of [
      [405, 0],
      [403, 1],
    ] as const) {
      const errors: Error[] = [];
      const server = await scriptedHttp(
        stateful((request, reply) =>
          request.method === "GET" ? void reply.response.writeHead(status).end() : reply.result({ tools: [] }),
        ),
      );
      const client = await open(server.url, { onError: (error) => errors.push(error) });
      await server.received("GET");
      await client.listTools();
      await client.listTools();
      expect(errors).toHaveLength(reports);
    }
  });
});

describe("closing [E4.5]", () => {
  test.each([200, 204, 405, 404, 500])("ends the session; HTTP %i is fine", async (status) => {
    const server = await scriptedHttp(
      stateful(
        (request, reply) =>
          request.method === "DELETE" ? void reply.response.writeHead(status).end() : void reply.response.writeHead(405).end(),
        { sessionId: "s" },
      ),
    );
    const client = await connect(server.url);
    await client.close();
    expect(server.methods.at(-1)).toBe("DELETE");
    await client.close();
    await client.closed;
    expect(server.methods.filter((method) => method === "DELETE")).toHaveLength(1);
  });

  test("fails what is under way, ends all exchanges, and does not wait for a server that does not respond", async () => {
    const server = await scriptedHttp(
      stateful((request, reply) => (request.method === "GET" ? reply.stream() : undefined), { sessionId: "s" }),
    );
    const client = await connect(server.url, { validateOutput: false });
    const call = failureOf(client.callTool("t"));
    await server.received("tools/call");
    await server.received("GET");
    await client.close(); // nobody answers its DELETE
    expect(await call).toMatchObject({ code: -32000 });
  });

  test("without a session there is nothing to end", async () => {
    const server = await scriptedHttp(quiet(stateful()));
    const client = await connect(server.url);
    await client.close();
    expect(server.methods).not.toContain("DELETE");
  });
});
