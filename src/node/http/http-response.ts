/**
 * Writes a response to Node's socket: one write where it is small, pieces where it is large, and streams with their
 * back-pressure. What a client does not take counts in its backlog, whatever form it has.
 */
import type { ServerResponse } from "node:http";
import { ErrorCode, LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import { JsonText } from "../../jsonrpc/message.ts";
import { EventStream } from "../../server/http/exchange/event-stream.ts";
import { refusal, type HttpResponse } from "../../server/http/http-message.ts";
import { unsent } from "../../server/http/exchange/unsent.ts";
import { isBehind, waitingBytes, type Outlet } from "./backlog.ts";
import { bytesOf } from "../text-bytes.ts";
import { ResponseSink } from "./response-sink.ts";
import { endWith, type Chunk } from "./write-body.ts";

/** Above this a text is encoded once here; below, it leaves together with the head. */
const SMALL_TEXT = 32_768;

/** Nothing is written where the client has gone. */
export function writeResponse(outlet: Outlet, response: ServerResponse, answer: HttpResponse): void {
  const { status, headers, body } = answer;
  if (response.destroyed || response.headersSent) {
    if (body instanceof EventStream) body.gone();
  } else if (typeof body === "string") {
    writeChunks(outlet, response, answer, [body.length > SMALL_TEXT ? Buffer.from(body) : body]);
  } else if (body === undefined) {
    response.writeHead(status, status === 204 ? [...headers] : [...headers, "Content-Length", "0"]);
    endWith(outlet, response, [], 0);
  } else if (body instanceof EventStream) {
    response.writeHead(status, [...headers]);
    new ResponseSink(outlet, response).carry(body);
  } else {
    writeChunks(
      outlet,
      response,
      answer,
      body.map((part) => (part instanceof JsonText ? chunkOf(part) : part)),
    );
  }
}

function writeChunks(outlet: Outlet, response: ServerResponse, { status, headers }: HttpResponse, chunks: readonly Chunk[]): void {
  let length = 0;
  for (const chunk of chunks) length += Buffer.byteLength(chunk);
  const full = length > SMALL_TEXT ? fullLimit(outlet, response) : undefined;
  if (full !== undefined) return writeResponse(outlet, response, dropped(full));
  response.writeHead(status, [...headers, "Content-Length", String(length)]);
  endWith(outlet, response, chunks, length);
}

/** Bytes where many answers carry it; what is written once is encoded by the socket itself, without a copy that the heap has to be rid of. */
function chunkOf(json: JsonText): Chunk {
  return json.reused ? bytesOf(json) : json.text;
}

/** The limit that leaves no room for one more large answer to this client. */
function fullLimit({ settings }: Outlet, response: ServerResponse): LimitExceededError | undefined {
  const { maxUnsent, maxBuffered } = settings;
  if (unsent.size > maxUnsent) return new LimitExceededError("maxUnsent", maxUnsent, unsent.size, ErrorCode.InternalError);
  if (!isBehind(response, maxBuffered)) return undefined;
  return new LimitExceededError("maxBuffered", maxBuffered, waitingBytes(response), ErrorCode.InternalError);
}

/** In the place of an answer there is no room for. Not 503: the request was served, and must not be repeated without a thought. */
function dropped(limit: LimitExceededError): HttpResponse {
  return refusal(500, limit.toErrorData());
}
