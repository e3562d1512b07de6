/** What bounds a connection, over every transport and revision: each limit holds, names itself, and disturbs nothing else. */
import { expect, it } from "vitest";
import { McpServer, type Progress } from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix, describeServed } from "../support/matrix.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

describeServed("Limits of a server", ({ connect }) => {
  it("a handler that ignores its signal is given up after the grace, counted, and told to the operator [D9]", async () => {
    const server = new McpServer({ name: "s", version: "1" }, { onError: () => undefined });
    const finish: (() => void)[] = [];
    server.tool("deaf", {}, () => new Promise<string>((resolve) => finish.push(() => resolve("too late"))));
    server.tool("quick", {}, () => "quick");
    const errors: Error[] = [];
    const limits = { handlerTimeout: 20, handlerGrace: 10, onError: (error: Error) => void errors.push(error) };
    const client = await connect(server, {}, limits);
    expect(server.leakedHandlers).toMatchObject({ running: 0, total: 0 });
    const failure = await failureOf(client.callTool("deaf"));
    expect(failure).toMatchObject({ code: -32603, message: expect.stringContaining("handlerTimeout") });
    expect(server.leakedHandlers).toMatchObject({ running: 1, total: 1 });
    expect(errors.map(({ message }) => message)).toEqual([
      'The handler of "tools/call" did not end when it had to (option "handlerGrace")',
    ]);
    expect((await client.callTool("quick")).text).toBe("quick");
    finish[0]!();
    await expect.poll(() => server.leakedHandlers).toMatchObject({ running: 0, total: 1 });
  });
});

describeMatrix("Progress that comes too fast", ({ connect }) => {
  it("100 000 steps of progress cost the caller fifty callbacks and the last one [fault D8]", async () => {
    const server = new McpServer({ name: "s", version: "1" });
    server.tool("flood", {}, async (_input, context) => {
      for (let step = 1; step <= 100_000; step++) {
        const told = context.progress(step);
        if (step % 1_000 === 0) await told;
      }
      return "done";
    });
    const client = await connect(server, { clock: new VirtualClock() }); // all of it comes within no time
    const steps: number[] = [];
    const called = await client.callTool("flood", {}, { onProgress: ({ progress }: Progress) => void steps.push(progress) });
    expect(called.text).toBe("done");
    expect(steps).toEqual([...Array.from({ length: 50 }, (_, index) => index + 1), 100_000]);
  });

  it("a caller that wants every step says so [D8]", async () => {
    const server = new McpServer({ name: "s", version: "1" });
    server.tool("flood", {}, async (_input, context) => {
      for (let step = 1; step <= 500; step++) await context.progress(step);
      return "done";
    });
    const client = await connect(server, { maxProgressRate: Infinity });
    const steps: number[] = [];
    await client.callTool("flood", {}, { onProgress: ({ progress }) => void steps.push(progress) });
    expect(steps).toHaveLength(500);
  });
});
