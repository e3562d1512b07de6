/** A server on a loopback port that answers over HTTP as it is told to, on any revision: with what no codec would write. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { JsonObject } from "tenon";

/** What a server answers to a request: a result, or a whole response if it is wrapped so; undefined for "Method not found". */
export type OddAnswers = (method: string, params: JsonObject | undefined) => JsonObject | Whole | undefined;

/** A response with an envelope of its own. */
export class Whole {
  readonly members: JsonObject;
  constructor(members: JsonObject) {
    this.members = members;
  }
}

export interface OddOptions {
  /** The revision; default 2025-06-18. */
  readonly version?: string;
  /** Members of the result of `initialize`, or of `server/discover`. */
  readonly opening?: JsonObject;
}

/** Serves until the test has finished. Returns its URL. A text such as `#12#` in an answer is written as that number. */
export async function oddServer(answers: OddAnswers, { version = "2025-06-18", opening = {} }: OddOptions = {}): Promise<string> {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const message = JSON.parse((await text(request)) || "{}") as JsonObject;
    if (request.method !== "POST") return void response.writeHead(405).end();
    if (message["id"] === undefined) return void response.writeHead(202).end();
    const { id, method, params } = message as { id: number; method: string; params?: JsonObject };
    const opened = openingOf(method, version, opening);
    const answer = opened ?? answers(method, params);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...envelopeOf(answer) }).replace(/"#(\d+)#"/g, "$1"));
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

function openingOf(method: string, version: string, members: JsonObject): JsonObject | undefined {
  const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {} };
  const isStateless = version === "2026-07-28";
  if (method === "server/discover" && isStateless) {
    return { resultType: "complete", supportedVersions: [version], capabilities, ttlMs: 0, cacheScope: "private", ...members };
  }
  if (method !== "initialize" || isStateless) return undefined;
  return { protocolVersion: version, capabilities, serverInfo: { name: "odd", version: "1" }, ...members };
}

function envelopeOf(answer: JsonObject | Whole | undefined): JsonObject {
  if (answer === undefined) return { error: { code: -32601, message: "Method not found" } };
  return answer instanceof Whole ? answer.members : { result: answer };
}
