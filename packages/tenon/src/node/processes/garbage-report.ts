/**
 * Reports lines of a server's stdout that are not messages, such as banners and logs.
 *
 * Each report has an escaped sample, because it may be shown on a terminal. The number of reports is limited.
 */
import { MalformedMessage, type Incoming } from "../../jsonrpc/incoming.ts";
import type { JsonLimits } from "../../jsonrpc/json-limits.ts";
import { ErrorCode, ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import { parseMessage } from "../../jsonrpc/parse.ts";

const SAMPLE_BYTES = 200;
const REPORTS_A_MINUTE = 100;
/** Characters without a message in between after which the connection is closed. */
const MAX_GARBAGE = 1024 * 1024;

export class GarbageReport {
  readonly #onError: (error: Error) => void;
  readonly #onTooMuch: ((error: Error) => void) | undefined;
  #inARow = 0;
  /** When the minute began that the reports are counted in: with its first line, so that the count does not depend on the clock. */
  #began = -Infinity;
  #reported = 0;
  #unreported = 0;

  /** @param onTooMuch called if there is too much garbage in a row */
  constructor(onError: (error: Error) => void, onTooMuch?: (error: Error) => void) {
    this.#onError = onError;
    this.#onTooMuch = onTooMuch;
  }

  /** Parses a line, and reports it if it is not a message. */
  parse(line: string, limits?: Partial<JsonLimits>): Incoming {
    const message = parseMessage(line, limits);
    if (!(message instanceof MalformedMessage) || message.error.code !== ErrorCode.ParseError) this.#inARow = 0;
    else {
      this.add(line);
      this.#inARow += line.length;
      if (this.#inARow > MAX_GARBAGE) this.#onTooMuch?.(new ProtocolViolationError(`${MAX_GARBAGE} characters in a row were not JSON-RPC`));
    }
    return message;
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
