/**
 * An HTTP server that speaks as a provider's API: it validates each request by the rules of `schema-rules.ts` and
 * `message-rules.ts`, answers
 * 400 in the provider's form, and else says what its script says next. Streams come in odd chunks.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { refusalOfMessages } from "./message-rules.ts";
import { replyOf, streamOf, type Turn } from "./model-replies.ts";
import { refusalOfTools, type Json, type OfferedTool, type Provider } from "./schema-rules.ts";

export interface ModelServer {
  readonly url: string;
  /** The bodies of all requests. */
  readonly requests: readonly Json[];
  /** Their paths. */
  readonly paths: readonly string[];
  /** Their headers. */
  readonly headers: readonly IncomingHttpHeaders[];
}

/** A model that says the turns of the script, one for each request, and the last one again and again. */
export async function modelServer(provider: Provider, script: readonly Turn[]): Promise<ModelServer> {
  const requests: Json[] = [];
  const paths: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const remembered: Json[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk as string;
    const body = JSON.parse(text) as Json;
    requests.push(body);
    paths.push(request.url!);
    headers.push(request.headers);
    const kept = body["previous_response_id"] === undefined ? [] : remembered;
    const refusal = refusalOfTools(provider, offered(provider, body)) ?? refusalOfMessages(provider, body, kept, request.url);
    if (refusal !== undefined) return refuse(provider, response, refusal);
    const turn = script[Math.min(requests.length, script.length) - 1]!;
    if (provider === "openai") remembered.push(...list(body["input"]), ...list(replyOf("openai", turn)["output"]));
    if (body["stream"] === true || request.url!.includes("stream")) return stream(response, streamOf(provider, turn));
    response.setHeader("content-type", "application/json").end(JSON.stringify(replyOf(provider, turn)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, paths, headers }; // it listens on a port
}

function offered(provider: Provider, body: Json): OfferedTool[] {
  const tools = list(body["tools"]);
  if (provider === "anthropic") return tools.map(({ name, input_schema: schema, strict }) => tool(name, schema, strict));
  if (provider === "openai") return tools.map(({ name, parameters, strict }) => tool(name, parameters, strict));
  if (provider === "chat") {
    const functions = tools.map((one) => one["function"] as Json); // tools of this kind only
    return functions.map(({ name, parameters, strict }) => tool(name, parameters, strict));
  }
  const declarations = tools.flatMap((one) => list(one["functionDeclarations"]));
  return declarations.map(({ name, parametersJsonSchema }) => tool(name, parametersJsonSchema, false));
}

function tool(name: unknown, schema: unknown, strict: unknown): OfferedTool {
  return { name: String(name), schema: schema as Json, strict: strict === true };
}

function refuse(provider: Provider, response: ServerResponse, message: string): void {
  const errors = {
    anthropic: { type: "error", error: { type: "invalid_request_error", message } },
    openai: { error: { message, type: "invalid_request_error", param: null, code: null } },
    chat: { error: { message, type: "invalid_request_error", param: null, code: null } },
    gemini: { error: { code: 400, message, status: "INVALID_ARGUMENT" } },
  };
  response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(errors[provider]));
}

/** Writes in chunks of seven bytes, so that no event, line, character or escape comes whole. */
function stream(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
  response.end();
}

function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
