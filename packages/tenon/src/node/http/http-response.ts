/**
 * Writes a complete response to Node's socket: one write if it is small, several pieces if it is large.
 *
 * Bytes that the client does not take count in its backlog. A connection that takes a piece has not stalled, however long
 * the whole response takes.
 */
import type { ServerResponse } from "node:http";
import { ErrorCode, LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import { JsonText } from "../../jsonrpc/message.ts";
import { unsent } from "../../base/unsent.ts";
import { EventStream } from "../../server/http/exchange/event-stream.ts";
import { refusal, type HttpResponse, type StreamResponse, type WholeResponse } from "../../server/http/http-message.ts";
import { countWaiting, waitingBytes, type Outlet } from "./backlog.ts";
import { bytesOf } from "../text-bytes.ts";

/** Whether a response is a stream, which `writeStream` writes. Every other response is complete. */
export function isStream(reply: HttpResponse): reply is StreamResponse {
  return reply.body instanceof EventStream;
}

/** Longest text that is written together with the head. A longer one is encoded here, once. */
const SMALL_TEXT = 32_768;

/** Writes a response, unless the client has gone. */
export function writeResponse(outlet: Outlet, response: ServerResponse, answer: WholeResponse): void {
  const { status, headers, body } = answer;
  if (response.destroyed || response.headersSent) return;
  if (typeof body === "string") {
    writeChunks(outlet, response, answer, [body.length > SMALL_TEXT ? Buffer.from(body) : body]);
  } else if (body === undefined) {
    response.writeHead(status, status === 204 ? [...headers] : [...headers, "Content-Length", "0"]);
    endResponse(outlet, response, [], 0);
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
  const full = length > SMALL_TEXT ? findFullLimit(outlet, response) : undefined;
  if (full !== undefined) return writeResponse(outlet, response, droppedResponse(full));
  response.writeHead(status, [...headers, "Content-Length", String(length)]);
  endResponse(outlet, response, chunks, length);
}

/**
 * Returns bytes for JSON that many responses share. JSON that is written once stays text, which the socket encodes without a copy
 * on the heap.
 */
function chunkOf(json: JsonText): Chunk {
  return json.reused ? bytesOf(json) : json.text;
}

/** Finds the limit that leaves no room for another large response to this client. */
function findFullLimit({ settings }: Outlet, response: ServerResponse): LimitExceededError | undefined {
  const { maxUnsent, maxBuffered } = settings.limits;
  if (unsent.size > maxUnsent) return new LimitExceededError("limits.maxUnsent", maxUnsent, unsent.size, ErrorCode.InternalError);
  if (!isBehind(response, maxBuffered)) return undefined;
  return new LimitExceededError("limits.maxBuffered", maxBuffered, waitingBytes(response), ErrorCode.InternalError);
}

/** Whether the connection still writes an earlier response, and more than `max` bytes of such responses wait. */
export function isBehind(response: ServerResponse, max: number): boolean {
  return response.socket === null && waitingBytes(response) > max;
}

/**
 * Replaces a response for which there is no room. The status is not 503, because the request was executed and must not simply be
 * repeated.
 */
function droppedResponse(limit: LimitExceededError): WholeResponse {
  return refusal(500, limit.toErrorData());
}

/** Text, or bytes that are encoded already. */
export type Chunk = string | Uint8Array;

/**
 * Most bytes, or characters of text, of one piece. A list of a thousand tools fits into one: the second piece of a response costs a turn and another system
 * call. A client that takes less than a piece in `limits.maxStalled` is cut.
 */
export const PIECE: number = 512 * 1024;

/** Cuts `chunks` into pieces no longer than {@link PIECE}. No character is cut in two. */
export function* piecesOf(chunks: readonly Chunk[]): Generator<Chunk, void> {
  for (const chunk of chunks) {
    for (let start = 0, end = 0; start < chunk.length; start = end) {
      end = endOfPiece(chunk, start);
      yield typeof chunk === "string" ? chunk.slice(start, end) : chunk.subarray(start, end);
    }
  }
}

function endOfPiece(chunk: Chunk, start: number): number {
  const end = start + PIECE;
  if (end >= chunk.length) return chunk.length;
  return typeof chunk === "string" && isHighSurrogate(chunk.charCodeAt(end - 1)) ? end - 1 : end;
}

function isHighSurrogate(code: number): boolean {
  return (code & 0xfc00) === 0xd800;
}

/** Writes the body of a response whose head is written, and ends it. */
export function endResponse(outlet: Outlet, response: ServerResponse, chunks: readonly Chunk[], length: number): void {
  if (length > PIECE) return writePieces(outlet, response, chunks, length);
  const { length: count } = chunks;
  if (count > 1) {
    response.cork();
    for (let i = 0; i < count - 1; i++) response.write(chunks[i]!);
  }
  response.end(chunks[count - 1]);
  if (count > 1) response.uncork();
  if (response.writableLength > 0) countWaiting(outlet, response, response.writableLength);
}

/** Writes each piece after the one before was taken, which shows that the client reads. */
function writePieces(outlet: Outlet, response: ServerResponse, chunks: readonly Chunk[], length: number): void {
  const pieces = piecesOf(chunks);
  const progressed = countWaiting(outlet, response, length);
  const goOn = (): void => {
    progressed();
    for (let piece = pieces.next(); ; piece = pieces.next()) {
      if (piece.done === true) return void response.end();
      if (!response.write(piece.value)) return;
    }
  };
  response.on("drain", goOn);
  goOn();
}
