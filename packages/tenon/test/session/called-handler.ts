/** A server whose one tool does what a test wants, and its call over a stateful connection whose client is the test. */
import { onTestFinished } from "vitest";
import { acceptorOf, JsonRpcDispatcher, McpServer, type JsonObject, type RequestContext } from "tenon";
import { ScriptedTransport } from "../support/scripted-transport.ts";
import { turn } from "../support/virtual-clock.ts";
import { testServer } from "../support/test-server.ts";

export const NOBODY = { name: "nobody", version: "0" };

/** A server whose one tool does what the test wants. */
export function serverDoing(work: (context: RequestContext) => unknown): McpServer {
  const server = testServer({ onError: () => undefined });
  server.tool("do", {}, async (_input, context) => {
    await work(context);
    return "done";
  });
  server.resource("a://b", { name: "b" }, () => "");
  server.prompt("p", {}, () => "");
  return server;
}

/** A stateful connection whose client is the test, after the handshake; the tool is called with `id`. */
export async function called(
  work: (context: RequestContext) => unknown,
  { capabilities = {}, id = 0, _meta = {} }: { capabilities?: JsonObject; id?: number | string; _meta?: JsonObject } = {},
): Promise<ScriptedTransport> {
  const transport = new ScriptedTransport();
  const dispatcher = new JsonRpcDispatcher(transport);
  onTestFinished(() => dispatcher.close());
  acceptorOf(serverDoing(work))
    .accept(dispatcher)
    .catch(() => undefined);
  transport.push({
    jsonrpc: "2.0",
    id: "init",
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities, clientInfo: NOBODY },
  });
  transport.push({ jsonrpc: "2.0", method: "notifications/initialized" });
  await turn();
  transport.take();
  transport.push({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "do", arguments: {}, _meta } });
  await turn();
  return transport;
}
