/** What a procedure returned, as the result of a tool: JSON, files as content, and the values of a subscription as progress. */
import { onAbort } from "../base/abort.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { CallToolResult } from "../protocol/tools.ts";
import type { ToolReturn } from "../server/features/tools.ts";
import { file, image, text } from "../server/features/content.ts";
import type { RequestContext } from "../session/request-context.ts";

export interface ResultOptions {
  /** Whether the published schema has the output as the member `result`. */
  readonly isWrapped: boolean | undefined;
  readonly maxValues: number;
}

const MAX_MESSAGE = 1_000;

export async function toResult(returned: unknown, context: RequestContext, options: ResultOptions): Promise<ToolReturn | CallToolResult> {
  const stream = toStream(returned);
  if (stream !== undefined) return gather(stream, context, options.maxValues);
  const bytes = await bytesIn(returned);
  if (bytes !== undefined) return { content: [bytes] };
  if (returned === undefined) return undefined;
  if (typeof returned === "string" && options.isWrapped !== true) return { content: [text(returned)] };
  const value = asJson(returned);
  const data = options.isWrapped === true || !isJsonObject(value) ? { result: value } : value;
  return { content: [text(JSON.stringify(data))], structuredContent: data };
}

/** A copy as JSON has it. @throws TypeError if it has no JSON form */
export function asJson(value: unknown): unknown {
  const json: string | undefined = JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === "bigint") return Number.isSafeInteger(Number(member)) ? Number(member) : String(member);
    if (member instanceof Map) return [...(member as Map<unknown, unknown>)];
    return member instanceof Set ? [...(member as Set<unknown>)] : member;
  });
  return json === undefined ? null : JSON.parse(json);
}

async function bytesIn(value: unknown): Promise<CallToolResult["content"][number] | undefined> {
  if (value instanceof Blob) {
    const bytes = new Uint8Array(await value.arrayBuffer());
    if (value.type.startsWith("image/")) return image(bytes, value.type);
    const name = value instanceof File && value.name !== "" ? value.name : "result";
    return file(`file:///${encodeURIComponent(name)}`, bytes, value.type === "" ? "application/octet-stream" : value.type);
  }
  return value instanceof Uint8Array ? file("file:///result", value, "application/octet-stream") : undefined;
}

// ---- subscriptions ----

/** An observable, as tRPC 10 and others have it. */
interface Observable {
  subscribe(observer: { next(value: unknown): void; error(error: unknown): void; complete(): void }): { unsubscribe(): void };
}

function toStream(value: unknown): AsyncIterator<unknown, unknown> | undefined {
  if (typeof value !== "object" || value === null || value instanceof ReadableStream) return undefined;
  if (Symbol.asyncIterator in value) return (value as AsyncIterable<unknown, unknown>)[Symbol.asyncIterator]();
  return "subscribe" in value && typeof value.subscribe === "function" ? observed(value as Observable)[Symbol.asyncIterator]() : undefined; // checked by its method
}

async function* observed(observable: Observable): AsyncGenerator<unknown, unknown> {
  const waiting: IteratorResult<unknown, unknown>[] = [];
  let failed: { readonly error: unknown } | undefined;
  let wake: (() => void) | undefined;
  const put = (entry?: IteratorResult<unknown, unknown>): void => {
    if (entry !== undefined) waiting.push(entry);
    wake?.();
  };
  const subscription = observable.subscribe({
    next: (value) => put({ done: false, value }),
    complete: () => put({ done: true, value: undefined }),
    error: (error) => {
      failed = { error };
      put();
    },
  });
  try {
    for (;;) {
      const entry = waiting.shift();
      if (entry?.done === true) return entry.value;
      if (entry !== undefined) yield entry.value;
      else if (failed !== undefined) throw failed.error;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    subscription.unsubscribe();
  }
}

/** Sends each value as progress, until the stream ends, the caller cancels, or there are enough. */
async function gather(stream: AsyncIterator<unknown, unknown>, context: RequestContext, max: number): Promise<CallToolResult> {
  const values: unknown[] = [];
  let last: unknown;
  let release: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => (release = onAbort(context.signal, () => reject(context.signal.reason as Error))));
  try {
    context.signal.throwIfAborted();
    while (values.length < max) {
      const next = await Promise.race([stream.next(), aborted]);
      if (next.done === true) {
        last = next.value;
        break;
      }
      values.push(asJson(untracked(next.value)));
      await context.progress(values.length, undefined, messageOf(values.at(-1)));
    }
  } finally {
    release?.();
    void stop(stream);
  }
  const data: JsonObject = { values, ...(last !== undefined && { result: asJson(last) }), ...(values.length >= max && { isCut: true }) };
  return { content: [text(JSON.stringify(data))], structuredContent: data };
}

/** Ends a stream; one that does not end in time must not hold the call. */
async function stop(stream: AsyncIterator<unknown, unknown>): Promise<void> {
  try {
    await stream.return?.();
  } catch {
    // the values that were wanted have arrived
  }
}

function messageOf(value: unknown): string {
  return (typeof value === "string" ? value : JSON.stringify(value)).slice(0, MAX_MESSAGE);
}

/** The data of an event that tRPC tracks by an id: `[id, data, symbol]`. */
function untracked(value: unknown): unknown {
  return Array.isArray(value) && value.length === 3 && typeof value[2] === "symbol" ? value[1] : value;
}
