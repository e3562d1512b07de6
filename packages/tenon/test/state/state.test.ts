/**
 * What `state()` promises: over every transport and revision, on every engine, with
 * several nodes at once, and against callers who try.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as v from "valibot";
import * as z from "zod";
import { connect, type Client, type McpServer } from "tenon";
import { createFetchHandler } from "tenon/server";
import { forget, state, type State, type StateOptions } from "tenon/state";
import { memoryStores } from "tenon/stores/memory";
import type { Stores } from "tenon/stores/redis";
import { SHARED } from "../cluster/nodes.ts";
import { assertStarted, ENGINES, startEngine, type Engine } from "../stores/engines.ts";
import { closing, describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

type KeyedStore = Stores["keyed"];
const DAY = 86_400_000;
const Count = z.object({ count: z.number() });
type Counter = State<{ count: number }>;

/** A server whose tool counts in a state. `caller` is the principal of every request. */
function counting(
  counter: Counter,
  caller: { principal: string | undefined } = { principal: "ann" },
): { server: McpServer; told: unknown[] } {
  const told: unknown[] = [];
  const server = testServer({ ...SHARED, onError: (error) => void told.push(error) });
  server.use((next) => (context) => {
    if (caller.principal !== undefined) context.principal = caller.principal;
    return next(context);
  });
  server.tool(
    "count",
    {},
    async (_input, ctx) => (await counter.update(ctx, ({ count } = { count: 0 }) => ({ count: count + 1 }))).count,
  );
  server.tool("read", {}, async (_input, ctx) => (await counter.get(ctx))?.count ?? "none");
  return { server, told };
}

const textOf = async (client: Client, name: string): Promise<string> => (await client.callTool(name)).text;
const messageOf = (told: unknown[]): string => (told.at(-1) as Error).message;

describeMatrix("the state of a user", ({ connect: open, stateless, transport }) => {
  test("is there in the user's next call, also from another connection, and no other user sees it", async () => {
    const caller = { principal: "ann" };
    const { server } = counting(state("counter", { schema: Count }), caller);
    const first = await open(server);
    expect([await textOf(first, "count"), await textOf(first, "count")]).toEqual(["1", "2"]);
    expect(await textOf(await open(server), "count")).toBe("3");
    caller.principal = "bob";
    expect([await textOf(first, "read"), await textOf(first, "count")]).toEqual(["none", "1"]);
    caller.principal = "ann";
    expect(await textOf(first, "read")).toBe("3");
  });

  test("per session is there for the session only; a revision without sessions refuses it, and says what to do", async () => {
    const { server, told } = counting(state("counter", { schema: Count, per: "session" }), { principal: undefined });
    const [one, other] = [await open(server), await open(server)];
    if (stateless) {
      expect((await one.callTool("count")).isError).toBe(true);
      expect(messageOf(told)).toMatch(
        /^State "counter" belongs to a session, and revision .* has no sessions\. Keep it per: "user", or/,
      );
      return;
    }
    expect([await textOf(one, "count"), await textOf(one, "count"), await textOf(other, "count")]).toEqual(["1", "2", "1"]);
  });

  test("without a login is the state of who started the program; over HTTP it is refused, and says what to do", async () => {
    const { server, told } = counting(state("counter", { schema: Count }), { principal: undefined });
    const client = await open(server);
    if (transport === "direct" || transport === "memory")
      expect([await textOf(client, "count"), await textOf(client, "count")]).toEqual(["1", "2"]);
    else {
      expect((await client.callTool("count")).isError).toBe(true);
      expect(messageOf(told)).toMatch(
        /^State "counter" belongs to a user, and this request has none: it came without a login\. Give the endpoint "auth"/,
      );
    }
  });
});

describe.each(["memory", ...ENGINES] as const)("%s", (name) => {
  let engine: Engine | undefined;
  let spaces = 0;
  beforeAll(async () => void (engine = name === "memory" ? undefined : await startEngine(name)));
  afterAll(() => engine?.stop());

  function storeOf(context: Parameters<typeof assertStarted>[2]): KeyedStore {
    const stores =
      name === "memory" ? memoryStores() : assertStarted(engine, name, context).stores(`state${++spaces}`, { timeout: 60_000 });
    onTestFinished(() => stores.close());
    return stores.keyed;
  }

  /** Two nodes of one server, each with a client. */
  async function nodes(store: KeyedStore, options: Partial<StateOptions<typeof Count>> = {}): Promise<Client[]> {
    const made = [1, 2].map(async () => connect(counting(state("counter", { schema: Count, store, ...options })).server));
    const clients = await Promise.all(made);
    onTestFinished(async () => void (await Promise.all(clients.map((client) => client.close()))));
    return clients;
  }

  test("no update of two nodes at once is lost", async (context) => {
    const clients = await nodes(storeOf(context));
    const counts = await Promise.all(Array.from({ length: 30 }, (_, at) => textOf(clients[at % 2]!, "count")));
    expect(counts.map(Number).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
  });

  test("a store that swaps without comparing loses updates, and the test above sees it [negative control]", async (context) => {
    const store = storeOf(context);
    const careless: KeyedStore = {
      read: (key) => store.read(key),
      renew: (key, version, ms) => store.renew(key, version, ms),
      join: (set, member, joining) => store.join(set, member, joining),
      leave: (set, member) => store.leave(set, member),
      next: (counter, least) => store.next(counter, least),
      swap: async (key, _version, next) => {
        for (;;) {
          const done = await store.swap(key, (await store.read(key))?.version, next);
          if (done !== undefined) return done;
        }
      },
    };
    const clients = await nodes(careless);
    const counts = await Promise.all(Array.from({ length: 30 }, (_, at) => textOf(clients[at % 2]!, "count")));
    expect(new Set(counts).size).toBeLessThan(30);
  });

  test("a value that was changed meanwhile is not replaced by its old version, and forgotten is forgotten", async (context) => {
    const store = storeOf(context);
    const counter = state("counter", { schema: Count, store });
    const told: string[] = [];
    const server = testServer({ onError: () => undefined });
    server.use((next) => (ctx) => next(Object.assign(ctx, { principal: JSON.stringify(["https://idp", "ann", "app"]) })));
    server.tool("race", {}, async (_input, ctx) => {
      const first = await counter.set(ctx, { count: 1 }, { version: null });
      await expect(counter.set(ctx, { count: 9 }, { version: null })).rejects.toMatchObject({
        data: { reason: "stateConflict" },
      });
      await counter.set(ctx, { count: 2 }, { version: first.version });
      await counter.set(ctx, { count: 3 }, { version: first.version }).catch((error: Error) => told.push(error.message));
      await expect(counter.delete(ctx, { version: first.version })).rejects.toThrow("was changed meanwhile");
      await counter.forget({ issuer: "https://idp", subject: "ann" });
      await counter.set(ctx, { count: 4 }, { version: first.version }).catch((error: Error) => told.push(error.message));
      expect(await counter.delete(ctx)).toBe(false);
      return (await counter.get(ctx)) === undefined ? "gone" : "there";
    });
    const client = await connect(server);
    expect(await textOf(client, "race")).toBe("gone");
    expect(told).toEqual(Array(2).fill('State "counter" was changed meanwhile: read it again'));
    await client.close();
  });

  test("a value ends at its time", async (context) => {
    const [client] = await nodes(storeOf(context), { ttl: 1_000 });
    expect(await textOf(client!, "count")).toBe("1");
    await expect.poll(() => textOf(client!, "read"), { timeout: 30_000 }).toBe("none");
    expect(await textOf(client!, "count")).toBe("1");
  });

  test("what a user may keep is limited in number and bytes over all states; less fits, removals make room", async (context) => {
    const options = { store: storeOf(context), limits: { maxStates: 2, maxBytes: 400 } };
    const texts = ["a", "b", "c"].map((each) => state(each, { schema: z.string(), ...options }));
    const server = testServer();
    server.tool("fill", {}, async (_input, ctx) => {
      await texts[0]!.set(ctx, "x");
      await texts[1]!.set(ctx, "y".repeat(100));
      await expect(texts[2]!.set(ctx, "z")).rejects.toMatchObject({
        message: `Limit "state("c").limits.maxStates" of 2 exceeded (3)`,
        data: { limit: `state("c").limits.maxStates`, max: 2 },
      });
      await expect(texts[1]!.set(ctx, "ü".repeat(200))).rejects.toMatchObject({
        data: { limit: `state("b").limits.maxBytes`, max: 400 },
      });
      expect(await texts[1]!.get(ctx)).toBe("y".repeat(100));
      await texts[0]!.delete(ctx);
      await texts[2]!.set(ctx, "z");
      return "done";
    });
    const client = await connect(server);
    expect(await textOf(client, "fill")).toBe("done");
    await client.close();
  });
});

describe("a state", () => {
  test("per client is one program's of a user, per user every program's; forget() ends both; other users' stay", async () => {
    const store = memoryStores().keyed;
    const [user, own] = [state("c", { schema: Count, store }), state("c", { schema: Count, per: "client", store })];
    const caller = { principal: "" };
    const [shared, single] = [counting(user, caller).server, counting(own, caller).server];
    const [a, b] = [await connect(shared), await connect(single)];
    const as = async (subject: string, program: string, client: Client): Promise<string> => {
      caller.principal = JSON.stringify(["https://idp", subject, program]);
      return textOf(client, "count");
    };
    expect([await as("ann", "p", a), await as("ann", "q", a), await as("bob", "p", a)]).toEqual(["1", "2", "1"]);
    expect([await as("ann", "p", b), await as("ann", "q", b), await as("bob", "p", b)]).toEqual(["1", "1", "1"]);
    await forget(JSON.stringify(["https://idp", "ann", "q"]), { store });
    expect([await as("ann", "p", a), await as("ann", "p", b), await as("bob", "p", a)]).toEqual(["1", "1", "2"]);
    await Promise.all([a.close(), b.close()]);
  });

  test("may be changed while another one of the same user is: neither is lost, `change` runs once for each value", async () => {
    const [one, other] = [state("one", { schema: Count }), state("other", { schema: Count })];
    let ran = 0;
    const increment = (before: { count: number } = { count: 0 }): { count: number } => ({ count: before.count + 1 });
    const server = testServer();
    server.tool("both", {}, async (_input, ctx) => {
      await one.update(ctx, async (before) => {
        ran++;
        await other.update(ctx, increment);
        return increment(before);
      });
      return { one: await one.get(ctx), other: await other.get(ctx) };
    });
    const client = await closing(connect(server));
    await client.callTool("both");
    expect((await client.callTool("both")).data).toEqual({ one: { count: 2 }, other: { count: 2 } });
    expect(ran).toBe(2);
  });

  test("takes the stores of its endpoint, so nodes share it without an option", async () => {
    const stores = memoryStores();
    const counts: string[] = [];
    for (let node = 1; node <= 2; node++) {
      const { server } = counting(state("counter", { schema: Count }));
      server.tool("forget", {}, async (_input, ctx) => forget(ctx.principal!));
      const handler = createFetchHandler(server, { stores });
      const client = await connect({ url: "http://localhost/mcp", fetch: async (url, init) => handler(new Request(url, init)) });
      counts.push(await textOf(client, "count"));
      if (node === 2) {
        await client.callTool("forget");
        counts.push(await textOf(client, "read"));
      }
      await client.close();
      await handler.close();
    }
    expect(counts).toEqual(["1", "2", "none"]);
  });

  test("is refused where its value, its schema or its name is wrong, and what was there stays", async () => {
    const Dated = v.object({ tags: v.optional(v.array(v.string()), []) });
    const dated = state("dated", { schema: Dated });
    const plain = state("plain", {
      schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const,
    });
    const server = testServer();
    server.tool("all", {}, async (_input, ctx) => {
      expect((await dated.set(ctx, {})).value).toEqual({ tags: [] });
      await plain.set(ctx, { n: 1 });
      await expect(plain.set(ctx, { n: "x" } as never)).rejects.toThrow(
        /^The new value of state "plain" does not fit its schema: .*n/,
      );
      await expect(plain.update(ctx, () => undefined as never)).rejects.toThrow("return the value, or call delete()");
      await expect(plain.set(ctx, { n: new Date() } as never)).rejects.toThrow(
        'The value of state "plain" does not survive JSON at .n',
      );
      await expect(
        plain.update(ctx, () => {
          throw new Error("no");
        }),
      ).rejects.toThrow("no");
      const changed = state("plain", { schema: z.object({ n: z.string() }) });
      await expect(changed.get(ctx)).rejects.toMatchObject({ data: { reason: "stateInvalid" } });
      return (await plain.get(ctx))!.n;
    });
    const client = await connect(server);
    expect(await textOf(client, "all")).toBe("1");
    await client.close();
    expect(() => state("a b", { schema: Count })).toThrow("The name of a state must be");
    expect(() => state("a", { schema: Count, per: "tenant" as never })).toThrow(
      'Option "per" must be "user", "session" or "client", not "tenant"',
    );
    expect(() => state("a", { schema: Count, ttl: Infinity })).toThrow(
      `Option "ttl" must be milliseconds from 1 to ${3_650 * DAY}, not Infinity`,
    );
    expect(() => state("a", { schema: Count, limits: { maxBytes: 2 ** 21 } })).toThrow(
      'Option "limits.maxBytes" must be at most 1000000',
    );
    expect(() => state("a", { schema: Count, maxBytes: 1 } as never)).toThrow('Did you mean "limits.maxBytes"?');
  });

  test("that another program has damaged is refused by name, and its text is in no error", async () => {
    const store = memoryStores().keyed;
    const { server, told } = counting(state("counter", { schema: Count, store }));
    await store.swap("state ann", undefined, { value: '[["counter user","x"]]', ms: DAY });
    const client = await connect(server);
    await expect(client.callTool("read")).rejects.toMatchObject({ data: { reason: "storeDamaged" } });
    expect(JSON.stringify(told.map(String))).not.toContain("counter user");
    expect(String((told[0] as Error).cause)).toContain('The entry "state …" of a user in the keyed store is damaged');
    await client.close();
  });
});
