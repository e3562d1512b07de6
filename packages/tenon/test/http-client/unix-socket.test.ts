// Our client and our server over a Unix socket, on both families of revisions: everything that works over TCP.
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { connect, type McpServer } from "tenon";
import { socketFetch } from "tenon/node";
import { clientOf, serveOn, socketPath } from "../http/unix-socket-support.ts";
import { failureOf } from "../support/failure-of.ts";
import { deferred } from "../support/gate.ts";
import { closing } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const named = (name: string): McpServer => {
  const server = testServer({ name });
  server.tool("who", {}, () => name);
  return server;
};

describe.each(["2025-11-25", "2026-07-28"] as const)("%s over a Unix socket", (revision) => {
  test("calls, with a body and a result of megabytes", async () => {
    const path = socketPath();
    const server = testServer();
    server.tool("echo", { input: z.object({ text: z.string() }) }, ({ text }) => text + text);
    await serveOn(path, server);
    const client = await clientOf(path, { revision });
    expect(client.protocolVersion).toBe(revision);
    const text = "ä".repeat(1_000_000);
    expect((await client.callTool("echo", { text })).text).toBe(text + text);
  });

  test("progress and a question to the user", async () => {
    const path = socketPath();
    const server = testServer();
    server.tool("book", {}, async (_input, ctx) => {
      for (let step = 1; step <= 3; step++) await ctx.progress(step, 3);
      const { content } = await ctx.elicit("seat", { message: "Which seat?", schema: z.object({ seat: z.string() }) });
      return content?.seat ?? "none";
    });
    await serveOn(path, server);
    const steps: number[] = [];
    const client = await clientOf(path, {
      revision,
      onElicit: () => ({ action: "accept", content: { seat: "14A" } }),
      limits: { maxProgressRate: Infinity },
    });
    const { text } = await client.callTool("book", {}, { onProgress: ({ progress }) => void steps.push(progress) });
    expect(text).toBe("14A");
    expect(steps.slice(0, 3)).toEqual([1, 2, 3]);
  });

  test("a stream of changes", async () => {
    const path = socketPath();
    const server = named("one");
    await serveOn(path, server);
    const client = await clientOf(path, { revision });
    const stream = await client.listen({ tools: true });
    server.tool("second", {}, () => "");
    expect((await stream.next()).value).toEqual({ kind: "tools" });
    expect((await client.listTools()).tools).toHaveLength(2);
    await stream.close();
  });

  test("a call that is cancelled aborts its handler, and the next one works", async () => {
    const path = socketPath();
    const server = named("one");
    const [started, stopped] = [deferred<void>(), deferred<void>()];
    server.tool("wait", {}, (_input, { signal }) => {
      started.resolve();
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          stopped.resolve();
          reject(signal.reason as Error);
        });
      });
    });
    await serveOn(path, server);
    const client = await clientOf(path, { revision });
    const abort = new AbortController();
    const call = client.callTool("wait", {}, { signal: abort.signal });
    await started.promise;
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await stopped.promise;
    expect((await client.callTool("who")).text).toBe("one");
  });

  test("two clients at once, and one that closes does not end the other", async () => {
    const path = socketPath();
    await serveOn(path, named("one"));
    const [first, second] = [await clientOf(path, { revision }), await clientOf(path, { revision })];
    const answers = await Promise.all([first, second, first, second].map((client) => client.callTool("who")));
    expect(answers.map(({ text }) => text)).toEqual(["one", "one", "one", "one"]);
    await first.close();
    expect((await second.callTool("who")).text).toBe("one");
  });

  test("a server that is gone is named, and is used again once it is back", async () => {
    const path = socketPath();
    const before = await serveOn(path, named("before"));
    const client = await clientOf(path, { revision });
    expect((await client.callTool("who")).text).toBe("before");
    await before.close();
    expect(await failureOf(client.callTool("who"))).toMatchObject({
      name: "ConnectionLostError",
      outcome: "not-sent",
      message:
        `Cannot reach http://localhost/mcp: it was asked through the socket ${path}, which does not exist: ` +
        "is the server running, and is the path right? (ENOENT)",
    });
    await serveOn(path, named("after"));
    if (revision === "2025-11-25") await client.listTools(); // opens a new session
    expect((await client.callTool("who")).text).toBe("after");
  });
});

test("clients of two sockets with one URL do not mix what they know of their servers", async () => {
  const [old, now] = [socketPath(), socketPath()];
  await serveOn(old, named("old"), { httpSse: true });
  await serveOn(now, named("now"));
  await closing(connect({ url: "http://localhost/mcp", fetch: socketFetch(old) }, { revision: "stateful" }));
  const client = await clientOf(now);
  expect([client.protocolVersion, (await client.callTool("who")).text]).toEqual(["2026-07-28", "now"]);
});

test("a stateful client opens its session over the socket, and ends it there", async () => {
  const path = socketPath();
  await serveOn(path, named("one"), { sessions: { max: 1 } });
  for (let run = 0; run < 3; run++) {
    const client = await connect({ url: "http://localhost/mcp", fetch: socketFetch(path) }, { revision: "2025-11-25" });
    expect((await client.callTool("who")).text).toBe("one");
    await client.close();
  }
});

test("a socket without a server is named when a client connects", async () => {
  const path = socketPath();
  await expect(clientOf(path)).rejects.toThrow(`it was asked through the socket ${path}, which does not exist`);
});
