/** What every engine refuses before anything is sent to it, so that all engines refuse the same. */
import type { StreamAddition, StreamAppend, StreamName, StreamOpening } from "./event-log.ts";
import { ErrorCode, LimitExceededError } from "../jsonrpc/mcp-error.ts";

/** Characters of one value of a keyed store. */
export const MAX_VALUE: number = 2 ** 20;
/** Characters of one event: the longest result of a server, and its message around it. */
export const MAX_EVENT: number = 17 * 2 ** 20;
/** Events of one call. */
export const MAX_BATCH = 256;
/** Events that a stream keeps. */
export const MAX_EVENTS = 1_000;
/** Characters that a stream keeps. The last event is kept however long it is. */
export const MAX_STREAM_SIZE: number = 8 * 2 ** 20;
/** Keys of additions that a stream remembers. */
export const MAX_ADDITIONS = 16;

const NAME = /^[\w-]{1,64}$/;
const TOPIC = /^[\w.-]{1,64}$/;
const MAX_NOTE = 2 ** 16;

/** @throws TypeError if a name is empty, too long, or has characters that an engine could read as its own syntax */
function assertName(what: string, name: string): void {
  if (!NAME.test(name)) throw new TypeError(`The ${what} must be 1 to 64 letters, digits, "-" and "_", not "${name.slice(0, 80)}"`);
}

export function assertTopic(topic: string): void {
  if (!TOPIC.test(topic)) throw new TypeError(`A topic must be 1 to 64 letters, digits, ".", "-" and "_", not "${topic.slice(0, 80)}"`);
}

export function assertValue(value: string): void {
  assertLength("KeyedStore.maxValue", MAX_VALUE, value.length);
}

export function assertWriter(writer: string): void {
  if (!TOPIC.test(writer)) throw new TypeError(`A writer must be 1 to 64 letters, digits, ".", "-" and "_", not "${writer.slice(0, 80)}"`);
}

/** @throws TypeError if a name of the stream has other characters */
export function assertStream({ session, stream }: StreamName): void {
  assertName("session", session);
  assertName("stream", stream);
}

/** @throws LimitExceededError if there are too many events, or one is too long; TypeError if an engine cannot keep one unchanged */
function assertEvents(data: readonly string[]): void {
  assertLength("EventLog.maxBatch", MAX_BATCH, data.length);
  for (const event of data) {
    assertEventLength(event);
    assertText("An event", event);
  }
}

/** @throws LimitExceededError if it is too long */
export function assertEventLength(event: string): void {
  assertLength("EventLog.maxEvent", MAX_EVENT, event.length);
}

/** How long an engine keeps something: it ends. @throws RangeError if it is not a finite number above 0 */
export function assertLifetime(ms: number): void {
  if (!(ms > 0 && ms < Infinity)) throw new RangeError(`A duration must be a finite number of milliseconds > 0, not ${ms}`);
}

/** @throws LimitExceededError if a message has more UTF-8 bytes than a bus takes; TypeError if an engine cannot carry it unchanged */
export function assertMessage(message: string, max: number): void {
  assertText("A message", message);
  if (message.length * 3 > max) assertLength("Bus.maxMessage", max, new TextEncoder().encode(message).length);
}

/** What strings have since ES2024, and in every runtime that is supported. */
interface CheckedText {
  isWellFormed(): boolean;
}

/** @throws TypeError if an engine cannot keep a text unchanged. JSON escapes what is refused here, so no text of `JSON.stringify` is. */
export function assertText(what: string, text: string): void {
  if (text.includes("\0") || !(text as string & CheckedText).isWellFormed())
    throw new TypeError(`${what} must have no U+0000 and no half of a surrogate pair, which engines cannot keep: write it as JSON`);
}

function assertLength(limit: string, max: number, length: number): void {
  if (length > max) throw new LimitExceededError(limit, max, length, ErrorCode.InternalError);
}

// ---- the calls of event logs ----

export function assertOpening(at: StreamName, { writer, note, ms }: StreamOpening): void {
  assertStream(at);
  if (writer !== undefined) assertWriter(writer);
  assertLength("EventLog.maxNote", MAX_NOTE, note?.length ?? 0);
  assertText("A note", note ?? "");
  assertLifetime(ms);
}

export function assertAppend(at: StreamName, append: StreamAppend): void {
  assertStream(at);
  assertAppended(append);
}

/** The rest of {@link assertAppend}, for a stream whose names were checked. @throws TypeError, RangeError, LimitExceededError */
export function assertAppended({ data, ms }: StreamAppend): void {
  assertEvents(data);
  assertLifetime(ms);
}

export function assertAddition(at: StreamName, { key, data, ms }: StreamAddition): void {
  assertStream(at);
  assertName("key of an addition", key);
  assertEvents(data);
  assertLifetime(ms);
}

export function assertDropping(session: string, ms: number): void {
  assertName("session", session);
  assertLifetime(ms);
}
