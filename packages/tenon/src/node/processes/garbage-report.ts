/**
 * Reports lines of a server's stdout that are not messages, such as banners and logs.
 *
 * Each report has an escaped sample, because it may be shown on a terminal. The number of reports is limited.
 */
import { MalformedMessage, type Incoming } from "../../jsonrpc/incoming.ts";
import { ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import { isGarbage } from "../stdio/line-reader.ts";

const SAMPLE_BYTES = 200;
const REPORTS_A_MINUTE = 100;
/** Characters without a message in between after which the connection is closed. */
const MAX_GARBAGE = 1024 * 1024;
/** Most lines to remember for the error of a call, and most of them to show. */
const [MAX_UNREAD, SHOWN] = [20, 3];

export class GarbageReport {
  readonly #onError: (error: Error) => void;
  readonly #onTooMuch: ((error: Error) => void) | undefined;
  #inARow = 0;
  /** When the minute began that the reports are counted in: with its first line, so that the count does not depend on the clock. */
  #began = -Infinity;
  #reported = 0;
  #unreported = 0;
  readonly #unread: { readonly at: number; readonly line: string }[] = [];

  /** @param onTooMuch called if there is too much garbage in a row */
  constructor(onError: (error: Error) => void, onTooMuch?: (error: Error) => void) {
    this.#onError = onError;
    this.#onTooMuch = onTooMuch;
  }

  /** Takes a line and what it was read as, and reports it if it is not JSON. */
  read(line: string, message: Incoming): void {
    if (message instanceof MalformedMessage && message.id === null) this.#note(line);
    if (!isGarbage(message)) {
      this.#inARow = 0;
      return;
    }
    this.add(line);
    this.#inARow += line.length;
    if (this.#inARow > MAX_GARBAGE) this.#onTooMuch?.(new ProtocolViolationError(`${MAX_GARBAGE} characters in a row were not JSON-RPC`));
  }

  #note(line: string): void {
    this.#unread.push({ at: performance.now(), line: line.slice(0, SAMPLE_BYTES) });
    if (this.#unread.length > MAX_UNREAD) this.#unread.shift();
  }

  /** The lines of the last `ms` milliseconds that could not be read as a message, for the error of a call that got no response. */
  unread(ms: number): string | undefined {
    const since = performance.now() - ms;
    const lines = this.#unread.filter(({ at }) => at >= since);
    if (lines.length === 0) return undefined;
    const count = lines.length === 1 ? "one line" : `${lines.length === MAX_UNREAD ? "at least " : ""}${lines.length} lines`;
    const samples = lines.slice(-SHOWN).map(({ line }) => toSample(line));
    return `meanwhile the server wrote ${count} to its stdout that could not be read as a message: ${samples.join(", ")}`;
  }

  add(line: string): void {
    const now = performance.now();
    if (now - this.#began >= 60_000) this.#begin(now);
    if (this.#reported === REPORTS_A_MINUTE) this.#unreported++;
    else {
      this.#reported++;
      this.#onError(new ProtocolViolationError(`The server wrote a line to its stdout that is not JSON: ${toSample(line)}`));
    }
  }

  #begin(now: number): void {
    const unreported = this.#unreported;
    this.#began = now;
    this.#reported = 0;
    this.#unreported = 0;
    if (unreported > 0)
      this.#onError(new ProtocolViolationError(`The server wrote ${unreported} more lines to its stdout that are not JSON`));
  }
}

/** The beginning of a line as printable ASCII in quotes, at most 200 bytes. */
export function toSample(line: string): string {
  const escaped = line
    .slice(0, SAMPLE_BYTES)
    .replace(/[^\x20-\x7e]|["\\]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return escaped.length > SAMPLE_BYTES - 2 || line.length > SAMPLE_BYTES ? `"${escaped.slice(0, SAMPLE_BYTES - 5)}"...` : `"${escaped}"`;
}
