/**
 * Finds out what a body is that its `Content-Type` does not say: a message, or a stream of events. Loaded with the first such response.
 *
 * The body is read as far as it must be, and handed on whole.
 */
import type { HttpResponse } from "./fetch.ts";

/** Most characters to look at before a body counts as neither. */
const MAX_BEGINNING = 1_024;
/** The beginning of a line of an event stream. */
const FIELD = /^(data|event|id|retry)?:/;

/** What a text is by its beginning; `undefined` if it is neither, `"more"` if that cannot be said yet. */
export function formOf(text: string): "json" | "events" | "more" | undefined {
  const beginning = text.replace(/^\uFEFF?\s*/, "");
  if (beginning.startsWith("{") || beginning.startsWith("[")) return "json";
  if (FIELD.test(beginning)) return "events";
  return beginning.length < "retry:".length && text.length < MAX_BEGINNING ? "more" : undefined;
}

/** A body that is a message or a stream of events, though its `Content-Type` does not say so. */
export interface RecognisedBody {
  readonly form: "json" | "events";
  /** The response with all of its body. */
  readonly response: HttpResponse;
}

/** Looks at the beginning of a body. Returns undefined if it is something else; then the body is dropped. */
export async function recognise(response: HttpResponse): Promise<RecognisedBody | undefined> {
  if (response.body === null) return undefined;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const chunks: Uint8Array[] = [];
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (!done) {
      chunks.push(value);
      text += decoder.decode(value, { stream: true });
    }
    const form = formOf(text);
    if (form === "json" || form === "events") return { form, response: withBody(response, wholeOf(chunks, reader)) };
    if (!done && form === "more") continue;
    reader.cancel().catch(() => undefined); // nothing of it is needed
    return undefined;
  }
}

/** The events of a text that was read as a message. */
export function asEvents(response: HttpResponse, text: string): HttpResponse {
  return withBody(response, wholeOf([new TextEncoder().encode(text)]));
}

function withBody({ status, ok, type, headers }: HttpResponse, body: ReadableStream<Uint8Array>): HttpResponse {
  const withoutLength = { get: (name: string) => headers.get(name), has: (name: string) => headers.has(name) };
  return { status, ok, type, headers: withoutLength, body, text: () => new Response(body).text() };
}

/** A stream of what was read already, and of what the reader has left. */
function wholeOf(chunks: readonly Uint8Array[], reader?: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
  const read = [...chunks];
  return new ReadableStream<Uint8Array>({
    async pull(stream): Promise<void> {
      const chunk = read.shift() ?? (await reader?.read())?.value;
      if (chunk === undefined) stream.close();
      else stream.enqueue(chunk);
    },
    cancel: (reason) => reader?.cancel(reason),
  });
}
