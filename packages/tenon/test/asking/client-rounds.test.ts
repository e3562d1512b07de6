/** The client's half of a round: answering, sending the next round, and cancelling. */
import { describe, expect, it, onTestFinished } from "vitest";
import { RequestTimeoutError, type Client, type ConnectOptions, type InputRequiredResult, type JsonObject } from "tenon";
import { VirtualClock } from "../support/virtual-clock.ts";
import { open } from "../support/matrix.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

const yesOrNo = {
  method: "elicitation/create",
  params: { message: "?", requestedSchema: { type: "object", properties: {} } },
} as const;

/** A client of a server whose middleware responds in its place, so that the test decides what is on the wire. */
async function scripted(
  answer: (params: JsonObject, round: number, id: unknown) => JsonObject | Promise<JsonObject>,
  options: ConnectOptions = {},
): Promise<Client> {
  const server = testServer({ onError: () => undefined });
  server.tool("t", {}, () => "never called");
  server.resource("a://b", {}, () => "never read");
  const rounds = new Map<string, number>();
  const play = (method: string): void => {
    server.use(method, () => (context) => {
      const { _meta: _, ...params } = context.params;
      const round = rounds.get(method) ?? 0;
      rounds.set(method, round + 1);
      return answer(params, round, context.requestId);
    });
  };
  play("tools/call");
  play("resources/read");
  const client = await open("direct", server, { revision: "2026-07-28", onElicit: () => ({ action: "accept" }), ...options });
  onTestFinished(() => client.close());
  return client;
}
const asking = (inputRequests?: object, requestState?: string): JsonObject => ({
  resultType: "input_required",
  ...(inputRequests && { inputRequests }),
  ...(requestState !== undefined && { requestState }),
});
const done = { content: [{ type: "text", text: "done" }] };

describe("A call whose result is questions", () => {
  it("is sent again: a new id, same params, answers by name, state byte for byte [requirement H11 requirement H14]", async () => {
    const state = '{"looks":"like JSON", "\u0000é😀":"\\u0041"}';
    const seen: [JsonObject, unknown][] = [];
    const client = await scripted((params, round, id) => {
      seen.push([params, id]);
      return [asking({ a: yesOrNo, __proto__x: yesOrNo }, state), asking({ b: yesOrNo }), done][round]!;
    });
    expect((await client.callTool("t", { x: 1 }, { requestId: "mine" })).text).toBe("done");
    const call = { name: "t", arguments: { x: 1 } };
    expect(seen.map(([params]) => params)).toEqual([
      call,
      { ...call, requestState: state, inputResponses: { a: { action: "accept" }, __proto__x: { action: "accept" } } },
      { ...call, inputResponses: { b: { action: "accept" } } },
    ]);
    expect(new Set(seen.map(([, id]) => id)).size).toBe(3);
  });

  it("shares nothing with the calls beside it [requirement H12]", async () => {
    const client = await scripted((params) => {
      const {
        inputResponses,
        requestState,
        arguments: args,
      } = params as { inputResponses?: unknown; requestState?: string; arguments: { n: number } };
      if (inputResponses === undefined) return asking({ q: yesOrNo }, `state ${args.n}`);
      return { content: [{ type: "text", text: String(requestState) }] };
    });
    const results = await Promise.all([1, 2, 3].map((n) => client.callTool("t", { n })));
    expect(results.map((result) => result.text)).toEqual(["state 1", "state 2", "state 3"]);
  });

  it("with a state and no question waits a little, longer each time [requirement H13]", async () => {
    const clock = new VirtualClock();
    const client = await scripted((_params, round) => (round < 3 ? asking(undefined, "s") : done), { clock });
    const called = client.callTool("t");
    await clock.advance(49);
    let settled = false;
    void called.then(() => (settled = true));
    await clock.advance(300);
    expect(settled).toBe(false);
    await clock.advance(5);
    expect((await called).text).toBe("done");
  });

  it("is cancelled if a question cannot be answered, and the other callbacks' signals abort [requirement H15]", async () => {
    let aborted: unknown;
    const client = await scripted(
      () => asking({ a: yesOrNo, b: { ...yesOrNo, params: { ...yesOrNo.params, message: "fail" } } }),
      {
        onElicit: ({ message }, { signal, requestId }) => {
          if (message === "fail") throw new Error(`no answer to ${String(requestId)}`);
          return new Promise((resolve) =>
            signal.addEventListener("abort", () => {
              aborted = signal.reason;
              resolve({ action: "cancel" });
            }),
          );
        },
      },
    );
    await expect(client.callTool("t")).rejects.toMatchObject({
      name: "InputRequiredError",
      cause: { message: "no answer to b" },
    });
    expect(aborted).toMatchObject({ message: "no answer to b" });
  });

  it("is cancelled before the first question if one of the questions has no callback [requirement H16 Z10]", async () => {
    let asked = 0;
    const client = await scripted(() => asking({ a: yesOrNo, roots: { method: "roots/list" } }), {
      onElicit: () => (asked++, { action: "accept" }),
    });
    await expect(client.callTool("t")).rejects.toMatchObject({ name: "InputRequiredError", cause: { code: -32021 } });
    expect(asked).toBe(0);
  });

  it("an invalid answer is not sent [L1.3]", async () => {
    const client = await scripted(() => asking({ a: yesOrNo }), { onElicit: () => ({ action: "perhaps" }) as never });
    await expect(client.callTool("t")).rejects.toMatchObject({ name: "InputRequiredError", cause: { code: -32603 } });
  });

  it("ends when its caller or the connection does, even while a callback runs", async () => {
    for (const end of ["caller", "connection"]) {
      const thinking: { signal?: AbortSignal } = {};
      const { opened: isAsked, open: asked } = gate();
      const client = await scripted(() => asking({ a: yesOrNo }), {
        onElicit: (_params, { signal }) => {
          thinking.signal = signal;
          asked();
          return new Promise<never>(() => undefined);
        },
      });
      const abort = new AbortController();
      const failure = client.callTool("t", {}, { signal: abort.signal }).catch(String);
      await isAsked;
      if (end === "caller") abort.abort(new Error("enough"));
      else await client.close();
      expect(await failure).toMatch(end === "caller" ? "enough" : "Connection closed");
      expect(thinking.signal?.aborted).toBe(true);
    }
  });

  it.each(["caller", "connection"])(
    "ends when a callback ends it for the %s before it waits, and later calls see it",
    async (end) => {
      const abort = new AbortController();
      const asked: { readonly signal: AbortSignal }[] = [];
      const client: Client = await scripted(() => asking({ a: yesOrNo, b: yesOrNo }), {
        onElicit: (_params, context) => {
          asked.push(context);
          if (end === "caller") abort.abort(new Error("enough"));
          else void client.close();
          return new Promise<never>(() => undefined);
        },
      });
      const failure = client.callTool("t", {}, { signal: abort.signal }).catch(String);
      expect(await failure).toMatch(end === "caller" ? "enough" : "Connection closed");
      expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    },
  );

  it("does not count the time of a person, but all the time of the server [requirement G5 U5]", async () => {
    const clock = new VirtualClock();
    const slow = async (): Promise<void> => new Promise((resolve) => void clock.setTimer(40, resolve));
    const options: ConnectOptions = {
      clock,
      onElicit: () => new Promise((resolve) => void clock.setTimer(10_000, () => resolve({ action: "accept" }))),
    };
    const server = async (_params: JsonObject, round: number): Promise<JsonObject> => {
      await slow();
      return round < 2 ? asking({ a: yesOrNo }) : done;
    };
    const patient = await scripted(server, options);
    const call = patient.callTool("t", {}, { timeout: 50, maxTotalTimeout: 150 });
    for (let i = 0; i < 6; i++) await clock.advance(5_000);
    expect((await call).text).toBe("done");
    const hasty = await scripted(server, options);
    const failure = hasty.callTool("t", {}, { timeout: 50, maxTotalTimeout: 60 }).catch((error: unknown) => error);
    for (let i = 0; i < 6; i++) await clock.advance(5_000);
    expect(await failure).toBeInstanceOf(RequestTimeoutError);
  });

  it.each(["2025-06-18", "2025-11-25"] as const)(
    "a live request holds up no clock but that of the whole call, %s [requirement G5]",
    async (revision) => {
      const clock = new VirtualClock();
      const server = testServer({ onError: () => undefined });
      server.tool("t", {}, async (_input, ctx) => {
        await ctx.confirm("a", "a?");
        await new Promise<void>((resolve) => void clock.setTimer(40, resolve));
        return "done";
      });
      server.tool("first", {}, (_input, ctx) => ctx.step("s", () => "loaded"));
      server.tool("slow", {}, async (_input, ctx) => {
        await ctx.confirm("a", "a?");
        return new Promise<string>(() => undefined);
      });
      const onElicit: ConnectOptions["onElicit"] = () =>
        new Promise((resolve) => void clock.setTimer(1_000, () => resolve({ action: "accept" })));
      const client = await open("direct", server, { revision, clock, onElicit });
      onTestFinished(() => client.close());
      await client.callTool("first"); // loading the code for asking does not use this clock
      const outcome = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => (error as Error).message);
      const patient = outcome(client.callTool("t", {}, { timeout: 50 }));
      const bounded = outcome(client.callTool("t", {}, { timeout: 50, maxTotalTimeout: 500 }));
      const slow = outcome(client.callTool("slow", {}, { timeout: 50 }));
      for (let i = 0; i < 240; i++) await clock.advance(5);
      expect(await patient).toMatchObject({ text: "done" });
      expect(await bounded).toContain("500 ms");
      expect(await slow).toContain("50 ms");
    },
  );

  it("its result is not kept for other calls [J3 requirement H14]", async () => {
    let reads = 0;
    const contents = { contents: [{ uri: "a://b", text: "1" }], ttlMs: 60_000, cacheScope: "private" };
    const client = await scripted(
      (params) => (reads++, params["inputResponses"] === undefined ? asking({ a: yesOrNo }) : contents),
    );
    await client.readResource("a://b");
    await client.readResource("a://b");
    expect(reads).toBe(4);
  });

  it("returns its questions to the caller, with maxRounds: 0 [requirement H16]", async () => {
    const client = await scripted((params) => (params["inputResponses"] === undefined ? asking({ a: yesOrNo }) : done), {
      limits: { maxRounds: 0 },
    });
    const asked = (await client.request("tools/call", { name: "t" })) as InputRequiredResult; // it asks
    expect(asked).toMatchObject({ resultType: "input_required", inputRequests: { a: yesOrNo } });
    expect(await client.request("tools/call", { name: "t", inputResponses: { a: { action: "decline" } } })).toMatchObject(done);
    await expect(scripted(() => done, { limits: { maxRounds: -1 } })).rejects.toThrow(RangeError);
  });
});
