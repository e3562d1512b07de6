/**
 * Several gateways that share stores: a client without a session brings its answers to any of them, and the call goes on where it
 * waits.
 */
import { afterAll, beforeAll, describe, expect, it, onTestFinished, type TestContext } from "vitest";
import { connect, McpServer, type Client, type ConnectOptions, type JsonObject } from "tenon";
import type { Fetch } from "tenon/client";
import { createGateway, type Gateway, type GatewayOptions, type Policy } from "tenon/gateway";
import { createFetchHandler, type FetchHandler, type SharedStores } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import * as z from "zod";
import { assertStarted, startEngine, type Engine } from "../stores/engines.ts";
import { testServer } from "../support/test-server.ts";

const STATEFUL = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
const KEYS = ["a key of all gateways, of 32 bytes or more"];

/** A server that counts how often each tool ran. */
function upstream(): { server: McpServer; runs: Map<string, number> } {
  const runs = new Map<string, number>();
  const ran = (name: string): void => void runs.set(name, (runs.get(name) ?? 0) + 1);
  const server = testServer({ name: "behind", logging: true });
  server.tool("greet", {}, async (_input, ctx) => {
    ran("greet");
    const name = await ctx.elicit("name", { message: "Your name?", schema: z.object({ name: z.string() }) });
    const pet = await ctx.elicit("pet", { message: "Your pet?", schema: z.object({ name: z.string() }) });
    return `Hello ${name.action === "accept" ? name.content.name : "?"} and ${pet.action === "accept" ? pet.content.name : "?"}`;
  });
  server.tool("think", { annotations: { readOnlyHint: true } }, async (_input, ctx) => {
    ran("think");
    const { content } = await ctx.sample("thought", {
      messages: [{ role: "user", content: { type: "text", text: "2+2" } }],
      maxTokens: 5,
    });
    await ctx.progress(1, 2, "half way");
    await ctx.log.warning("nearly");
    const [root] = await ctx.roots();
    return `${JSON.stringify(content)} in ${root?.uri}`;
  });
  for (const version of ["1", "2"])
    server.tool("pay", { version }, async (_input, ctx) => {
      await ctx.roots();
      return `Paid by ${version}`;
    });
  server.tool("count", { input: z.object({ characters: z.number() }) }, async ({ characters }, ctx) => {
    await ctx.roots();
    return "x".repeat(characters);
  });
  server.tool("point", {}, async (_input, ctx) => {
    await ctx.roots();
    return { content: [{ type: "resource_link", uri: "note://1", name: "note" }] };
  });
  server.tool("refuse", {}, async (_input, ctx) => {
    await ctx.roots();
    return ctx.fail("The disk is full");
  });
  server.tool("wait", {}, async (_input, ctx) => {
    await ctx.roots();
    ran("waits");
    return new Promise<never>((_resolve, reject) =>
      ctx.signal.addEventListener("abort", () => {
        ran("cancelled");
        reject(ctx.signal.reason as Error);
      }),
    );
  });
  return { server, runs };
}

const answers: ConnectOptions = {
  onElicit: ({ message }) => ({ action: "accept", content: { name: message === "Your name?" ? "Ada" : "Rex" } }),
  onSample: () => ({ role: "assistant", model: "m", content: { type: "text", text: "4" } }),
  roots: [{ uri: "file:///work" }],
};

/** The stores as one node has them, until its link to them is cut. */
interface LinkedStores extends SharedStores {
  cut(): void;
}

function linkTo({ keyed, events, bus }: SharedStores): LinkedStores {
  let isCut = false;
  const cutting = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get: (from, name) => {
        const member: unknown = Reflect.get(from, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]): unknown => {
          if (isCut) throw new Error("The link is cut");
          return Reflect.apply(member, from, args);
        };
      },
    });
  const linked = cutting(bus);
  const ownBus: SharedStores["bus"] = {
    maxMessage: bus.maxMessage,
    publish: (topic, message) => linked.publish(topic, message),
    subscribe: (topic, listener) =>
      linked.subscribe(topic, (message) => {
        if (!isCut) listener(message);
      }),
    onGap: (listener) => linked.onGap(listener),
  };
  return { keyed: cutting(keyed), events: cutting(events), bus: ownBus, cut: () => (isCut = true) };
}

interface Place {
  readonly gateway: Gateway;
  readonly handler: FetchHandler;
}

interface Places {
  readonly places: readonly Place[];
  readonly runs: Map<string, number>;
  /** Which place gets the next requests. */
  to: (index: number) => void;
  /** Sends a request to one place. */
  send: (index: number, url: string | URL, init: RequestInit) => Promise<Response>;
  client(options?: ConnectOptions, fetch?: Fetch): Promise<Client>;
}

type PlaceOptions = Partial<GatewayOptions> & { readonly revision?: string };

/**
 * Gateways in front of one server, with the same options or each with its own. Requests go to them in turn, unless the test says
 * where.
 */
function placesOf(stores: readonly (SharedStores | undefined)[], options: PlaceOptions | readonly PlaceOptions[] = {}): Places {
  const { server, runs } = upstream();
  const places = stores.map((each, at): Place => {
    const { revision = "2025-11-25", ...more }: PlaceOptions = "length" in options ? options[at]! : options;
    const gateway = createGateway({
      readyTimeout: 60_000,
      servers: { up: { target: server, revision: revision as "2025-11-25" } },
      share: "principal",
      requestState: { keys: KEYS },
      onError: () => undefined,
      ...more,
    });
    const handler = createFetchHandler(gateway, each === undefined ? {} : { stores: each });
    onTestFinished(async () => {
      await handler.close();
      await gateway.close();
    });
    return { gateway, handler };
  });
  let turn = 0;
  let fixed: number | undefined;
  const send: Places["send"] = (index, url, init) => places[index]!.handler(new Request(url, init));
  const next: Fetch = (url, init) => send(fixed ?? turn++ % places.length, url, init);
  return {
    places,
    runs,
    to: (index) => (fixed = index),
    send,
    client: async (given, fetch = next) => {
      const client = await connect({ url: "http://localhost/mcp", fetch }, { revision: "2026-07-28", ...answers, ...given });
      onTestFinished(() => client.close());
      return client;
    },
  };
}

function shared(): SharedStores[] {
  const stores = memoryStores();
  return [stores, stores];
}

/** Calls a tool at the first place, and sends its answers to the second. */
function moving(places: Places): ConnectOptions {
  const move = <Answer>(answer: Answer): Answer => {
    places.to(1);
    return answer;
  };
  return {
    onElicit: ({ message }) => move({ action: "accept", content: { name: message === "Your name?" ? "Ada" : "Rex" } }),
    onSample: () => move({ role: "assistant", model: "m", content: { type: "text", text: "4" } }),
    roots: () => move([{ uri: "file:///work" }]),
  };
}

describe.each(STATEFUL)("a server of %s", (revision) => {
  it("is asked once, whichever gateway the answers come to", async () => {
    const places = placesOf(shared(), { revision });
    const client = await places.client();
    if (revision >= "2025-06-18") {
      expect((await client.callTool("up__greet")).text).toBe("Hello Ada and Rex");
      expect(places.runs.get("greet")).toBe(1);
    }
    expect((await client.callTool("up__think")).text).toBe('{"type":"text","text":"4"} in file:///work');
    expect(places.runs.get("think")).toBe(1);
    expect(await client.callTool("up__refuse")).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "The disk is full" }],
    });
  });
});

it.each(["2025-06-18", "2025-11-25"] as const)(
  "serves a session of %s at any gateway, its questions included",
  async (revision) => {
    for (const behind of [revision, "2026-07-28"]) {
      const places = placesOf(shared(), { revision: behind });
      const client = await places.client({ revision });
      expect((await client.callTool("up__greet")).text).toBe("Hello Ada and Rex");
      expect((await client.callTool("up__think")).text).toBe('{"type":"text","text":"4"} in file:///work');
    }
  },
);

it("passes progress and log messages to the gateway where the client waits", async () => {
  const places = placesOf(shared());
  const logged: unknown[] = [];
  const client = await places.client({ ...moving(places), logLevel: "info", onLog: ({ data }) => void logged.push(data) });
  const steps: unknown[] = [];
  places.to(0);
  const said = await client.callTool("up__think", {}, { onProgress: (step) => void steps.push(step) });
  expect(said.text).toContain("file:///work");
  expect(steps).toEqual([{ progress: 1, total: 2, message: "half way" }]);
  expect(logged).toEqual(["nearly"]);
});

it("passes a cancellation to the gateway that holds the call", async () => {
  const places = placesOf(shared());
  const client = await places.client(moving(places));
  places.to(0);
  const abort = new AbortController();
  const call = client.callTool("up__wait", {}, { signal: abort.signal });
  call.catch(() => undefined);
  await expect.poll(() => places.runs.get("waits"), { timeout: 60_000 }).toBe(1);
  abort.abort(new Error("enough"));
  await expect(call).rejects.toThrow("enough");
  await expect.poll(() => places.runs.get("cancelled"), { timeout: 60_000 }).toBe(1);
});

it("gives a round that is sent twice the same outcome at both gateways, and the server one answer", async () => {
  const places = placesOf(shared());
  const outcomes: string[][] = [];
  const twice: Fetch = async (url, init) => {
    if (!String(init.body).includes("inputResponses")) return places.send(0, url, init);
    const [first, second] = await Promise.all([places.send(1, url, init), places.send(0, url, init)]);
    const again = second.clone();
    outcomes.push((await Promise.all([first.text(), again.text()])).map((text) => text.replace(/"requestState":"[^"]*"/, "")));
    return second;
  };
  const client = await places.client({}, twice);
  expect((await client.callTool("up__greet")).text).toBe("Hello Ada and Rex");
  expect(outcomes).toHaveLength(2);
  for (const [first, second] of outcomes) expect(first).toBe(second);
  expect(places.runs.get("greet")).toBe(1);
});

it("says which call is gone with the gateway that held it, and whether it can be made again", async () => {
  const places = placesOf(shared());
  const isClosed = new Map<string, boolean>();
  const closing: ConnectOptions = {
    ...moving(places),
    onSample: async () => {
      if (isClosed.get("first") !== true) await places.places[0]!.gateway.close();
      isClosed.set("first", true);
      places.to(1);
      return { role: "assistant", model: "m", content: { type: "text", text: "4" } };
    },
  };
  const client = await places.client(closing);
  places.to(0);
  const lost = client.callTool("up__think");
  const data = { server: "up", reason: "suspended_call_lost", delivery: "unknown", repeatable: true };
  await expect(lost).rejects.toMatchObject({ code: -32603, data });
  await expect(lost).rejects.toThrow('The call to server "up" that waited for this answer is gone');
  expect((await client.callTool("up__think")).text).toContain("file:///work");
});

it("tells a client that waits when the gateway with its call has no link to the stores any more", async () => {
  const [stores] = shared();
  const linked = linkTo(stores!);
  const places = placesOf([linked, stores]);
  const client = await places.client(moving(places));
  places.to(0);
  const call = client.callTool("up__wait");
  call.catch(() => undefined);
  await expect.poll(() => places.runs.get("waits"), { timeout: 60_000 }).toBe(1);
  linked.cut();
  await expect(call).rejects.toMatchObject({ code: -32603, data: { reason: "suspended_call_lost", repeatable: false } });
});

it("passes a result that is longer than a message between gateways", async () => {
  const places = placesOf(shared());
  const client = await places.client(moving(places));
  for (const characters of [900_000, 3_000_000]) {
    places.to(0);
    expect((await client.callTool("up__count", { characters })).text).toHaveLength(characters);
  }
});

it("does not find the call at a gateway without stores", async () => {
  const places = placesOf([undefined, undefined]);
  const client = await places.client(moving(places));
  places.to(0);
  const data = { server: "up", reason: "suspended_call_lost", delivery: "unknown", repeatable: true };
  await expect(client.callTool("up__think")).rejects.toMatchObject({ code: -32603, data });
  expect(places.runs.get("think")).toBe(1);
});

describe("a call whose server was removed at the gateway that its answer comes to", () => {
  /** Calls a tool at the first place, and answers at the second, which has no servers any more. */
  async function callAcross(places: Places, tool: string, meta?: JsonObject): Promise<Awaited<ReturnType<Client["callTool"]>>> {
    const client = await places.client(moving(places));
    places.to(0);
    await places.places[1]!.gateway.setServers({});
    return client.callTool(tool, {}, meta && { meta });
  }

  it("goes on at the gateway that holds it", async () => {
    const places = placesOf(shared());
    expect((await callAcross(places, "up__greet")).text).toBe("Hello Ada and Rex");
    expect(places.runs.get("greet")).toBe(1);
  });

  it("has a result whose URIs lead to no other server", async () => {
    const places = placesOf(shared());
    expect((await callAcross(places, "up__point")).content).toMatchObject([{ type: "resource_link", uri: "up+note://1" }]);
  });

  it("is lost without stores, by an error that names the server", async () => {
    const places = placesOf([undefined, undefined]);
    const data = { server: "up", reason: "suspended_call_lost", delivery: "unknown", repeatable: false };
    await expect(callAcross(places, "up__think")).rejects.toMatchObject({ code: -32603, data });
    expect(places.runs.get("think")).toBe(1);
  });

  it("is not continued if the policy denies it there", async () => {
    const places = placesOf(shared());
    places.places[1]!.gateway.setPolicy(({ server, name }) => server !== "up" || name !== "greet");
    await expect(callAcross(places, "up__greet")).rejects.toMatchObject({ code: -32602, message: "Unknown tool: up__greet" });
  });

  it.each<[string, Policy]>([
    ["its version", ({ version }) => version !== "1"],
    ["all versions of its tool", ({ name }) => name !== "pay"],
  ])("is not continued if the policy denies %s there", async (_what, policy) => {
    for (const meta of [undefined, { "dev.tenon/version": "1" }]) {
      const places = placesOf(shared());
      const name = meta === undefined ? "up__pay.v1" : "up__pay";
      expect((await callAcross(places, name, meta)).text).toBe("Paid by 1");
      const denying = placesOf(shared());
      denying.places[1]!.gateway.setPolicy(policy);
      await expect(callAcross(denying, name, meta)).rejects.toMatchObject({ code: -32602, message: `Unknown tool: ${name}` });
    }
  });
});

describe("a call whose server has another prefix at the gateway that its answer comes to", () => {
  /** Calls a tool by the name that the first place gives it, and answers at the second. */
  async function callAcross(
    stores: readonly (SharedStores | undefined)[],
    tool: string,
    options: Partial<GatewayOptions> = {},
  ): Promise<Places & { called: string | undefined }> {
    const renamed = placesOf(stores, [{}, { prefix: { up: "other" }, ...options }]);
    const client = await renamed.client(moving(renamed));
    renamed.to(0);
    return { ...renamed, called: (await client.callTool(tool)).text };
  }

  it("goes on at the gateway that holds it", async () => {
    const { called, runs } = await callAcross(shared(), "up__greet");
    expect({ called, runs: runs.get("greet") }).toEqual({ called: "Hello Ada and Rex", runs: 1 });
  });

  it("is lost without stores, by an error that names the server", async () => {
    const data = { server: "up", reason: "suspended_call_lost", delivery: "unknown", repeatable: true };
    await expect(callAcross([undefined, undefined], "up__think")).rejects.toMatchObject({ code: -32603, data });
  });

  it("is not continued if the policy denies it there", async () => {
    const denied = callAcross(shared(), "up__greet", { policy: ({ name }) => name !== "greet" });
    await expect(denied).rejects.toMatchObject({ code: -32602, message: "Unknown tool: up__greet" });
  });
});

it("needs keys that are the same on all nodes", () => {
  const gateway = createGateway({ servers: {} });
  onTestFinished(() => gateway.close());
  expect(() => createFetchHandler(gateway, { stores: memoryStores() })).toThrow('a gateway needs "requestState: { keys }"');
});

describe.each(["redis", "postgres", "nats"] as const)("with %s", (name) => {
  let engine: Engine | undefined;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  /** Two gateways that share a space of the engine, and a client that begins at the first. */
  async function gateways(space: string, context: TestContext): Promise<{ started: Engine; places: Places; client: Client }> {
    const started = assertStarted(engine, name, context);
    const stores = [1, 2].map(() => started.stores(space));
    onTestFinished(async () => void (await Promise.all(stores.map((each) => each.close()))));
    const places = placesOf(stores);
    const client = await places.client(moving(places));
    places.to(0);
    return { started, places, client };
  }

  it("goes on with a call at the gateway that holds it, and passes a long result", async (context: TestContext) => {
    const { places, client } = await gateways("gateway", context);
    expect((await client.callTool("up__greet")).text).toBe("Hello Ada and Rex");
    expect(places.runs.get("greet")).toBe(1);
    places.to(0);
    expect((await client.callTool("up__count", { characters: 100_000 })).text).toHaveLength(100_000);
  });

  it("fails a call that another gateway holds if the engine is gone, and sends it once [X1]", async (context: TestContext) => {
    const { started, places, client } = await gateways("gateway_outage", context);
    const waiting = client.callTool("up__wait");
    waiting.catch(() => undefined);
    await expect.poll(() => places.runs.get("waits"), { timeout: 60_000 }).toBe(1);
    await started.kill();
    onTestFinished(() => started.restart());
    const data = { reason: "storeUnavailable", delivery: "unknown" };
    await expect(waiting).rejects.toMatchObject({ code: -32603, data });
    expect(places.runs.get("waits")).toBe(1);
  });
});
