/**
 * The `middleware` of a server's entry: it is around the handshake with that server and the calls that the gateway forwards to
 * it.
 */
import { expect, it, onTestFinished } from "vitest";
import { McpServer, type Middleware } from "tenon";
import type { OutgoingRequest } from "tenon/client";
import { createGateway } from "tenon/gateway";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

function upstream(name: string): McpServer {
  const server = testServer({ name });
  server.tool("echo", {}, (_input, ctx) => JSON.stringify((ctx.meta as { tenant?: string }).tenant ?? "none"));
  server.prompt("hello", {}, () => `hello of ${name}`);
  return server;
}

describeMatrix("middleware of an entry", ({ connect: open }) => {
  it("sees the calls to its server and no others, and may change what they send and what they return", async () => {
    const seen: string[] = [];
    const layer: Middleware<OutgoingRequest> = (next) => async (request) => {
      seen.push(request.method);
      if (request.method !== "tools/call") return next(request);
      const { _meta: meta } = request.params;
      const result = await next({ ...request, params: { ...request.params, _meta: { ...Object(meta), tenant: "north" } } });
      return { ...result, _meta: { seen: String(request.params["name"]) } };
    };
    const gateway = createGateway({
      readyTimeout: 60_000,
      servers: { a: { target: upstream("a"), middleware: [layer] }, b: upstream("b") },
      onError: () => undefined,
    });
    onTestFinished(() => gateway.close());
    const client = await open(gateway);
    await client.listTools();
    seen.length = 0;

    const { text, _meta: meta } = await client.callTool("a__echo");
    expect(text).toBe('"north"');
    expect(meta).toMatchObject({ seen: "echo" });
    expect((await client.callTool("b__echo")).text).toBe('"none"');
    await client.getPrompt("a__hello");
    await client.getPrompt("b__hello");
    expect(seen).toEqual(["tools/call", "prompts/get"]);
  });

  it("is within the gateway's own middleware for both ways, and may refuse a call", async () => {
    const order: string[] = [];
    const outer = Object.assign(
      <C extends { method: string }>(next: (context: C) => unknown) =>
        (context: C) => {
          if ("options" in context && context.method === "tools/call") order.push("gateway");
          return next(context);
        },
      { bothWays: true as const },
    );
    const refusing: Middleware<OutgoingRequest> = (next) => (request) => {
      if (request.method !== "tools/call") return next(request);
      order.push("entry");
      throw new Error("not today");
    };
    const gateway = createGateway({
      readyTimeout: 60_000,
      servers: { a: { target: upstream("a"), middleware: [refusing] } },
      onError: () => undefined,
    });
    onTestFinished(() => gateway.close());
    gateway.use(outer as never);
    const client = await open(gateway);
    await expect(client.callTool("a__echo")).rejects.toThrow("Internal error");
    expect(order).toEqual(["gateway", "entry"]);
  });
});
