/**
 * Server-Sent Events, writing side: turns one event or comment into text.
 *
 * Only the format (HTML standard, section 9.2.6); which events a stream carries, and when, is decided elsewhere.
 */

/** One event. Absent fields are not written. */
export interface SseEvent {
  /** Event type; readers use `message` if it is absent. */
  readonly event?: string;
  /** What a reader sends as `Last-Event-ID` when it reconnects. The empty string clears the last one. */
  readonly id?: string;
  /** How long a reader should wait before it reconnects, in milliseconds. */
  readonly retry?: number;
  /** May have several lines; a reader gets every line break as a single line feed. */
  readonly data: string;
}

/** A comment that keeps a connection from looking idle; readers ignore it. */
export const SSE_COMMENT = ":\n\n";

const LINE_BREAK = /\r\n|\r|\n/;

/**
 * The text of an event, with the blank line that ends it.
 *
 * @throws RangeError if `event` or `id` has a line break, `id` has a NUL (a reader would ignore it), or `retry` is not a whole
 * number of milliseconds
 */
export function encodeSseEvent({ event, id, retry, data }: SseEvent): string {
  let head = "";
  if (event !== undefined) head += `event: ${singleLine("event", event)}\n`;
  if (id !== undefined) head += `id: ${eventId(id)}\n`;
  if (retry !== undefined) head += `retry: ${milliseconds(retry)}\n`;
  return `${head}${lines("data: ", data)}\n`;
}

/**
 * The text of an event of type `message`, which carries JSON-RPC. Neither argument is checked: `id` must not come from a peer, and
 * `data` must be JSON as `JSON.stringify` writes it, without a line break.
 */
export function encodeMessageEvent(data: string, id?: string): string {
  return id === undefined ? `event: message\ndata: ${data}\n\n` : `id: ${id}\nevent: message\ndata: ${data}\n\n`;
}

/** The same for one of the thousands of events of a stream: `idField` is `id: ` and the common prefix of the stream's event ids. */
export function encodeNumberedEvent(idField: string, number: number, data: string): string {
  return `${idField}${number}\nevent: message\ndata: ${data}\n\n`;
}

function lines(prefix: string, text: string): string {
  // JSON text never has a raw line break, so nearly all data takes this path.
  if (!text.includes("\n") && !text.includes("\r")) return `${prefix}${text}\n`;
  return text
    .split(LINE_BREAK)
    .map((line) => `${prefix}${line}\n`)
    .join("");
}

function singleLine(field: string, value: string): string {
  if (LINE_BREAK.test(value)) throw new RangeError(`SSE field "${field}" must not contain a line break`);
  return value;
}

function eventId(id: string): string {
  if (id.includes("\0")) throw new RangeError('SSE field "id" must not contain NUL');
  return singleLine("id", id);
}

function milliseconds(retry: number): number {
  if (!Number.isSafeInteger(retry) || retry < 0) throw new RangeError('SSE field "retry" must be a non-negative integer of milliseconds');
  return retry;
}
