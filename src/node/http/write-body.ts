/**
 * The body of a response that is known in full, from its head to its end: at once where it is small, in pieces where it is large.
 *
 * A connection that takes a piece has not stalled, however long the whole takes. Streams end here too.
 */
import type { ServerResponse } from "node:http";
import { waitFor, type Outlet } from "./backlog.ts";

/** Text, or bytes where those are ready. */
export type Chunk = string | Uint8Array;

/** Bytes, or characters of text, of one piece: large enough for writing it to cost little beside making it. */
export const PIECE: number = 256 * 1024;

/** `chunks` in order, none longer than {@link PIECE}. No character is cut in two. */
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

/** Ends a response whose head is made. What is small and taken at once costs one look at what waits. */
export function endWith(outlet: Outlet, response: ServerResponse, chunks: readonly Chunk[], length: number): void {
  if (length > PIECE) return writePieces(outlet, response, chunks, length);
  const { length: count } = chunks;
  if (count > 1) {
    response.cork();
    for (let i = 0; i < count - 1; i++) response.write(chunks[i]!);
  }
  response.end(chunks[count - 1]);
  if (count > 1) response.uncork();
  if (response.writableLength > 0) waitFor(outlet, response, response.writableLength);
}

/** Each piece waits for the one before: that it was taken tells that the client reads. */
function writePieces(outlet: Outlet, response: ServerResponse, chunks: readonly Chunk[], length: number): void {
  const pieces = piecesOf(chunks);
  const progressed = waitFor(outlet, response, length);
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
