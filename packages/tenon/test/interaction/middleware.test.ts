/**
 * Middleware of clients from the first request on and in both directions; what a server's middleware puts between it and the
 * client.
 */
import { expect, it } from "vitest";
import type { McpServer, HandlerContext, JsonObject, Outbound, TwoWayMiddleware } from "tenon";
import type { AnswerContext, OutgoingRequest } from "tenon/client";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const answer = { role: "assistant" as const, content: { type: "text" as const, text: "yes" }, model: "m" };

function asking(): McpServer {
  const server = testServer();
  server.tool("ask", {}, async (_input, ctx) => {
    void ctx.log.info("asking");
    return (await ctx.sample("sure", { messages: [], maxTokens: 9 })).model;
  });
  return server;
}

/** Writes down what passes, as `direction method`. */
function recorder(): { layer: TwoWayMiddleware; seen: string[]; contexts: HandlerContext[] } {
  const seen: string[] = [];
  const contexts: HandlerContext[] = [];
  const layer: TwoWayMiddleware = Object.assign(
    <C extends HandlerContext>(next: (context: C) => JsonObject | Promise<JsonObject>) =>
      async (context: C): Promise<JsonObject> => {
        contexts.push(context);
        seen.push(`${"options" in context ? "out" : "in"} ${context.method}`);
        return next(context);
      },
    { bothWays: true as const },
  );
  return { layer, seen, contexts };
}

describeMatrix("Middleware of a client", ({ connect, stateless, revision, transport }) => {
  const opening = stateless ? "server/discover" : "initialize";

  it("given to connect() sees every request, the first one and the server's questions included", async () => {
    const { layer, seen, contexts } = recorder();
    const client = await connect(asking(), { middleware: [layer], onSample: () => answer });
    expect((await client.callTool("ask", {}, { validateOutput: false })).text).toBe("m");
    expect(seen).toEqual([
      `out ${opening}`,
      "out tools/call",
      "in sampling/createMessage",
      ...(stateless ? ["out tools/call"] : []),
    ]);
    for (const context of contexts as (OutgoingRequest | AnswerContext)[]) {
      expect(context.protocolVersion).toBe(revision);
      if ("options" in context)
        expect(context.transport).toBe({ direct: "direct", memory: "memory", fetch: "http", socket: "http" }[transport]);
      else expect([context.asked, context.requestId]).toEqual(stateless ? ["result", "sure"] : ["request", expect.any(Number)]);
    }
  });

  it("added later is inside, wraps inbound requests only if it is for both directions, and may change results", async () => {
    const order: string[] = [];
    const both = (name: string): TwoWayMiddleware =>
      Object.assign(
        <C extends HandlerContext>(next: (context: C) => JsonObject | Promise<JsonObject>) =>
          (context: C) => {
            order.push(`${name} ${context.method}`);
            return next(context);
          },
        { bothWays: true as const },
      );
    const client = await connect(asking(), { middleware: [both("outer")], onSample: () => answer });
    client.use(both("inner")).use((next) => (context) => {
      order.push(`own ${context.method}`);
      return next(context);
    });
    order.length = 0;
    expect((await client.callTool("ask", {}, { validateOutput: false })).text).toBe("m");
    expect(order.slice(0, 5)).toEqual([
      "outer tools/call",
      "inner tools/call",
      "own tools/call",
      "outer sampling/createMessage",
      "inner sampling/createMessage",
    ]);
  });
});

describeMatrix("What a server's middleware puts between a request and the client", ({ connect, stateless }) => {
  it("carries the questions and notifications of that request", async () => {
    const sent: string[] = [];
    const server = asking();
    server.use("tools/call", (next) => (context) => {
      const { outbound } = context;
      const between: Outbound = {
        request: (method, params, options) => {
          sent.push(method);
          return outbound.request(method, params, options);
        },
        notify: (method, params) => {
          sent.push(method);
          return outbound.notify(method, { ...params, logger: "between" });
        },
      };
      context.outbound = between;
      return next(context);
    });
    const logs: unknown[] = [];
    const client = await connect(server, {
      onSample: () => answer,
      onLog: (message) => void logs.push(message),
      logLevel: "info",
    });
    await client.callTool("ask", {}, { validateOutput: false });
    expect(sent.filter((method) => method !== "notifications/message")).toEqual(stateless ? [] : ["sampling/createMessage"]);
    expect(logs[0]).toEqual({ level: "info", data: "asking", logger: "between" });
  });
});
