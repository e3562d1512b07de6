/** Resumed, run again, or run again by another process: a handler cannot tell, and neither can its client. */
import { describe, expect, it, onTestFinished } from "vitest";
import * as fc from "fast-check";
import { connect, type McpServer, type Client, type ConnectOptions, type InputRequiredResult, type RequestContext } from "tenon";
import { createFetchHandler } from "tenon/server";
import { VirtualClock } from "../support/virtual-clock.ts";
import { open } from "../support/matrix.ts";
import { Airline, bookingServer } from "./booking.ts";
import { describeAsking } from "./ways.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

const KEYS = ["0123456789abcdef0123456789abcdef"];
const NUMBER = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
const stateless = { revision: "2026-07-28" } as const;

/** A handler as data: questions, steps, several of either at once, and what to do with a decline. */
type Move = { do: "ask" | "step" } | { all: Move[] };

async function play(moves: readonly Move[], ctx: RequestContext, effects: string[], path = ""): Promise<number[]> {
  const values: number[] = [];
  for (const [index, move] of moves.entries()) {
    const name = `${path}${index}`;
    if ("all" in move) {
      values.push(...(await Promise.all(move.all.map((one, branch) => play([one], ctx, effects, `${name}.${branch}.`)))).flat());
    } else if (move.do === "ask") {
      const answer = await ctx.elicit(name, { message: name, schema: NUMBER });
      values.push(answer.content?.n ?? -1);
    } else {
      values.push(await ctx.step(name, () => run(name, effects, values.length)));
    }
  }
  return values;
}

async function run(name: string, effects: string[], value: number): Promise<number> {
  effects.push(name);
  await Promise.resolve();
  return value;
}

const leaf = fc.constantFrom<Move>({ do: "ask" }, { do: "step" }, { do: "ask" });
const move = fc.oneof(
  { weight: 4, arbitrary: leaf },
  fc.array(leaf, { maxLength: 3 }).map((all): Move => ({ all })),
);
const program = fc.array(move, { maxLength: 5 });

/** Answers by the name of the question: some decline. */
const answering: ConnectOptions = {
  limits: { maxRounds: 100 },
  onElicit: ({ message }) =>
    message.endsWith("3") ? { action: "decline" } : { action: "accept", content: { n: Number(message.split(".")[0]) } },
};

function serverOf(moves: readonly Move[], effects: string[], maxSuspended: number): McpServer {
  const server = testServer({ requestState: { keys: KEYS, maxSuspended } });
  server.tool("play", {}, async (_input, ctx) => JSON.stringify(await play(moves, ctx, effects)));
  return server;
}

describe("A handler that asks", () => {
  it("has the same result and effects live, resumed, run again, and by another process [requirement H8 K1.1]", async () => {
    await fc.assert(
      fc.asyncProperty(program, async (moves) => {
        const outcomes: [string, string[]][] = [];
        for (const way of ["live", "resumed", "again", "elsewhere"]) {
          const effects: string[] = [];
          const create = (): McpServer => serverOf(moves, effects, way === "resumed" ? 100 : 0);
          const client =
            way === "elsewhere"
              ? await connect(
                  { url: "http://localhost/mcp", fetch: (url, init) => createFetchHandler(create())(new Request(url, init)) },
                  { ...answering, ...stateless },
                )
              : await open("direct", create(), { ...answering, revision: way === "live" ? "2025-11-25" : "2026-07-28" });
          outcomes.push([(await client.callTool("play")).text, effects.sort()]);
          await client.close();
        }
        const [live] = outcomes;
        for (const outcome of outcomes) expect(outcome).toEqual(live);
      }),
      { numRuns: 60 },
    );
  });

  it("books a seat through a load balancer that never asks the same process twice", async () => {
    const airline = new Airline();
    let rounds = 0;
    const fetch = async (url: string, init: RequestInit): Promise<Response> => {
      const server = bookingServer(airline, { keys: KEYS });
      if (typeof init.body === "string" && init.body.includes("tools/call")) rounds++;
      const response = await createFetchHandler(server)(new Request(url, init));
      const text = await response.text();
      await server.close();
      return new Response(text, response);
    };
    const onElicit: ConnectOptions["onElicit"] = ({ message }) =>
      message === "Which seat?" ? { action: "accept", content: { row: 12, letter: "A" } } : { action: "accept" };
    const client = await connect({ url: "http://localhost/mcp", fetch: fetch as never }, { onElicit, ...stateless });
    expect((await client.callTool("book", { from: "BER", to: "LIS" })).structuredContent).toEqual({ seat: "12A", price: 90 });
    expect(airline.told).toEqual(["hold BER-LIS 12A", "pay 90"]);
    expect(rounds).toBe(3);
    await client.close();
  });
});

describeAsking("Questions", ({ connect: connectTo, stateless: inRounds }) => {
  function createServer(handler: (ctx: RequestContext) => Promise<unknown>, errors: unknown[] = []): McpServer {
    const server = testServer({ onError: (error) => void errors.push(error) });
    server.tool("t", {}, (_input, ctx) => handler(ctx) as Promise<object>);
    return server;
  }
  const accept: ConnectOptions = { onElicit: () => ({ action: "accept", content: { n: 1 } }) };

  it("that are started together go out together", async () => {
    let calls = 0;
    const server = createServer(async (ctx) => {
      calls++;
      const late = Promise.resolve().then(() => ctx.confirm("b", "b?"));
      return Promise.all([ctx.confirm("a", "a?"), late, ctx.elicit("c", { message: "c?", schema: NUMBER })]);
    });
    const client = await connectTo(server, accept);
    expect(JSON.parse((await client.callTool("t")).text)).toEqual([true, true, { action: "accept", content: { n: 1 } }]);
    expect(calls).toBe(1); // the suspended handler went on
  });

  it("are answered as asked: content that does not fit the form is an error [L1.3]", async () => {
    const server = createServer((ctx) => ctx.elicit("c", { message: "c?", schema: NUMBER }));
    const client = await connectTo(server, { onElicit: () => ({ action: "accept", content: { n: "no number" } }) });
    await expect(client.callTool("t")).rejects.toMatchObject({ code: -32602 });
  });

  it("need names of their own", async () => {
    const errors: unknown[] = [];
    const server = createServer(async (ctx) => [await ctx.confirm("a", "a?"), await ctx.confirm("a", "a?")], errors);
    const client = await connectTo(server, accept);
    expect((await client.callTool("t")).isError).toBe(true);
    expect(String(errors[0])).toContain('question "a" is used twice');
  });

  it("steps need names of their own too, but not other names than questions", async () => {
    const errors: unknown[] = [];
    const server = createServer(async (ctx) => {
      const first = [await ctx.confirm("a", "a?"), await ctx.step("a", () => 1)];
      return [...first, await ctx.step("a", () => 2)];
    }, errors);
    const client = await connectTo(server, accept);
    expect((await client.callTool("t")).isError).toBe(true);
    expect(String(errors[0])).toBe('McpUsageError: The name of step "a" is used twice: give each its own name');
  });

  it("have forms of flat fields only, and the error names the one that is not [L1.4]", async () => {
    const errors: unknown[] = [];
    const deep = { type: "object", properties: { ok: { type: "string" }, address: { type: "object" } } };
    const client = await connectTo(
      createServer((ctx) => ctx.elicit("where", { message: "?", schema: deep }), errors),
      accept,
    );
    expect((await client.callTool("t")).isError).toBe(true);
    expect(String(errors[0])).toContain('Field "address" of question "where"');
  });

  it("a step that throws is not remembered, and runs again", async () => {
    let ran = 0;
    const server = createServer(async (ctx) => {
      const first = await ctx.step("s", () => (++ran === 1 ? Promise.reject(new Error("no")) : ran)).catch(() => "failed");
      return { first, yes: await ctx.confirm("a", "a?") };
    });
    const client = await connectTo(server, { ...accept, limits: { maxRounds: 0 } });
    if (!inRounds) return expect(await client.callTool("t")).toMatchObject({ data: { first: "failed", yes: true } });
    const asked = (await client.request("tools/call", { name: "t" })) as InputRequiredResult; // it asks
    const again = { name: "t", requestState: asked.requestState!, inputResponses: { a: { action: "accept" } } } as const;
    // The first time the suspended handler continues, the second time it runs again.
    expect(await client.request("tools/call", again)).toMatchObject({ structuredContent: { first: "failed" } });
    expect(await client.request("tools/call", again)).toMatchObject({ structuredContent: { first: 2 } });
  });

  it("steps run once, and what JSON would change is refused", async () => {
    const errors: unknown[] = [];
    let ran = 0;
    const server = createServer(async (ctx) => {
      const first = await ctx.step("first", () => ({ at: ++ran, gone: undefined }));
      await ctx.confirm("a", "a?");
      const nothing = await ctx.step("nothing", () => undefined);
      return { first, nothing: nothing === undefined, again: await ctx.step("bad", () => ({ when: { day: new Date(0) } })) };
    }, errors);
    const client = await connectTo(server, accept);
    expect((await client.callTool("t")).isError).toBe(true);
    expect(ran).toBe(1);
    expect(String(errors[0])).toContain('step "bad" does not survive JSON at .when.day');
  });

  it("a rule that no form can express is applied to the answer [Z9]", async () => {
    const server = testServer({ onError: () => undefined });
    const schema = {
      type: "object",
      properties: { code: { type: "string", pattern: "^[A-Z]{2}$" } },
      required: ["code"],
    } as const;
    server.tool("t", {}, async (_input, ctx) => (await ctx.elicit("code", { message: "Code?", schema })).action);
    const asked: unknown[] = [];
    const answers = ["AB", "ab"];
    const client = await connectTo(server, {
      onElicit: (params) => {
        asked.push(params);
        return { action: "accept", content: { code: answers.shift()! } };
      },
    });
    expect((await client.callTool("t")).text).toBe("accept");
    expect(JSON.stringify(asked)).not.toContain("pattern");
    await expect(client.callTool("t")).rejects.toMatchObject({ code: -32602 });
  });

  it("reach the model and the roots [L2.1 L3.1 L3.2]", async () => {
    const roots = [{ uri: "file:///work" }];
    const server = createServer(async (ctx) => {
      const question = { messages: [{ role: "user" as const, content: { type: "text" as const, text: "?" } }], maxTokens: 5 };
      const [said, where] = await Promise.all([ctx.sample("model", question), ctx.roots()]);
      return { said: said.content.type === "text" && said.content.text, where };
    });
    const client = await connectTo(server, {
      roots,
      onSample: () => ({ role: "assistant", model: "m", content: { type: "text", text: "42" } }),
    });
    expect(JSON.parse((await client.callTool("t")).text)).toEqual({ said: "42", where: roots });
  });

  it("progress and log messages of every round arrive with the call [requirement G6]", async () => {
    const steps: number[] = [];
    const server = createServer(async (ctx) => {
      await ctx.progress(1, 2);
      await ctx.confirm("a", "a?");
      await ctx.progress(2, 2);
      return "done";
    });
    const client = await connectTo(server, accept);
    await client.callTool("t", {}, { onProgress: ({ progress }) => void steps.push(progress) });
    expect(steps).toEqual([1, 2]);
  });
});

describe("A suspended handler", () => {
  /** A tool that notes how it ends, asked by a client that does not come back. */
  async function suspended(
    maxSuspended: number,
    clock?: VirtualClock,
  ): Promise<{ client: Client; server: McpServer; ends: string[] }> {
    const ends: string[] = [];
    const server = testServer({ requestState: { maxSuspended }, ...(clock && { clock }) });
    server.tool("t", {}, async (_input, ctx) => {
      const { signal } = ctx;
      try {
        await ctx.confirm("a", "a?");
        return "went on";
      } finally {
        ends.push(signal.aborted ? "cancelled" : "ended");
        await ctx.step("late", () => void ends.push("ran a step")).catch(() => ends.push("refused a step"));
      }
    });
    const client = await open("direct", server, {
      ...stateless,
      limits: { maxRounds: 0 },
      onElicit: () => ({ action: "accept" }),
    });
    onTestFinished(() => client.close());
    return { client, server, ends };
  }
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  };

  it("there are only so many of: the oldest is cancelled, and what it still does is not looked at [requirement H8]", async () => {
    const { client, ends } = await suspended(1);
    await client.request("tools/call", { name: "t" });
    expect(ends).toEqual([]);
    await client.request("tools/call", { name: "t" });
    await turns();
    expect(ends).toEqual(["cancelled", "refused a step"]);
  });

  it("waits for a minute at most, and not beyond the server's end [requirement H8]", async () => {
    const clock = new VirtualClock();
    const { client, server, ends } = await suspended(10, clock);
    await client.request("tools/call", { name: "t" });
    await clock.advance(59_000);
    expect(ends).toEqual([]);
    await clock.advance(1_001);
    expect(ends).toEqual(["cancelled", "refused a step"]);
    await client.request("tools/call", { name: "t" });
    await server.close();
    await turns();
    expect(ends).toHaveLength(4);
  });

  it("has a timer only while there is one: none is left of one taken or of a server that ended [requirement H8]", async () => {
    const clock = new VirtualClock();
    const none = await suspended(0, clock);
    await none.client.request("tools/call", { name: "t" });
    await turns();
    expect(none.ends).toEqual(["cancelled", "refused a step"]);
    expect(clock.pending).toBe(0);
    const some = await suspended(10, clock);
    await some.client.request("tools/call", { name: "t" });
    await clock.advance(30_000);
    await some.client.request("tools/call", { name: "t" });
    await clock.advance(59_999);
    expect(some.ends).toEqual(["cancelled", "refused a step"]); // the first one, after a minute
    await clock.advance(1);
    await turns();
    expect(some.ends).toHaveLength(4);
    expect(clock.pending).toBe(0);
    await some.client.request("tools/call", { name: "t" });
    await some.server.close();
    expect(clock.pending).toBe(0);
  });

  it("has half the room at most if one principal has them all [requirement H8]", async () => {
    const { client, server, ends } = await suspended(3);
    let principal = "ada";
    server.use((next) => (context) => {
      context.principal = principal;
      return next(context);
    });
    for (let calls = 0; calls < 2; calls++) await client.request("tools/call", { name: "t" });
    await turns();
    expect(ends).toEqual([]);
    await client.request("tools/call", { name: "t" });
    await turns();
    expect(ends).toEqual(["cancelled", "refused a step"]); // the oldest of ada's
    principal = "bob";
    await client.request("tools/call", { name: "t" });
    await turns();
    expect(ends).toHaveLength(2);
    await client.request("tools/call", { name: "t" }); // the fourth: the oldest of all ends
    await turns();
    expect(ends).toHaveLength(4);
    await server.close();
  });

  it("may end, or continue with its steps, before the client returns", async () => {
    const { opened, open: goOn } = gate();
    const effects: string[] = [];
    const server = testServer();
    server.tool("t", { input: { type: "object", properties: { ends: { type: "boolean" } } } as const }, async ({ ends }, ctx) => {
      const aside = opened.then(() => ctx.step("aside", () => effects.push("aside")));
      const first = ctx.confirm("a", "a?");
      if (ends) return Promise.race([first, aside]).then(() => "ended");
      await first;
      await aside;
      return `${String(await ctx.confirm("b", "b?"))} after ${effects.length}`;
    });
    const client = await open("direct", server, {
      ...stateless,
      limits: { maxRounds: 0 },
      onElicit: () => ({ action: "accept" }),
    });
    for (const ends of [true, false]) {
      const call = { name: "t", arguments: { ends } };
      const asked = (await client.request("tools/call", call)) as InputRequiredResult; // it asks
      goOn();
      await turns();
      const inputResponses = { a: { action: "accept" } } as const;
      const second = await client.request("tools/call", { ...call, requestState: asked.requestState!, inputResponses });
      if (ends) expect(second).toMatchObject({ content: [{ text: "ended" }] });
      else {
        const { requestState } = second as InputRequiredResult; // it asks again
        const third = { ...call, requestState: requestState!, inputResponses: { b: { action: "accept" } } } as const;
        expect(await client.request("tools/call", third)).toMatchObject({ content: [{ text: "true after 2" }] });
        expect(await client.request("tools/call", third)).toMatchObject({ content: [{ text: "true after 2" }] }); // run again
      }
    }
    await client.close();
  });

  it("waits on for the question that a client left open, while it goes on with the other", async () => {
    const heard: unknown[] = [];
    const server = testServer();
    server.tool("t", {}, async (_input, ctx) => {
      const ask = async (name: string): Promise<unknown> => heard.push([name, await ctx.confirm(name, `${name}?`)]);
      await Promise.all([ask("a"), ask("b")]);
      return JSON.stringify(heard);
    });
    const client = await open("direct", server, {
      ...stateless,
      limits: { maxRounds: 0 },
      onElicit: () => ({ action: "accept" }),
    });
    const first = (await client.request("tools/call", { name: "t" })) as InputRequiredResult; // it asks both
    expect(Object.keys(first.inputRequests!)).toEqual(["a", "b"]);
    const answer = { action: "accept" } as const;
    const half = { name: "t", requestState: first.requestState!, inputResponses: { b: answer } };
    const second = (await client.request("tools/call", half)) as InputRequiredResult; // it asks what is open
    expect([Object.keys(second.inputRequests!), heard]).toEqual([["a"], [["b", true]]]);
    const rest = { name: "t", requestState: second.requestState!, inputResponses: { a: answer } };
    expect(await client.request("tools/call", rest)).toMatchObject({ content: [{ text: '[["b",true],["a",true]]' }] });
    await client.close();
  });

  it("is cancelled with the round that it continues in [requirement G3]", async () => {
    let heard: unknown;
    const { opened: wentOn, open: going } = gate();
    const server = testServer();
    server.tool("t", {}, async (_input, ctx) => {
      const { signal } = ctx; // of the first round
      await ctx.confirm("a", "a?");
      going();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      heard = signal.reason;
      return "late";
    });
    const client = await open("direct", server, { ...stateless, onElicit: () => ({ action: "accept" }) });
    const abort = new AbortController();
    const failure = client.callTool("t", {}, { signal: abort.signal }).catch(String);
    await wentOn;
    abort.abort(new Error("enough"));
    expect(await failure).toBe("Error: enough");
    await turns();
    expect(heard).toBeInstanceOf(Error);
    await client.close();
  });
});
