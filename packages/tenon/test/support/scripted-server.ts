/**
 * A server that is nothing but its answers, by method: for responses that Tenon's server never sends.
 *
 * It stands on a `ScriptedTransport`, which is what a client connects to; what the client wrote is in `sent`.
 */
import type { JsonObject } from "tenon";
import { ScriptedTransport } from "./scripted-transport.ts";

/** Answers one request, or does not. */
export type Reply = (request: JsonObject, server: ScriptedTransport) => unknown;

export function scriptedServer(replies: { readonly [method: string]: Reply }): ScriptedTransport {
  const server = new ScriptedTransport();
  server.write = (message) => {
    const request = message as unknown as JsonObject; // what a client sends
    replies[request["method"] as string]?.(request, server);
  };
  return server;
}

/** The methods a client has sent, in order. */
export function methodsOf(server: ScriptedTransport): unknown[] {
  return server.sent.map((message) => message["method"]);
}

/** Answers with a result. */
export function result(value: JsonObject): Reply {
  return ({ id }, server) => server.push({ jsonrpc: "2.0", id, result: value });
}

/** Answers with an error; `id: null` where the server could not read the request's. */
export function failure(code: number, data?: unknown, id?: null): Reply {
  return (request, server) =>
    server.push({
      jsonrpc: "2.0",
      id: id === null ? null : request["id"],
      error: { code, message: "x", ...(data !== undefined && { data }) },
    });
}
