// The test kit's client, on every revision: scripted answers by name, what it records, and what it says when nothing fits.
import { describe, expect, expectTypeOf, it, test } from "vitest";
import { acceptorOf, inputRequired, type McpServer, type Servable, type Client, type ProtocolVersion } from "tenon";
import { testClient, VirtualClock, type TestClient, type TestClientOptions } from "tenon/testing";
import * as z from "zod";
import { REVISIONS } from "../support/matrix.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

const Seat = z.object({ seat: z.string() });

/** A server whose tools ask for everything there is. */
function travel(): McpServer {
  const server = testServer({ name: "travel", onError: () => undefined });
  server.tool("add", { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => String(a + b));
  server.tool("book", {}, async (_input, ctx) => {
    const seat = await ctx.elicit("seat", { message: "Which seat?", schema: Seat });
    if (seat.action !== "accept") return `no seat: ${seat.action}`;
    return (await ctx.confirm("pay", "Pay 100?")) ? `booked ${seat.content.seat}` : "not paid";
  });
  server.tool("both", {}, async (_input, ctx) => {
    const [seat, meal] = await Promise.all([
      ctx.elicit("seat", { message: "Which seat?", schema: Seat }),
      ctx.elicit("meal", { message: "Which meal?", schema: z.object({ meal: z.string() }) }),
    ]);
    return JSON.stringify([seat, meal]);
  });
  server.tool("poem", {}, async (_input, ctx) => {
    const { content } = await ctx.sample("haiku", {
      messages: [{ role: "user", content: { type: "text", text: "A haiku" } }],
      maxTokens: 9,
    });
    return JSON.stringify(content);
  });
  server.tool("where", {}, async (_input, ctx) => (await ctx.roots()).map(({ uri }) => uri).join());
  server.tool("by-hand", {}, (_input, ctx) => {
    const answer = ctx.inputResponses?.["seat"];
    if (answer !== undefined) return JSON.stringify(answer);
    const params = { message: "Which seat?", requestedSchema: { type: "object" as const, properties: {} } };
    return inputRequired({ inputRequests: { seat: { method: "elicitation/create", params } } });
  });
  server.tool("throws", {}, () => {
    throw new Error("secret");
  });
  return server;
}

const accept = { action: "accept", content: { seat: "4A" } } as const;

const call = async (client: Client, name: string): Promise<string> => (await client.callTool(name)).text;

describe.each(REVISIONS)("testClient on %s", (revision) => {
  const open = (options: TestClientOptions = {}): Promise<TestClient> => testClient(travel(), { revision, ...options });

  it("connects on that revision and closes what it opened", async () => {
    const { client, wire, errors, [Symbol.asyncDispose]: dispose } = await open();
    expect(client.protocolVersion).toBe(revision);
    expect((await client.callTool("add", { a: 1, b: 2 })).text).toBe("3");
    expect(wire.lines.length).toBeGreaterThan(1);
    expect(wire.text).toContain('"from":"client"');
    expect(wire.text).toContain('"from":"server"');
    expect(errors).toEqual([]);
    await dispose();
    await expect(client.callTool("add", { a: 1, b: 2 })).rejects.toThrow("closed");
  });

  it("the model says what it was told to, as text, as a result or by a function", async () => {
    const content = { type: "text" as const, text: "Old pond" };
    const scripts: TestClientOptions["sample"][] = [
      { haiku: "Old pond" },
      { haiku: { role: "assistant", content, model: "m" } },
      { haiku: () => ({ role: "assistant", content, model: "m" }) },
      () => ({ role: "assistant", content, model: "m" }),
    ];
    for (const sample of scripts) {
      await using kit = await open({ sample: sample! });
      expect(JSON.parse(await call(kit.client, "poem"))).toEqual(content);
      expect(kit.questions).toMatchObject([{ name: "haiku", method: "sampling/createMessage", params: { maxTokens: 9 } }]);
    }
  });

  it("has roots, as a list or by a function", async () => {
    const list = [{ uri: "file:///a" }, { uri: "file:///b" }];
    for (const roots of [list, () => list]) {
      await using kit = await open({ roots });
      expect(await call(kit.client, "where")).toBe("file:///a,file:///b");
      expect(kit.questions).toMatchObject([{ method: "roots/list" }]);
    }
  });

  it("declares no capability that it has no answers for", async () => {
    await using kit = await open();
    for (const tool of ["book", "poem", "where"]) {
      const outcome = await kit.client.callTool(tool).then(
        (result) => result.isError,
        () => true,
      );
      expect(outcome).toBe(true);
    }
    expect(kit.questions).toEqual([]);
  });

  it("finds in process what production would: what a handler throws is masked", async () => {
    await using kit = await open();
    expect(JSON.stringify(await kit.client.callTool("throws").catch((error: Error) => error.message))).not.toContain("secret");
  });
});

describe.each(REVISIONS.filter((revision) => revision >= "2025-06-18"))("the user of testClient on %s", (revision) => {
  const open = (options: TestClientOptions): Promise<TestClient> => testClient(travel(), { revision, ...options });

  it("answers questions by the name the handler gave them, one after the other and together", async () => {
    await using kit = await open({
      elicit: { seat: accept, pay: "accept", meal: ({ message }) => ({ action: "accept", content: { meal: message } }) },
    });
    expect(await call(kit.client, "book")).toBe("booked 4A");
    expect(JSON.parse(await call(kit.client, "both"))).toEqual([
      { action: "accept", content: { seat: "4A" } },
      { action: "accept", content: { meal: "Which meal?" } },
    ]);
    expect(kit.questions.map(({ name, method }) => [name, method])).toEqual(
      ["seat", "pay", "seat", "meal"].map((name) => [name, "elicitation/create"]),
    );
    expect(kit.questions[0]!.params).toMatchObject({ message: "Which seat?" });
    expect(kit.errors).toEqual([]);
  });

  it("a user may refuse; two clients of one server have answers of their own", async () => {
    const server = travel();
    await using declines = await testClient(server, { revision, elicit: { seat: "decline" } });
    await using cancels = await testClient(server, { revision, elicit: { seat: accept, pay: "cancel" } });
    expect(await Promise.all([call(declines.client, "book"), call(cancels.client, "book")])).toEqual([
      "no seat: decline",
      "not paid",
    ]);
  });

  it("answers what a handler asks by hand", async () => {
    await using kit = await open({ elicit: { seat: accept } });
    expect(JSON.parse(await call(kit.client, "by-hand"))).toEqual(accept);
    expect(kit.questions).toMatchObject([{ name: "seat" }]);
  });

  it("a question without an answer fails the call or its result, and says which answers there are", async () => {
    await using kit = await open({ elicit: { meal: "decline" } });
    const failed = await kit.client.callTool("book").then(({ isError, text }) => (isError ? text : undefined), String);
    expect(failed).toContain('The question "seat" has no answer in this test: option "elicit" has "meal"');
    expect(kit.questions).toMatchObject([{ name: "seat" }]);
  });
});

test.each<[string, object, string]>([
  ["a text that is no action", { elicit: { pay: "yes" } }, 'The answer to the question "pay" in "elicit" must be "accept"'],
  ["a truth value", { elicit: { pay: true } }, 'The answer to the question "pay" in "elicit" must be "accept"'],
  ["content without an action", { elicit: { seat: { seat: "4A" } } }, 'not {"seat":"4A"}'],
  ["an action with a slip", { elicit: { seat: { action: "acept" } } }, 'not {"action":"acept"}'],
  [
    "one answer for all questions",
    { elicit: "accept" },
    '"elicit" must be a function, or an object with the answer to each question by its name',
  ],
  ["one text for the model", { sample: "a haiku" }, '"sample" must be a function, or an object'],
])("prepared answers that cannot be used are refused before anything is called: %s", async (_what, options, message) => {
  const refused = testClient(travel(), options);
  await expect(refused).rejects.toThrow(TypeError);
  await expect(refused).rejects.toThrow(message);
});

test("questions of ctx.session have no name: a function can answer them, and a script fails with that reason", async () => {
  const server = testServer({ onError: () => undefined });
  server.tool("ask", {}, async (_input, ctx) => {
    const answer = await ctx.session.elicitForm({ message: "Well?", requestedSchema: { type: "object", properties: {} } });
    return answer.action;
  });
  const revision: ProtocolVersion = "2025-11-25";
  await using byFunction = await testClient(server, { revision, elicit: () => ({ action: "decline" }) });
  expect((await byFunction.client.callTool("ask")).text).toBe("decline");
  expect(byFunction.questions).toMatchObject([{ name: undefined }]);
  await using byName = await testClient(server, { revision, elicit: { ask: "accept" } });
  const { isError, text } = await byName.client.callTool("ask");
  expect([isError, text]).toEqual([true, expect.stringContaining('A question without a name ("Well?") has no answer')]);
});

test("what goes wrong outside a call is kept, and told to who asks for it", async () => {
  const told: Error[] = [];
  const server = testServer();
  server.tool("log", {}, async (_input, ctx) => {
    await ctx.log.info("hello");
    return "done";
  });
  await using kit = await testClient(server, {
    revision: "2025-11-25",
    onError: (error) => told.push(error),
    onLog: () => {
      throw new Error("the callback failed");
    },
  });
  await kit.client.callTool("log");
  expect(kit.errors).toMatchObject([{ message: "the callback failed" }]);
  expect(told).toEqual(kit.errors);
});

test("time limits run on the clock that was given, at both ends", async () => {
  const clock = new VirtualClock();
  const server = testServer({ clock, onError: () => undefined });
  server.tool("slow", {}, () => new Promise<string>(() => undefined));
  await using kit = await testClient(server, { clock, timeout: 1_000 });
  const failed = expect(kit.client.callTool("slow")).rejects.toThrow("timed out");
  await clock.advance(1_000);
  await failed;
});

/** A server, and when its last connection has ended. */
function watched(): { server: Servable; promise: Promise<void> } {
  const server = travel();
  const { opened: promise, open: ended } = gate();
  return { server: { accept: (dispatcher) => acceptorOf(server).accept(dispatcher).finally(ended) }, promise };
}

test("invalid options, and a value that is not a server, are refused", async () => {
  await expect(testClient(travel(), { revision: "2020-01-01" as ProtocolVersion })).rejects.toThrow(RangeError);
  const { promise: served, server } = watched();
  await expect(testClient(server, { timeout: -1 })).rejects.toThrow(RangeError);
  await served;
  await expect(testClient({} as McpServer)).rejects.toThrow("testClient needs a server");
  expectTypeOf<TestClientOptions>().not.toHaveProperty("onElicit");
});
