/**
 * Reads Server-Sent Events from one response body, each within a size limit.
 *
 * `eventsource-parser` parses the format; it is loaded with the first stream. The sink decides what events mean and what to
 * do when the stream ends.
 */
import { finishesWithin, systemClock, type Clock } from "../../base/clock.ts";
import { isJsonObject } from "../../jsonrpc/message.ts";
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import { parseJson } from "../../jsonrpc/parse-json.ts";

let loading: Promise<typeof import("eventsource-parser")> | undefined;

/** One event; `id` is set if the event has one. */
export interface ReceivedEvent {
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  readonly data: string;
}

export interface EventSink {
  /** Called when reading begins. `cut` ends the stream early. */
  opened(cut: () => void): void;
  event(event: ReceivedEvent): void;
  /** The server set the time to wait before reconnecting, in ms. */
  retry(ms: number): void;
  alive(): void;
  /** A comment arrived, so this server keeps its streams alive. */
  keepsAlive(): void;
  /** A message follows that is not in an event, or in one that did not end. Returns whether it is read. */
  unended(): boolean;
}

/**
 * How a stream ended: by itself, or by `error`. A last event without the blank line after it is dropped (HTML section 9.2.6), unless it
 * holds all of a message.
 */
export type StreamEnd = { readonly error?: unknown };

/** Milliseconds without a byte after which a message whose event has no end yet is read. */
const UNENDED = 500;

/**
 * Reads to the end of the stream.
 * @param max characters of one event
 * @throws LimitExceededError if an event is too long; what the sink throws
 */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  max: number,
  sink: EventSink,
  clock: Clock = systemClock,
): Promise<StreamEnd> {
  loading ??= import("eventsource-parser");
  const feed = createFeeder(await loading, max, sink);
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const cut = (): void => void reader.cancel().catch(() => undefined); // nothing is read any more
  sink.opened(cut);
  try {
    for (;;) {
      const next = reader.read().catch((error: unknown) => ({ error }));
      if (feed.isUnended && !(await finishesWithin(clock, UNENDED, next))) feed.settle();
      const chunk = await next;
      if ("error" in chunk) return chunk;
      if (chunk.done) {
        feed.end();
        return {};
      }
      sink.alive();
      feed.text(decoder.decode(chunk.value, { stream: true }));
    }
  } finally {
    cut();
  }
}

/** Takes the text of a stream piece by piece, and calls the sink. */
interface Feeder {
  /** @throws LimitExceededError if an event is too long */
  text(text: string): void;
  /** Whether an event has begun and not ended. */
  readonly isUnended: boolean;
  /** Ends the event that has begun, if it holds all of a message. */
  settle(): void;
  /** The stream has ended in good order. */
  end(): void;
}

function createFeeder({ createParser }: typeof import("eventsource-parser"), max: number, sink: EventSink): Feeder {
  let tooLong = false;
  let ending = false;
  let events = 0;
  const stray = new StrayText(max);
  const begun = new BegunEvent();
  const parser = createParser({
    maxBufferSize: max,
    onEvent: (event) => {
      events++;
      if (!ending || (isMessage(event.data) && sink.unended())) sink.event(event);
    },
    onRetry: (ms) => sink.retry(ms),
    onComment: () => sink.keepsAlive(),
    onError: ({ type, line }) => {
      tooLong ||= type === "max-buffer-size-exceeded";
      if (type === "unknown-field" && events === 0) stray.add(line ?? "");
    },
  });
  const lineFeeds = new LineFeeds();
  return {
    text: (given) => {
      const text = lineFeeds.only(given);
      const before = events;
      parser.feed(text);
      if (tooLong) throw new LimitExceededError("limits.maxResponseBytes", max);
      begun.add(text, events > before);
    },
    get isUnended() {
      return begun.isUnended;
    },
    settle: () => {
      if (!isMessage(begun.data) || !sink.unended()) return;
      begun.clear();
      parser.feed("\n\n");
    },
    end: () => {
      ending = true;
      parser.feed("\n\n");
      const data = stray.text;
      if (events === 0 && isMessage(data) && sink.unended()) sink.event({ data });
    },
  };
}

/** What came since the last blank line. */
class BegunEvent {
  #pieces: string[] = [];

  /** @param ended whether an event has ended in the text, or at its beginning */
  add(text: string, ended: boolean): void {
    const at = text.lastIndexOf("\n\n");
    if (at >= 0 || ended) this.clear();
    const rest = at >= 0 ? text.slice(at + 2) : ended ? text.replace(/^\n/, "") : text;
    if (rest !== "") this.#pieces.push(rest);
  }

  clear(): void {
    this.#pieces = [];
  }

  get isUnended(): boolean {
    return this.#pieces.length > 0;
  }

  get data(): string {
    const lines = this.#pieces.join("").split("\n");
    const data = lines.filter((line) => line.startsWith("data:"));
    return data.map((line) => line.slice(5)).join("\n");
  }
}

/** The lines of a message that was sent as a stream without being an event. */
class StrayText {
  readonly #max: number;
  text = "";

  constructor(max: number) {
    this.#max = max;
  }

  add(line: string): void {
    const begins = this.text === "" ? line.trimStart().startsWith("{") : this.text.length + line.length < this.#max;
    if (begins) this.text += `${line}\n`;
  }
}

/** Whether a text is all of a message, and not the beginning of one that was cut off. */
function isMessage(text: string): boolean {
  try {
    return text !== "" && isJsonObject(parseJson(text));
  } catch {
    return false;
  }
}

/** Replaces every line break by a line feed. The parser accepts CR too, but its search for CR takes quadratic time. */
class LineFeeds {
  #afterCR = false;

  only(text: string): string {
    if (text === "") return text;
    const rest = this.#afterCR && text.startsWith("\n") ? text.slice(1) : text;
    this.#afterCR = text.endsWith("\r");
    return rest.includes("\r") ? rest.replace(/\r\n?/g, "\n") : rest;
  }
}
