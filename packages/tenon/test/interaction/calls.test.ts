/** One call from the caller's side: its time limits, its progress, giving it up, and the end of its connection. */
import { describe, expect, it } from "vitest";
import {
  McpServer,
  RequestTimeoutError,
  type Client,
  type ConnectOptions,
  type JsonRpcDispatcherOptions,
  type Progress,
} from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { describeInProcess, open } from "../support/matrix.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";
import { createServer, type Running } from "./slow-server.ts";

describeInProcess("Time limits", ({ connect }) => {
  async function setUp(options: ConnectOptions = {}): Promise<{ client: Client; clock: VirtualClock; running: Running[] }> {
    const clock = new VirtualClock();
    const { server, running } = createServer();
    return {
      client: await connect(server, { clock, ...options }, { clock, limits: { handlerTimeout: Infinity } }),
      clock,
      running,
    };
  }

  it("a call times out by method and limit; signals abort, late responses are ignored [XT-03 CF-03 CF-05 CS-20]", async () => {
    const errors: Error[] = [];
    const { client, clock, running } = await setUp({ onError: (error) => void errors.push(error) });
    const call = failureOf(client.callTool("slow", {}, { timeout: 100 }));
    await clock.advance(99);
    expect(running[0]!.context.signal.aborted).toBe(false);
    await clock.advance(1);
    const error = await call;
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect(error).toMatchObject({ code: -32001, data: { method: "tools/call", timeoutMs: 100 } });
    expect(error.message).toContain('Request "tools/call" timed out after 100 ms');
    expect(running[0]!.context.signal.aborted).toBe(true);
    running[0]!.finish("too late");
    expect((await client.callTool("quick")).text).toBe("quick");
    expect(errors).toEqual([]);
  });

  it("the connection's limit is 60 s unless told otherwise; a call's own goes first [CL-04 CF-04 CV-05]", async () => {
    const usual = await setUp();
    const call = failureOf(usual.client.callTool("slow"));
    await usual.clock.advance(59_999);
    expect(usual.running[0]!.context.signal.aborted).toBe(false);
    await usual.clock.advance(1);
    expect(await call).toMatchObject({ code: -32001, data: { timeoutMs: 60_000 } });

    const short = await setUp({ timeout: 10 });
    const [inherited, own] = [failureOf(short.client.callTool("slow")), short.client.callTool("slow", {}, { timeout: 1_000 })];
    await short.clock.advance(500);
    expect(await inherited).toMatchObject({ data: { timeoutMs: 10 } });
    short.running[1]!.finish("in time");
    expect((await own).text).toBe("in time");
  });

  it("0 fails at once, Infinity never, an invalid duration is a RangeError [CF-04 D17]", async () => {
    const { client, clock, running } = await setUp();
    const now = failureOf(client.callTool("slow", {}, { timeout: 0 }));
    await clock.advance(0);
    expect(await now).toMatchObject({ code: -32001 });
    const never = client.callTool("slow", {}, { timeout: Infinity });
    await clock.advance(10 ** 9);
    running[1]!.finish("at last");
    expect((await never).text).toBe("at last");
    for (const timeout of [-1, NaN, "5" as never]) {
      for (const option of ["timeout", "maxTotalTimeout"]) {
        const message = expect.stringContaining(`"${option}"`) as string;
        await expect(client.callTool("quick", {}, { [option]: timeout })).rejects.toMatchObject({ name: "RangeError", message });
      }
    }
  });

  it("a connection refuses a limit that is negative or not a number [CF-04 D17]", async () => {
    const { server } = createServer();
    for (const timeout of [-1, NaN]) {
      await expect(connect(server, { timeout })).rejects.toBeInstanceOf(RangeError);
      await expect(connect(server, { maxTotalTimeout: timeout })).rejects.toBeInstanceOf(RangeError);
    }
  });

  it("progress starts the time again, but not beyond the total [requirement G5 B1.11 D8]", async () => {
    const { client, clock, running } = await setUp();
    const options = { timeout: 100, maxTotalTimeout: 250, onProgress: () => undefined };
    const extended = client.callTool("slow", {}, options);
    const cut = failureOf(client.callTool("slow", {}, options));
    for (let step = 1; step <= 2; step++) {
      await clock.advance(90);
      await running[0]!.context.progress(step);
      await running[1]!.context.progress(step);
    }
    await clock.advance(60);
    running[0]!.finish("made it");
    expect((await extended).text).toBe("made it");
    await running[1]!.context.progress(3);
    await clock.advance(10);
    const error = await cut;
    expect(error).toMatchObject({ code: -32001, data: { timeoutMs: 250 } });
    expect(error.message).toContain("maxTotalTimeout");
  });

  it("unless the caller says that it does not [requirement G5]", async () => {
    const { client, clock, running } = await setUp();
    const call = failureOf(
      client.callTool("slow", {}, { timeout: 100, resetTimeoutOnProgress: false, onProgress: () => undefined }),
    );
    await clock.advance(90);
    await running[0]!.context.progress(1);
    await clock.advance(10);
    expect(await call).toMatchObject({ code: -32001 });
  });
});

describeInProcess("Progress", ({ connect, since }) => {
  it("goes forward only, to the caller that asked, until the call has ended [requirement G6 D8]", async () => {
    const { server, running } = createServer();
    const client = await connect(server);
    const steps: [string, number][] = [];
    const call = (name: string): Promise<unknown> =>
      client.callTool("slow", {}, { onProgress: ({ progress }) => void steps.push([name, progress]) });
    const [a, b] = [call("a"), call("b")];
    await turn();
    const [one, two] = [running[0]!, running[1]!];
    for (const value of [0, 0.5, 0.5, 0.25, NaN, 1e-9, 2]) await one.context.progress(value);
    await two.context.progress(7);
    one.finish("");
    await a;
    await one.context.progress(3);
    two.finish("");
    await b;
    await turn();
    expect(steps).toEqual([
      ["a", 0],
      ["a", 0.5],
      ["a", 2],
      ["b", 7],
    ]);
  });

  it("progress other than a number is dropped, an invalid total not sent, later progress comes [requirement G6]", async () => {
    const { server, running } = createServer();
    const client = await connect(server);
    const steps: Progress[] = [];
    const call = client.callTool("slow", {}, { onProgress: (step) => void steps.push(step) });
    await turn();
    const { context } = running[0]!;
    for (const value of [Infinity, -Infinity, NaN, "1" as never]) await context.progress(value, 3);
    await context.progress(1, Infinity);
    await context.progress(2, NaN, "half");
    running[0]!.finish("");
    await call;
    expect(steps).toEqual([{ progress: 1 }, { progress: 2, ...(since("2025-03-26") && { message: "half" }) }]);
  });

  it("a slow callback or one that throws delays nothing, and keeps its order [XT-06 XT-07 CF-14]", async () => {
    const { server, running } = createServer();
    const errors: Error[] = [];
    const client = await connect(server, { onError: (error) => void errors.push(error) });
    const steps: number[] = [];
    let release: (() => void) | undefined;
    const onProgress = ({ progress }: Progress): Promise<void> => {
      if (progress === 1) throw new Error("first");
      if (progress === 2) return Promise.reject(new Error("second"));
      steps.push(progress);
      return progress === 3 ? new Promise((resolve) => (release = resolve)) : Promise.resolve();
    };
    const call = client.callTool("slow", {}, { onProgress });
    await turn();
    for (let step = 1; step <= 5; step++) await running[0]!.context.progress(step);
    expect((await client.callTool("quick")).text).toBe("quick");
    expect(steps).toEqual([3]);
    release?.();
    await turn();
    expect(steps).toEqual([3, 4, 5]);
    running[0]!.finish("done");
    expect((await call).text).toBe("done");
    expect(errors.map((error) => error.message)).toEqual(["first", "second"]);
  });

  it("the token goes beside what the caller puts into _meta [CL-23 CF-21]", async () => {
    const server = new McpServer({ name: "s", version: "1" });
    server.tool("meta", {}, (_input, { meta }) => ({ own: meta["x/y"], token: typeof meta["progressToken"] }));
    const client = await connect(server);
    const called = await client.callTool("meta", {}, { meta: { "x/y": [null] }, onProgress: () => undefined });
    expect(JSON.parse(called.text)).toEqual({ own: [null], token: "number" });
    expect(JSON.parse((await client.callTool("meta")).text)).toEqual({ token: "undefined" });
  });
});

describeInProcess("Giving up", ({ connect }) => {
  it("before it was sent: nothing arrives [XT-05]", async () => {
    let calls = 0;
    const server = new McpServer({ name: "s", version: "1" });
    server.tool("count", {}, () => String(++calls));
    const client = await connect(server);
    const reason = { not: "even an Error" };
    await expect(client.callTool("count", {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect((await client.callTool("count")).text).toBe("1");
  });

  it("while it runs: one abort, with the reason, and no response; the next call works [XT-08 D6 requirement G1]", async () => {
    const { server, running } = createServer();
    const errors: Error[] = [];
    const client = await connect(server, { onError: (error) => void errors.push(error) });
    const abort = new AbortController();
    const call = client.callTool("slow", {}, { signal: abort.signal });
    await turn();
    const { signal } = running[0]!.context;
    let aborts = 0;
    signal.addEventListener("abort", () => aborts++);
    abort.abort(new Error("changed my mind"));
    await expect(call).rejects.toThrow("changed my mind");
    await turn();
    expect(aborts).toBe(1);
    expect((signal.reason as Error).message).toBe("Request cancelled: changed my mind");
    running[0]!.finish("too late");
    expect((await client.callTool("quick")).text).toBe("quick");
    expect(errors).toEqual([]);
  });

  it("after its response: nothing happens [D6 D7]", async () => {
    const { server } = createServer();
    const client = await connect(server);
    const abort = new AbortController();
    expect((await client.callTool("quick", {}, { signal: abort.signal })).text).toBe("quick");
    abort.abort();
    expect((await client.callTool("quick")).text).toBe("quick");
  });
});

describeInProcess("Closing", ({ connect }) => {
  it("during a call: it fails, the handler's signal aborts, and nothing can be sent any more [XT-20 XT-02 D13]", async () => {
    const { server, running } = createServer();
    const client = await connect(server);
    const calls = [1, 2, 3].map(() => failureOf(client.callTool("slow")));
    await turn();
    const aborted = running.map(({ context }) => new Promise((resolve) => context.signal.addEventListener("abort", resolve)));
    await Promise.all([client.close(), client.close()]);
    for (const call of calls) expect(await call).toMatchObject({ code: -32000, message: "Connection closed" });
    await Promise.all(aborted);
    await client.closed;
    expect(await failureOf(client.callTool("quick"))).toMatchObject({ code: -32000 });
    await client.notify("notifications/roots/list_changed");
    expect(await failureOf(client.listen({ tools: true, resources: ["a://b"] }))).toMatchObject({ code: -32000 });
    for (const { context } of running) {
      await context.progress(1);
      await context.log.info("nobody hears this");
    }
  });

  it("while a callback runs, and from inside one [XT-20]", async () => {
    const server = new McpServer({ name: "s", version: "1" }, { onError: () => undefined });
    server.tool("log", {}, async (_input, { log }) => {
      await log.error("now");
      return new Promise<string>(() => undefined);
    });
    const client: Client = await connect(server, { logLevel: "error", onLog: () => client.close() });
    expect(await failureOf(client.callTool("log"))).toMatchObject({ code: -32000 });
    await client.closed;
  });

  it("by the server, from inside a handler [XT-20 D13]", async () => {
    const server = new McpServer({ name: "s", version: "1" }, { onError: () => undefined });
    server.tool("close", {}, async () => {
      await server.close();
      return "closed";
    });
    const client = await connect(server);
    expect(await failureOf(client.callTool("close"))).toMatchObject({ code: -32000 });
    await client.closed;
    await expect(connect(server)).rejects.toMatchObject({ code: -32000 });
  });

  it("await using closes [CV-06 XT-20]", async () => {
    const { server } = createServer();
    let kept: Client;
    {
      await using client = await connect(server);
      kept = client;
      expect((await client.callTool("quick")).text).toBe("quick");
    }
    await kept.closed;
    expect(await failureOf(kept.callTool("quick"))).toMatchObject({ code: -32000 });
  });
});

describe("A handler that does not end", () => {
  async function setUp(limits: JsonRpcDispatcherOptions): Promise<{ client: Client; clock: VirtualClock; running: Running[] }> {
    const clock = new VirtualClock();
    const { server, running } = createServer();
    const client = await open("memory", server, { revision: "2025-11-25", clock, timeout: Infinity }, { clock, ...limits });
    return { client, clock, running };
  }

  it("gets its signal aborted, then an error is sent in its place; its slot is free again [D9]", async () => {
    const { client, clock, running } = await setUp({ limits: { handlerTimeout: 1_000, handlerGrace: 50, maxInFlight: 1 } });
    const call = failureOf(client.callTool("slow"));
    await clock.advance(999);
    expect(running[0]!.context.signal.aborted).toBe(false);
    expect(await failureOf(client.callTool("quick"))).toMatchObject({
      code: -32603,
      message: expect.stringContaining("maxInFlight"),
    });
    await clock.advance(1);
    expect(running[0]!.context.signal.aborted).toBe(true);
    await clock.advance(50);
    expect(await call).toMatchObject({ code: -32603, message: expect.stringContaining("handlerTimeout") });
    expect((await client.callTool("quick")).text).toBe("quick");
    running[0]!.finish("nobody waits");
    await turn();
    await client.close();
    expect(clock.pending).toBe(0);
  });

  it("may still return a result after its signal aborted [D9]", async () => {
    const { client, clock, running } = await setUp({ limits: { handlerTimeout: 1_000, handlerGrace: 50 } });
    const call = client.callTool("slow");
    await clock.advance(1_020);
    running[0]!.finish("partial");
    expect((await call).text).toBe("partial");
    await client.close();
  });
});
