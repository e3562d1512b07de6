/** The limits of a connection, over every transport and revision: each limit holds, names itself, and disturbs nothing else. */
import { expect, it } from "vitest";
import type { McpServer, McpServerOptions, Progress } from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix, describeServed } from "../support/matrix.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { testServer } from "../support/test-server.ts";

describeServed("Limits of a server", ({ connect }) => {
  it("a handler that ignores its signal counts as leaked after the grace period, and the operator hears [D9]", async () => {
    const server = testServer({ onError: () => undefined });
    const finish: (() => void)[] = [];
    server.tool("deaf", {}, () => new Promise<string>((resolve) => finish.push(() => resolve("too late"))));
    server.tool("quick", {}, () => "quick");
    const errors: Error[] = [];
    const limits = { limits: { handlerTimeout: 20, handlerGrace: 10 }, onError: (error: Error) => void errors.push(error) };
    const client = await connect(server, {}, limits);
    const leak = async (): Promise<void> => {
      const failure = await failureOf(client.callTool("deaf"));
      expect(failure).toMatchObject({ code: -32603, message: expect.stringContaining("handlerTimeout") });
    };
    const message = 'The handler of "tools/call" did not end after its signal aborted (option "limits.handlerGrace")';
    await leak();
    expect(errors.splice(0)).toMatchObject([{ message, data: { running: 1, total: 1 } }]);
    expect((await client.callTool("quick")).text).toBe("quick");
    await leak();
    expect(errors.splice(0)).toMatchObject([{ message, data: { running: 2, total: 2 } }]);
    for (const end of finish) end();
    await leak(); // those before have ended
    expect(errors.splice(0)).toMatchObject([{ message, data: { running: 1, total: 3 } }]);
    finish.at(-1)!();
  });
});

describeMatrix("Progress that comes too fast", ({ connect, transport }) => {
  const many = transport === "memory" ? 100_000 : 10_000; // how many makes no difference to a transport
  it(`${many} steps of progress cost the caller fifty callbacks and the last one [fault D8]`, async () => {
    const server = testServer();
    server.tool("flood", {}, async (_input, context) => {
      for (let step = 1; step <= many; step++) {
        const told = context.progress(step);
        if (step % 1_000 === 0) await told;
      }
      return "done";
    });
    const client = await connect(server, { clock: new VirtualClock() }); // all of it comes within no time
    const steps: number[] = [];
    const called = await client.callTool("flood", {}, { onProgress: ({ progress }: Progress) => void steps.push(progress) });
    expect(called.text).toBe("done");
    expect(steps).toEqual([...Array.from({ length: 50 }, (_, index) => index + 1), many]);
  });

  it("a caller can request every step with limits.maxProgressRate [D8]", async () => {
    const server = testServer();
    server.tool("flood", {}, async (_input, context) => {
      for (let step = 1; step <= 500; step++) await context.progress(step);
      return "done";
    });
    const client = await connect(server, { limits: { maxProgressRate: Infinity } });
    const steps: number[] = [];
    await client.callTool("flood", {}, { onProgress: ({ progress }) => void steps.push(progress) });
    expect(steps).toHaveLength(500);
  });
});

describeMatrix("A handler that awaits its progress", ({ connect }) => {
  it("lets other work of the process run every few milliseconds", async () => {
    const server = testServer();
    server.tool("long", {}, async (_input, context) => {
      let turns = 0;
      let over = false;
      const count = (): void => {
        turns++;
        if (!over) setImmediate(count);
      };
      setImmediate(count);
      for (let step = 1; step <= 20_000; step++) await context.progress(step);
      over = true;
      return String(turns);
    });
    const client = await connect(server);
    const { text } = await client.callTool("long", {}, { onProgress: () => undefined });
    expect(Number(text)).toBeGreaterThanOrEqual(10);
  });
});

describeMatrix("The content of a tool's result", ({ connect }) => {
  const block = { type: "text", text: "x" } as const;
  const returning = (count: number, options: McpServerOptions = {}): McpServer => {
    const server = testServer({ onError: () => undefined, ...options });
    const content = Array.from({ length: count }, () => block);
    server.tool("blocks", {}, () => content);
    server.tool("whole", {}, () => ({ content }));
    server.tool("checked", { output: { type: "object" } }, async () => ({ content, structuredContent: {} }));
    return server;
  };
  const tools = ["blocks", "whole", "checked"];

  it("has 10 000 blocks at most: with more the call fails, naming the limit", async () => {
    const client = await connect(returning(10_001), { validateOutput: false });
    for (const tool of tools) {
      const failure = await failureOf(client.callTool(tool));
      expect(failure).toMatchObject({ code: -32603, message: 'Limit "maxContentBlocks" of 10000 exceeded (10001)' });
    }
  });

  it("has as many as the server allows", async () => {
    const client = await connect(returning(3, { maxContentBlocks: 3 }));
    for (const tool of tools) expect((await client.callTool(tool)).content).toHaveLength(3);
    expect(() => returning(1, { maxContentBlocks: 0 })).toThrow('"maxContentBlocks" must be a number >= 1');
  });

  it("is not what a tool returns as data, however long", async () => {
    const server = testServer({ maxContentBlocks: 2 });
    server.tool("data", {}, () => ({ rows: [1, 2, 3], content: ["a", "b", "c"] }) as object);
    const client = await connect(server);
    expect((await client.callTool("data")).text).toContain('["a","b","c"]');
  });
});
