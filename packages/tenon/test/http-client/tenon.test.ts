// Our client and our server over real sockets: what depends on time and on order, on every revision, JSON and streams.
import { connect, type McpServer, type Client, type ConnectOptions, type ProtocolVersion } from "tenon";
import { serveHttp, type HttpEndpoint, type ServeHttpOptions } from "tenon/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { failureOf } from "../support/failure-of.ts";
import { closing, REVISIONS } from "../support/matrix.ts";
import { deferred } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

async function serve(server: McpServer, options?: ServeHttpOptions): Promise<HttpEndpoint> {
  const endpoint = await serveHttp(server, { port: 0, ...options });
  onTestFinished(() => endpoint.close());
  return endpoint;
}

type Mode = "auto" | "sse" | "json";

const openOn =
  (responseMode: Mode, revision: ProtocolVersion) =>
  async (server: McpServer, options?: ConnectOptions): Promise<Client> => {
    const { url } = await serve(server, { responseMode });
    return closing(connect(url, { revision, ...options }));
  };

describe.each<Mode>(["auto", "sse", "json"])("responses: %s", (responseMode) => {
  describe.each(REVISIONS)("%s", (revision) => {
    const open = openOn(responseMode, revision);

    test("many calls at once, each with its own result", async () => {
      const server = testServer();
      server.tool("double", { input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } }, ({ n }) =>
        String(n * 2),
      );
      const client = await open(server);
      const texts = await Promise.all(Array.from({ length: 100 }, async (_, n) => (await client.callTool("double", { n })).text));
      expect(texts).toEqual(Array.from({ length: 100 }, (_, n) => String(n * 2)));
    });

    test("abandoning a call aborts its handler, and the next call works [requirement G1 requirement G3 E1.8 F1.6]", async () => {
      const started = deferred<void>();
      const stopped = deferred<void>();
      const server = testServer();
      server.tool("wait", {}, (_args, { signal }) => {
        started.resolve();
        return new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            stopped.resolve();
            reject(signal.reason as Error);
          });
        });
      });
      server.tool("next", {}, () => "next");
      const client = await open(server);
      const abort = new AbortController();
      const call = client.callTool("wait", {}, { signal: abort.signal });
      await started.promise;
      abort.abort(new Error("enough"));
      await expect(call).rejects.toThrow("enough");
      await stopped.promise;
      expect((await client.callTool("next")).text).toBe("next");
    });
  });
});

// A server that answers with JSON only has nowhere to say anything before the answer.
describe.each<Mode>(["auto", "sse"])("responses: %s", (responseMode) => {
  describe.each(REVISIONS)("%s", (revision) => {
    const open = openOn(responseMode, revision);

    test("progress arrives in order, before the result [requirement G6 requirement G7]", async () => {
      const server = testServer();
      server.tool("count", {}, async (_args, ctx) => {
        for (let step = 1; step <= 100; step++) await ctx.progress(step, 100);
        return "done";
      });
      const client = await open(server, { limits: { maxProgressRate: Infinity } });
      const steps: number[] = [];
      await client.callTool("count", {}, { onProgress: ({ progress }) => void steps.push(progress) });
      expect(steps).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    });

    test("changes are heard [I1 I4 I5]", async () => {
      const server = testServer();
      server.tool("first", {}, () => "");
      const client = await open(server);
      const stream = await client.listen({ tools: true });
      server.tool("second", {}, () => "");
      expect((await stream.next()).value).toEqual({ kind: "tools" });
      expect((await client.listTools()).tools).toHaveLength(2);
      await stream.close();
    });
  });
});

test("a server that closes ends the streams of stateless clients in good order [I8]", async () => {
  const server = testServer();
  server.tool("first", {}, () => "");
  const endpoint = await serve(server);
  const client = await closing(connect(endpoint.url));
  const stream = await client.listen({ tools: true });
  await endpoint.drain(100);
  expect(await stream.next()).toEqual({ done: true, value: undefined });
});

test("a server that starts again in a session: what is safe works at once, the rest says what happened [R-7 C10]", async () => {
  const define = (): McpServer => {
    const server = testServer();
    server.tool("t", {}, () => "ok");
    return server;
  };
  const first = await serve(define());
  const client = await closing(connect(first.url, { revision: "2025-11-25" }));
  expect((await client.callTool("t")).text).toBe("ok");
  await first.close();
  await serve(define(), { port: first.port });
  expect(await failureOf(client.callTool("t"))).toMatchObject({ code: -32000, outcome: "unknown" });
  expect((await client.listTools()).tools).toHaveLength(1);
  expect((await client.callTool("t")).text).toBe("ok");
});

test("which revision a server speaks is found out, stateless first [B4.1 B4.3]", async () => {
  const server = testServer();
  const { url } = await serve(server);
  expect((await closing(connect(url))).protocolVersion).toBe("2026-07-28");
  expect((await closing(connect(new URL(url), { revision: "stateful" }))).protocolVersion).toBe("2025-11-25");
});
