/**
 * Server-Sent Events, reading side: the events of one response body, each within a bound.
 *
 * The format is `eventsource-parser`'s, loaded when the first stream is read. What the events mean, and what to do when
 * the stream ends, is not decided here.
 */
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";

let loading: Promise<typeof import("eventsource-parser")> | undefined;

/** One event; `id` is there where the event set one. */
export interface ReceivedEvent {
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  readonly data: string;
}

/** Told of what a stream brings. */
export interface EventSink {
  /** Reading begins; `cut` ends it early, as if the stream had ended. */
  opened(cut: () => void): void;
  event(event: ReceivedEvent): void;
  /** The server named how long to wait before coming back, in ms. */
  retry(ms: number): void;
  /** Bytes arrived. */
  alive(): void;
  /** A comment arrived: this server keeps its streams alive. */
  keepsAlive(): void;
}

/** How a stream ended: in good order, or with what broke it. An event that was not complete is gone (HTML 9.2.6). */
export type StreamEnd = { readonly error?: unknown };

/**
 * Reads to the end of the stream.
 * @param max characters of one event
 * @throws LimitExceededError for an event that is too long; whatever the sink throws
 */
export async function readEvents(body: ReadableStream<Uint8Array>, max: number, sink: EventSink): Promise<StreamEnd> {
  loading ??= import("eventsource-parser");
  const feed = feeder(await loading, max, sink);
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const cut = (): void => void reader.cancel().catch(() => undefined); // nothing reads on
  sink.opened(cut);
  try {
    for (;;) {
      const chunk = await reader.read().catch((error: unknown) => ({ error }));
      if ("error" in chunk) return chunk;
      if (chunk.done) return {};
      sink.alive();
      feed(decoder.decode(chunk.value, { stream: true }));
    }
  } finally {
    cut();
  }
}

/** What takes the text of a stream, piece by piece, and calls the sink. It throws LimitExceededError for an event that is too long. */
function feeder({ createParser }: typeof import("eventsource-parser"), max: number, sink: EventSink): (text: string) => void {
  let tooLong = false;
  const parser = createParser({
    maxBufferSize: max,
    onEvent: (event) => sink.event(event),
    onRetry: (ms) => sink.retry(ms),
    onComment: () => sink.keepsAlive(),
    onError: ({ type }) => {
      tooLong ||= type === "max-buffer-size-exceeded";
    },
  });
  const lineFeeds = new LineFeeds();
  return (text) => {
    parser.feed(lineFeeds.only(text));
    if (tooLong) throw new LimitExceededError("limits.maxResponseBytes", max);
  };
}

/**
 * Every line break as a line feed. The parser takes all three, but looks for the next CR again and again; so it never
 * gets to see one (R9).
 */
class LineFeeds {
  #afterCR = false;

  only(text: string): string {
    if (text === "") return text;
    const rest = this.#afterCR && text.startsWith("\n") ? text.slice(1) : text;
    this.#afterCR = text.endsWith("\r");
    return rest.includes("\r") ? rest.replace(/\r\n?/g, "\n") : rest;
  }
}
