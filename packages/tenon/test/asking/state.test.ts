/** `requestState` in the hands of an attacker: one error for everything, and nothing has run. */
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import * as fc from "fast-check";
import { McpError, McpServer, type Client, type InputRequiredResult, type InputResponses, type RequestStateOptions } from "tenon";
import { MemoryStateStore } from "tenon/server";
import { failureOf } from "../support/failure-of.ts";
import { open } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const KEY = "0123456789abcdef0123456789abcdef";
const OTHER = "fedcba9876543210fedcba9876543210";
const yes = { ok: { action: "accept", content: {} } } as const;

/** The one error that a client gets, whatever is wrong. */
async function expectRefused(call: Promise<unknown>): Promise<void> {
  const failure = await failureOf(call);
  const { code, message, data } = failure as McpError;
  expect({ code, message, data }).toEqual({ code: -32602, message: "Invalid or expired requestState", data: undefined });
}

interface World {
  client: Client;
  ran: string[];
  errors: unknown[];
  /** The principal that the middleware sets. */
  caller: { principal: string | undefined };
}

/** A server whose tools ask once and count what they do; a client that answers the questions itself. */
async function world(requestState: RequestStateOptions = {}, name = "s"): Promise<World> {
  const ran: string[] = [];
  const errors: unknown[] = [];
  const caller: World["caller"] = { principal: undefined };
  const server = new McpServer(
    { name, version: "1" },
    { requestState: { keys: [KEY], maxSuspended: 0, ...requestState }, onError: (error) => void errors.push(error) },
  );
  server.use((next) => (context) => {
    context.principal = caller.principal;
    return next(context);
  });
  const schema = { type: "object", properties: {} };
  for (const tool of ["one", "two"]) {
    server.tool(tool, {}, async (_input, ctx) => {
      ran.push(`${tool} begins`);
      await ctx.elicit("ok", { message: "ok?", schema, once: ctx.params["name"] === "two" });
      ran.push(`${tool} ends`);
      return "done";
    });
  }
  server.tool("large", {}, async (_input, ctx) => {
    const text = await ctx.step("text", () => "x".repeat(20_000));
    await ctx.elicit("ok", { message: "ok?", schema });
    return String(text.length);
  });
  server.prompt("one", {}, () => "never asks");
  const client = await open("direct", server, { revision: "2026-07-28", onElicit: () => yes.ok, limits: { maxRounds: 0 } });
  onTestFinished(() => client.close());
  return { client, ran, errors, caller };
}

async function ask(client: Client, name = "one", args?: Record<string, unknown>): Promise<string> {
  const result = await client.request("tools/call", { name, ...(args && { arguments: args }) });
  if (result.resultType !== "input_required") throw new Error("expected questions");
  return String((result as InputRequiredResult).requestState); // it said so
}

function answer(client: Client, requestState: string, name = "one", args?: Record<string, unknown>): Promise<unknown> {
  return client.request("tools/call", {
    name,
    requestState,
    inputResponses: yes as InputResponses,
    ...(args && { arguments: args }),
  });
}

afterEach(() => void vi.useRealTimers());

describe("A state", () => {
  it("continues its call, as often as it is sent [requirement H5 requirement H6]", async () => {
    const { client, ran } = await world();
    const state = await ask(client);
    expect(await answer(client, state)).toMatchObject({ content: [{ text: "done" }] });
    expect(await answer(client, state)).toMatchObject({ content: [{ text: "done" }] });
    expect(ran).toEqual(["one begins", "one begins", "one ends", "one begins", "one ends"]);
  });

  it("answers without a question are ignored; the others count [fault U6 requirement H7]", async () => {
    const { client, ran } = await world();
    const state = await ask(client);
    const strangers = {
      ...yes,
      never: { action: "accept" },
      constructor: { roots: [] },
      "": { role: "user", content: [], model: "m" },
    };
    const call = { name: "one", requestState: state, inputResponses: strangers as never };
    expect(await client.request("tools/call", call)).toMatchObject({ content: [{ text: "done" }] });
    expect(ran.filter((step) => step === "one ends")).toHaveLength(1);
  });

  it("an answer under another name is ignored: the question is asked again, nothing ran [fault U6 requirement H7]", async () => {
    const { client, ran } = await world();
    const state = await ask(client);
    const call = { name: "one", requestState: state, inputResponses: { other: { action: "accept", content: {} } } as never };
    expect(await client.request("tools/call", call)).toMatchObject({ resultType: "input_required" });
    expect(ran).not.toContain("one ends");
  });

  it("a malformed answer is -32602 or is asked for again, and is never used [requirement H7]", async () => {
    const { client, ran } = await world();
    const state = await ask(client);
    for (const wrong of [1, "accept", [], { action: "perhaps" }, { content: {} }, null]) {
      const inputResponses = Object.fromEntries(Object.keys(yes).map((name) => [name, wrong])) as never;
      const outcome = await client
        .request("tools/call", { name: "one", requestState: state, inputResponses })
        .catch((error: unknown) => error);
      expect(outcome instanceof McpError ? outcome.code : (outcome as { resultType?: string }).resultType).toSatisfy(
        (what: unknown) => what === -32602 || what === "input_required",
      );
    }
    expect(ran).not.toContain("one ends");
  });

  it("with any character changed, added or left out it is refused, and nothing has run [U4 requirement H5]", async () => {
    const { client, ran } = await world();
    const state = await ask(client);
    ran.length = 0;
    const index = fc.nat({ max: state.length - 1 });
    const character = fc.constantFrom(..."ABCDEFabcdef0123456789-_.=+/ \u00e9");
    const change = fc.oneof(
      fc.tuple(index, character).map(([at, by]) => state.slice(0, at) + by + state.slice(at + 1)),
      index.map((at) => state.slice(0, at)),
      fc.tuple(index, character).map(([at, by]) => state.slice(0, at) + by + state.slice(at)),
    );
    await fc.assert(
      fc.asyncProperty(change, async (changed) => {
        fc.pre(changed !== state);
        await expectRefused(answer(client, changed));
      }),
      { numRuns: 200 },
    );
    for (const last of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
      const changed = state.slice(0, -1) + last;
      if (changed !== state) await expectRefused(answer(client, changed));
    }
    expect(ran).toEqual([]);
  });

  it('of more than "maxSize" characters is refused before it is opened; the operator gets the limit [U4 rule R6]', async () => {
    const { client, ran, errors } = await world({ maxSize: 8_192 });
    await expectRefused(answer(client, `v1.AAAAAAAA.${"A".repeat(9_000)}`));
    expect(ran).toEqual([]);
    expect((errors.at(-1) as McpError).cause).toMatchObject({
      data: { limit: "requestState.maxSize", max: 8_192, actual: 9_012 },
    });
  });

  it("is claimed only as long as it may still be sent [rule R5]", async () => {
    const claims: number[] = [];
    const memory = new MemoryStateStore();
    const claim = (key: string, ms: number, owner?: string): boolean => {
      claims.push(ms);
      return memory.claim(key, ms, owner);
    };
    const { client } = await world({ ttl: 1_000, store: Object.assign(new MemoryStateStore(), { claim }) });
    await answer(client, await ask(client, "two"), "two");
    expect(claims.length).toBeGreaterThan(0);
    for (const ms of claims) expect(ms > 0 && ms <= 6_000, String(ms)).toBe(true);
  });

  it("a journal of more than 1 MiB is refused with the limit's name [rule R6]", async () => {
    const server = testServer({ onError: () => undefined });
    server.tool("huge", {}, async (_input, ctx) => {
      await ctx.step("text", () => "x".repeat(1_100_000));
      await ctx.elicit("ok", { message: "ok?", schema: { type: "object", properties: {} } });
      return "done";
    });
    const client = await open("direct", server, { revision: "2026-07-28", onElicit: () => yes.ok, limits: { maxRounds: 0 } });
    onTestFinished(() => client.close());
    const failure = await failureOf(client.request("tools/call", { name: "huge" }));
    expect(failure).toMatchObject({ code: -32603, data: { limit: "requestState", max: 2 ** 20 } });
  });

  it("for another tool, other arguments, a prompt, another caller or server it is refused [U4 requirement H6]", async () => {
    const { client, ran, caller, errors } = await world();
    caller.principal = "ada";
    const state = await ask(client, "one", { a: 1, b: [2] });
    expect(await answer(client, state, "one", { b: [2], a: 1 })).toMatchObject({ resultType: "complete" });
    ran.length = 0;
    const calls = [
      () => answer(client, state, "two", { a: 1, b: [2] }),
      () => answer(client, state, "one", { a: 1, b: [3] }),
      () => answer(client, state),
      () => client.request("prompts/get", { name: "one", requestState: state }),
      () => {
        caller.principal = "eve";
        return answer(client, state, "one", { a: 1, b: [2] });
      },
      async () => {
        const other = await world({}, "other");
        other.caller.principal = "ada";
        return answer(other.client, state, "one", { a: 1, b: [2] });
      },
    ];
    for (const call of calls) await expectRefused(call());
    expect(ran).toEqual([]);
    expect(errors).toHaveLength(5); // each is reported to the operator of this server
  });

  it("the consent to a page counts for the principal that was asked: another's is refused, nothing runs [L1.10]", async () => {
    const caller: World["caller"] = { principal: "ada" };
    const visited: string[] = [];
    const server = testServer({ requestState: { keys: [KEY] }, onError: () => undefined });
    server.use((next) => (context) => {
      context.principal = caller.principal;
      return next(context);
    });
    server.tool("pay", {}, async (_input, ctx) => {
      if ((await ctx.elicitUrl("page", { message: "Pay", url: "https://pay.example/1" })) === "accept")
        visited.push(ctx.principal!);
      return "done";
    });
    const client = await open("direct", server, { revision: "2026-07-28", onElicit: () => yes.ok, limits: { maxRounds: 0 } });
    onTestFinished(() => client.close());
    const state = await ask(client, "pay");
    const consent = { name: "pay", requestState: state, inputResponses: { page: { action: "accept" } } as InputResponses };
    caller.principal = "bob";
    await expectRefused(client.request("tools/call", consent));
    caller.principal = undefined;
    await expectRefused(client.request("tools/call", consent));
    expect(visited).toEqual([]);
    caller.principal = "ada";
    await client.request("tools/call", consent);
    expect(visited).toEqual(["ada"]);
  });

  it("is refused when its time is over [U4 requirement H6]", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { client, ran } = await world({ ttl: 1_000 });
    const state = await ask(client);
    vi.setSystemTime(Date.now() + 999);
    expect(await answer(client, state)).toMatchObject({ resultType: "complete" });
    vi.setSystemTime(Date.now() + 1);
    ran.length = 0;
    await expectRefused(answer(client, state));
    expect(ran).toEqual([]);
  });

  it("that counts once is refused the second time [U4 requirement H6]", async () => {
    const { client, ran } = await world();
    const state = await ask(client, "two");
    expect(await answer(client, state, "two")).toMatchObject({ resultType: "complete" });
    ran.length = 0;
    await expectRefused(answer(client, state, "two"));
    expect(ran).toEqual([]);
  });

  it("reveals nothing to its reader [U4]", async () => {
    const { client } = await world();
    const state = await ask(client);
    const [version, key, body] = state.split(".");
    expect([version, key?.length]).toEqual(["v1", 8]);
    expect(Buffer.from(body!, "base64url").toString("latin1")).not.toMatch(/elicit|round|action|jsonrpc/);
    expect(await ask(client)).not.toBe(state);
  });

  it("that is too large to travel stays in the store, and what is larger still is refused [U4]", async () => {
    const store = new MemoryStateStore();
    const { client } = await world({ store });
    const state = await ask(client, "large");
    expect(state.length).toBeLessThan(300);
    expect(await answer(client, state, "large")).toMatchObject({ content: [{ text: "20000" }] });
    const elsewhere = await world(); // the same keys, another store
    await expectRefused(answer(elsewhere.client, state, "large"));
    await expectRefused(answer(client, "A".repeat(9 * 1024)));
  });

  it("of exactly the longest length travels; one character more, and it stays in the store [U4]", async () => {
    const store = new MemoryStateStore();
    const put = vi.spyOn(store, "put");
    const { length } = await ask((await world({ store })).client);
    const exact = await world({ store, maxSize: length });
    const state = await ask(exact.client);
    expect(state).toHaveLength(length);
    expect(await answer(exact.client, state)).toMatchObject({ content: [{ text: "done" }] });
    expect(put).not.toHaveBeenCalled();
    const { client } = await world({ store, maxSize: length - 1 });
    const handle = await ask(client);
    expect(put).toHaveBeenCalledTimes(1);
    expect(await answer(client, handle)).toMatchObject({ content: [{ text: "done" }] });
  });

  it("an answer to another kind of question is asked for again, and is never used [requirement H7]", async () => {
    const { client, ran } = await world();
    const state = await ask(client);
    for (const other of [{ roots: [] }, { role: "assistant", content: { type: "text", text: "x" }, model: "m" }]) {
      const call = { name: "one", requestState: state, inputResponses: { ok: other } as InputResponses };
      expect(await client.request("tools/call", call)).toMatchObject({ resultType: "input_required", inputRequests: { ok: {} } });
    }
    expect(ran).not.toContain("one ends");
  });
});

describe("The key ring", () => {
  it("opens with every key and seals with the first: keys change without a lost state [U7]", async () => {
    const states: string[] = [];
    for (const keys of [[KEY], [KEY, OTHER], [OTHER, KEY], [OTHER]]) {
      const { client } = await world({ keys });
      for (const state of states.slice(-1)) expect(await answer(client, state)).toMatchObject({ resultType: "complete" });
      states.push(await ask(client));
    }
    const { client } = await world({ keys: [OTHER] });
    await expectRefused(answer(client, states[0]!));
  });

  it("warns once when it looks as if several processes made up keys of their own", async () => {
    const options = { keys: undefined } as unknown as RequestStateOptions;
    const [one, two] = [await world(options), await world(options)];
    const state = await ask(one.client);
    for (let i = 0; i < 2; i++) await expectRefused(answer(two.client, state));
    const causes = two.errors.map((error) => String((error as Error).cause));
    expect(causes.filter((cause) => cause.includes('"requestState: { keys }"'))).toHaveLength(1);
  });

  it("refuses weak keys, and limits that are negative or not a number", () => {
    const create = (requestState: RequestStateOptions) => () => testServer({ requestState });
    for (const options of [{ keys: [] }, { keys: ["short"] }, { ttl: 0 }, { maxSize: NaN }, { maxSuspended: -1 }]) {
      expect(create(options)).toThrow(RangeError);
    }
    const advice = ". To make one: openssl rand -base64 32";
    const weak = 'Option "requestState.keys" must be a list of at least one key, each of 32 bytes or more';
    for (const keys of [[], "k".repeat(32), ["k".repeat(31)], [new Uint8Array(31)], ["k".repeat(32), 7], [KEY, null]]) {
      expect(create({ keys } as never)).toThrow(new RangeError(`${weak}${advice}`));
    }
    expect(create({ keys: [KEY, undefined] } as never)).toThrow(new RangeError(`${weak}: one of them is undefined${advice}`));
    for (const keys of [["k".repeat(32)], [new Uint8Array(32)], undefined]) expect(create({ keys } as never)).not.toThrow();
  });
});
