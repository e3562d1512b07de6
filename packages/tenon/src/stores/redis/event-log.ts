/** Events in Redis: see `EventLog`. */
import type { EventLog, EventPage, StreamAddition, StreamAppend, StreamName, StreamOpening } from "../../storage/event-log.ts";
import { assertAddition, assertAppend, assertDropping, assertOpening, assertStream, assertWriter } from "../../storage/limits.ts";
import type { RedisConnection } from "./connection.ts";
import { ADD, ADOPT, APPEND, DROP, OPEN, READ } from "./event-scripts.ts";
import { whole } from "./keyed-engine.ts";

export class RedisEventLog implements EventLog {
  readonly #connection: RedisConnection;
  readonly #prefix: string;

  constructor(connection: RedisConnection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
  }

  async open(at: StreamName, opening: StreamOpening): Promise<"opened" | "fenced" | "gone"> {
    assertOpening(at, opening);
    const { writer = "", note = "", ms } = opening;
    const args = [at.stream, writer, note, whole(ms)];
    return (await this.#connection.run(OPEN, this.#keys(at), args)) as "opened" | "fenced" | "gone"; // the script returns these
  }

  async append(at: StreamName, append: StreamAppend): Promise<"kept" | "fenced" | "gone"> {
    assertAppend(at, append);
    const { writer, first, data, ends = false, ms } = append;
    const outcome = await this.#connection.run(APPEND, this.#keys(at), [writer, first, ends ? 1 : 0, whole(ms), ...data]);
    if (typeof outcome === "number") throw new RangeError(`Event ${first} leaves a gap after event ${outcome}`);
    return outcome as "kept" | "fenced" | "gone"; // the script returns these
  }

  async add(at: StreamName, addition: StreamAddition): Promise<number | "gone"> {
    assertAddition(at, addition);
    const { key, data, ms } = addition;
    return (await this.#connection.run(ADD, this.#keys(at), [at.stream, key, whole(ms), ...data])) as number | "gone"; // the script returns these
  }

  async read(at: StreamName, after: number, limit: number): Promise<EventPage | "unknown" | "evicted"> {
    assertStream(at);
    const found = await this.#connection.run(READ, this.#keys(at), [after, limit]);
    if (found === "unknown" || found === "evicted") return found;
    const [last, ended, writer, note, ...data] = found as [number, string, string, string, ...string[]]; // the script returns these
    const events = data.map((text, index) => ({ number: after + 1 + index, data: text }));
    return { events, last, ended: ended === "1", ...(writer !== "" && { writer }), ...(note !== "" && { note }) };
  }

  async adopt(at: StreamName, from: string, to: string): Promise<boolean> {
    assertStream(at);
    assertWriter(to);
    return (await this.#connection.run(ADOPT, this.#keys(at), [from, to])) === 1;
  }

  async drop(session: string, ms: number): Promise<void> {
    assertDropping(session, ms);
    const tag = this.#tag(session);
    await this.#connection.run(DROP, [`${tag}index`, `${tag}dropped`], [`${tag}facts:`, `${tag}events:`, whole(ms)]);
  }

  #keys({ session, stream }: StreamName): string[] {
    const tag = this.#tag(session);
    return [`${tag}facts:${stream}`, `${tag}events:${stream}`, `${tag}index`, `${tag}dropped`];
  }

  #tag(session: string): string {
    return `${this.#prefix}{e:${session}}:`;
  }
}
