// The Node handler inside the frameworks people use, and what they do to a body before it gets there (H17).
import { AsyncLocalStorage } from "node:async_hooks";
import type { AddressInfo } from "node:net";
import express from "express";
import fastify from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import type { McpServer } from "tenon/server";
import { toNodeHandler } from "tenon/node";
import { exchange, initialize, listen, mirrored, statelessBody, type Send } from "./support.ts";
import { testServer } from "../support/test-server.ts";

function server(): McpServer {
  const made = testServer({ onError: () => undefined });
  made.tool("hello", {}, () => "Hello");
  made.tool("steps", {}, async (_input, ctx) => {
    await ctx.progress(1);
    return "done";
  });
  return made;
}

async function inFastify(): Promise<Send> {
  const handler = toNodeHandler(server());
  const app = fastify();
  app.all("/mcp", (request, reply) => {
    reply.hijack();
    handler(request.raw, reply.raw, request.body);
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  return (sent) => exchange(port, sent);
}

function inExpress(...before: express.RequestHandler[]): Promise<Send> {
  const app = express();
  for (const middleware of before) app.use(middleware);
  app.all("/mcp", toNodeHandler(server()));
  return listen(app);
}

const ways: Record<string, () => Promise<Send>> = {
  "node:http": () => listen(toNodeHandler(server())),
  "Express 5": () => inExpress(),
  "Express 5 with express.json()": () => inExpress(express.json()),
  "Express 5 with express.text()": () => inExpress(express.text({ type: "*/*" })),
  "Express 5 with express.raw()": () => inExpress(express.raw({ type: "*/*" })),
  "Fastify 5": inFastify,
};

describe.each(Object.keys(ways))("%s", (way) => {
  test("a stateless call, as JSON and as a stream", async () => {
    const send = await ways[way]!();
    const hello = { name: "hello" };
    expect((await send({ headers: mirrored("tools/call", hello), body: statelessBody("tools/call", hello) })).json).toMatchObject(
      {
        result: { content: [{ text: "Hello" }] },
      },
    );
    const steps = { name: "steps", _meta: { progressToken: 1 } };
    const stream = await send({ headers: mirrored("tools/call", steps), body: statelessBody("tools/call", steps) });
    expect(stream.messages.map((message) => message["method"] ?? "answer")).toEqual(["notifications/progress", "answer"]);
  });

  test("a session, from its handshake to DELETE", async () => {
    const send = await ways[way]!();
    const id = String((await send({ body: initialize("2025-11-25") })).headers["mcp-session-id"]);
    const headers = { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
    expect((await send({ headers, body: { jsonrpc: "2.0", method: "notifications/initialized" } })).status).toBe(202);
    expect(
      (await send({ headers, body: { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "hello" } } })).json,
    ).toMatchObject({
      id: 2,
    });
    expect((await send({ method: "DELETE", headers })).status).toBe(204);
    expect((await send({ method: "DELETE", headers })).status).toBe(404);
  });

  test("the guard is part of the handler [rule R1]", async () => {
    const send = await ways[way]!();
    expect((await send({ headers: { host: "evil.example" }, body: initialize("2025-11-25") })).status).toBe(421);
    expect((await send({ headers: { origin: "https://evil.example" }, body: initialize("2025-11-25") })).status).toBe(403);
  });
});

test("a parsed body goes through every check of a text [H17]", async () => {
  const send = await inExpress(express.json());
  let deep: unknown = 1;
  for (let i = 0; i < 100; i++) deep = [deep];
  const params = { name: "hello", arguments: { deep } };
  const { status, json } = await send({ headers: mirrored("tools/call", params), body: statelessBody("tools/call", params) });
  expect([status, json]).toMatchObject([400, { error: { code: -32600, data: { limit: "depth" } } }]);
});

test.each([express.text({ type: "*/*" }), express.raw({ type: "*/*" }), express.json()])(
  "a body that a framework has read is held to the limit too [H17 F7]",
  async (reads) => {
    const app = express();
    app.use(reads);
    app.all("/mcp", toNodeHandler(server(), { limits: { maxBodyBytes: 1_000 } }));
    const send = await listen(app);
    const params = { name: "hello", arguments: { text: "x".repeat(1_000) } };
    // without Content-Length, which is refused earlier
    const headers = { ...mirrored("tools/call", params), "transfer-encoding": "chunked" };
    expect((await send({ headers, body: statelessBody("tools/call", params) })).status).toBe(413);
  },
);

test("a handler runs in the context in which its framework has called, also if the body arrives later [CV-12 H17]", async () => {
  const user = new AsyncLocalStorage<string>();
  const made = server();
  made.tool("who", {}, () => user.getStore() ?? "nobody");
  const app = express();
  app.use((_request, _response, next) => user.run("ada", next));
  app.all("/mcp", toNodeHandler(made));
  const send = await listen(app);
  const params = { name: "who" };
  const headers = { ...mirrored("tools/call", params), expect: "100-continue" };
  const body = statelessBody("tools/call", params);
  await send({ headers, body }); // the first request loads the endpoint, and the body has arrived then
  expect((await send({ headers, body })).json).toMatchObject({ result: { content: [{ text: "ada" }] } });
});

test("a body that is gone is a parse error, not a wait [H17]", async () => {
  const swallow: express.RequestHandler = (request, _response, next) => {
    request.resume().on("end", () => next());
  };
  const send = await inExpress(swallow);
  const { status, json } = await send({ body: initialize("2025-11-25") });
  expect([status, json]).toMatchObject([400, { error: { code: -32700 } }]);
});

test("what is no server is refused when the handler is made", () => {
  expect(() => toNodeHandler({} as McpServer)).toThrow(TypeError);
});
