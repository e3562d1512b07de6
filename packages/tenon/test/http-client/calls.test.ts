// One call over HTTP: when it is sent again, whose turn it takes, and how it ends when its caller does not want it any more (C7,
// C12, C13).
import { connect, SessionLostError, type ConnectOptions, type HttpServerParameters, type JsonObject } from "tenon";
import type { Fetch } from "tenon/client";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";
import { forgetful, quiet, scriptedHttp, stateful, stateless, type Reply } from "./scripted-http.ts";
import { scriptedClient, type ScriptedClient } from "./scripted-client.ts";

const open = (server: string | HttpServerParameters, options?: ConnectOptions) =>
  closing(connect(server, { validateOutput: false, ...options }));
const LIST: JsonObject = { resources: [], resultType: "complete", ttlMs: 0, cacheScope: "private" };
const TEXT: JsonObject = { content: [], resultType: "complete" };

describe("Retry-After [C7]", () => {
  test.each([429, 503])(
    "HTTP %i: a call that is safe is sent again after exactly that time, up to a minute, and twice",
    async (status) => {
      const { http, clock, client } = await scriptedClient(
        stateless((_request, reply) => void reply.response.writeHead(status, { "retry-after": "60" }).end("no")),
      );
      const call = client.listResources(undefined, { timeout: Infinity }).catch((error: unknown) => error);
      for (let times = 1; times <= 2; times++) {
        await expect.poll(() => clock.delays.filter((delay) => delay === 60_000)).toHaveLength(times);
        await clock.advance(59_999);
        expect(http.methods.filter((method) => method === "resources/list")).toHaveLength(times);
        await clock.advance(1);
        await http.received("resources/list", times + 1);
      }
      expect(await call).toMatchObject({ status });
      expect(http.methods.filter((method) => method === "resources/list")).toHaveLength(3);
    },
  );

  test("a caller who gives up meanwhile ends it: nothing more is sent, and no timer is left", async () => {
    const { http, clock, client } = await scriptedClient(
      stateless((_request, reply) => void reply.response.writeHead(503, { "retry-after": "7" }).end()),
    );
    const abort = new AbortController();
    const call = client.listResources(undefined, { signal: abort.signal });
    await expect.poll(() => clock.delays).toContain(7_000);
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await clock.advance(10_000);
    expect(http.methods).toEqual(["server/discover", "resources/list"]);
    await client.close();
    await expect.poll(() => clock.pending).toBe(0);
  });

  test("a refusal that comes after the caller gave up is not waited for", async () => {
    let held: Reply | undefined;
    const { http, clock, client } = await scriptedClient(quiet(stateful((_request, reply) => void (held = reply))));
    const abort = new AbortController();
    const call = client.listResources(undefined, { signal: abort.signal });
    await http.received("resources/list");
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await http.received("notifications/cancelled");
    held!.response.writeHead(503, { "retry-after": "0" }).end();
    await held!.gone;
    for (let turns = 0; turns < 5; turns++) await turn();
    await clock.advance(500);
    await client.close();
    expect(http.methods.filter((method) => method === "resources/list")).toHaveLength(1);
    await expect.poll(() => clock.pending).toBe(0);
  });
});

/** A client with one turn, whose stateful server begins a stream for each call and leaves it open. */
async function withOpenStreams(): Promise<ScriptedClient & { replies: Reply[] }> {
  const replies: Reply[] = [];
  const begin = (_request: unknown, reply: Reply): void => {
    reply.stream();
    replies.push(reply);
  };
  return { ...(await scriptedClient(quiet(stateful(begin)), { limits: { maxConcurrentRequests: 1 } })), replies };
}

describe("turns [C12]", () => {
  test("a stateful call that is given up frees its turn at once; its stream ends within a second", async () => {
    const { http, clock, client, replies } = await withOpenStreams();
    const abort = new AbortController();
    const first = client.callTool("first", {}, { signal: abort.signal });
    await http.received("tools/call");
    abort.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
    const second = client.callTool("second").catch((error: unknown) => error);
    await http.received("tools/call", 2);
    await clock.advance(999);
    for (let turns = 0; turns < 5; turns++) await turn();
    expect(replies[0]!.response.destroyed).toBe(false);
    await clock.advance(1);
    await replies[0]!.gone;
    expect(replies[1]!.response.destroyed).toBe(false);
    await client.close();
    expect(await second).toMatchObject({ code: -32000 });
  });

  test.each(["2025-11-25", "2026-07-28"])(
    "a call that leaves the line is never sent, and the server is not told: %s",
    async (version) => {
      const replies: Reply[] = [];
      const hold = (_request: unknown, reply: Reply): void => void replies.push(reply);
      const { http, clock, client } = await scriptedClient(version === "2026-07-28" ? stateless(hold) : quiet(stateful(hold)), {
        limits: { maxConcurrentRequests: 1 },
      });
      const first = client.callTool("first");
      await http.received("tools/call");
      const abort = new AbortController();
      const second = client.callTool("second", {}, { signal: abort.signal });
      abort.abort(new Error("enough"));
      await expect(second).rejects.toThrow("enough");
      const third = client.callTool("third");
      replies[0]!.result(TEXT);
      await first;
      await http.received("tools/call", 2);
      const fourth = client.callTool("fourth");
      for (let turns = 0; turns < 5; turns++) await turn();
      expect(replies).toHaveLength(2);
      replies[1]!.result(TEXT);
      await third;
      await http.received("tools/call", 3);
      replies[2]!.result(TEXT);
      await fourth;
      const names = http.requests.flatMap(({ message }) => (message["params"] as JsonObject | undefined)?.["name"] ?? []);
      expect(names).toEqual(["first", "third", "fourth"]);
      expect(http.methods).not.toContain("notifications/cancelled");
      await client.close();
      await expect.poll(() => clock.pending).toBe(0);
    },
  );

  test("a call that can be resumed frees its turn when its caller gives it up, and the server is not told [CS-22]", async () => {
    const { http, clock, client, replies } = await withOpenStreams();
    const abort = new AbortController();
    const metadata = { kind: "client", onResumptionToken: () => undefined } as const;
    const first = client.callTool("first", {}, { signal: abort.signal, metadata });
    await http.received("tools/call");
    abort.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
    const second = client.callTool("second").catch((error: unknown) => error);
    await http.received("tools/call", 2);
    await clock.advance(1_000);
    await replies[0]!.gone;
    expect(http.methods).not.toContain("notifications/cancelled");
    await client.close();
    expect(await second).toMatchObject({ code: -32000 });
  });
});

describe("closing [E4.5]", () => {
  test.each([undefined, "s"])("reports nothing and leaves no timer, whatever was under way (session %s)", async (sessionId) => {
    const clock = new VirtualClock();
    const errors: Error[] = [];
    const held: Reply[] = [];
    const http = await scriptedHttp(
      stateful(
        ({ method, message }, reply) => {
          if (method === "DELETE") return void reply.response.writeHead(204).end();
          if (method === "POST" && message["method"] === "tools/list") return reply.result({ tools: [] });
          held.push(reply);
          return method === "GET" || message["method"] === "tools/call" ? reply.stream() : undefined;
        },
        sessionId === undefined ? {} : { sessionId },
      ),
    );
    const client = await connect(http.url, { clock, validateOutput: false, onError: (error) => void errors.push(error) });
    await client.listTools();
    const calls = [client.callTool("t"), client.listResources()].map((call) => failureOf(call));
    await http.received("tools/call");
    await http.received("resources/list");
    await http.received("GET");
    await client.close();
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: -32000 });
    await Promise.all(held.map(({ gone }) => gone));
    await expect.poll(() => clock.pending).toBe(0);
    expect(errors).toEqual([]);
  });
});

describe("what a server says beside the response", () => {
  test("a stateless server has no session: its id is neither sent back nor watched [F1.1]", async () => {
    let calls = 0;
    const http = await scriptedHttp(stateless((_request, reply) => reply.result(LIST, { "mcp-session-id": `s-${++calls}` })));
    const errors: Error[] = [];
    const client = await open(http.url, { onError: (error) => void errors.push(error) });
    await client.listResources();
    await client.listResources();
    expect(http.requests.filter(({ headers }) => headers["mcp-session-id"] !== undefined)).toEqual([]);
    expect(errors).toEqual([]);
  });

  test.each([undefined, "s"])(
    "a stateful server's revision is in the header of every later message (session %s) [E5.1]",
    async (sessionId) => {
      const http = await scriptedHttp(
        quiet(stateful((_request, reply) => reply.result({ tools: [], resources: [] }), { ...(sessionId && { sessionId }) })),
      );
      const errors: Error[] = [];
      const client = await open(http.url, { onError: (error) => void errors.push(error) });
      await client.listTools();
      await client.listResources();
      for (const { headers } of http.requests.slice(2)) {
        expect([headers["mcp-protocol-version"], headers["mcp-session-id"]]).toEqual(["2025-11-25", sessionId]);
      }
      expect(errors).toEqual([]);
    },
  );

  test("a 404 that says which method is missing does not end the session [E4.4]", async () => {
    const http = await scriptedHttp(quiet(stateful((_request, reply) => reply.error(-32601, 404), { sessionId: "s" })));
    const client = await open(http.url);
    const error = await failureOf(client.callTool("t"));
    expect(error).toMatchObject({ code: -32601 });
    expect(error).not.toBeInstanceOf(SessionLostError);
    expect(http.methods.filter((method) => method === "initialize")).toHaveLength(1);
  });

  test("a lost session is named by its error, whose cause is the server's [E4.4]", async () => {
    const { script, forget } = forgetful((_request, reply) => reply.result(TEXT));
    const http = await scriptedHttp(script);
    const client = await open(http.url, { onError: () => undefined });
    forget();
    expect(await failureOf(client.callTool("t"))).toMatchObject({
      name: "SessionLostError",
      message: "The server no longer knows this session (404)",
      outcome: "unknown",
      cause: { code: -32001 },
    });
  });

  test("a list of tools that is not a list is the codec's error, and changes nothing", async () => {
    const http = await scriptedHttp(stateless((_request, reply) => reply.result({ ...LIST, tools: 7 })));
    const client = await open(http.url);
    expect((await failureOf(client.listTools())).message).toContain("tools");
  });
});

test("a `fetch` of the user gets what it needs, and no member that means nothing", async () => {
  const seen = new Map<string, object>();
  const own: Fetch = async (url, init) => {
    seen.set(init.method, init);
    return fetch(url, init as RequestInit);
  };
  const http = await scriptedHttp(
    stateful(({ method }, reply) => (method === "GET" ? reply.stream() : reply.result({ tools: [] })), { sessionId: "s" }),
  );
  const client = await connect({ url: http.url, fetch: own });
  await client.listTools();
  await http.received("GET");
  await client.close();
  for (const method of ["GET", "POST", "DELETE"]) {
    const init = seen.get(method)!;
    expect(init).toMatchObject({ method, redirect: "manual", cache: "no-store", signal: expect.any(AbortSignal) as AbortSignal });
    expect("body" in init).toBe(method === "POST");
  }
});

test("a body that breaks off is named, with its cause [C5]", async () => {
  const http = await scriptedHttp(
    stateless((_request, reply) => {
      reply.response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      reply.response.write('{"jsonrpc"', () => reply.response.destroy());
    }),
  );
  const error = await failureOf((await open(http.url)).callTool("t"));
  expect(error).toMatchObject({
    name: "ConnectionLostError",
    outcome: "unknown",
    message: `The answer of ${http.url} broke off`,
  });
  expect(error.cause).toBeInstanceOf(Error);
});
