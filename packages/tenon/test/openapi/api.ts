/** An HTTP API that records what it receives, byte for byte, and the tools that call it. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { connect, type CallToolResult, type Client, type JsonObject } from "tenon";
import { fromOpenApi, type OpenApi, type OpenApiOptions } from "tenon/openapi";
import { McpServer } from "tenon/server";

export interface Recorded {
  method: string;
  /** The request target as it came. */
  target: string;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

export type Answer = (response: ServerResponse, request: Recorded) => void;

export interface Api {
  readonly url: string;
  readonly requests: Recorded[];
}

/** Starts an API that answers every request alike: by default with an empty JSON object. */
export async function startApi(answer: Answer = (response) => json(response, {})): Promise<Api> {
  const requests: Recorded[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const recorded = { method: request.method!, target: request.url!, headers: request.headers, body: Buffer.concat(chunks) };
      requests.push(recorded);
      answer(response, recorded);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** A document with these paths. */
export function documentOf(paths: JsonObject, more: JsonObject = {}): JsonObject {
  return { openapi: "3.1.0", info: { title: "Test", version: "1" }, paths, ...more };
}

/** A document with one operation, `GET /things` unless `more` says otherwise, whose tool is called `call`. */
export function oneOperation(operation: JsonObject, { path = "/things", method = "get", ...more }: JsonObject = {}): JsonObject {
  return documentOf({ [path as string]: { [method as string]: { operationId: "call", ...operation } } }, more);
}

/** A client of the tools of a document, whose base URL is that of the API. */
export async function clientOf(document: object | string, options: OpenApiOptions): Promise<{ client: Client; api: OpenApi }> {
  const api = await fromOpenApi(document, options);
  const client = await connect(new McpServer({ name: "test", version: "1" }, { tools: api.tools }));
  onTestFinished(() => client.close());
  return { client, api };
}

/** Calls the tool `call` of a document at a new API; returns what the API received and what the call returned. */
export async function callOnce(
  document: object,
  args: JsonObject,
  { options, answer }: { options?: OpenApiOptions; answer?: Answer } = {},
): Promise<{ request: Recorded | undefined; result: CallToolResult }> {
  const { url, requests } = await startApi(answer);
  const { client } = await clientOf(document, { baseUrl: url, ...options });
  const result = await client.callTool("call", args);
  return { request: requests[0], result };
}

/** The text of a result. */
export function textOf({ content }: CallToolResult): string {
  return content.map((block) => ("text" in block ? block.text : "")).join("\n");
}

/** What a promise is rejected with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("value" in outcome) throw new Error("Expected a rejection");
  return outcome.error as Error;
}
