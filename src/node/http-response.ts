/** Writes a response to Node's socket: one write where everything is known, and streams with their back-pressure. */
import type { ServerResponse } from "node:http";
import { JsonText } from "../jsonrpc/message.ts";
import { EventStream } from "../server/http/event-stream.ts";
import type { HttpResponse } from "../server/http/http-message.ts";
import { bytesOf } from "./json-bytes.ts";
import { ResponseSink } from "./response-sink.ts";

/** Above this a text is encoded once here; below, it leaves together with the head. */
const SMALL_TEXT = 32_768;

/** Nothing is written where the client has gone. */
export function writeResponse(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  if (response.destroyed || response.headersSent) {
    if (body instanceof EventStream) body.gone();
    return;
  }
  if (typeof body === "string") writeText(response, status, headers, body);
  else if (body === undefined) response.writeHead(status, status === 204 ? [...headers] : [...headers, "Content-Length", "0"]).end();
  else if (body instanceof EventStream) writeStream(response, status, headers, body);
  else writeParts(response, status, headers, body);
}

function writeText(response: ServerResponse, status: number, headers: readonly string[], text: string): void {
  const body = text.length > SMALL_TEXT ? Buffer.from(text) : text;
  response.writeHead(status, [...headers, "Content-Length", String(Buffer.byteLength(body))]);
  response.end(body);
}

function writeParts(response: ServerResponse, status: number, headers: readonly string[], parts: readonly (string | JsonText)[]): void {
  const pieces = parts.map((part) => (part instanceof JsonText ? pieceOf(part) : part));
  const length = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  response.writeHead(status, [...headers, "Content-Length", String(length)]);
  response.cork();
  for (let i = 0; i < pieces.length - 1; i++) response.write(pieces[i]!);
  response.end(pieces.at(-1));
  response.uncork();
}

/** Bytes where many answers carry it; what is written once is encoded by the socket itself, without a copy that the heap has to be rid of. */
function pieceOf(json: JsonText): string | Uint8Array {
  return json.reused ? bytesOf(json) : json.text;
}

function writeStream(response: ServerResponse, status: number, headers: readonly string[], stream: EventStream): void {
  response.writeHead(status, [...headers]);
  new ResponseSink(response).carry(stream);
}
