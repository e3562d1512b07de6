/** A server with tools that send progress, ask and wait, for tests of the streams of sessions. */
import type { McpServer } from "tenon/server";
import type { JsonObject } from "tenon";
import { EventReader } from "./event-reader.ts";
import type { OpenSession, Served } from "./support.ts";
import { gate, type Gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

export interface StreamFixture {
  readonly server: McpServer;
  readonly gate: Gate;
}

export function streamFixture(): StreamFixture {
  const server = testServer({ onError: () => undefined });
  const closed = gate();
  server.tool("hello", {}, () => "Hello");
  server.tool(
    "numbers",
    { input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const },
    async ({ n }, ctx) => {
      for (let i = 1; i <= n; i++) await ctx.progress(i);
      await closed.opened;
      for (let i = n + 1; i <= 2 * n; i++) await ctx.progress(i);
      return "counted";
    },
  );
  server.tool("ask", {}, async (_input, ctx) => `${(await ctx.session.listRoots()).roots.length} roots`);
  server.tool("poll", {}, async (_input, ctx) => {
    ctx.closeStream();
    await closed.opened;
    return "polled";
  });
  server.tool("wait", {}, async (_input, ctx) => {
    await ctx.progress(1);
    await closed.opened;
    return String(ctx.signal.aborted);
  });
  return { server, gate: closed };
}

export const call = (name: string, args: JsonObject = {}, id: string | number = 2): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args, _meta: { progressToken: `t${id}` } },
});
export const get = (http: Served, session: OpenSession, headers: Record<string, string> = {}): Promise<EventReader> =>
  EventReader.open(http.port, { headers: { ...session.headers, ...headers } });
export const progressOf = (data: string): unknown =>
  (JSON.parse(data) as { params?: { progress?: number } }).params?.progress ?? "answer";
