/**
 * What a caller's connection to a server says or suffers belongs to that caller: two users of one server walk over all that a
 * gateway keeps of it. The table is in `docs/internals/gateway-owners.md`.
 */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  connect,
  McpError,
  McpServer,
  type Client,
  type ConnectOptions,
  type ListToolsResult,
  type ProtocolVersion,
} from "tenon";
import { bearerToken } from "tenon/auth";
import { perCaller, type Gateway, type GatewayOptions } from "tenon/gateway";
import { createFetchHandler, type FetchHandler } from "tenon/server";
import { VirtualClock } from "tenon/testing";
import { deferred } from "../support/gate.ts";
import { byName, gatewayOf } from "./support.ts";
import { testServer } from "../support/test-server.ts";

const FAMILIES: readonly ProtocolVersion[] = ["2025-11-25", "2026-07-28"];
const PAIRS = FAMILIES.flatMap((front) => FAMILIES.map((behind) => ({ front, behind })));

/** A company's server, as a user with that token sees it: its words, settings and lists name the user. */
function serverOf(user: string): McpServer {
  const server = new McpServer(
    { name: "crm", version: "1" },
    { instructions: `You act for ${user}`, capabilities: { extensions: { "x/account": { account: `ACCOUNT-OF-${user}` } } } },
  );
  server.tool(`who-${user}`, {}, () => user);
  server.tool("who", {}, () => user);
  return server;
}

/** A fetch of servers by user. What `refuse` returns is the response to that user. */
function company(refuse: (user: string, request: Request) => MaybeResponse = () => undefined): typeof fetch {
  const handlers = new Map<string, FetchHandler>();
  onTestFinished(async () => void (await Promise.all([...handlers.values()].map((handler) => handler.close()))));
  return async (url, init) => {
    const request = new Request(url, init);
    const user = request.headers.get("authorization")?.replace("Bearer ", "") ?? "nobody";
    const handler = handlers.get(user) ?? createFetchHandler(serverOf(user));
    handlers.set(user, handler);
    return (await refuse(user, request)) ?? handler(request);
  };
}
type MaybeResponse = Response | undefined | Promise<Response | undefined>;

/** A server with sessions only. */
function oldServer(): McpServer {
  const server = serverOf("mallory");
  server.use("server/discover", () => () => {
    throw new McpError(-32601, "Method not found");
  });
  return server;
}

/** Clients of a gateway over HTTP, by name. */
function users(gateway: Gateway, revision: ProtocolVersion): (name: string, options?: ConnectOptions) => Promise<Client> {
  const handler = createFetchHandler(gateway, { auth: byName });
  onTestFinished(() => handler.close());
  const send = (url: string, init?: RequestInit): Promise<Response> => handler(new Request(url, init));
  return async (name, options) => {
    const target = { url: "http://localhost/mcp", headers: { authorization: name }, fetch: send as typeof fetch };
    const client = await connect(target, { revision, ...options });
    onTestFinished(() => client.close());
    return client;
  };
}

function crm(behind: ProtocolVersion, fetch: typeof globalThis.fetch): GatewayOptions {
  const auth = perCaller(({ principal }) => bearerToken(principal));
  return { servers: { crm: { url: "http://localhost:7/mcp", revision: behind, fetch, auth } } };
}

/** What a client learns of the gateway's servers without a call. */
function learnt(client: Client): string {
  return JSON.stringify([client.instructions, client.serverCapabilities]);
}

describe.each(PAIRS)("A client of $front and a server of $behind", ({ front, behind }) => {
  it("has the server's instructions, extensions and tools for itself, although others connect before and after", async () => {
    const user = users(gatewayOf(crm(behind, company())), front);
    const marks = { alice: /alice/, mallory: /mallory/ };
    for (const name of ["alice", "mallory", "alice"] as const) {
      const first = await user(name);
      expect((await first.callTool("crm__who")).text).toBe(name);
      for (const other of ["alice", "mallory"] as const) {
        const client = await user(other, { extensions: { "x/account": {} } });
        const seen = learnt(client) + JSON.stringify((await client.listTools()).tools);
        expect(seen).toMatch(marks[other]);
        expect(seen).not.toMatch(other === "alice" ? marks.mallory : marks.alice);
      }
      const stranger = await user("bob");
      expect(learnt(stranger)).not.toMatch(/alice|mallory/);
    }
  });

  it.each([403, 429, 500])("connects, while the same server answers another one with %i again and again", async (status) => {
    const fetch = company((user) => (user === "mallory" ? new Response("no", { status }) : undefined));
    const user = users(gatewayOf(crm(behind, fetch)), front);
    const mallory = await user("mallory");
    for (let at = 0; at < 5; at++) {
      await expect(mallory.callTool("crm__who")).rejects.toMatchObject({ data: { server: "crm" } });
      const name = `user${at}`;
      expect((await (await user(name)).callTool("crm__who")).text).toBe(name);
    }
  });

  it("connects, while the same server, or the one that gives tokens, takes no connection of another one", async () => {
    const refused = (): never => {
      throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    };
    const user = users(
      gatewayOf(
        crm(
          behind,
          company((name) => (name === "mallory" ? refused() : undefined)),
        ),
      ),
      front,
    );
    const mallory = await user("mallory");
    await expect(mallory.callTool("crm__who")).rejects.toMatchObject({ data: { server: "crm", reason: "down" } });
    expect((await (await user("alice")).callTool("crm__who")).text).toBe("alice");
  });

  it("connects at once and lists its tools, while the server does not answer another one at all", async () => {
    const { promise: never, resolve: end } = deferred<undefined>();
    onTestFinished(() => end(undefined));
    const fetch = company((user) => (user === "mallory" ? never : undefined));
    const clock = new VirtualClock(); // it stands still for alice, however long her list takes
    const user = users(gatewayOf({ ...crm(behind, fetch), clock }), front);
    const mallory = await user("mallory");
    const waiting = mallory.callTool("crm__who").catch(() => undefined);
    const seen: ListToolsResult[] = [];
    void mallory.listTools().then((list) => seen.push(list));
    while (seen.length === 0) await clock.advance(100);
    expect(seen[0]?._meta).toMatchObject({ "dev.tenon/connecting": ["crm"] });
    const alice = await user("alice");
    const { tools, _meta } = await alice.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["crm__who-alice", "crm__who"]);
    expect(_meta?.["dev.tenon/connecting"]).toBeUndefined();
    expect((await alice.callTool("crm__who")).text).toBe("alice");
    end(undefined);
    await waiting;
  });
});

it.each(PAIRS)(
  "waits for no connection but its own, while the first one to a server with one set of credentials hangs: $front, $behind",
  async ({ front, behind }) => {
    const { promise: never, resolve: end } = deferred<undefined>();
    const handler = createFetchHandler(serverOf("all"));
    let requests = 0;
    const fetch = (async (url: string, init?: RequestInit) => {
      if (++requests === 1) await never;
      return handler(new Request(url, init));
    }) as typeof globalThis.fetch;
    const clock = new VirtualClock(); // it stands still: no wait ends by itself
    const servers = { crm: { url: "http://localhost:7/mcp", revision: behind, fetch } };
    const user = users(gatewayOf({ servers, clock }), front);
    onTestFinished(async () => {
      end(undefined);
      await handler.close();
    });
    const [alice, bob] = [await user("alice"), await user("bob")];
    const waiting = alice.callTool("crm__who").catch(() => undefined);
    await expect.poll(() => requests).toBe(1);
    expect((await bob.callTool("crm__who")).text).toBe("all");
    expect((await (await user("carol")).callTool("crm__who")).text).toBe("all");
    end(undefined);
    await waiting;
    expect((await alice.callTool("crm__who")).text).toBe("all");
  },
);

it("keeps the connection of a user while another user's server changes between having sessions and having none", async () => {
  let isOld = false;
  const old = createFetchHandler(oldServer());
  onTestFinished(() => old.close());
  const fetch = company((user, request) => (user === "mallory" && isOld ? old(request) : undefined));
  const auth = perCaller(({ principal }) => bearerToken(principal));
  const gateway = gatewayOf({ servers: { crm: { url: "http://localhost:7/mcp", fetch, auth } } });
  const user = users(gateway, "2026-07-28");
  const alice = await user("alice");
  expect((await alice.callTool("crm__who")).text).toBe("alice");
  const connections = (): number => gateway.status()[0]!.connections;
  expect(connections()).toBe(1);
  for (isOld of [true, false, true]) {
    await (await user("mallory")).callTool("crm__who").catch(() => undefined);
    expect((await alice.callTool("crm__who")).text).toBe("alice");
  }
  expect(gateway.status()[0]!.restarts).toBe(0);
});

it.each(PAIRS)(
  "a log message on a connection that others use, and that belongs to no call, is dropped and counted: $front, $behind",
  async ({ front, behind }) => {
    const server = testServer();
    server.tool("say", { input: { type: "object" } }, () => "said");
    const [begun, go] = [deferred<void>(), deferred<void>()];
    let notify: ((text: string) => unknown) | undefined;
    server.tool("hold", {}, async () => {
      begun.resolve();
      await go.promise;
      return "held";
    });
    server.use((next) => (context) => {
      if (context.method === "tools/call" && context.params["name"] === "say") {
        const { connection } = context;
        notify = (text) => connection.notify("notifications/message", { level: "info", data: text });
      }
      return next(context);
    });
    const gateway = gatewayOf({ servers: { s: { target: server, revision: behind } }, share: "all" });
    const user = users(gateway, front);
    const heard: Record<string, unknown[]> = { alice: [], mallory: [] };
    const clientOf = (name: string): Promise<Client> =>
      user(name, { logLevel: "debug", onLog: ({ data }) => void heard[name]!.push(data) });
    const [alice, mallory] = [await clientOf("alice"), await clientOf("mallory")];
    await alice.callTool("s__say", { tag: "alice" });
    const held = mallory.callTool("s__hold");
    await begun.promise;
    await notify!("SECRET OF alice");
    go.resolve();
    await held;
    expect((await mallory.callTool("s__say", {})).text).toBe("said");
    expect(heard).toEqual({ alice: [], mallory: [] });
    expect(gateway.status()[0]!.droppedMessages).toBe(1);
  },
);

it.each(PAIRS)(
  "over HTTP each of two callers without a token at one address gets the log messages of its own call: $front, $behind",
  async ({ front, behind }) => {
    const server = testServer();
    const all = deferred<void>();
    let running = 0;
    server.tool("work", { input: { type: "object" } }, async ({ tag }: { tag?: unknown }, ctx) => {
      if (++running === 2) all.resolve();
      await all.promise;
      await ctx.log.info(`of ${String(tag)}`);
      return "done";
    });
    const handler = createFetchHandler(server);
    const gateway = gatewayOf({
      servers: {
        s: {
          url: "http://localhost:7/mcp",
          revision: behind,
          fetch: ((url: string, init?: RequestInit) => handler(new Request(url, init))) as typeof fetch,
        },
      },
    });
    const served = createFetchHandler(gateway, { clientAddress: () => "203.0.113.9" });
    onTestFinished(async () => {
      await served.close();
      await handler.close();
    });
    const heard: Record<string, unknown[]> = { a: [], b: [] };
    const clients = await Promise.all(
      ["a", "b"].map(async (name) => {
        const target = {
          url: "http://localhost/mcp",
          fetch: ((url: string, init?: RequestInit) => served(new Request(url, init))) as typeof fetch,
        };
        const client = await connect(target, {
          revision: front,
          logLevel: "debug",
          onLog: ({ data }) => void heard[name]!.push(data),
        });
        onTestFinished(() => client.close());
        return client;
      }),
    );
    await Promise.all(clients.map((client, at) => client.callTool("s__work", { tag: at === 0 ? "a" : "b" })));
    await vi.waitFor(() => expect(heard).toEqual({ a: ["of a"], b: ["of b"] }), { timeout: 30_000 });
  },
);

it.each(PAIRS.flatMap((pair) => [64, 5].map((most) => ({ ...pair, most }))))(
  "is served while another caller's requests to the same server hang, however many they are: $front, $behind, $most at once",
  async ({ front, behind, most }) => {
    const half = Math.floor(most / 2);
    const server = testServer();
    const [begun, go] = [deferred<void>(), deferred<void>()];
    let held = 0;
    server.tool("hold", {}, async () => {
      if (++held === half) begun.resolve();
      await go.promise;
      return "held";
    });
    server.tool("who", {}, () => "here");
    const handler = createFetchHandler(server);
    const fetch = (async (url: string, init?: RequestInit) => handler(new Request(url, init))) as typeof globalThis.fetch;
    const servers = { s: { url: "http://localhost:7/mcp", revision: behind, fetch, limits: { maxConcurrentRequests: most } } };
    const user = users(gatewayOf({ servers, share: "all" }), front);
    onTestFinished(() => handler.close());
    const [mallory, alice] = [await user("mallory"), await user("alice")];
    const abort = new AbortController();
    const calls = Array.from({ length: most }, () => mallory.callTool("s__hold"));
    const late = mallory.callTool("s__who", {}, { signal: abort.signal });
    await begun.promise;
    expect((await alice.callTool("s__who")).text).toBe("here");
    expect(held).toBe(half);
    abort.abort(new Error("enough"));
    await expect(late).rejects.toThrow("enough");
    go.resolve();
    for (const { text } of await Promise.all(calls)) expect(text).toBe("held");
    expect((await mallory.callTool("s__who")).text).toBe("here");
  },
);

it.each(PAIRS)(
  "what a server repeats of the settings that a client declares is for callers with the same settings: $front, $behind",
  async ({ front, behind }) => {
    const server = testServer();
    server.tool("who", {}, () => "here");
    server.use((next) => async (context) => {
      const result = (await next(context)) as unknown as Record<string, unknown>;
      const words = JSON.stringify(context.client.capabilities ?? context.params);
      if (context.method === "tools/list")
        return { ...result, tools: (result["tools"] as object[]).map((tool) => ({ ...tool, description: words })) } as never;
      return (["initialize", "server/discover"].includes(context.method) ? { ...result, instructions: words } : result) as never;
    });
    const user = users(gatewayOf({ servers: { s: { target: server, revision: behind } }, share: "all" }), front);
    const seenBy = async (name: string, options: ConnectOptions = {}): Promise<string> => {
      expect((await (await user(name, options)).callTool("s__who")).text).toBe("here");
      const client = await user(name, options);
      return learnt(client) + JSON.stringify((await client.listTools()).tools);
    };
    expect(await seenBy("alice", { extensions: { "x/a": { key: "KEY-OF-alice" } } })).toContain("KEY-OF-alice");
    expect(await seenBy("bob")).not.toContain("alice");
    expect(await seenBy("carol", { extensions: { "x/a": { key: "of carol" } } })).not.toContain("alice");
  },
);
