/**
 * Reads Server-Sent Events from one response body, each within a size limit.
 *
 * `eventsource-parser` parses the format; it is loaded with the first stream. The sink decides what events mean and what to
 * do when the stream ends.
 */
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";

let loading: Promise<typeof import("eventsource-parser")> | undefined;

/** One event; `id` is set if the event has one. */
export interface ReceivedEvent {
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  readonly data: string;
}

/** Receives the events of a stream. */
export interface EventSink {
  /** Called when reading begins. `cut` ends the stream early. */
  opened(cut: () => void): void;
  event(event: ReceivedEvent): void;
  /** The server set the time to wait before reconnecting, in ms. */
  retry(ms: number): void;
  /** Bytes arrived. */
  alive(): void;
  /** A comment arrived, so this server keeps its streams alive. */
  keepsAlive(): void;
}

/** How a stream ended: by itself, or by `error`. An incomplete last event is dropped (HTML section 9.2.6). */
export type StreamEnd = { readonly error?: unknown };

/**
 * Reads to the end of the stream.
 * @param max characters of one event
 * @throws LimitExceededError if an event is too long; what the sink throws
 */
export async function readEvents(body: ReadableStream<Uint8Array>, max: number, sink: EventSink): Promise<StreamEnd> {
  loading ??= import("eventsource-parser");
  const feed = createFeeder(await loading, max, sink);
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const cut = (): void => void reader.cancel().catch(() => undefined); // nothing is read any more
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

/**
 * Returns a function that takes the text of a stream piece by piece and calls the sink. It throws LimitExceededError if an event
 * is too long.
 */
function createFeeder({ createParser }: typeof import("eventsource-parser"), max: number, sink: EventSink): (text: string) => void {
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
