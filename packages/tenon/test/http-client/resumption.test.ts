// Taking a call up again by hand: the caller keeps the token the transport names, stops to wait, and asks for the rest later.
import { connect, type Client } from "tenon";
import { serveHttp } from "tenon/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { closing } from "../support/matrix.ts";
import { failureOf } from "../support/failure-of.ts";
import { scriptedHttp, stateful, type Reply } from "./scripted-http.ts";
import { deferred } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

describe("A call that is given up and taken up again [CS-22 SM-02]", () => {
  test("goes on at the server, and the later call gets its result [DI-10]", async () => {
    const work = deferred<string>();
    const runs: unknown[] = [];
    const server = testServer();
    server.tool("long", {}, async (_input, { signal, log }) => {
      runs.push(signal);
      void log.info("begun");
      return work.promise;
    });
    const http = await serveHttp(server, { port: 0 });
    onTestFinished(() => http.close());
    const client = await closing(connect(http.url, { revision: "2025-11-25" }));
    const token = deferred<string>();
    const abort = new AbortController();
    const first = client.callTool(
      "long",
      {},
      { signal: abort.signal, metadata: { kind: "client", onResumptionToken: (named) => token.resolve(named) } },
    );
    const resumptionToken = await token.promise;
    abort.abort(new Error("the lid was closed"));
    await expect(first).rejects.toThrow("the lid was closed");
    const later = client.callTool("long", {}, { metadata: { kind: "client", resumptionToken } });
    work.resolve("the whole of it");
    expect((await later).text).toBe("the whole of it");
    expect(runs).toHaveLength(1);
    expect((runs[0] as AbortSignal).aborted).toBe(false);
    expect((await client.callTool("long", {})).text).toBe("the whole of it");
    expect(runs).toHaveLength(2);
  });

  test.each([
    [
      "the server is overloaded",
      (reply: Reply) => reply.text("later", 503),
      { code: -32000, outcome: "unknown", cause: { status: 503 } },
    ],
    ["the server still holds the stream", (reply: Reply) => reply.text("busy", 409), { code: -32000, outcome: "unknown" }],
    ["the server has no such stream", (reply: Reply) => reply.text("gone", 410), { status: 410 }],
    ["what comes is no stream", (reply: Reply) => reply.json({}), { name: "UnusableResponseError" }],
    [
      "its response is malformed",
      (reply: Reply) => {
        reply.stream();
        reply.event({ jsonrpc: "2.0", id: 99, result: 7 });
      },
      { message: expect.stringContaining("result") as string },
    ],
  ])("fails if %s", async (_why, answer, failure) => {
    const server = await scriptedHttp(
      stateful((request, reply) => (request.headers["last-event-id"] === undefined ? reply.text("", 405) : answer(reply))),
    );
    const client = await closing(connect(server.url, { validateOutput: false, onError: () => undefined }));
    expect(await failureOf(client.callTool("t", {}, { metadata: { kind: "client", resumptionToken: "e-1" } }))).toMatchObject(
      failure,
    );
    expect(server.methods.filter((method) => method === "GET")).toHaveLength(2);
  });

  test("each hint travels only where it was given; headers are those of this request alone", async () => {
    const server = await scriptedHttp(
      stateful((request, reply) => {
        if (request.method === "GET" && request.headers["last-event-id"] === undefined) return reply.text("", 405);
        reply.stream();
        reply.event({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: 1 } }, "first");
        reply.event({ jsonrpc: "2.0", id: request.message["id"] ?? 99, result: { content: [] } }, "second");
        reply.response.end();
      }),
    );
    const errors: string[] = [];
    const onError = (error: Error): void => void errors.push(error.message);
    const open = (): Promise<Client> =>
      closing(connect({ url: server.url, headers: { "x-tenant": "a", "x-both": "a" } }, { validateOutput: false, onError }));
    const client = await open();
    const tokens: string[] = [];
    const onResumptionToken = (token: string): void => {
      tokens.push(token);
      if (token === "first") throw new Error("contained");
    };
    const headers = { "X-Both": "b", "mcp-method": "not ours", accept: "text/plain" };
    await client.callTool("t", {}, { metadata: { kind: "client", onResumptionToken, headers } });
    expect(tokens).toEqual(["first", "second"]);
    expect(errors).toEqual(["contained"]);
    const sent = server.requests.filter(({ message }) => message["method"] === "tools/call");
    expect(sent[0]!.headers).toMatchObject({ "x-tenant": "a", "x-both": "b", accept: "application/json, text/event-stream" });
    expect(sent[0]!.headers).not.toHaveProperty("mcp-method");
    await client.callTool("t");
    expect(server.requests.findLast(({ message }) => message["method"] === "tools/call")!.headers).toMatchObject({
      "x-both": "a",
    });
    expect(server.methods.filter((method) => method === "GET")).toHaveLength(1);

    await client.callTool("t", {}, { metadata: { kind: "client", resumptionToken: "first", headers: { "x-both": "c" } } });
    const resumed = server.requests.findLast(({ method }) => method === "GET")!;
    expect(resumed.headers).toMatchObject({ "last-event-id": "first", "x-both": "c", accept: "text/event-stream" });
    expect(sent).toHaveLength(1);
    expect(server.methods.filter((method) => method === "tools/call")).toHaveLength(2);
  });
});
